"""Records and what takes them back, brought together: what stands, and retractions of what is not there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from holdsfor.sources.column_reading import ColumnReading, Piece, Retraction
from holdsfor.sources.text import SetAside
from holdsfor.spark.facts import Facts, Load, Texts, by_name, facts_of_records, owners
from holdsfor.spark.parcels import NOWHERE, Parcel, rows_of
from holdsfor.spark.sending import by_owner
from holdsfor.spark.set_aside import set_aside_facts

__all__ = ["Settler"]

_KINDS = ("event", "fluent")


@dataclass(frozen=True)
class Settler:
    """Takes back what is taken back, where a record and all retractions that may name it are in one bucket.

    Records have a `place` in the order of reading; prepared ones, which have none, come first.
    """

    n_buckets: int

    def send(self, loads: Iterable[Load]) -> Iterator[Any]:
        """Rows of parcels, with what is equal in one bucket; what cannot be taken back goes to the first."""
        for load in loads:
            texts = Texts(load.symbols)
            yield from rows_of((parcel for facts in load.facts for parcel in self._parcels(facts, texts)), texts)

    def _parcels(self, facts: Facts, texts: Texts) -> Iterator[Parcel]:
        if "start" not in facts.times:
            yield Parcel(NOWHERE, (0,), self.n_buckets, facts)
            return
        if "place" not in facts.times:
            facts = replace(facts, times={**facts.times, "place": np.zeros(facts.n, np.int64)})
        # A retraction may name a part of an interval, which begins elsewhere.
        is_interval = "end" in facts.times
        mixed = np.zeros(facts.n, dtype=np.int64) if is_interval else facts.times["start"].copy()
        for words in facts.words if is_interval else facts.words[:1]:
            mixed += owners(words, 1 << 40, texts)
        everything = np.arange(facts.n, dtype=np.int64)
        yield from by_owner(NOWHERE, facts, everything, owners(np.abs(mixed), self.n_buckets, texts), self.n_buckets)

    def settle(self, loads: Iterable[Load]) -> Iterator[Load]:
        """What stands, of all loads of a bucket; they have one table of symbols."""
        loads = list(loads)
        if loads:
            facts = by_name(facts for load in loads for facts in load.facts)
            yield Load(list(_standing(facts)), loads[0].symbols)


def _standing(facts: list[Facts]) -> Iterator[Facts]:
    taken = {(each.kind[1:], each.key): each for each in facts if each.kind.startswith("-")}
    added = {(each.kind, each.key): each for each in facts if each.kind in _KINDS}
    yield from (each for each in facts if not each.kind.startswith("-") and each.kind not in _KINDS)
    for kind, key in dict.fromkeys([*added, *taken]):
        retractions = taken.get((kind, key))
        if retractions is None:
            yield _without_places(added[kind, key])
        else:
            yield from _settled(kind == "event", added.get((kind, key)), retractions)


def _without_places(facts: Facts) -> Facts:
    return replace(facts, times={name: column for name, column in facts.times.items() if name != "place"})


def _settled(is_event: bool, added: Facts | None, taken: Facts) -> Iterator[Facts]:
    reading, records = ColumnReading(), taken.records()
    if added is not None:
        reading.add(Piece(is_event, added.key, added.records(), added.times["place"]))
    columns = [*records.columns, records.starts, *([] if records.ends is None else [records.ends])]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    known = (records.arrivals.tolist(), taken.times["place"].tolist(), taken.texts["text"].to_pylist())
    for row, arrival, place, text in zip(rows, *known, strict=True):
        origin = SetAside("", 0, text, "takes back a record that is not there")
        reading.take_back(is_event, taken.key, [Retraction(row, arrival, place, origin)])
    reading.settle()
    for key, standing in (*reading.events.items(), *reading.fluents.items()):
        yield facts_of_records(key, standing)
    found = reading.unmatched
    yield from set_aside_facts([each.text for each in found], [each.reason for each in found], "unmatched")
