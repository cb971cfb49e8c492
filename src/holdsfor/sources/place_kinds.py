"""The kinds of constants that input records have in the places that rules join: numbers, texts, or both.

A rule that joins a typed column of text with numbers never matches, so the run is refused (HF507). `PlaceKinds` decides
this for every kind of run: all files together, each insertion into a session, each query time of a live run, and the
first stage of a job on Spark, which receives the kinds that the workers found. Retracted records count too, so the
decision does not depend on the order of records.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from holdsfor.analysis.names import Record
from holdsfor.analysis.place_joins import PlaceJoins
from holdsfor.analysis.sorts import Place
from holdsfor.columns.encoding import Symbols, is_number
from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key
from holdsfor.kernels.keys import Int64
from holdsfor.sources.number_checks import TextColumn, are_texts
from holdsfor.sources.text_records import Fact
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Float, Int, Struct, Term, name_and_arity

__all__ = ["PlaceKinds", "SomeRecords"]

Kind = Literal["number", "text", "both"]


class SomeRecords(Protocol):
    """Records of one name."""

    @property
    def key(self) -> Key: ...

    @property
    def records(self) -> Records: ...


@dataclass(frozen=True)
class PlaceKinds:
    """The kind of all constants in each place, and the columns whose strings are texts.

    `places` are the places that rules join; None means all places.
    """

    places: Collection[Place] | None = None
    kinds: Mapping[Place, Kind] = field(default_factory=dict)
    texts: Mapping[Place, TextColumn] = field(default_factory=dict)

    def extended(
        self, records: Iterable[SomeRecords], texts: Mapping[Place, TextColumn], symbols: Symbols
    ) -> PlaceKinds:
        """The kinds after more records; `texts` are the columns whose strings are texts."""
        kinds = dict(self.kinds)
        for each in records:
            if len(each.records):
                for place, words in self._columns(each):
                    _add(kinds, place, _kind(words, symbols))
        return PlaceKinds(self.places, kinds, {**texts, **self.texts})

    def _columns(self, each: SomeRecords) -> Iterable[tuple[Place, Int64]]:
        (name, arity), columns = each.key, each.records.columns
        for i, words in enumerate(columns):
            place: Place = (name, arity, i if i < arity else "value")
            if self.places is None or place in self.places:
                yield place, words

    def merged(self, other: PlaceKinds) -> PlaceKinds:
        """The kinds of the records of both."""
        kinds = dict(self.kinds)
        for place, kind in other.kinds.items():
            _add(kinds, place, kind)
        return PlaceKinds(self.places, kinds, {**other.texts, **self.texts})

    def with_facts(self, facts: Iterable[Fact]) -> PlaceKinds:
        """The kinds after more records, given as terms."""
        kinds = dict(self.kinds)
        for fact in facts:
            name, arity = name_and_arity(fact.entity)
            for i, arg in enumerate(fact.entity.args if isinstance(fact.entity, Struct) else ()):
                _add(kinds, (name, arity, i), _kind_of_term(arg))
            if fact.value is not None:
                _add(kinds, (name, arity, "value"), _kind_of_term(fact.value))
        return PlaceKinds(self.places, kinds, self.texts)

    def check(self, joins: PlaceJoins) -> None:
        """Refuse rules that join a column of text with a place that has only numbers."""
        if not self.texts:
            return
        known = {
            place: kind
            for place, kind in self.kinds.items()
            if kind == "number" or (kind == "text" and place in self.texts)
        }
        for conflict in joins.conflicts(known):
            reason = f"a rule joins `{show(conflict.text)}` with `{show(conflict.number)}`, which has numbers"
            raise self.texts[conflict.text_place].problem(reason, "number", conflict.span)

    def to_json(self) -> list[Any]:
        """The kinds as JSON, for snapshots and for Spark."""
        columns = [
            [list(place), column.name, column.record.shape, column.file, column.is_mapped]
            for place, column in self.texts.items()
        ]
        return [[[list(place), kind] for place, kind in self.kinds.items()], columns]

    def with_json(self, written: list[Any]) -> PlaceKinds:
        """These kinds, merged with those of `to_json`."""
        kinds, columns = written
        texts: dict[Place, TextColumn] = {}
        for (name, arity, position), column, shape, file, is_mapped in columns:
            texts[name, arity, position] = TextColumn(column, Record(name, arity, shape), file, is_mapped)
        return self.merged(PlaceKinds(None, {tuple(place): kind for place, kind in kinds}, texts))


def _add(kinds: dict[Place, Kind], place: Place, kind: Kind) -> None:
    kinds[place] = kind if kinds.get(place, kind) == kind else "both"


def _kind_of_term(term: Term) -> Kind:
    if isinstance(term, Int | Float):
        return "number"
    return "both" if isinstance(term, Struct) else "text"


def _kind(words: Int64, symbols: Symbols) -> Kind:
    if is_number(words).all():
        return "number"
    return "text" if are_texts(words, symbols) else "both"
