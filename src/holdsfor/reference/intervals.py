"""Lists of maximal intervals, by their definition.

An interval is a pair `(start, end)`, right-open; `end` may be `INF`. A list is sorted, disjoint, and no two intervals
touch. Every operation cuts the time line at all end-points of its operands and tests each piece for membership in the
result. This is slow and hard to get wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TypeAlias

from holdsfor.syntax.rules import AllenMode, AllenRelation

__all__ = [
    "INF",
    "Interval",
    "Intervals",
    "allen",
    "allen_pairs",
    "complement",
    "contains",
    "intersect",
    "longer_than",
    "maximal",
    "next_point",
    "previous_point",
    "relative_complement",
    "shorter_than",
    "union",
]

INF = math.inf
Time: TypeAlias = int | float
Interval: TypeAlias = tuple[int, Time]
Intervals: TypeAlias = tuple[Interval, ...]


def next_point(time: int, tick: int) -> int:
    """The time-point after `time`.

    >>> next_point(80, 40), next_point(-1, 1)
    (120, 0)
    """
    return (time // tick + 1) * tick


def previous_point(time: int, tick: int) -> int:
    """The time-point before `time`.

    >>> previous_point(80, 40), previous_point(0, 1)
    (40, -1)
    """
    return ((time - 1) // tick) * tick


def contains(intervals: Sequence[Interval], time: Time) -> bool:
    """Whether a time-point is in one of the intervals."""
    return any(start <= time < end for start, end in intervals)


def _pieces(lists: Iterable[Sequence[Interval]], is_in: Callable[[Time], bool], first: int | None = None) -> Intervals:
    """The maximal intervals of the pieces between end-points whose first time-point satisfies the test."""
    cuts = {time for intervals in lists for interval in intervals for time in interval}
    if first is not None:
        cuts.add(first)
    edges = sorted(cuts | {INF})
    result: list[Interval] = []
    for start, end in pairwise(edges):
        if is_in(start):
            begin = result.pop()[0] if result and result[-1][1] == start else int(start)
            result.append((begin, end))
    return tuple(result)


def maximal(intervals: Sequence[Interval]) -> Intervals:
    """The maximal intervals of any intervals; empty ones are dropped.

    >>> maximal([(5, 9), (1, 3), (3, 4), (7, 12), (20, 20)])
    ((1, 4), (5, 12))
    """
    return _pieces([intervals], lambda t: contains(intervals, t))


def union(lists: Sequence[Sequence[Interval]]) -> Intervals:
    """The time-points in some list.

    >>> union([[(1, 4), (18, 22)], [(22, 30)]])
    ((1, 4), (18, 30))
    """
    return _pieces(lists, lambda t: any(contains(each, t) for each in lists))


def intersect(lists: Sequence[Sequence[Interval]]) -> Intervals:
    """The time-points in every list.

    >>> intersect([[(26, 31)], [(21, 26), (30, 40)]])
    ((30, 31),)
    """
    return _pieces(lists, lambda t: all(contains(each, t) for each in lists))


def relative_complement(base: Sequence[Interval], lists: Sequence[Sequence[Interval]]) -> Intervals:
    """The time-points in the base and in none of the lists.

    >>> relative_complement([(5, 20), (26, 50)], [[(1, 4), (18, 22)], [(28, 35)]])
    ((5, 18), (26, 28), (35, 50))
    """
    return _pieces([base, *lists], lambda t: contains(base, t) and not any(contains(each, t) for each in lists))


def complement(lists: Sequence[Sequence[Interval]], first: int) -> Intervals:
    """The time-points from the first one on that are in none of the lists.

    >>> complement([[(2, 5)], [(8, INF)]], 0)
    ((0, 2), (5, 8))
    """
    return _pieces(lists, lambda t: t >= first and not any(contains(each, t) for each in lists), first)


def _length(interval: Interval, open_end: int) -> Time:
    """The length of an interval; an open interval ends at `open_end`."""
    return (open_end if interval[1] == INF else interval[1]) - interval[0]


def longer_than(intervals: Sequence[Interval], bound: float, open_end: int) -> Intervals:
    """The intervals longer than the bound, whole."""
    return tuple(interval for interval in intervals if _length(interval, open_end) > bound)


def shorter_than(intervals: Sequence[Interval], bound: float, open_end: int) -> Intervals:
    """The intervals shorter than the bound, whole."""
    return tuple(interval for interval in intervals if _length(interval, open_end) < bound)


# -- Allen's relations -------------------------------------------------------------------------------------------------


def _related(relation: AllenRelation, i: Interval, j: Interval, memory: int | None) -> bool:
    """Whether the relation holds between two intervals, as SPEC §6 defines it; a memory bounds `before`."""
    (si, ei), (sj, ej) = i, j
    match relation:
        case "before":
            return ei < sj and (memory is None or sj <= ei + memory)
        case "meets":
            return ei == sj
        case "starts":
            return si == sj and ei < ej
        case "finishes":
            return si > sj and ei == ej
        case "during":
            return si > sj and ei < ej
        case "overlaps":
            return si < sj < ei < ej
        case "equal":
            return si == sj and ei == ej


def allen_pairs(
    relation: AllenRelation,
    source: Sequence[Interval],
    target: Sequence[Interval],
    memory: int | None = None,
) -> list[tuple[Interval, Interval]]:
    """Every pair of a source and a target interval in the relation."""
    return [(i, j) for i in source for j in target if _related(relation, i, j, memory)]


def allen(
    relation: AllenRelation,
    source: Sequence[Interval],
    target: Sequence[Interval],
    mode: AllenMode,
    memory: int | None = None,
) -> Intervals:
    """The intervals of the related pairs, combined by the output mode."""
    pairs = allen_pairs(relation, source, target, memory)
    sources = maximal([i for i, _ in pairs])
    targets = maximal([j for _, j in pairs])
    match mode:
        case "source":
            return sources
        case "target":
            return targets
        case "union":
            return union([sources, targets])
        case "intersect":
            return intersect([sources, targets])
        case "complement":
            return relative_complement(sources, [targets])
        case "complement_inv":
            return relative_complement(targets, [sources])
