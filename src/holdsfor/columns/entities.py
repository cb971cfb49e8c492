"""FVPs and events as terms and as texts, cached from one query time to the next.

Successive reports have mostly the same instances. Formatting an instance costs far more than recognising it, so its
text is cached as long as successive reports contain it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from holdsfor.kernels.keys import Int64
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term

if TYPE_CHECKING:
    from holdsfor.columns.encoding import Symbols

__all__ = ["Entities", "Entity"]

Key: TypeAlias = tuple[str, int]
Words: TypeAlias = tuple[int, ...]

_MUCH_MORE = 4
_FEW = 1_000


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
        """The arguments of the fluent or event."""
        fluent = self._parts[0]
        return [show(arg) for arg in fluent.args] if isinstance(fluent, Struct) else []

    @cached_property
    def value(self) -> str | None:
        """The value of the fluent; None for an event."""
        value = self._parts[1]
        return None if value is None else show(value)

    @cached_property
    def _parts(self) -> tuple[Atom | Struct, Term | None]:
        is_fvp = isinstance(self.term, Struct) and self.term.name == "="
        named, value = self.term.args if is_fvp and isinstance(self.term, Struct) else (self.term, None)
        assert isinstance(named, Atom | Struct)
        return named, value


class Entities:
    """The cached entities of recent reports, for one table of symbols."""

    def __init__(self, symbols: Symbols) -> None:
        self._symbols = symbols
        self._known: dict[tuple[str, Key], dict[Words, Entity]] = {}

    def fvps(self, key: Key, columns: Sequence[Int64]) -> list[Entity]:
        """The FVPs of distinct rows; the last column has the values."""

        def fvp(row: tuple[Term, ...]) -> Term:
            return Struct("=", (_named(key[0], row[:-1]), row[-1]))

        return self._of(("fvp", key), list(zip(*(column.tolist() for column in columns), strict=True)), fvp)

    def events(self, key: Key, columns: Sequence[Int64], n: int) -> list[Entity]:
        """The events of `n` distinct rows."""
        rows: list[Words] = [()] * n
        if columns:
            rows = list(zip(*(column.tolist() for column in columns), strict=True))
        return self._of(("event", key), rows, lambda row: _named(key[0], row))

    def _of(self, what: tuple[str, Key], rows: list[Words], made: Callable[[tuple[Term, ...]], Term]) -> list[Entity]:
        known = self._known.setdefault(what, {})
        for row in [row for row in rows if row not in known]:
            known[row] = Entity(made(tuple(self._terms(row))))
        found = [known[row] for row in rows]
        if len(known) > _MUCH_MORE * len(rows) + _FEW:
            self._known[what] = dict(zip(rows, found, strict=True))
        return found

    def _terms(self, row: Words) -> Iterator[Term]:
        return map(self._symbols.term, row)


def _named(name: str, arguments: tuple[Term, ...]) -> Term:
    return Struct(name, arguments) if arguments else Atom(name)
