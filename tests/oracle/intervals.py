"""Intervals as sets of time-points: the operations of section 4 and the relations of section 6, by definition."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

__all__ = ["Interval", "Line", "allen", "longer", "shorter"]


class Interval(NamedTuple):
    """`[start, end)`; `origin` is before `start` if the run or a window hides the first part.

    An interval `is_cut` if its start is not its true start, or if it is derived from such an interval.
    """

    start: int
    end: float
    origin: int
    is_cut: bool = False


@dataclass(frozen=True)
class Line:
    """The time-points of a run, and one beyond that stands for all that follow."""

    start: int
    end: int
    tick: int

    @property
    def first(self) -> int:
        return -(-self.start // self.tick) * self.tick

    @property
    def last(self) -> int:
        return self.end // self.tick * self.tick

    @property
    def beyond(self) -> int:
        return self.last + self.tick

    @property
    def points(self) -> range:
        return range(self.first, self.last + 1, self.tick)

    @property
    def all(self) -> range:
        return range(self.first, self.beyond + 1, self.tick)

    def next(self, t: int) -> int:
        return (t // self.tick + 1) * self.tick

    def prev(self, t: int) -> int:
        return (t - 1) // self.tick * self.tick

    def covered(self, intervals: Iterable[Interval]) -> set[int]:
        """The time-points inside the intervals."""
        found = list(intervals)
        return {t for t in self.all if any(i.start <= t < i.end for i in found)}

    def maximal(self, points: Iterable[int], cut: frozenset[int] = frozenset()) -> list[Interval]:
        """The maximal intervals of a set of time-points; those that begin at certain time-points are cut."""
        held = set(points)
        starts = [t for t in self.all if t in held and t - self.tick not in held]
        found: list[Interval] = []
        for start in starts:
            t = start
            while t in held:
                t += self.tick
            found.append(Interval(start, inf if t > self.beyond else t, start, start in cut))
        return found

    # -- operations --------------------------------------------------------------------------------------------------

    def union(self, lists: Iterable[list[Interval]]) -> list[Interval]:
        given = list(lists)
        return self.maximal(self._any(given), frozenset().union(*map(self._going_on, given)))

    def intersection(self, lists: Iterable[list[Interval]]) -> list[Interval]:
        given = list(lists)
        held = set(self.all).intersection(*(self.covered(one) for one in given)) if given else set[int]()
        return self.maximal(held, frozenset(held).intersection(*map(self._going_on, given)))

    def difference(self, base: list[Interval], lists: Iterable[list[Interval]]) -> list[Interval]:
        given = list(lists)
        going_on = self._going_on(base).difference(*map(self._going_on, given))
        return self.maximal(self.covered(base) - self._any(given), going_on)

    def complement(self, lists: Iterable[list[Interval]]) -> list[Interval]:
        return self.maximal(set(self.all) - self._any(lists))

    def _any(self, lists: Iterable[list[Interval]]) -> set[int]:
        return set().union(*(self.covered(one) for one in lists))

    def _going_on(self, intervals: list[Interval]) -> frozenset[int]:
        """The time-points before which the list holds if nothing is cut: intervals only continue there."""
        return frozenset({i.start for i in intervals if i.is_cut} | {t + self.tick for t in self.covered(intervals)})

    def known(self, intervals: Iterable[Interval]) -> list[Interval]:
        """The intervals that begin within the run."""
        return [i for i in intervals if i.start <= self.last]


def longer(line: Line, intervals: list[Interval], duration: float) -> list[Interval]:
    return [i for i in line.known(intervals) if _length(line, i) > duration]


def shorter(line: Line, intervals: list[Interval], duration: float) -> list[Interval]:
    return [i for i in line.known(intervals) if _length(line, i) < duration]


def _length(line: Line, interval: Interval) -> float:
    """The length; an open interval ends at the query time."""
    return (line.beyond if interval.end == inf else interval.end) - interval.origin


_RELATIONS: dict[str, Callable[[Interval, Interval], bool]] = {
    "before": lambda i, j: i.end < j.origin,
    "meets": lambda i, j: i.end == j.origin,
    "overlaps": lambda i, j: i.origin < j.origin < i.end < j.end,
    "starts": lambda i, j: i.origin == j.origin and i.end < j.end,
    "finishes": lambda i, j: i.origin > j.origin and i.end == j.end,
    "during": lambda i, j: i.origin > j.origin and i.end < j.end,
    "equal": lambda i, j: i.origin == j.origin and i.end == j.end,
}
_INVERSES = {
    "after": "before",
    "met_by": "meets",
    "started_by": "starts",
    "finished_by": "finishes",
    "contains": "during",
    "overlapped_by": "overlaps",
}
RELATIONS = frozenset([*_RELATIONS, *_INVERSES])


def allen(
    line: Line, relation: str, s: list[Interval], t: list[Interval], mode: str, memory: int | None
) -> list[Interval]:
    """The result of the construct for two lists."""
    sources, targets = line.known(s), line.known(t)
    if relation in _INVERSES:
        pairs = [(i, j) for j, i in _related(_INVERSES[relation], targets, sources, memory)]
    else:
        pairs = _related(relation, sources, targets, memory)
    left = _shown([(i, _edge(i, j)) for i, j in pairs])
    right = _shown([(j, _edge(i, j)) for i, j in pairs])
    match mode:
        case "source" | "lhs":
            return left
        case "target" | "rhs":
            return right
        case "union":
            return line.union([left, right])
        case "intersect" | "intersection":
            return line.intersection([left, right])
        case "complement" | "relative_complement":
            return line.difference(left, [right])
        case "complement_inv" | "relative_complement_inverse":
            return line.difference(right, [left])
    raise ValueError(mode)


def _edge(*pair: Interval) -> float:
    """The first time-point at which both intervals of a pair are seen, if one of them is cut."""
    return max((one.start for one in pair if one.origin < one.start), default=-inf)


def _related(
    relation: str, sources: list[Interval], targets: list[Interval], memory: int | None
) -> list[tuple[Interval, Interval]]:
    """The related pairs. An interval that has ended when a cut one is first visible forms no pair with it."""
    pairs = [(i, j) for i in sources for j in targets if min(i.end, j.end) > _edge(i, j)]
    pairs = [(i, j) for i, j in pairs if _RELATIONS[relation](i, j)]
    if relation == "before" and memory is not None:
        pairs = [(i, j) for i, j in pairs if j.origin <= i.end + memory]
    return pairs


def _shown(related: list[tuple[Interval, float]]) -> list[Interval]:
    """Each related interval, from the earliest edge of its pairs on."""
    found: list[Interval] = []
    for interval in sorted({one for one, _ in related}):
        edge = min(edge for one, edge in related if one == interval)
        start = int(max(interval.start, edge))
        found.append(Interval(start, interval.end, start, interval.is_cut or start > interval.start))
    return found
