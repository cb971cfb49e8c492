"""The time-points that are evaluated at a query time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.columns.tables import FluentTable, PointTable
from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.keys import Int64, positions_of_pairs

__all__ = ["TimeRange", "true_starts"]


@dataclass(frozen=True)
class TimeRange:
    """The evaluated time-points, both ends included, and the first time-point of the whole run.

    A time range that `is_resumed` continues from a settled time-point; earlier results are in the state.
    """

    first: int
    last: int
    tick: int
    first_of_run: int
    is_resumed: bool = False

    @property
    def after_last(self) -> int:
        """The time-point after the last one."""
        return (self.last // self.tick + 1) * self.tick

    def next_of(self, time: int) -> int:
        return (time // self.tick + 1) * self.tick

    def previous_of(self, time: int) -> int:
        return ((time - 1) // self.tick) * self.tick

    def next(self, times: Int64) -> Int64:
        return times + 1 if self.tick == 1 else (times // self.tick + 1) * self.tick

    def previous(self, times: Int64) -> Int64:
        return times - 1 if self.tick == 1 else ((times - 1) // self.tick) * self.tick

    def n_inside(self, table: PointTable | FluentTable) -> int:
        """The number of events in the time range, or of intervals with a time-point in it."""
        if isinstance(table, PointTable):
            return int(np.count_nonzero((table.times >= self.first) & (table.times <= self.last)))
        return int(np.count_nonzero((table.starts <= self.last) & (table.ends > self.first)))


def true_starts(table: FluentTable, state: FluentTable | None, first: int, instances: TupleIds) -> FluentTable:
    """The table with true starts for the intervals that hold at the first time-point."""
    if state is None or state.n == 0 or table.n == 0:
        return table
    here = ((table.starts <= first) & (first < table.ends)).nonzero()[0]
    if len(here) == 0:
        return table
    known = state.arguments(instances), state.values
    position = positions_of_pairs(table.arguments(instances)[here], table.values[here], known)
    starts = table.starts.copy()
    starts[here] = np.where(position >= 0, state.starts[position], starts[here])
    return table.with_starts(starts)
