"""FVPs and events as terms and as texts.

Successive reports have mostly the same instances. Formatting a single instance costs far more than recognising it, so
the texts of short reports are cached as long as successive reports contain the instance. Long reports are formatted as
columns (`texts.py`), which costs less than the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term

if TYPE_CHECKING:
    from holdsfor.columns.encoding import Symbols
    from holdsfor.columns.texts import Texts
    from holdsfor.kernels.keys import Int64

__all__ = ["Described", "Entities", "Entity", "EntityList", "EntityParts", "KnownEntities", "plain_text"]

Key: TypeAlias = tuple[str, int]
Words: TypeAlias = tuple[int, ...]

_MUCH_MORE = 4
_FEW = 1_000
_MANY = 1_000
_MANY_NEW = 64


@dataclass(frozen=True, eq=False)
class Entity:
    """An FVP (a term `F=V`) or an event, and its text."""

    term: Term

    @cached_property
    def name(self) -> str:
        """The whole term as text.

        >>> Entity(Struct("=", (Struct("location", (Atom("Chris"),)), Atom("pub")))).name
        "location('Chris')=pub"
        """
        return show(self.term)

    @cached_property
    def functor(self) -> str:
        return self._parts[0].name

    @cached_property
    def args(self) -> list[str]:
        """The arguments of the fluent or event, without quotes."""
        fluent = self._parts[0]
        return [plain_text(arg) for arg in fluent.args] if isinstance(fluent, Struct) else []

    @cached_property
    def value(self) -> str | None:
        """The value of the fluent, without quotes; None for an event."""
        value = self._parts[1]
        return None if value is None else plain_text(value)

    @property
    def key(self) -> Key:
        """The name and arity of the fluent or event."""
        return self.functor, len(self.args)

    @property
    def constants(self) -> tuple[Term, ...]:
        """The arguments, and the value of a fluent."""
        named, value = self._parts
        args = named.args if isinstance(named, Struct) else ()
        return args if value is None else (*args, value)

    @cached_property
    def _parts(self) -> tuple[Atom | Struct, Term | None]:
        is_fvp = isinstance(self.term, Struct) and self.term.name == "="
        named, value = self.term.args if is_fvp and isinstance(self.term, Struct) else (self.term, None)
        assert isinstance(named, Atom | Struct)
        return named, value


def plain_text(term: Term) -> str:
    """The text of a constant without quotes; structures are written as in rules.

    >>> plain_text(Atom("A 100"))
    'A 100'
    """
    return term.name if isinstance(term, Atom) else show(term)


KnownEntities: TypeAlias = dict[tuple[str, Key], dict[Words, Entity]]
"""The entities of recent short reports by their words, for each fluent and event."""


class Described(Protocol):
    """FVPs or events in some order: one by one as terms, or as Arrow columns of text."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Entity]: ...

    def names(self) -> Texts:
        """Whole terms."""

    def functors(self) -> Texts:
        """The names of fluents or events."""

    def args(self) -> Any:
        """Lists of arguments, without quotes."""

    def values(self) -> Texts:
        """The values of fluents, without quotes; null for events."""


class EntityList(list[Entity]):
    """Entities that exist as terms."""

    def names(self) -> Texts:
        return _strings([entity.name for entity in self])

    def functors(self) -> Texts:
        return _strings([entity.functor for entity in self])

    def args(self) -> Any:
        import pyarrow as pa  # type: ignore[import-untyped]

        return pa.array([entity.args for entity in self], pa.list_(pa.string()))

    def values(self) -> Texts:
        return _strings([entity.value for entity in self])


def _strings(texts: Sequence[str | None]) -> Texts:
    import pyarrow as pa

    return pa.array(texts, pa.string())


@dataclass(frozen=True)
class EntityColumns:
    """Many FVPs or events of one name, as columns of words; terms are made on demand."""

    name: str
    columns: Sequence[Int64]
    fvp_values: Int64 | None
    n: int
    symbols: Symbols
    listed: Callable[[], EntityList]

    def __len__(self) -> int:
        return self.n

    def __iter__(self) -> Iterator[Entity]:
        return iter(self.listed())

    def names(self) -> Texts:
        from holdsfor.columns.texts import entity_texts

        return entity_texts(self.name, self.columns, self.fvp_values, self.n, self.symbols)

    def functors(self) -> Texts:
        import pyarrow as pa

        return pa.repeat(pa.scalar(self.name), self.n)

    def args(self) -> Any:
        from holdsfor.columns.texts import text_lists
        from holdsfor.columns.typed_values import plain_texts

        return text_lists([plain_texts(column, self.symbols) for column in self.columns], self.n)

    def values(self) -> Texts:
        import pyarrow as pa

        if self.fvp_values is None:
            return pa.nulls(self.n, pa.string())
        from holdsfor.columns.typed_values import plain_texts

        return plain_texts(self.fvp_values, self.symbols)


@dataclass(frozen=True)
class EntityParts:
    """The entities of several parts, one part after the other."""

    parts: Sequence[Described]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __iter__(self) -> Iterator[Entity]:
        return chain.from_iterable(self.parts)

    def names(self) -> Texts:
        return self._joined([part.names() for part in self.parts], EntityList().names)

    def functors(self) -> Texts:
        return self._joined([part.functors() for part in self.parts], EntityList().functors)

    def args(self) -> Any:
        return self._joined([part.args() for part in self.parts], EntityList().args)

    def values(self) -> Texts:
        return self._joined([part.values() for part in self.parts], EntityList().values)

    def _joined(self, parts: Sequence[Any], nothing: Callable[[], Any]) -> Any:
        import pyarrow as pa

        return pa.concat_arrays([nothing(), *parts])


class Entities:
    """The entities of reports, for one table of symbols; those of recent short reports are cached."""

    def __init__(self, symbols: Symbols, known: KnownEntities) -> None:
        self._symbols = symbols
        self._known = known

    def fvps(self, key: Key, columns: Sequence[Int64], *, are_new: bool = False) -> Described:
        """The FVPs of distinct rows; the last column has the values. `are_new`: hardly any is in the cache."""
        n = len(columns[-1])
        if self._is_long(key, n, are_new=are_new):
            listed = partial(self._listed_fvps, key, columns)
            return EntityColumns(key[0], columns[:-1], columns[-1], n, self._symbols, listed)
        return self._listed_fvps(key, columns)

    def events(self, key: Key, columns: Sequence[Int64], n: int, *, are_new: bool = False) -> Described:
        """The events of `n` distinct rows in the same way."""
        if self._is_long(key, n, are_new=are_new):
            listed = partial(self._listed_events, key, columns, n)
            return EntityColumns(key[0], columns, None, n, self._symbols, listed)
        return self._listed_events(key, columns, n)

    def _is_long(self, key: Key, n: int, *, are_new: bool) -> bool:
        """Whether columns of texts are made faster than terms."""
        from holdsfor.columns.texts import is_compound_name

        return n >= (_MANY_NEW if are_new else _MANY) and is_compound_name(*key)

    def _listed_fvps(self, key: Key, columns: Sequence[Int64]) -> EntityList:
        def fvp(row: tuple[Term, ...]) -> Term:
            return Struct("=", (_named(key[0], row[:-1]), row[-1]))

        return self._of(("fvp", key), list(zip(*(column.tolist() for column in columns), strict=True)), fvp)

    def _listed_events(self, key: Key, columns: Sequence[Int64], n: int) -> EntityList:
        rows: list[Words] = [()] * n
        if columns:
            rows = list(zip(*(column.tolist() for column in columns), strict=True))
        return self._of(("event", key), rows, lambda row: _named(key[0], row))

    def _of(self, what: tuple[str, Key], rows: list[Words], made: Callable[[tuple[Term, ...]], Term]) -> EntityList:
        known = self._known.setdefault(what, {})
        for row in [row for row in rows if row not in known]:
            known[row] = Entity(made(tuple(self._terms(row))))
        found = EntityList(known[row] for row in rows)
        if len(known) > _MUCH_MORE * len(rows) + _FEW:
            self._known[what] = dict(zip(rows, found, strict=True))
        return found

    def _terms(self, row: Words) -> Iterator[Term]:
        return map(self._symbols.term, row)


def _named(name: str, arguments: tuple[Term, ...]) -> Term:
    return Struct(name, arguments) if arguments else Atom(name)
