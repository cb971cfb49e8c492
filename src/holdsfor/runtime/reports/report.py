"""The report of a query time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.result_table import Extents, concatenate_extents
from holdsfor.columns.tables import FluentTable, Key, PointTable, concatenate_tables
from holdsfor.kernels.compact import ascending_order, compact
from holdsfor.kernels.keys import Int64, dense_ids, rows_with_a_partner
from holdsfor.physical.standard_order import standard_ranks
from holdsfor.syntax.terms import Term

__all__ = ["Replaced", "ReportColumns", "SameBefore", "merged", "names_in_order", "order_of_rows", "standard_order_of"]

InstanceRows: TypeAlias = tuple[list[Int64], Int64, tuple[Int64, Int64]]
"""Words of distinct instances by column, the number of rows of each, and the starts and ends of all rows."""

_NOTHING = np.zeros(0, np.int64)


@dataclass(frozen=True)
class ReportColumns:
    """FVPs with their intervals and output events with their time-points, as columns, as of a query time.

    `replaced` has the rows in which it may differ from the report before it, if they are known; `same_before` is the
    time-point before which they are the same, if there is one. `identity` says which report that is.
    """

    query_time: int
    fluents: dict[Key, FluentTable]
    events: dict[Key, PointTable]
    replaced: Replaced | None = field(default=None, repr=False, compare=False)
    same_before: SameBefore | None = field(default=None, repr=False, compare=False)
    identity: object = field(default_factory=object, repr=False, compare=False)

    def before(self, boundary: int) -> ReportColumns:
        """The part that no later query time can change: rows that end before the boundary."""
        return self.where(
            {key: table.ends <= boundary for key, table in self.fluents.items()},
            {key: table.times < boundary for key, table in self.events.items()},
        )

    def since(self, boundary: int) -> ReportColumns:
        """The part that may still change: rows with a time-point at the boundary or later."""
        return self.where(
            {key: table.ends > boundary for key, table in self.fluents.items()},
            {key: table.times >= boundary for key, table in self.events.items()},
        )

    def after(self, boundary: int, tick: int, previous: ReportColumns | None) -> ReportColumns:
        """The part in a window: rows with a time-point after the boundary.

        Events at the boundary itself may follow from later input; those that the previous report lacks are included.
        """

        following = (boundary // tick + 1) * tick
        return self.where(
            {key: table.ends > following for key, table in self.fluents.items()},
            {
                key: _is_after(table, boundary, None if previous is None else previous.events.get(key))
                for key, table in self.events.items()
            },
        )

    def where(self, fluents: dict[Key, NDArray[np.bool_]], events: dict[Key, NDArray[np.bool_]]) -> ReportColumns:
        """The rows selected by masks."""
        intervals = {key: _rows(table, fluents[key]) for key, table in self.fluents.items()}
        points = {key: _rows(table, events[key]) for key, table in self.events.items()}
        return ReportColumns(
            self.query_time,
            {key: table for key, table in intervals.items() if table.n},
            {key: table for key, table in points.items() if table.n},
        )

    @property
    def n_intervals(self) -> int:
        return sum(table.n for table in self.fluents.values())

    @property
    def n_fvps(self) -> int:
        return sum(len(dense_ids(table.keys, table.n)[1]) for table in self.fluents.values())

    @property
    def n_occurrences(self) -> int:
        """The number of time-points of the output events."""
        return sum(table.n for table in self.events.values())

    def n_time_points(self, after: int, tick: int) -> int:
        """The time-points after a boundary, up to the query time, at which FVPs hold, summed over all FVPs."""
        first, end = (after // tick + 1) * tick, (self.query_time // tick + 1) * tick
        held = (np.minimum(t.ends, end) - np.maximum(t.starts, first) for t in self.fluents.values())
        return sum(int(np.maximum(each, 0).sum()) for each in held) // tick

    def intervals(self, symbols: Symbols) -> dict[Term, list[tuple[int, int | None]]]:
        """The intervals of each FVP (a term `F=V`), in standard order; an open end is None."""
        found = self.fvp_extents(symbols).intervals()
        return {fvp.term: list(zip(starts, ends, strict=True)) for fvp, starts, ends in found}

    def times(self, symbols: Symbols) -> dict[Term, list[int]]:
        """The time-points of each output event, in standard order."""
        return {event.term: times for event, times in self.event_extents(symbols).times()}

    def fvp_extents(self, symbols: Symbols) -> Extents:
        """The FVPs in standard order with their intervals."""
        parts = []
        for key in names_in_order(self.fluents):
            words, counts, spans = self.fvp_rows(key, symbols)
            parts.append(Extents(symbols.entities.fvps(key, words), counts, *spans))
        return concatenate_extents(parts)

    def event_extents(self, symbols: Symbols) -> Extents:
        """The output events in standard order with their time-points, as starts and as ends."""
        parts = []
        for key in names_in_order(self.events):
            words, counts, spans = self.event_rows(key, symbols)
            parts.append(Extents(symbols.entities.events(key, words, len(counts)), counts, *spans))
        return concatenate_extents(parts)

    def fvp_rows(self, key: Key, symbols: Symbols) -> InstanceRows:
        """The FVPs of a fluent: distinct arguments and values, numbers of intervals, and starts and ends."""
        if (table := self.fluents.get(key)) is None:
            return [_NOTHING] * (key[1] + 1), _NOTHING, (_NOTHING, _NOTHING)
        words, order, counts = _grouped(table.keys, table.starts, symbols)
        return words, counts, (table.starts[order], table.ends[order])

    def event_rows(self, key: Key, symbols: Symbols) -> InstanceRows:
        """The instances of an event: distinct arguments, numbers of time-points, and the time-points twice."""
        if (table := self.events.get(key)) is None:
            return [_NOTHING] * key[1], _NOTHING, (_NOTHING, _NOTHING)
        words, order, counts = _grouped(table.columns[:-1], table.times, symbols)
        return words, counts, (table.times[order], table.times[order])


@dataclass(frozen=True)
class Replaced:
    """The rows that a query time removed from the previous report, and the rows that it added; some may be equal."""

    previous: object
    removed: ReportColumns
    added: ReportColumns


@dataclass(frozen=True)
class SameBefore:
    """The previous report, and the time-point up to which both reports have the same rows that end there or earlier."""

    previous: object
    boundary: int


def names_in_order(tables: Iterable[Key]) -> list[Key]:
    """Names in standard order: by arity, then alphabetically."""
    return sorted(tables, key=lambda key: (key[1], key[0]))


def _grouped(keys: Sequence[Int64], times: Int64, symbols: Symbols) -> tuple[list[Int64], Int64, Int64]:
    """The distinct keys in standard order, the rows in this order and by time, and the number of rows of each key."""
    ids, first = dense_ids(keys, len(times))
    counts = np.bincount(ids, minlength=len(first))
    columns = [key[first] for key in keys]
    if not columns:
        return [], np.argsort(times, kind="stable"), counts
    ordered = standard_order_of(columns, symbols)
    place = np.empty_like(ordered)
    place[ordered] = np.arange(len(ordered))
    return [column[ordered] for column in columns], order_of_rows([place[ids], times]), counts[ordered]


def standard_order_of(columns: Sequence[Int64], symbols: Symbols) -> Int64:
    """The rows in the standard order of their terms, the first column first. No two rows are equal."""
    return order_of_rows([standard_ranks(column, symbols) for column in columns])


def order_of_rows(columns: Sequence[Int64]) -> Int64:
    """The rows in the order of the columns, the first column first. No two rows are equal."""
    small = compact(columns, len(columns[0])) if len(columns[0]) else None
    return np.lexsort(tuple(reversed(columns))) if small is None else ascending_order(small[0])


def merged(reports: Iterable[ReportColumns]) -> ReportColumns:
    """Reports on different time ranges as one."""
    reports = list(reports)
    fluents: dict[Key, list[FluentTable]] = {}
    events: dict[Key, list[PointTable]] = {}
    for report in reports:
        for key, table in report.fluents.items():
            fluents.setdefault(key, []).append(table)
        for key, points in report.events.items():
            events.setdefault(key, []).append(points)
    return ReportColumns(
        reports[-1].query_time,
        {key: concatenate_tables(tables) for key, tables in fluents.items()},
        {key: concatenate_tables(tables) for key, tables in events.items()},
    )


def _is_after(table: PointTable, boundary: int, earlier: PointTable | None) -> NDArray[np.bool_]:
    """Which points are after a boundary, or at the boundary and not among earlier points."""
    rows = (table.times == boundary).nonzero()[0]
    if len(rows) == 0:
        return table.times > boundary
    mask = table.times >= boundary
    if earlier is not None:
        here, then = table.take(rows), earlier.take((earlier.times == boundary).nonzero()[0])
        mask[rows] = ~rows_with_a_partner(here.columns, here.n, then.columns, then.n)
    return mask


Table = TypeVar("Table", FluentTable, PointTable)


def _rows(table: Table, mask: NDArray[np.bool_]) -> Table:
    return table if np.count_nonzero(mask) == table.n else table.take(mask.nonzero()[0])
