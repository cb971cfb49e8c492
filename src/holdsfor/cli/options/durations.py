"""Times on the command line: durations as a number of time-points or `90s`, `30m`, `2h`; time-points; rates."""

from __future__ import annotations

import argparse
import math
import re
from typing import TYPE_CHECKING

from holdsfor.errors import Diagnostic, UsageProblem, printable

if TYPE_CHECKING:
    from holdsfor.sources.times import Unit

__all__ = ["PER_SECOND", "duration", "duration_text", "make_points", "rate", "time_point"]

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000}
"""Time-points a second, by unit of time."""


def duration(text: str, unit: Unit = "s") -> int:
    """The number of time-points.

    >>> duration("2h"), duration("2h", "ms"), duration("36000", "ms")
    (7200, 7200000, 36000)
    """
    match = re.fullmatch(r"(\d{1,15})([smhd]?)", text, re.ASCII)
    if match is None:
        raise argparse.ArgumentTypeError(f"expected a duration such as 36000, 30m or 2h, found {text!r}")
    return int(match[1]) * (_SECONDS[match[2]] * PER_SECOND[unit] if match[2] else 1)


def duration_text(text: str) -> str:
    """A duration as it is written, for `argparse`: how many time-points it has follows from another option."""
    duration(text)
    return text


def rate(text: str) -> float:
    """Time-points per second, for `argparse`; `max` is without waiting.

    >>> rate("60"), rate("0.5"), rate("max")
    (60.0, 0.5, inf)
    """
    try:
        found = math.inf if text == "max" else float(text)
    except ValueError:
        found = math.nan
    if not found > 0 or (found == math.inf and text != "max"):
        raise argparse.ArgumentTypeError(f"expected time-points per second such as 60 or 0.5, or max, found {text!r}")
    return found


def time_point(text: str, unit: Unit, option: str) -> int:
    """The time-point of an integer or an ISO 8601 time; HF705 if it is none."""
    if re.fullmatch(r"-?\d{1,18}", text, re.ASCII):
        return int(text)
    from holdsfor.sources.times import Clock

    time = Clock(unit).read(printable(text))
    if isinstance(time, str):
        raise UsageProblem(Diagnostic("HF705", time, hint=f"see `{option}`"))
    return time


def make_points(options: argparse.Namespace) -> None:
    """Turn the times and durations of a run into time-points and numbers of them."""
    for name in ("start", "end"):
        if getattr(options, name) is not None:
            setattr(options, name, time_point(getattr(options, name), options.time_unit, f"--{name}"))
    for name in ("window", "step", "allen_memory"):
        if getattr(options, name, None) is not None:
            setattr(options, name, duration(getattr(options, name), options.time_unit))
