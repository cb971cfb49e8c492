"""The query times of a run, and the query time that sees a record first.

Query times are `start + k*step`, k = 1, 2, … They are never listed: one arrival far in the future would make the list
too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from holdsfor.kernels.keys import Int64

__all__ = ["ALL_ARRIVED", "LONG_AGO", "NO_ARRIVAL", "ConsecutiveQueries", "OneQuery", "QuerySchedule", "QueryTimes"]

LONG_AGO = int(np.iinfo(np.int64).min)
"""Before every time-point."""

ALL_ARRIVED = int(np.iinfo(np.int64).max) - 1
"""After every arrival."""

NO_ARRIVAL = ALL_ARRIVED + 1
"""The arrival of records that only mention constants; no query time sees such a record."""


class QuerySchedule(Protocol):
    """Determines the window by which a record is admitted."""

    @property
    def range(self) -> tuple[int, int]:
        """The arrivals of the records that these query times admit or drop: after the first time, up to the second."""

    def seen_at(self, arrivals: Int64) -> Int64:
        """The query time that sees each record first."""

    def before(self, seen_at: Int64) -> Int64:
        """The query time before each query time; `LONG_AGO` before the first."""

    def oldest(self, seen_at: Int64) -> Int64:
        """The last time-point before each window; `LONG_AGO` where the window reaches back to the start."""


@dataclass(frozen=True)
class OneQuery:
    """The next query time: it sees first the records that arrive after the previous one, until a time."""

    at: int
    until: int
    previous: int | None
    boundary: int

    @property
    def range(self) -> tuple[int, int]:
        return (self.until if self.previous is None else self.previous), self.until

    def seen_at(self, arrivals: Int64) -> Int64:
        previous = LONG_AGO if self.previous is None else self.previous
        return np.where(arrivals > previous, self.at, previous)

    def before(self, seen_at: Int64) -> Int64:
        return np.full(len(seen_at), LONG_AGO if self.previous is None else self.previous, dtype=np.int64)

    def oldest(self, seen_at: Int64) -> Int64:
        return np.full(len(seen_at), LONG_AGO if self.previous is None else self.boundary, dtype=np.int64)


@dataclass(frozen=True)
class ConsecutiveQueries:
    """The query times `previous + k*step` up to `last`: they see first the records that arrive after the previous one.

    Query times are numbered from 1; number 0 is the previous one. `start` is that of the run, and `watermark` the last
    time-point before all windows so far.
    """

    previous: int
    last: int
    step: int
    window: int
    start: int
    watermark: int = LONG_AGO

    @property
    def n(self) -> int:
        """The number of query times."""
        return (self.last - self.previous) // self.step

    def at(self, number: int) -> int:
        """The query time with a number."""
        return self.previous + number * self.step

    def numbers(self, times: Int64) -> Int64:
        """The number of the first query time at or after each time: 0 or less up to the previous one.

        >>> ConsecutiveQueries(100, 130, 10, 30, 0).numbers(np.array([90, 100, 101, 110, 125])).tolist()
        [-1, 0, 1, 1, 3]
        """
        found: Int64 = -((self.previous - times) // self.step)
        return found

    @property
    def until(self) -> int:
        return self.last

    @property
    def range(self) -> tuple[int, int]:
        return self.previous, self.last

    def seen_at(self, arrivals: Int64) -> Int64:
        return self.previous + self.step * np.maximum(self.numbers(np.maximum(arrivals, self.previous)), 0)

    def before(self, seen_at: Int64) -> Int64:
        return seen_at - self.step

    def oldest(self, seen_at: Int64) -> Int64:
        boundary = seen_at - self.window
        return np.maximum(np.where(boundary < self.start, LONG_AGO, boundary), self.watermark)


@dataclass(frozen=True)
class QueryTimes:
    """The query times of a run; without a step there is one, the end, which sees all records."""

    start: int
    end: int
    step: int | None = None
    window: int | None = None
    tick: int = 1
    admitted_until: int | None = None
    """The query time up to which records are already admitted or dropped."""

    @property
    def first_point(self) -> int:
        """The first time-point of the run; the start need not be a time-point."""
        return -(-self.start // self.tick) * self.tick

    def at_or_after(self, time: int) -> int:
        """The first query time that is not before a time.

        >>> QueryTimes(0, 25, 10, 10).at_or_after(25)
        30
        """
        if self.step is None:
            return self.end
        return self.start + max(1, -(-(time - self.start) // self.step)) * self.step

    def at_or_before(self, time: int) -> int:
        """The last query time that is not after a time; the start if there is none."""
        assert self.step is not None
        return self.start + max(0, (time - self.start) // self.step) * self.step

    def n_up_to(self, last: int) -> int:
        """The number of query times up to `last`, inclusive."""
        return 1 if self.step is None else (last - self.start) // self.step

    @property
    def range(self) -> tuple[int, int]:
        first = self.end if self.step is None else self.start + self.step
        return (first if self.admitted_until is None else max(first, self.admitted_until)), ALL_ARRIVED

    def up_to(self, last: int) -> Sequence[int]:
        """The query times up to `last`, inclusive."""
        if self.step is None:
            return range(self.end, self.end + 1)
        return range(self.start + self.step, last + 1, self.step)

    def seen_at(self, arrivals: Int64) -> Int64:
        if self.step is None:
            return np.full(len(arrivals), self.end, dtype=np.int64)
        # Unsigned: the distance of two time-points may be 2^63.
        distance = np.maximum(arrivals, self.start).view(np.uint64) - np.uint64(self.start % 2**64)
        steps = np.maximum((distance + np.uint64(self.step - 1)) // np.uint64(self.step), np.uint64(1))
        found: Int64 = (steps * np.uint64(self.step) + np.uint64(self.start % 2**64)).view(np.int64)
        return found

    def before(self, seen_at: Int64) -> Int64:
        step = 0 if self.step is None else self.step
        return np.where(self._is_first(seen_at), LONG_AGO, seen_at - step)

    def oldest(self, seen_at: Int64) -> Int64:
        if self.window is None:
            return np.full(len(seen_at), LONG_AGO, dtype=np.int64)
        boundary = seen_at - self.window
        return np.where(self._is_first(seen_at) | (boundary < self.first_point), LONG_AGO, boundary)

    def _is_first(self, seen_at: Int64) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return seen_at <= (self.end if self.step is None else self.start + self.step)
