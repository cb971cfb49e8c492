"""Input records as columns, found by time.

The records of one name are kept sorted by the time-point they begin at, so that a window is a slice of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.columns.tables import FluentTable, PointTable, fluent_table, point_table
from holdsfor.kernels.keys import Int64

__all__ = ["Records", "Sight"]


@dataclass(frozen=True)
class Sight:
    """What of the records may be seen: those from `first` to `last`.

    Records that begin after `oldest` must have arrived by `last`; older ones by `known`, the query time before: what
    arrives later than its window is too late.
    """

    first: int
    last: int
    oldest: int
    known: int


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

    def remove(self, rows: Int64) -> None:
        """Drop some of the records."""
        self._keep(np.delete(np.arange(len(self)), rows))

    def _keep(self, rows: Int64) -> None:
        self.columns = [column[rows] for column in self.columns]
        self.arrivals, self.starts = self.arrivals[rows], self.starts[rows]
        self.ends = None if self.ends is None else self.ends[rows]

    def events(self, sight: Sight) -> PointTable:
        """The events that may be seen."""
        self.sort()
        low, high = np.searchsorted(self.starts, (sight.first, sight.last + 1))
        times, arrivals = self.starts[low:high], self.arrivals[low:high]
        in_time = np.where(times > sight.oldest, arrivals <= sight.last, arrivals <= sight.known)
        columns = [column[low:high] for column in (*self.columns, self.starts)]
        return point_table(columns if in_time.all() else [column[in_time] for column in columns])

    def intervals(self, sight: Sight, tick: int) -> FluentTable:
        """The maximal intervals that may be seen; of one that arrives too late only what lies in the window."""
        assert self.ends is not None
        self.sort()
        low, high = np.searchsorted(self.starts, (sight.first - self.longest, sight.last + 1))
        starts, ends, arrivals = self.starts[low:high], self.ends[low:high], self.arrivals[low:high]
        mask = (ends > sight.first) & (arrivals <= sight.last)
        late = mask & (starts <= sight.oldest) & (arrivals > sight.known)
        if late.any():
            starts = np.where(late, (sight.oldest // tick + 1) * tick, starts)
        columns = [column[low:high][mask] for column in self.columns]
        return fluent_table(columns, starts[mask], ends[mask])

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

    def count_late(self, sight: Sight) -> tuple[int, int]:
        """How many records arrived since the query time before: late but in time, and too late."""
        new = (self.arrivals > sight.known) & (self.arrivals <= sight.last)
        last = self.starts if self.ends is None else self.ends - 1
        dropped = new & (last <= sight.oldest)
        late = new & ~dropped & (last <= sight.known)
        return int(late.sum()), int(dropped.sum())
