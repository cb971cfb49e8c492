"""Formats of time-points: integers, or dates and times in ISO 8601."""

from __future__ import annotations

import datetime
import zoneinfo
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from holdsfor.errors import DataProblem, Diagnostic, Hint

if TYPE_CHECKING:
    from holdsfor.columns.time_type import TimeType

__all__ = [
    "IsoTimes",
    "ShowTime",
    "as_integer",
    "as_iso",
    "as_term",
    "as_terms",
    "as_values",
    "moment_of",
    "shown_as",
    "time_type_of",
]

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
    return IsoTimes(per_second)


_PRECISION = {1: "seconds", 1_000: "milliseconds", 1_000_000: "microseconds"}
_UNITS: dict[int, Literal["s", "ms", "us"]] = {1: "s", 1_000: "ms", 1_000_000: "us"}


@dataclass(frozen=True)
class IsoTimes:
    """Dates and times in ISO 8601, of single time-points and of columns."""

    per_second: int
    zone: str | None = "UTC"
    column_unit: Literal["ms", "us", "ns"] | None = None

    @property
    def type(self) -> TimeType:
        """The type of the times in tables."""
        from holdsfor.columns.time_type import TimeType

        return TimeType(_UNITS[self.per_second], self.zone, self.column_unit)

    def __call__(self, time: int) -> str:
        moment = moment_of(time, self.type)
        text = moment.isoformat(timespec=_PRECISION[self.per_second])
        return text.removesuffix("+00:00") + "Z" if self.zone == "UTC" else text

    def column(self, times: Any) -> list[str]:
        """The texts of an array of time-points."""
        import numpy as np

        for extreme in (int(times.min()), int(times.max())) if len(times) else ():
            self(extreme)
        if self.zone not in (None, "UTC"):
            distinct, rows = np.unique(times, return_inverse=True)
            texts = np.array([self(time) for time in distinct.tolist()], dtype=object)
            return list(texts[rows])
        moments = times.astype(f"datetime64[{_UNITS[self.per_second]}]")
        listed: list[str] = np.datetime_as_string(moments, timezone="naive" if self.zone is None else "UTC").tolist()
        return listed


def moment_of(time: int, kind: TimeType) -> datetime.datetime:
    """The date and time of a time-point, in the zone of the type; without a zone it has no offset.

    A time of the year 9999 that is in the year 10000 of the zone is in UTC.

    >>> from holdsfor.columns.time_type import TimeType
    >>> moment_of(0, TimeType("s", "Europe/Athens")).isoformat()
    '1970-01-01T02:00:00+02:00'
    """
    per_second = {unit: n for n, unit in _UNITS.items()}[kind.unit]
    try:
        moment = _1970 + datetime.timedelta(microseconds=time * (1_000_000 // per_second))
    except OverflowError:
        message = f"the time-point {time} is outside the years 1 to 9999 of ISO 8601"
        what = "write times as integers: "
        hint = Hint(f'{what}`times="integer"`', on_command_line=f"{what}`--times integer`")
        raise DataProblem(Diagnostic("HF731", message, hint=hint)) from None
    if kind.zone is None or kind.zone == "UTC":
        return moment if kind.zone else moment.replace(tzinfo=None)
    try:
        return moment.astimezone(zoneinfo.ZoneInfo(kind.zone))
    except OverflowError:
        return moment


def shown_as(kind: TimeType | None) -> ShowTime:
    """The notation of times of a type: integers, or ISO 8601."""
    if kind is None:
        return as_integer
    return IsoTimes({unit: n for n, unit in _UNITS.items()}[kind.unit], kind.zone, kind.column_unit)


def time_type_of(shown: ShowTime) -> TimeType | None:
    """The type of times in tables; None for integers."""
    return shown.type if isinstance(shown, IsoTimes) else None


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
