"""Input records as columns, found by time.

The records of one name are kept sorted by the time-point they begin at, so that a window is a slice of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.tables import FluentTable, PointTable, fluent_table, point_table
from holdsfor.kernels.keys import Int64

__all__ = ["Records"]


@dataclass
class Records:
    """Records of one name: columns of words (for a fluent the value is the last), arrivals, and when they hold."""

    columns: list[Int64]
    arrivals: Int64
    starts: Int64
    ends: Int64 | None
    is_sorted: bool = False
    longest: int = 0

    def __len__(self) -> int:
        return len(self.starts)

    def append(self, more: Records) -> None:
        """Add records of the same name."""
        self.columns = [np.concatenate(pair) for pair in zip(self.columns, more.columns, strict=True)]
        self.arrivals = np.concatenate((self.arrivals, more.arrivals))
        self.starts = np.concatenate((self.starts, more.starts))
        if self.ends is not None and more.ends is not None:
            self.ends = np.concatenate((self.ends, more.ends))
        self.is_sorted = False

    def sort(self) -> None:
        if self.is_sorted:
            return
        if (self.starts[1:] < self.starts[:-1]).any():
            self._keep(np.argsort(self.starts))
        if self.ends is not None and len(self.ends):
            self.longest = int((self.ends - self.starts).max())
        self.is_sorted = True

    def forget(self, before: int, known: int) -> None:
        """Drop the records known by then that are over before a time-point, once they are the larger part."""
        last = self.starts if self.ends is None else self.ends - 1
        keep = (last >= before) | (self.arrivals > known)
        if np.count_nonzero(keep) * 2 < len(keep):
            self._keep(np.flatnonzero(keep))

    def _keep(self, rows: Int64) -> None:
        self.columns = [column[rows] for column in self.columns]
        self.arrivals, self.starts = self.arrivals[rows], self.starts[rows]
        self.ends = None if self.ends is None else self.ends[rows]

    def events(self, first: int, last: int, arrived_by: int | None = None) -> PointTable:
        """The events between two time-points that have arrived, by the second unless said otherwise."""
        self.sort()
        low, high = np.searchsorted(self.starts, (first, last + 1))
        columns = [column[low:high] for column in (*self.columns, self.starts)]
        arrived = self.arrivals[low:high] <= (last if arrived_by is None else arrived_by)
        return point_table(columns if arrived.all() else [column[arrived] for column in columns])

    def intervals(self, first: int, last: int) -> FluentTable:
        """The maximal intervals that reach into a stretch of time-points and have arrived by its end."""
        assert self.ends is not None
        self.sort()
        low, high = np.searchsorted(self.starts, (first - self.longest, last + 1))
        mask = (self.ends[low:high] > first) & (self.arrivals[low:high] <= last)
        columns = [column[low:high][mask] for column in (*self.columns, self.starts, self.ends)]
        return fluent_table(columns[:-2], columns[-2], columns[-1])

    def up_to(self, end: int) -> Records:
        """The records that begin at or before the end of a run."""
        rows = np.flatnonzero(self.starts <= end)
        if len(rows) == len(self):
            return self
        kept = Records(self.columns, self.arrivals, self.starts, self.ends)
        kept._keep(rows)
        return kept

    def count_outside(self, start: int, end: int) -> int:
        """How many records share no time-point with a run."""
        last = self.starts if self.ends is None else self.ends - 1
        return int(np.count_nonzero((self.starts > end) | (last < start)))

    def admit(
        self, queries: Sequence[int], previous: int | None, window: int | None, start: int, tick: int
    ) -> tuple[int, int]:
        """Judge what arrives until the query times, after the `previous` one: how many are late, and how many too late.

        A record is seen first at the first query time after its arrival. If it is over by the window of that query
        time, it is gone; what began before that window begins with it.
        """
        known = np.array([_LONG_AGO if previous is None else previous, *queries], dtype=np.int64)
        position = np.searchsorted(known, self.arrivals)
        is_new = (position > (0 if previous is not None else 1)) & (position < len(known))
        if not is_new.any():
            return 0, 0
        seen_at = known[np.minimum(position, len(known) - 1)]
        oldest = np.maximum(seen_at - window, start - 1) if window is not None else np.full(len(self), start - 1)
        last = self.starts if self.ends is None else self.ends - 1
        dropped = is_new & (last <= oldest)
        late = is_new & ~dropped & (last <= known[position - 1])
        cut = is_new & ~dropped & (self.starts <= oldest)
        if cut.any():
            self.starts = np.where(cut, (oldest // tick + 1) * tick, self.starts)
            self.is_sorted = False
        if dropped.any():
            self._keep(np.flatnonzero(~dropped))
        return int(late.sum()), int(dropped.sum())

    def arrive(self, at: int) -> None:
        """Let everything that arrives by then be there."""
        self.arrivals = np.where(self.arrivals <= at, _LONG_AGO, self.arrivals)


_LONG_AGO = int(np.iinfo(np.int64).min)
