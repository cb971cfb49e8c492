"""Bars and marks that a picture can show: bars narrower than a pixel are widened or merged, and counted.

A bar narrower than a pixel is drawn one pixel wide, and so is a gap between two wide bars. Where many narrow bars are
less than a pixel apart, one low bar replaces them: the picture shows that the fluent holds there at times, and how many
intervals the low bars replace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdsfor.views.timeline_rows import Bar

__all__ = ["Piece", "thinned_bars", "thinned_times"]

_WIDE = 3  # pixels


@dataclass(frozen=True)
class Piece:
    """A rectangle of the picture for `n` intervals; several make a low one."""

    start: float
    end: float
    n: int = 1


def thinned_bars(bars: Sequence[Bar], pixel: float) -> list[Piece]:
    """The bars as pieces that are at least a pixel wide, with at least a pixel between them.

    Contract: the bars are sorted and disjoint. Every time-point of a bar is in a piece, up to a pixel; the numbers of
    the pieces add up to the number of bars.

    >>> def bar(start, end):
    ...     return Bar(start, end, False, False)
    >>> thinned_bars([bar(0, 50), bar(60, 61)], pixel=10)
    [Piece(start=0, end=50, n=1), Piece(start=60, end=70, n=1)]
    >>> thinned_bars([bar(0, 1), bar(2, 3), bar(4, 5), bar(100, 140), bar(141, 200)], pixel=10)
    [Piece(start=0, end=10, n=3), Piece(start=100, end=131, n=1), Piece(start=141, end=200, n=1)]
    """
    pieces: list[Piece] = []
    narrow: list[bool] = []
    for bar in bars:
        is_narrow = bar.end - bar.start < _WIDE * pixel
        if pieces and bar.start - pieces[-1].end < pixel:
            last = pieces[-1]
            if is_narrow and narrow[-1]:
                pieces[-1] = Piece(last.start, max(last.end, bar.end), last.n + 1)
                continue
            pieces[-1] = Piece(last.start, max(last.start + pixel / 2, bar.start - pixel), last.n)
        pieces.append(Piece(bar.start, max(bar.end, bar.start + pixel), 1))
        narrow.append(is_narrow)
    return pieces


def thinned_times(times: Sequence[int], pixel: float) -> list[int]:
    """The times, one of those that are less than a pixel after the last one kept.

    >>> thinned_times([0, 1, 2, 10, 30], pixel=10)
    [0, 10, 30]
    """
    kept: list[int] = []
    for time in times:
        if not kept or time - kept[-1] >= pixel:
            kept.append(time)
    return kept
