"""Records from the future: how far a record may be ahead when it is read live (`max-ahead`).

A record far ahead makes all query times before it due, so every later record is late: one broken clock would stop the
results of all sources. Such a record is set aside when it is read, and does not move the progress of its source. Dates
are compared with the wall clock. Integers have no clock, so they are compared with the other sources of the run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from holdsfor.sources.time_arguments import DurationArgument, duration_of
from holdsfor.syntax.durations import UNITS
from holdsfor.syntax.time_points import LATEST

__all__ = ["MaxAhead", "MaxAheadArgument", "max_ahead_of"]

MaxAheadArgument: TypeAlias = DurationArgument | Literal["none"]
"""A duration, or `none`: no record is ahead."""

_DAY = 86_400


@dataclass(frozen=True)
class MaxAhead:
    """The largest distance of a record from the present, in time-points; without one a day, for dates only."""

    given: int | None
    per_second: int = 1

    def last_date(self, now: float) -> int:
        """The last time-point of a record with dates, at a time of the wall clock in seconds.

        >>> MaxAhead(None).last_date(100.5), MaxAhead(60, per_second=1000).last_date(100.5)
        (86500, 100560)
        """
        distance = _DAY * self.per_second if self.given is None else self.given
        return min(int(now * self.per_second) + distance, LATEST)

    def last_integer(self, newest: Iterable[int]) -> int:
        """The last time-point of a record with integers, after the newest times of the other sources.

        >>> MaxAhead(60).last_integer([100, 200]), MaxAhead(60).last_integer([]) == MaxAhead(None).last_integer([100])
        (260, True)
        """
        found = max(newest, default=None)
        return LATEST if self.given is None or found is None else min(found + self.given, LATEST)


def max_ahead_of(given: MaxAheadArgument | None, unit: Literal["s", "ms", "us"]) -> MaxAhead | None:
    """The distance of an argument; None if no record is ahead.

    >>> max_ahead_of("2h", "ms"), max_ahead_of("none", "s")
    (MaxAhead(given=7200000, per_second=1000), None)
    """
    return None if given == "none" else MaxAhead(duration_of(given, "max_ahead", unit), UNITS[unit])
