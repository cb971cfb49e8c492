"""Times and durations as arguments: integers, dates and times, ISO 8601 text, timedeltas, and `2h`."""

from __future__ import annotations

import datetime
import re
import time
from typing import TypeAlias

from holdsfor.errors import Diagnostic, UsageProblem, printable
from holdsfor.sources.times import Clock, Unit
from holdsfor.syntax.time_points import EARLIEST, LATEST

__all__ = ["SECONDS", "DurationArgument", "TimeArgument", "duration_of", "duration_text", "not_a_time", "time_point_of"]

TimeArgument: TypeAlias = int | str | datetime.date
"""A time-point, ISO 8601 text, the text `now`, or a date or time."""

DurationArgument: TypeAlias = int | str | datetime.timedelta
"""A number of time-points, a text such as `2h`, or a timedelta."""

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
"""Seconds by unit of duration."""

_PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000}


def time_point_of(given: TimeArgument | None, name: str, unit: Unit = "s", zone: str | None = None) -> int | None:
    """The time-point of an argument; a time without an offset is in the zone, or else in UTC. HF705 for others.

    The text `now` is the time of the wall clock, rounded down to the unit.

    >>> time_point_of("1970-01-01T02:00:00", "start", zone="Europe/Athens"), time_point_of(7, "start")
    (0, 7)
    """
    if given is None:
        return None
    if isinstance(given, int) and not isinstance(given, bool):
        if not EARLIEST <= given <= LATEST:
            raise not_a_time(given, name)
        return given
    if given == "now":
        return int(time.time() * _PER_SECOND[unit])
    if isinstance(given, datetime.date):
        text = given.isoformat()
    elif isinstance(given, str) and re.fullmatch(r"-?\d{1,18}", given, re.ASCII):
        return int(given)
    elif isinstance(given, str):
        text = printable(given)
    else:
        raise not_a_time(given, name)
    found = Clock(unit, zone=zone).read(text)
    if isinstance(found, str):
        raise UsageProblem(Diagnostic("HF705", found, hint=f"see `{name}`"))
    return found


def not_a_time(given: object, name: str) -> UsageProblem:
    """The error of an argument that is not a time (HF705)."""
    if isinstance(given, int) and not isinstance(given, bool):
        message = f"expected a time-point between -2^62 and 2^62 as `{name}`, found {given}"
        return UsageProblem(Diagnostic("HF705", message))
    message = f"expected a time-point, a time or text as `{name}`, found `{type(given).__name__}`"
    return UsageProblem(Diagnostic("HF705", message, hint="such as 36000, a datetime or `2026-03-01T08:00:00Z`"))


def duration_text(text: str, unit: Unit = "s") -> int | None:
    """The number of time-points of a text such as `36000`, `30m` or `2h`; None for another text.

    >>> duration_text("2h"), duration_text("2h", "ms"), duration_text("36000", "ms"), duration_text("soon")
    (7200, 7200000, 36000, None)
    """
    match = re.fullmatch(r"(\d{1,15})([smhd]?)", text, re.ASCII)
    return None if match is None else int(match[1]) * (SECONDS[match[2]] * _PER_SECOND[unit] if match[2] else 1)


def duration_of(given: DurationArgument | None, name: str, unit: Unit = "s") -> int | None:
    """The number of time-points of an argument; a timedelta between two numbers of units is an error.

    >>> duration_of(datetime.timedelta(minutes=2), "window", "ms"), duration_of("2h", "window"), duration_of(9, "step")
    (120000, 7200, 9)
    """
    if given is None or (isinstance(given, int) and not isinstance(given, bool)):
        return given
    found: int | None = None
    if isinstance(given, datetime.timedelta):
        whole, rest = divmod(given * _PER_SECOND[unit], datetime.timedelta(seconds=1))
        found = None if rest else whole
    elif isinstance(given, str):
        found = duration_text(given, unit)
    if found is None:
        message = f"expected a duration as `{name}`, found `{printable(str(given))}`"
        hint = f"such as 36000, `30m`, `2h` or a timedelta of whole units; the unit of time is `{unit}`"
        raise UsageProblem(Diagnostic("HF703", message, hint=hint))
    return found
