"""Tables, lists, rows and records as parts of a snapshot, and back.

A part is made of lists, dictionaries, texts and integers. A part refers to a column by a number: its place among
the columns of the snapshot. A `PartReader` reads the parts that a `PartWriter` writes, with the words of its own
symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, astuple
from typing import Any, TypeAlias, TypeVar

import numpy as np

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.recoding import FromSnapshot, ToSnapshot
from holdsfor.columns.records import AdmissionCounts, Mask, Records
from holdsfor.columns.retractions import Retractions
from holdsfor.columns.tables import FluentTable, PointTable, Relation
from holdsfor.kernels.keys import Int64
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.rows import Rows
from holdsfor.runtime.allen_constructs import KeptIntervals
from holdsfor.runtime.delays import SetUp
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.snapshot import Column, Snapshot, integer
from holdsfor.sources.text_records import SetAside

__all__ = ["Part", "PartReader", "PartWriter"]

Part: TypeAlias = Any
Id = TypeVar("Id")
Value = TypeVar("Value")
Columnar = TypeVar("Columnar", FluentTable, PointTable, Records)


class PartWriter:
    """Collects the columns and symbols of parts."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self.recoding = ToSnapshot(symbols)
        self.columns: list[Column] = []

    def numbers(self, column: Column) -> int:
        self.columns.append(column)
        return len(self.columns) - 1

    def words(self, column: Int64) -> int:
        return self.numbers(self.recoding.words(column))

    def all_words(self, columns: Iterable[Int64]) -> list[int]:
        return [self.words(column) for column in columns]

    def maybe(self, column: Int64 | None) -> int | None:
        return None if column is None else self.numbers(column)

    def by_id(self, found: Mapping[Any, Value], write: Callable[[Value], Part]) -> Part:
        """A dictionary by keys, ids or places, which are tuples of texts and integers."""
        return [[list(place), write(value)] for place, value in found.items()]

    def fluents(self, table: FluentTable) -> Part:
        return [self.all_words(table.keys), self.numbers(table.starts), self.numbers(table.ends)]

    def points(self, table: PointTable) -> Part:
        return [self.all_words(table.columns[:-1]), self.numbers(table.times)]

    def relation(self, relation: Relation) -> Part:
        return [self.all_words(relation.columns), relation.n]

    def rows(self, rows: Rows) -> Part:
        columns = {name: self.words(column) for name, column in rows.columns.items()}
        return [rows.n, columns, self.maybe(rows.times)]

    def lists(self, lists: Lists) -> Part:
        """Variables of rules are words; names that begin with `#` are numbers."""
        columns = lists.rows.columns
        written = {name: (self.numbers if name[0] == "#" else self.words)(columns[name]) for name in lists.names}
        return [written, self.numbers(lists.starts), self.numbers(lists.ends)]

    def kept(self, kept: KeptIntervals) -> Part:
        return [self.lists(kept.sources), self.lists(kept.targets), None if kept.cut is None else self.kept(kept.cut)]

    def set_ups(self, found: tuple[SetUp | None, ...]) -> Part:
        return [None if each is None else self.set_up(each) for each in found]

    def set_up(self, found: SetUp) -> Part:
        flags = self.numbers(found.is_postponable), self.numbers(found.starts)
        return [self.rows(found.rows), self.numbers(found.delays), *flags]

    def records(self, records: Records) -> Part:
        times = records.arrivals, records.starts, records.ends, records.begins, records.places
        return [self.all_words(records.columns), *map(self.maybe, times)]

    def retractions(self, found: Retractions[SetAside]) -> Part:
        return [self.records(found.records), [list(astuple(each)) for each in found.origins]]

    def store(self, store: RecordStore) -> Part:
        retractions = {(is_event, *key): each for (is_event, key), each in store.retractions.items()}
        return {
            "events": self.by_id(store.events, self.records),
            "fluents": self.by_id(store.fluents, self.records),
            "retractions": self.by_id(retractions, self.retractions),
            "admission_counts": asdict(store.admission_counts),
            "unmatched": [list(astuple(each)) for each in store.unmatched],
            "counts": [store.n_unmatched, store.n_retracted, store.n_places],
        }


class PartReader:
    """Reads what a `PartWriter` wrote; a part that is not of the right form raises an error of some kind."""

    def __init__(self, snapshot: Snapshot, symbols: Symbols) -> None:
        self.columns = snapshot.columns
        self.recoding = FromSnapshot(snapshot.terms, symbols)

    def numbers(self, part: Part) -> Int64:
        column = self.columns[part]
        if column.dtype != np.int64:
            raise TypeError("expected a column of numbers")
        return column.astype(np.int64, copy=False)

    def flags(self, part: Part) -> Mask:
        return self.columns[part].astype(bool, copy=False)

    def words(self, part: Part) -> Int64:
        return self.recoding.words(self.numbers(part))

    def all_words(self, parts: Sequence[Part], n: int) -> list[Int64]:
        return _of_length([self.words(part) for part in parts], n)

    def maybe(self, part: Part) -> Int64 | None:
        return None if part is None else self.numbers(part)

    def by_id(self, part: Part, read: Callable[[Part], Value]) -> dict[Any, Value]:
        return {tuple(place): read(value) for place, value in part}

    def by_key(self, part: Part, read: Callable[[Part], Columnar], n_more: int) -> dict[Any, Columnar]:
        """Tables by name and arity, the last two parts of their ids, with `n_more` columns than arguments."""
        found = self.by_id(part, read)
        for (*_, name, arity), table in found.items():
            if not isinstance(name, str) or integer(arity, 0) + n_more != len(table.columns):
                raise ValueError("the columns of a table do not fit its name")
        return found

    def all_fluents(self, part: Part) -> dict[Any, FluentTable]:
        return self.by_key(part, self.fluents, 3)

    def all_points(self, part: Part) -> dict[Any, PointTable]:
        return self.by_key(part, self.points, 1)

    def fluents(self, part: Part) -> FluentTable:
        keys, starts, ends = part[0], self.numbers(part[1]), self.numbers(part[2])
        n = len(starts)
        return FluentTable((*self.all_words(keys, n), *_of_length([starts, ends], n)), n)

    def points(self, part: Part) -> PointTable:
        times = self.numbers(part[1])
        return PointTable((*self.all_words(part[0], len(times)), times), len(times))

    def relation(self, part: Part) -> Relation:
        return Relation(tuple(self.all_words(part[0], part[1])), part[1])

    def rows(self, part: Part) -> Rows:
        n, columns, times = part
        return Rows(n, dict(zip(columns, self.all_words(list(columns.values()), n), strict=True)), self.maybe(times))

    def lists(self, part: Part) -> Lists:
        columns, starts, ends = part[0], self.numbers(part[1]), self.numbers(part[2])
        read = [(self.numbers if name[0] == "#" else self.words)(column) for name, column in columns.items()]
        rows = Rows(len(starts), dict(zip(columns, _of_length(read, len(starts)), strict=True)))
        return Lists(rows, *_of_length([starts, ends], len(starts)))

    def kept(self, part: Part) -> KeptIntervals:
        return KeptIntervals(self.lists(part[0]), self.lists(part[1]), None if part[2] is None else self.kept(part[2]))

    def set_ups(self, part: Part) -> tuple[SetUp | None, ...]:
        return tuple(None if each is None else self.set_up(each) for each in part)

    def set_up(self, part: Part) -> SetUp:
        return SetUp(self.rows(part[0]), self.numbers(part[1]), self.flags(part[2]), self.flags(part[3]))

    def records(self, part: Part) -> Records:
        columns, arrivals, starts, ends, begins, places = part
        arrived, begun = self.numbers(arrivals), self.numbers(starts)
        more = self.maybe(ends), self.maybe(begins), self.maybe(places)
        _of_length([arrived, *(each for each in more if each is not None)], len(begun))
        return Records(self.all_words(columns, len(begun)), arrived, begun, *more)

    def retractions(self, part: Part) -> Retractions[SetAside]:
        return Retractions(self.records(part[0]), [SetAside(*each) for each in part[1]])

    def store(self, part: Part) -> RecordStore:
        store = RecordStore()
        store.events = self.by_key(part["events"], self.records, 0)
        store.fluents = self.by_key(part["fluents"], self.records, 1)
        if any(each.ends is not None for each in store.events.values()):
            raise ValueError("events have ends")
        if any(each.ends is None for each in store.fluents.values()):
            raise ValueError("intervals have no ends")
        retractions = self.by_id(part["retractions"], self.retractions)
        store.retractions = {(place[0], place[1:]): each for place, each in retractions.items()}
        counts = {name: integer(count, 0) for name, count in part["admission_counts"].items()}
        store.admission_counts = AdmissionCounts(**counts)
        store.unmatched = [SetAside(*each) for each in part["unmatched"]]
        store.n_unmatched, store.n_retracted, store.n_places = (integer(count, 0) for count in part["counts"])
        return store


def _of_length(columns: list[Int64], n: int) -> list[Int64]:
    if any(len(column) != n for column in columns):
        raise ValueError("the columns of a table have different lengths")
    return columns
