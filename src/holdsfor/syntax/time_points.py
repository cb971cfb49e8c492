"""The bounds of time-points."""

from __future__ import annotations

__all__ = ["EARLIEST", "LATEST", "OPEN_END", "last_time_point"]

EARLIEST, LATEST = -(2**62), 2**62

OPEN_END = LATEST
"""The end of an input interval that is `inf`. Every query time is before it, so the interval counts as open."""


def last_time_point(start: int, end: int, tick: int) -> int:
    """The last time-point of an input interval; without an end, its start.

    >>> last_time_point(40, 120, 40), last_time_point(40, OPEN_END, 40)
    (80, 40)
    """
    return start if end == OPEN_END else (end - 1) // tick * tick
