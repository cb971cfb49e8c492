"""The settled results of a run, collected query time by query time, in bounded memory.

A settled report lists each FVP once, with all its intervals, so no FVP can be written before the last query time. Few
results are merged in memory. Many results go to a temporary file, as a number for the FVP or event and its times. At
the end they are divided: FVPs in standard order, so many that their intervals fit into memory, are one report. The
reports of all divisions, one after the other, have the rows of a single report in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from holdsfor.columns.column_file import ColumnFile, StoredColumn
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import FluentTable, Key, PointTable
from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.runtime.reports.report import ReportColumns, merged, names_in_order, standard_order_of

__all__ = ["SettledResults"]

_MANY = 1 << 18
"""Intervals and time-points that are held in memory."""

Stored: TypeAlias = tuple[StoredColumn, ...]


@dataclass
class _StoredRows:
    """The rows of one fluent or event in a file: the number of an FVP or event, and its times."""

    width: int
    ids: TupleIds = field(default_factory=TupleIds)
    counts: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))
    parts: list[Stored] = field(default_factory=list)

    def add(self, columns: tuple[Int64, ...], n: int, file: ColumnFile) -> None:
        numbers = self.ids.numbers(columns[: self.width], n)
        counts = np.bincount(numbers, minlength=self.ids.count(self.width))
        counts[: len(self.counts)] += self.counts
        self.counts = counts
        self.parts.append(tuple(file.append(column) for column in (numbers, *columns[self.width :])))

    def divided(self, symbols: Symbols, file: ColumnFile) -> Iterator[tuple[Int64, ...]]:
        """The rows as columns of words and times, divided in the standard order of FVPs or events."""
        if self.counts.sum() <= _MANY:
            yield self._rows(self.parts, file)
            return
        division = self._division(symbols)
        divisions: list[list[Stored]] = [[] for _ in range(int(division.max()) + 1)]
        for part in self.parts:
            columns = _read(part, file)
            of_rows = division[columns[0]]
            order = np.argsort(of_rows, kind="stable")
            bounds = np.searchsorted(of_rows[order], np.arange(len(divisions) + 1))
            for number in np.unique(of_rows).tolist():
                rows = order[bounds[number] : bounds[number + 1]]
                divisions[number].append(tuple(file.append(column[rows]) for column in columns))
        for parts in divisions:
            yield self._rows(parts, file)

    def _division(self, symbols: Symbols) -> Int64:
        """The number of the division of each FVP or event."""
        if not self.width:
            return np.zeros(1, np.int64)
        words = self.ids.words(self.width, np.arange(len(self.counts)))
        ordered = standard_order_of(words, symbols)
        division = np.empty_like(ordered)
        division[ordered] = (np.cumsum(self.counts[ordered]) - self.counts[ordered]) // _MANY
        return np.unique(division, return_inverse=True)[1]

    def _rows(self, parts: list[Stored], file: ColumnFile) -> tuple[Int64, ...]:
        numbers, *times = concatenate_columns(_read(part, file) for part in parts)
        return (*self.ids.words(self.width, numbers), *times)


def _read(part: Stored, file: ColumnFile) -> tuple[Int64, ...]:
    return tuple(file.read(column, 0, column.n) for column in part)


class SettledResults:
    """Collects the results that each query time settles; `reports` returns all of them."""

    def __init__(self, tick: int) -> None:
        self._tick = tick
        self._waiting: list[ReportColumns] = []
        self._file: ColumnFile | None = None
        self._fluents: dict[Key, _StoredRows] = {}
        self._events: dict[Key, _StoredRows] = {}
        self.query_time = 0
        self.n_intervals = 0
        self.n_occurrences = 0
        self.n_time_points = 0

    @property
    def is_empty(self) -> bool:
        """Whether there was no query time."""
        return not self._waiting

    def add(self, part: ReportColumns, *, first: int) -> None:
        """Add the results that a query time settles; time-points at which FVPs hold are counted after `first`."""
        self.query_time = part.query_time
        self.n_intervals += part.n_intervals
        self.n_occurrences += part.n_occurrences
        self.n_time_points += part.n_time_points(first, self._tick)
        self._waiting.append(part)
        if sum(each.n_intervals + each.n_occurrences for each in self._waiting) > _MANY:
            self._spill()

    def _spill(self) -> None:
        """Write the waiting results to the file."""
        self._file = self._file or ColumnFile()
        together = merged(self._waiting)
        for key, fluents in together.fluents.items():
            self._fluents.setdefault(key, _StoredRows(key[1] + 1)).add(fluents.columns, fluents.n, self._file)
        for key, events in together.events.items():
            self._events.setdefault(key, _StoredRows(key[1])).add(events.columns, events.n, self._file)
        self._waiting = [ReportColumns(self.query_time, {}, {})]

    @property
    def n_fvps(self) -> int:
        """The number of FVPs."""
        if self._file is None:
            return merged(self._waiting).n_fvps
        self._spill()
        return sum(len(rows.counts) for rows in self._fluents.values())

    def reports(self, symbols: Symbols) -> Iterator[ReportColumns]:
        """The results, in one report or in several with the same query time, in standard order."""
        if self._file is None:
            yield merged(self._waiting)
            return
        self._spill()
        for key in names_in_order(self._fluents):
            for columns in self._fluents[key].divided(symbols, self._file):
                yield ReportColumns(self.query_time, {key: FluentTable(columns, len(columns[-1]))}, {})
        for key in names_in_order(self._events):
            for columns in self._events[key].divided(symbols, self._file):
                yield ReportColumns(self.query_time, {}, {key: PointTable(columns, len(columns[-1]))})
