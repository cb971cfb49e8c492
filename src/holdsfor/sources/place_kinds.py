"""The types of constants that input records have in the places that rules join: integers, floats, texts, or several.

A rule that joins a typed column with a place of other types never matches, so the run is refused (HF507). `PlaceKinds`
decides this for every kind of run: all files together, each insertion into a session, each query time of a live run,
and the first stage of a job on Spark, which receives the types that the workers found. Retracted records count too, so
the decision does not depend on the order of records.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from holdsfor.analysis.names import Record
from holdsfor.analysis.place_joins import JoinedSide, PlaceJoins, TypeConflict
from holdsfor.analysis.sorts import Place
from holdsfor.analysis.variable_types import ConstantType, type_of
from holdsfor.columns.encoding import Symbols, is_symbol, kind_of_all
from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key
from holdsfor.errors import Diagnostic
from holdsfor.kernels.keys import Int64
from holdsfor.sources.number_checks import MISMATCH, NOUNS, TypedColumn, are_texts
from holdsfor.sources.text_records import Fact
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Struct, Term, name_and_arity

__all__ = ["PlaceKinds", "SomeRecords"]

_WRITTEN = {
    "integer": ConstantType.INTEGER,
    "float": ConstantType.FLOAT,
    "number": ConstantType.NUMBER,
    "text": ConstantType.TEXT,
    "both": ConstantType.ANY,
}
_NAMES = {types: name for name, types in _WRITTEN.items()}


class SomeRecords(Protocol):
    """Records of one name."""

    @property
    def key(self) -> Key: ...

    @property
    def records(self) -> Records: ...


@dataclass(frozen=True)
class PlaceKinds:
    """The types of all constants in each place, their number with an example, and the columns with a declared type.

    `places` are the places that rules join; None means all places.
    """

    places: Collection[Place] | None = None
    kinds: Mapping[Place, ConstantType] = field(default_factory=dict)
    columns: Mapping[Place, TypedColumn] = field(default_factory=dict)
    seen: Mapping[Place, tuple[int, str]] = field(default_factory=dict)

    def extended(
        self, records: Iterable[SomeRecords], columns: Mapping[Place, TypedColumn], symbols: Symbols
    ) -> PlaceKinds:
        """The types after more records; `columns` have a declared type."""
        kinds, seen = dict(self.kinds), dict(self.seen)
        for each in records:
            if len(each.records):
                for place, words in self._words(each):
                    _add(kinds, place, _types(words, symbols))
                    n, example = seen[place] if place in seen else (0, show(symbols.term(int(words[0]))))
                    seen[place] = n + len(words), example
        return PlaceKinds(self.places, kinds, {**columns, **self.columns}, seen)

    def _words(self, each: SomeRecords) -> Iterable[tuple[Place, Int64]]:
        (name, arity), columns = each.key, each.records.columns
        for i, words in enumerate(columns):
            place: Place = (name, arity, i if i < arity else "value")
            if self.places is None or place in self.places:
                yield place, words

    def merged(self, other: PlaceKinds) -> PlaceKinds:
        """The types of the records of both."""
        kinds = dict(self.kinds)
        for place, kind in other.kinds.items():
            _add(kinds, place, kind)
        seen = dict(self.seen)
        for place, (n, example) in other.seen.items():
            before, other_example = seen.get(place, (0, example))
            seen[place] = before + n, min(example, other_example)
        return PlaceKinds(self.places, kinds, {**other.columns, **self.columns}, seen)

    def with_facts(self, facts: Iterable[Fact]) -> PlaceKinds:
        """The types after more records, given as terms."""
        kinds = dict(self.kinds)
        for fact in facts:
            name, arity = name_and_arity(fact.entity)
            for i, arg in enumerate(fact.entity.args if isinstance(fact.entity, Struct) else ()):
                _add(kinds, (name, arity, i), _types_of_term(arg))
            if fact.value is not None:
                _add(kinds, (name, arity, "value"), _types_of_term(fact.value))
        return PlaceKinds(self.places, kinds, self.columns, self.seen)

    def check(self, joins: PlaceJoins) -> None:
        """Refuse rules that join a typed column with a place that has only constants of other types."""
        if not self.columns:
            return
        known = {place: (types,) for place, types in self.kinds.items() if types != ConstantType.ANY}
        for conflict in joins.conflicts(known):
            self._check(conflict)

    def mismatches(self, joins: PlaceJoins) -> list[Diagnostic]:
        """A warning for each join of records, or of records and facts, without a type in common."""
        known = {place: (types,) for place, types in self.kinds.items()}
        found: dict[str, Diagnostic] = {}
        for conflict in joins.conflicts(known):
            one, other = map(self._described, conflict.sides)
            message = f"{one} and {other}, so they never join"
            found.setdefault(message, Diagnostic("HF325", message, conflict.span, MISMATCH))
        return list(found.values())

    def _described(self, side: JoinedSide) -> str:
        """The types of a side, with the number of its constants and an example."""
        shown = f"`{show(side.term)}` has {NOUNS[side.types]}"
        n, example = self.seen.get(side.origin, (0, ""))
        return f"{shown} ({n:,}, such as `{example}`)" if n else shown

    def _check(self, conflict: TypeConflict) -> None:
        """Refuse a join of a column of text with numbers, or of two columns of other types."""
        wrong, other = sorted(conflict.sides, key=lambda side: -side.types)
        column, other_column = self.columns.get(wrong.origin), self.columns.get(other.origin)
        is_declared = column is not None and column.types == wrong.types
        is_other = other_column is not None and other_column.types == other.types
        if column is not None and is_declared and (is_other or wrong.types == ConstantType.TEXT):
            reason = f"a rule joins `{show(wrong.term)}` with `{show(other.term)}`, which has {NOUNS[other.types]}"
            kind = "integer" if other.types == ConstantType.INTEGER else "number"
            raise column.problem(reason, kind, conflict.span)

    def to_json(self) -> list[Any]:
        """The types as JSON, for snapshots and for Spark."""
        columns = [
            [list(place), column.name, column.record.shape, column.file, column.is_mapped, int(column.types)]
            for place, column in self.columns.items()
        ]
        seen = [[list(place), n, example] for place, (n, example) in self.seen.items()]
        return [[[list(place), _NAMES.get(types, "both")] for place, types in self.kinds.items()], columns, seen]

    def with_json(self, written: list[Any]) -> PlaceKinds:
        """These types, merged with those of `to_json`."""
        kinds, columns, *seen = written
        typed: dict[Place, TypedColumn] = {}
        for (name, arity, position), column, shape, file, is_mapped, *types in columns:
            of = ConstantType(*types) if types else ConstantType.TEXT
            typed[name, arity, position] = TypedColumn(column, Record(name, arity, shape), file, is_mapped, of)
        counts = {tuple(place): (n, example) for each in seen for place, n, example in each}
        return self.merged(PlaceKinds(None, {tuple(place): _WRITTEN[kind] for place, kind in kinds}, typed, counts))


def _add(kinds: dict[Place, ConstantType], place: Place, types: ConstantType) -> None:
    kinds[place] = kinds.get(place, ConstantType.NOTHING) | types


def _types_of_term(term: Term) -> ConstantType:
    return ConstantType.ANY if isinstance(term, Struct) else type_of(term)


def _types(words: Int64, symbols: Symbols) -> ConstantType:
    """The types of words; structures and large integers may be any."""
    match kind_of_all(words):
        case "integer":
            return ConstantType.INTEGER
        case "float":
            return ConstantType.FLOAT
        case "symbol" if are_texts(words, symbols):
            return ConstantType.TEXT
    return ConstantType.NUMBER if not is_symbol(words).any() else ConstantType.ANY
