"""Columns of events and of intervals.

Both are relations whose columns are words. A table finds rows by equal columns through indices that it builds when they
are first asked for and keeps; tables are therefore never changed, only replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from holdsfor.kernels.keys import Int64, KeyIndex, dense_ids, distinct_rows, index_of, mixed, pairs_of_equal_keys
from holdsfor.kernels.packing import Packing, packing_for
from holdsfor.kernels.sweep import merge_intervals

__all__ = [
    "FluentTable",
    "Key",
    "PointTable",
    "Relation",
    "empty_fluents",
    "empty_points",
    "fluent_table",
    "joined",
    "point_table",
]


Key: TypeAlias = tuple[str, int]
"""The name and arity of an event, a fluent or a predicate."""


@dataclass(frozen=True)
class Relation:
    """Rows of words."""

    columns: tuple[Int64, ...]
    n: int
    _indices: dict[tuple[int, ...], KeyIndex] = field(default_factory=dict, repr=False, compare=False)

    def partners(self, keys: Sequence[Int64], positions: tuple[int, ...], n: int) -> tuple[Int64, Int64]:
        """The pairs (row of the keys, row of this relation) that agree in the columns at the positions."""
        if not positions:
            owner = np.repeat(np.arange(n, dtype=np.int64), self.n)
            return owner, np.tile(np.arange(self.n, dtype=np.int64), n)
        columns = [self.columns[position] for position in positions]
        if n and self.n and positions not in self._indices:
            self._indices[positions] = index_of(mixed(columns, self.n))
        return pairs_of_equal_keys(keys, n, columns, self.n, self._indices.get(positions))


@dataclass(frozen=True)
class PointTable(Relation):
    """Things that happen; the last column is the time-point, not a word."""

    @property
    def times(self) -> Int64:
        return self.columns[-1]


@dataclass(frozen=True)
class FluentTable(Relation):
    """FVPs that hold: arguments, value, then start and end of a maximal interval, which are not words."""

    _stabbing: list[_Stabbing] = field(default_factory=list, repr=False, compare=False)

    @property
    def keys(self) -> tuple[Int64, ...]:
        """Arguments and value."""
        return self.columns[:-2]

    @property
    def starts(self) -> Int64:
        return self.columns[-2]

    @property
    def ends(self) -> Int64:
        return self.columns[-1]

    def holding(self, keys: Sequence[Int64], times: Int64) -> Int64:
        """For each row of complete keys and times: the row of this table whose interval contains the time, or -1."""
        if not self._stabbing:
            self._stabbing.append(_Stabbing(self))
        return self._stabbing[0].find(keys, times)


class _Stabbing:
    """Intervals sorted by key and start: the one that contains a time-point is found by one binary search."""

    def __init__(self, table: FluentTable) -> None:
        self.table = table
        ids, first = dense_ids(table.keys, table.n)
        self.index = index_of(mixed([key[first] for key in table.keys], len(first)))
        self.packing: Packing = packing_for(len(first), table.starts)
        packed = self.packing.pack(ids, table.starts)
        self.order = np.argsort(packed)
        self.packed = packed[self.order]
        self.low = int(table.starts.min()) if table.n else 0
        self.high = int(table.starts.max()) if table.n else 0

    def search(self, keys: Sequence[Int64], times: Int64) -> Int64:
        """The same without the index, for the case that two different keys mix to one."""
        result = np.full(len(times), -1, dtype=np.int64)
        row, partner = self.table.partners(keys, tuple(range(len(keys))), len(times))
        inside = (self.table.starts[partner] <= times[row]) & (times[row] < self.table.ends[partner])
        result[row[inside]] = partner[inside]
        return result

    def find(self, keys: Sequence[Int64], times: Int64) -> Int64:
        n = len(times)
        result = np.full(n, -1, dtype=np.int64)
        if self.table.n == 0 or n == 0:
            return result
        if not self.index.is_unique:
            return self.search(keys, times)
        numbers = self.index.numbers(mixed(keys, n))
        candidates = np.flatnonzero((numbers >= 0) & (times >= self.low))
        ids = self.index.order[numbers[candidates]]
        clipped = np.minimum(times[candidates], self.high)
        if self.packing.ranks is None:
            wanted = self.packing.pack(ids, clipped)
        else:
            wanted = ids * self.packing.span + np.searchsorted(self.packing.ranks, clipped, side="right") - 1
        position = np.searchsorted(self.packed, wanted, side="right") - 1
        rows = self.order[np.maximum(position, 0)]
        hit = position >= 0
        hit &= (self.table.starts[rows] <= times[candidates]) & (times[candidates] < self.table.ends[rows])
        for key, column in zip(keys, self.table.keys, strict=True):
            hit &= key[candidates] == column[rows]
        result[candidates[hit]] = rows[hit]
        return result


def empty_points(arity: int) -> PointTable:
    return PointTable(tuple(np.empty(0, dtype=np.int64) for _ in range(arity + 1)), 0)


def empty_fluents(arity: int) -> FluentTable:
    return FluentTable(tuple(np.empty(0, dtype=np.int64) for _ in range(arity + 3)), 0)


def point_table(columns: Sequence[Int64]) -> PointTable:
    """A table of points, each once."""
    n = len(columns[0])
    rows = distinct_rows(columns, n)
    return PointTable(tuple(columns), n) if rows is None else PointTable(tuple(c[rows] for c in columns), len(rows))


def fluent_table(keys: Sequence[Int64], starts: Int64, ends: Int64) -> FluentTable:
    """A table of the maximal intervals that any intervals make up."""
    ids, first = dense_ids(keys, len(starts))
    merged, begins, stops = merge_intervals(ids, starts, ends)
    rows = first[merged]
    return FluentTable((*(key[rows] for key in keys), begins, stops), len(merged))


def joined(known: FluentTable | None, more: FluentTable) -> FluentTable:
    """FVPs known so far and others of the same name, as one table."""
    if known is None or known.n == 0:
        return more
    columns = tuple(np.concatenate(pair) for pair in zip(known.columns, more.columns, strict=True))
    return FluentTable(columns, known.n + more.n)
