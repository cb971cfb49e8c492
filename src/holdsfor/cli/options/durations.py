"""Read durations, time-points and rates from the command line."""

from __future__ import annotations

import argparse
import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdsfor.sources.times import Unit

__all__ = [
    "PER_SECOND",
    "SECONDS",
    "convert_times",
    "duration",
    "duration_or_none",
    "duration_text",
    "rate",
    "time_point",
]

SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
"""Seconds by unit of duration."""

PER_SECOND = {"s": 1, "ms": 1_000, "us": 1_000_000}
"""Time-points per second, by `--time-unit`."""


def duration(text: str, unit: Unit = "s") -> int:
    """The number of time-points of a duration.

    >>> duration("2h"), duration("2h", "ms"), duration("36000", "ms")
    (7200, 7200000, 36000)
    """
    match = re.fullmatch(r"(\d{1,15})([smhd]?)", text, re.ASCII)
    if match is None:
        raise argparse.ArgumentTypeError(f"expected a duration such as 36000, 30m or 2h, found {text!r}")
    return int(match[1]) * (SECONDS[match[2]] * PER_SECOND[unit] if match[2] else 1)


def duration_text(text: str) -> str:
    """Check a duration for `argparse` and return it unchanged: its time-points depend on `--time-unit`."""
    duration(text)
    return text


def duration_or_none(text: str) -> str:
    """Check a duration, or the text `none`, for `argparse`, and return it unchanged."""
    return text if text == "none" else duration_text(text)


def rate(text: str) -> float:
    """Time-points per second, for `argparse`; `max` means without waiting.

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


def time_point(text: str, unit: Unit, option: str, zone: str | None = None) -> int:
    """The time-point of an integer, an ISO 8601 time or `now`; other text is HF705."""
    if re.fullmatch(r"-?\d{1,18}", text, re.ASCII):
        return int(text)
    from holdsfor.sources.time_arguments import time_point_of

    time = time_point_of(text, option, unit, zone)
    assert time is not None
    return time


def convert_times(options: argparse.Namespace) -> None:
    """Convert the times and durations among the options of a run to time-points."""
    zone = getattr(options, "tz", None)
    if zone is not None:
        from holdsfor.analysis.pipeline import check_clock

        check_clock(None, zone)
    for name in ("start", "end"):
        if getattr(options, name, None) is not None:
            setattr(options, name, time_point(getattr(options, name), options.time_unit, f"--{name}", zone))
    for name in ("window", "step", "allen_memory"):
        if getattr(options, name, None) is not None:
            setattr(options, name, duration(getattr(options, name), options.time_unit))
