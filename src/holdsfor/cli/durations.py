"""Durations on the command line: a number of time-points, or `90s`, `30m`, `2h`, `1d` with a time-point a second."""

from __future__ import annotations

import argparse
import re

__all__ = ["duration"]

_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}


def duration(text: str) -> int:
    """The number of time-points, for `argparse`.

    >>> duration("2h"), duration("36000")
    (7200, 36000)
    """
    match = re.fullmatch(r"(\d{1,15})([smhd]?)", text, re.ASCII)
    if match is None or int(match[1]) == 0:
        raise argparse.ArgumentTypeError(f"expected a duration such as 36000, 30m or 2h, found {text!r}")
    return int(match[1]) * _SECONDS[match[2]]
