"""Formats of time-points: integers, or dates and times in ISO 8601."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from typing import TypeAlias

from holdsfor.errors import DataProblem, Diagnostic

__all__ = ["ShowTime", "as_integer", "as_iso", "as_term", "as_terms", "as_values"]

ShowTime: TypeAlias = Callable[[int], int | str]
"""The text or integer that is written for a time-point."""

_1970 = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


def as_integer(time: int) -> int | str:
    """The time-point itself."""
    return time


def as_iso(per_second: int) -> ShowTime:
    """ISO 8601 in UTC, for time-points that count fractions `1/per_second` of a second since 1970.

    >>> as_iso(1)(1772348461), as_iso(1000)(-500)
    ('2026-03-01T07:01:01Z', '1969-12-31T23:59:59.500Z')
    """
    precision = {1: "seconds", 1_000: "milliseconds", 1_000_000: "microseconds"}[per_second]

    def shown(time: int) -> str:
        try:
            moment = _1970 + datetime.timedelta(microseconds=time * (1_000_000 // per_second))
        except OverflowError:
            message = f"the time-point {time} is outside the years 1 to 9999 of ISO 8601"
            raise DataProblem(Diagnostic("HF731", message, hint="leave out `--times iso`")) from None
        return f"{moment.replace(tzinfo=None).isoformat(timespec=precision)}Z"

    return shown


def as_term(time: int | None, shown: ShowTime) -> str:
    """A time-point, or an open end, in the syntax of Prolog."""
    written = "inf" if time is None else shown(time)
    return f"'{written}'" if isinstance(written, str) and time is not None else str(written)


def as_terms(times: Sequence[int | None], shown: ShowTime) -> Sequence[int | str]:
    """Time-points and open ends in the syntax of Prolog.

    >>> as_terms([3, None], as_integer), as_terms([3, None], as_iso(1))
    ([3, 'inf'], ["'1970-01-01T00:00:03Z'", 'inf'])
    """
    if shown is as_integer:
        return ["inf" if time is None else time for time in times]
    return [as_term(time, shown) for time in times]


def as_values(times: Sequence[int | None], shown: ShowTime) -> list[int | str | None]:
    """Time-points in their format; an open end stays None."""
    return [None if time is None else shown(time) for time in times]
