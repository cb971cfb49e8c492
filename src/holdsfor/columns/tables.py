"""Columns of events and of intervals.

Both are relations whose columns are words. The rows of a table never change: an operation on them returns a new table.
A table caches data derived from its rows: indices by columns, tuple ids, the words of arguments. It computes each at
first use. Tables with the same arguments share their tuple ids (`with_bounds`), and `with_numbers` adds tuple ids to a
table in place.

Results of rules have the tuple ids of their instances (`tuple_ids.py`) instead of words; `columns` looks the words up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import is_
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import (
    Int64,
    KeyIndex,
    dense_ids,
    distinct_rows,
    index_of,
    is_worth_an_index,
    mixed,
    pairs_of_equal_keys,
)
from holdsfor.kernels.packing import OPEN
from holdsfor.kernels.stabbing import Depths, Stabbing, containing_pairs
from holdsfor.kernels.sweep import merge_intervals

__all__ = [
    "FluentTable",
    "Key",
    "PointTable",
    "Relation",
    "Table",
    "concatenate_tables",
    "distinct_points",
    "empty_fluents",
    "empty_points",
    "fluent_table",
    "point_table",
]


Key: TypeAlias = tuple[str, int]
"""The name and arity of an event, a fluent or a predicate."""


Table = TypeVar("Table", bound="Relation")


class Relation:
    """Rows of words."""

    def __init__(self, columns: tuple[Int64, ...], n: int) -> None:
        self.n = n
        self._columns: tuple[Int64, ...] | None = columns
        self._last = columns
        self._instances: TupleIds | None = None
        self._numbers: dict[tuple[int, ...], Int64] = {}
        self._indices: dict[tuple[int, ...], KeyIndex] = {}
        self._restricted: dict[tuple[tuple[int, int], ...], tuple[Any, Int64]] = {}
        self._grouped: dict[tuple[int, ...], _Groups] = {}
        self._joined: dict[tuple[int, ...], tuple[tuple[Int64, ...], tuple[Int64, Int64]]] = {}
        self._gathered: dict[int, tuple[Int64, Int64]] = {}

    @classmethod
    def numbered(cls: type[Table], instances: TupleIds, width: int, numbers: Int64, more: tuple[Int64, ...]) -> Table:
        """The relation whose first `width` columns are the words of the numbers, followed by `more` columns."""
        relation = cls(more, len(numbers))
        relation._columns = None
        relation._instances = instances
        relation._numbers[tuple(range(width))] = numbers
        return relation

    @property
    def columns(self) -> tuple[Int64, ...]:
        if self._columns is None:
            assert self._instances is not None
            positions, numbers = next(iter(self._numbers.items()))
            self._columns = (*self._instances.words(len(positions), numbers), *self._last)
        return self._columns

    @property
    def n_bytes(self) -> int:
        """The bytes of the columns and tuple ids, without indices."""
        return sum(each.nbytes for each in (*(self._columns or self._last), *self._numbers.values()))

    def column(self, position: int) -> Int64:
        """One column; words are looked up only if the column is an argument that is stored as tuple ids."""
        if self._columns is None:
            width = len(next(iter(self._numbers)))
            if position >= width:
                return self._last[position - width]
        return self.columns[position]

    def numbers(self, positions: tuple[int, ...], instances: TupleIds) -> Int64:
        """The tuple ids of the columns at the positions."""
        known = self._numbers.get(positions)
        if known is None:
            known = instances.numbers([self.columns[position] for position in positions], self.n)
            self._numbers[positions] = known
        return known

    def is_numbered(self, positions: tuple[int, ...]) -> bool:
        """Whether the tuple ids of the columns at the positions are cached."""
        return positions in self._numbers

    def with_numbers(self: Table, positions: tuple[int, ...], numbers: Int64) -> Table:
        """The table itself, with the given tuple ids added to its cache."""
        self._numbers[positions] = numbers
        return self

    def take(self: Table, rows: Int64) -> Table:
        """Some of the rows."""
        taken = type(self)(tuple(column[rows] for column in self._columns or self._last), len(rows))
        if self._columns is None:
            taken._columns, taken._instances = None, self._instances
        taken._numbers = {positions: numbers[rows] for positions, numbers in self._numbers.items()}
        return taken

    def restricted(self: Table, words: tuple[tuple[int, int], ...]) -> tuple[Table, Int64]:
        """The rows that have certain words at certain positions, as a relation, and their row numbers."""
        if words not in self._restricted:
            is_such = np.ones(self.n, dtype=bool)
            for position, word in words:
                is_such &= self.column(position) == word
            rows = is_such.nonzero()[0]
            self._restricted[words] = self.take(rows), rows
        return self._restricted[words]

    def partners(self, keys: Sequence[Int64], positions: tuple[int, ...], n: int) -> tuple[Int64, Int64]:
        """The pairs (row of the keys, row of this relation) that agree in the columns at the positions.

        The last pairs are kept: rules with the same first conditions join the same columns.
        """
        if not positions:
            owner = np.repeat(np.arange(n, dtype=np.int64), self.n)
            return owner, np.tile(np.arange(self.n, dtype=np.int64), n)
        known = self._joined.get(positions)
        if known is not None and all(map(is_, known[0], keys)):
            return known[1]
        columns = [self.columns[position] for position in positions]
        index = self._index(positions) if is_worth_an_index(n, self.n) else None
        pairs = pairs_of_equal_keys(keys, n, columns, self.n, index)
        self._joined[positions] = tuple(keys), pairs
        return pairs

    def gathered(self, position: int, rows: Int64) -> Int64:
        """The words of some rows in one column; the last ones are kept for the same array of rows."""
        known = self._gathered.get(position)
        if known is None or known[0] is not rows:
            known = self._gathered[position] = rows, self.column(position)[rows]
        return known[1]

    def has(self, keys: Sequence[Int64], n: int) -> NDArray[np.bool_]:
        """Which rows of complete keys are rows of this relation."""
        return self.matches(keys, tuple(range(len(keys))), n)

    def matches(self, keys: Sequence[Int64], positions: tuple[int, ...], n: int) -> NDArray[np.bool_]:
        """Which rows of keys agree with some row of this relation in the columns at the positions."""
        if not positions or not n or not self.n:
            return np.full(n, self.n > 0, dtype=bool)
        index = self._index(positions)
        numbers = index.numbers(mixed(keys, n))
        found: NDArray[np.bool_] = numbers >= 0
        if len(keys) == 1:
            return found
        # The first row with the mixed key is nearly always the only candidate.
        rows = index.order[index.bounds[:-1][numbers]]
        for key, position in zip(keys, positions, strict=True):
            found &= self.columns[position][rows] == key
        is_settled = np.count_nonzero(found) == np.count_nonzero(numbers >= 0)
        return found if is_settled else self._groups(positions).find(keys, n) >= 0

    def _groups(self, positions: tuple[int, ...]) -> _Groups:
        if positions not in self._grouped:
            own = [self.columns[position] for position in positions]
            ids, first = dense_ids(own, self.n)
            self._grouped[positions] = _Groups(ids, Relation(tuple(column[first] for column in own), len(first)))
        return self._grouped[positions]

    def _index(self, positions: tuple[int, ...]) -> KeyIndex:
        if positions not in self._indices:
            self._indices[positions] = index_of(mixed([self.columns[position] for position in positions], self.n))
        return self._indices[positions]


@dataclass
class _Groups:
    """The rows of a table, grouped by some columns: the group of each row, and the words of each group."""

    ids: Int64
    words: Relation
    depths: Depths | None = None

    def find(self, keys: Sequence[Int64], n: int) -> Int64:
        """The group of each row of keys, or -1."""
        found = np.full(n, -1, dtype=np.int64)
        row, partner = self.words.partners(keys, tuple(range(len(keys))), n)
        found[row] = partner
        return found


class PointTable(Relation):
    """Events; the last column is the time-point, not a word."""

    @property
    def times(self) -> Int64:
        return self._last[-1]


class FluentTable(Relation):
    """FVPs: arguments, value, then start and end of a maximal interval, which are not words."""

    def __init__(self, columns: tuple[Int64, ...], n: int) -> None:
        super().__init__(columns, n)
        self._by_value: dict[int, tuple[Int64, Int64, Int64]] = {}
        self._stabbing: dict[int | None, Stabbing] = {}
        self._distinct_keys: Relation | None = None

    @property
    def keys(self) -> tuple[Int64, ...]:
        """Arguments and value."""
        return self.columns[:-2]

    @property
    def values(self) -> Int64:
        return self._last[-3]

    @property
    def starts(self) -> Int64:
        return self._last[-2]

    @property
    def ends(self) -> Int64:
        return self._last[-1]

    def of_value(self, value: int, instances: TupleIds) -> tuple[Int64, Int64, Int64]:
        """The tuple ids of the arguments, the starts and the ends of the rows with a value."""
        if value not in self._by_value:
            rows = (self.values == value).nonzero()[0]
            numbers = self.arguments(instances)
            self._by_value[value] = numbers[rows], self.starts[rows], self.ends[rows]
        return self._by_value[value]

    def arguments(self, instances: TupleIds) -> Int64:
        """The tuple ids of the arguments."""
        if self._columns is None:
            return next(iter(self._numbers.values()))
        return self.numbers(tuple(range(len(self._columns) - 3)), instances)

    def with_starts(self, starts: Int64) -> FluentTable:
        """The same FVPs with other starts."""
        return self.with_bounds(starts, self.ends)

    def open_after(self, time: int) -> FluentTable:
        """The same FVPs; intervals that end after a time-point become open."""
        is_open = self.ends > time
        return self.with_bounds(self.starts, np.where(is_open, OPEN, self.ends)) if is_open.any() else self

    def with_bounds(self, starts: Int64, ends: Int64) -> FluentTable:
        """The same FVPs with other intervals."""
        moved = FluentTable((*(self._columns or self._last)[:-2], starts, ends), self.n)
        if self._columns is None:
            moved._columns, moved._instances = None, self._instances
        moved._numbers = self._numbers
        return moved

    def points(self, rows: Int64, times: Int64) -> PointTable:
        """The FVPs of some rows, at time-points."""
        taken = self.take(rows)
        if taken._columns is None:
            points = PointTable((taken.values, times), len(times))
            points._columns, points._instances = None, self._instances
        else:
            points = PointTable((*taken.keys, times), len(times))
        points._numbers = taken._numbers
        return points

    def holding(self, keys: Sequence[Int64], times: Int64) -> Int64:
        """For each row of complete keys and times: the row of this table whose interval contains the time, or -1."""
        ids = np.full(len(times), -1, dtype=np.int64)
        if self.n == 0 or len(times) == 0:
            return ids
        if self._distinct_keys is None:
            own, first = dense_ids(self.keys, self.n)
            self._stabbing[None] = Stabbing(own, self.starts, self.ends)
            self._distinct_keys = Relation(tuple(key[first] for key in self.keys), len(first))
        row, partner = self._distinct_keys.partners(keys, tuple(range(len(keys))), len(times))
        ids[row] = partner
        return self._stabbing[None].find(ids, times)

    def holds(self, value: int, instances: TupleIds, numbers: Int64, times: Int64) -> NDArray[np.bool_]:
        """Whether the fluents with arguments of these tuple ids have the value at the times."""
        own, starts, ends = self.of_value(value, instances)
        if len(own) == 0 or len(times) == 0:
            return np.zeros(len(times), dtype=bool)
        if value not in self._stabbing:
            self._stabbing[value] = Stabbing(own, starts, ends)
        return self._stabbing[value].contains(numbers, times)

    def n_holding(self, keys: Sequence[Int64], positions: tuple[int, ...], times: Int64) -> Int64:
        """For each row of keys at some positions and a time: the number of matching FVPs that hold at the time."""
        if self.n == 0 or len(times) == 0:
            return np.zeros(len(times), dtype=np.int64)
        groups = self._groups(positions)
        if groups.depths is None:
            groups.depths = Depths(groups.ids, self.starts, self.ends)
        return groups.depths.count(groups.find(keys, len(times)), times)

    def holding_partners(self, keys: Sequence[Int64], positions: tuple[int, ...], times: Int64) -> tuple[Int64, Int64]:
        """The pairs (row of the keys, row of this table) that agree at the positions, where the FVP holds at the time.

        O((n + m) log n + pairs) for n rows of keys and m rows of this table.
        """
        if self.n == 0 or len(times) == 0:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        groups = self._groups(positions)
        return containing_pairs(groups.find(keys, len(times)), times, groups.ids, self.starts, self.ends)


@lru_cache(maxsize=64)
def empty_points(arity: int) -> PointTable:
    return PointTable(tuple(np.empty(0, dtype=np.int64) for _ in range(arity + 1)), 0)


@lru_cache(maxsize=64)
def empty_fluents(arity: int) -> FluentTable:
    return FluentTable(tuple(np.empty(0, dtype=np.int64) for _ in range(arity + 3)), 0)


def point_table(columns: Sequence[Int64]) -> PointTable:
    """A table of points without duplicates."""
    n = len(columns[0])
    rows = distinct_rows(columns, n)
    return PointTable(tuple(columns), n) if rows is None else PointTable(tuple(c[rows] for c in columns), len(rows))


def fluent_table(keys: Sequence[Int64], starts: Int64, ends: Int64) -> FluentTable:
    """A table of the maximal intervals of any intervals."""
    ids, first = dense_ids(keys, len(starts))
    merged, begins, stops = merge_intervals(ids, starts, ends)
    rows = first[merged]
    return FluentTable((*(key[rows] for key in keys), begins, stops), len(merged))


def concatenate_tables(parts: Iterable[Table | None]) -> Table:
    """The rows of tables of one kind, in order; None is an empty table. At least one part is a table."""
    given = [part for part in parts if part is not None]
    tables = [table for table in given if table.n] or given[:1]
    if len(tables) == 1:
        return tables[0]
    first, n = tables[0], sum(table.n for table in tables)
    shared = [positions for positions in first._numbers if all(positions in table._numbers for table in tables)]
    are_lazy = all(table._columns is None for table in tables) and len(shared) > 0
    columns = [table._last if are_lazy else table.columns for table in tables]
    together = type(first)(concatenate_columns(columns), n)
    if are_lazy:
        together._columns, together._instances = None, first._instances
    together._numbers = {p: np.concatenate([table._numbers[p] for table in tables]) for p in shared}
    return together


def distinct_points(parts: Iterable[PointTable | None]) -> PointTable:
    """The union of tables without duplicates, again without; None is an empty table. At least one part is a table."""
    given = [part for part in parts if part is not None]
    tables = [table for table in given if table.n] or given[:1]
    return tables[0] if len(tables) == 1 else point_table(concatenate_columns(table.columns for table in tables))
