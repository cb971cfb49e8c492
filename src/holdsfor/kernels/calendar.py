"""Dates and times of day of time-points, in a time zone.

Offsets from UTC come from the time zone database (`zoneinfo`). A day whose offset is the same at its beginning, its end
and every six hours in between has one offset; the times of other days are looked up one by one.
"""

from __future__ import annotations

import datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np
from numpy.typing import NDArray

__all__ = ["EARLIEST_SECOND", "LATEST_SECOND", "calendar_days", "local_seconds"]

Int64 = NDArray[np.int64]

_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_DAY = 86_400
EARLIEST_SECOND = -62_135_596_800 + 2 * _DAY
LATEST_SECOND = 253_402_300_799 - 2 * _DAY
"""The first and last second for which every time zone has a date between the years 1 and 9999."""


def local_seconds(seconds: Int64, zone: str) -> Int64:
    """Seconds since 1970 of the clock on the wall in a time zone.

    Contract: seconds are between `EARLIEST_SECOND` and `LATEST_SECOND`. O(n log n), and a lookup for each distinct day.
    """
    days, codes = np.unique(seconds // _DAY, return_inverse=True)
    offsets = np.array([_offset_of_day(day, zone) or 0 for day in days.tolist()], np.int64)
    is_odd = np.array([_offset_of_day(day, zone) is None for day in days.tolist()], bool)
    found: Int64 = seconds + offsets[codes]
    for row in np.flatnonzero(is_odd[codes]).tolist():
        found[row] = seconds[row] + _offset(int(seconds[row]), zone)
    return found


@lru_cache(maxsize=1 << 16)
def _offset_of_day(day: int, zone: str) -> int | None:
    """The offset from UTC during a day of UTC; None if it changes."""
    offsets = {_offset(day * _DAY + at, zone) for at in range(0, _DAY + 1, _DAY // 4)}
    return offsets.pop() if len(offsets) == 1 else None


def _offset(second: int, zone: str) -> int:
    offset = (_EPOCH + datetime.timedelta(seconds=second)).astimezone(_zone(zone)).utcoffset()
    assert offset is not None
    return int(offset.total_seconds())


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def calendar_days(local: Int64) -> tuple[Int64, Int64, Int64]:
    """Year, month and day of local seconds. O(n).

    >>> [int(part[0]) for part in calendar_days(np.array([951_782_400]))]
    [2000, 2, 29]
    """
    days = (local // _DAY).astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    years = months.astype("datetime64[Y]")
    return (
        years.astype(np.int64) + 1970,
        (months - years).astype(np.int64) + 1,
        (days - months).astype(np.int64) + 1,
    )
