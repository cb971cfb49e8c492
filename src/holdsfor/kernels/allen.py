"""Allen's thirteen relations between two keyed lists of intervals, without enumerating pairs.

For every source interval the related targets of its key are one range of the target list, so the pairs of a relation
are two columns. Why: the targets of a key are sorted and disjoint, so their starts ascend and so do their ends. Let
`first` be the number of targets that begin before the source begins, and `last` the number of targets that begin before
the source ends; target `last` and all later targets begin when the source has ended. Then

- `meets` holds for the target that begins where the source ends: target `last`, if any. `before` holds for all targets
  after that one.
- `met_by` holds for the target that ends where the source begins. This can only be target `first - 1`, since each
  earlier target ends before the next one begins. `after` holds for the earlier targets, and for target `first - 1` if
  it ends before the source begins.
- `contains` holds for the targets that begin within the source, except target `last - 1` if it ends outside; each of
  the others ends before the next one begins, thus within the source.
- Every other relation fixes one target. The target of `during`, `finishes` and `overlapped_by` begins before the source
  and shares a time-point with it: target `first - 1`. The target of `starts`, `equal` and `started_by` begins with the
  source: target `first`, if any. The target of `finished_by` and `overlaps` begins within the source and reaches its
  end: target `last - 1`.

So two binary searches per source answer all thirteen relations (one more for `before` and `after` with a reach).
Sources need neither be disjoint nor sorted for this.

The relations are table 1 of Mantenoglou, Kelesis and Artikis, *Complex Event Recognition with Allen Relations* (KR
2023), on the end-points of right-open intervals: exactly one of the thirteen holds between any two intervals. The
distance of neighbouring time-points does not matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN, packing_for
from holdsfor.kernels.sweep import Keyed, intersect_intervals, merge_intervals, subtract_intervals

__all__ = [
    "INVERSES",
    "Comparison",
    "Mode",
    "Relation",
    "combine_related",
    "compare_intervals",
    "in_some_range",
    "relate_intervals",
    "related_intervals",
]

Flags = NDArray[np.bool_]
Ranges = tuple[Int64, Int64]
Relation = Literal[
    "before",
    "meets",
    "starts",
    "finishes",
    "during",
    "overlaps",
    "equal",
    "after",
    "met_by",
    "started_by",
    "finished_by",
    "contains",
    "overlapped_by",
]
Mode = Literal["source", "target", "union", "intersect", "complement", "complement_inv"]

INVERSES: dict[Relation, Relation] = {
    "before": "after",
    "meets": "met_by",
    "starts": "started_by",
    "finishes": "finished_by",
    "during": "contains",
    "overlaps": "overlapped_by",
    "equal": "equal",
    "after": "before",
    "met_by": "meets",
    "started_by": "starts",
    "finished_by": "finishes",
    "contains": "during",
    "overlapped_by": "overlaps",
}
_EARLIEST = int(np.iinfo(np.int64).min)


@dataclass(frozen=True)
class Comparison:
    """Two keyed lists and, for every source, the numbers of targets that begin before its start and before its end.

    `group` are the positions at which the targets of each source's key begin and stop, with `first` and `last` between.
    """

    sources: Keyed
    targets: Keyed
    group: Ranges
    first: Int64
    last: Int64

    def ranges(self, relation: Relation, reach: int | None = None) -> Ranges:
        """For every source, the range of the target list that is related to it: `rel(source, target)`.

        A `reach` limits `before` and `after`: the longest gap between the end of one interval and the start of the
        other. A source without partners has an empty range. O(n).
        """
        many = self._many(relation, reach)
        if many is not None:
            return many
        candidate, related = self._single(relation)
        return candidate, candidate + related

    def matched(self, relation: Relation, reach: int | None = None) -> tuple[Int64, Int64, Int64]:
        """The sources that have partners, with begin and stop of their ranges: `ranges` without the empty ranges."""
        many = self._many(relation, reach)
        if many is None:
            candidate, related = self._single(relation)
            rows = np.flatnonzero(related)
            lo = candidate[rows]
            return rows, lo, lo + 1
        rows = np.flatnonzero(many[0] < many[1])
        return rows, many[0][rows], many[1][rows]

    def _many(self, relation: Relation, reach: int | None) -> Ranges | None:
        """The ranges of a relation that may relate a source to many targets, None for other relations."""
        match relation:
            case "before":
                return self._before(reach)
            case "after":
                return self._after(reach)
            case "contains":
                lo, is_over = self.first + self._begins_with, self._right_end < self._ends
                return lo, np.maximum(self.last - (self._has_right & ~is_over), lo)
        return None

    def _single(self, relation: Relation) -> tuple[Int64, Flags]:
        """For each source, the only target that the relation may relate to it, and whether it does."""
        starts, ends = self._starts, self._ends
        match relation:
            case "during":
                return self.first - 1, self._left_end > ends
            case "finishes":
                return self.first - 1, self._left_end == ends
            case "overlapped_by":
                return self.first - 1, (starts < self._left_end) & (self._left_end < ends)
            case "met_by":
                return self.first - 1, self._has_left & (self._left_end == starts)
            case "starts":
                return self.first, self._begins_with & (self._here_end > ends)
            case "equal":
                return self.first, self._begins_with & (self._here_end == ends)
            case "started_by":
                return self.first, self._begins_with & (self._here_end < ends)
            case "finished_by":
                return self.last - 1, self._has_right & (self._right_end == ends)
            case "overlaps":
                return self.last - 1, self._has_right & (self._right_end > ends)
            case _:
                assert relation == "meets"
                return self.last, self._begins_at_end

    # -- the targets next to the start and the end of a source ---------------------------------------------------------

    @property
    def _starts(self) -> Int64:
        return self.sources[1]

    @property
    def _ends(self) -> Int64:
        return self.sources[2]

    @property
    def _has_left(self) -> Flags:
        """Whether a target began before the source."""
        return self.first > self.group[0]

    @cached_property
    def _left_end(self) -> Int64:
        """The end of the last target that began before the source; the earliest time if there is none."""
        return np.where(self._has_left, _at(self.targets[2], self.first - 1), _EARLIEST)

    @cached_property
    def _begins_with(self) -> Flags:
        """Whether a target begins at the start of the source."""
        there: Flags = (self.first < self.last) & (_at(self.targets[1], self.first) == self._starts)
        return there

    @cached_property
    def _here_end(self) -> Int64:
        return _at(self.targets[2], self.first)

    @cached_property
    def _has_right(self) -> Flags:
        """Whether a target begins within the source, after its start."""
        return self.last > self.first + self._begins_with

    @cached_property
    def _right_end(self) -> Int64:
        return _at(self.targets[2], self.last - 1)

    @cached_property
    def _begins_at_end(self) -> Flags:
        """Whether a target begins where the source ends."""
        there: Flags = (self.last < self.group[1]) & (_at(self.targets[1], self.last) == self._ends)
        return there

    # -- relations with many targets -----------------------------------------------------------------------------------

    def _before(self, reach: int | None) -> Ranges:
        begin = self.last + self._begins_at_end
        if reach is None:
            return begin, self.group[1]
        too_late = np.where(self._ends > OPEN - 1 - reach, OPEN, self._ends + (reach + 1))
        (stop,) = _earlier(self.targets[0], self.targets[1], self.sources[0], too_late)
        return begin, np.maximum(stop, begin)

    def _after(self, reach: int | None) -> Ranges:
        stop = self.first - (self._has_left & (self._left_end >= self._starts))
        if reach is None:
            return self.group[0], stop
        earliest = np.where(self._starts < _EARLIEST + reach, _EARLIEST, self._starts - reach)
        (begin,) = _earlier(self.targets[0], self.targets[2], self.sources[0], earliest)
        return np.minimum(begin, stop), stop


def compare_intervals(sources: Keyed, targets: Keyed) -> Comparison:
    """The comparison of two keyed lists, from which the ranges of every relation follow.

    Contract: keys are dense numbers, the same on both sides. Intervals are not empty, and begin before `OPEN`. Targets
    are sorted by key, then start, and disjoint within a key; they may touch. Sources have any order; a search
    is several times faster if they are sorted. O((n + m) log m), and nearly linear if the sources are sorted.

    >>> s, t = np.array([1, 7]), np.array([0, 4, 9])
    >>> found = compare_intervals((s * 0, s, s + 6), (t * 0, t, t + 2))
    >>> [column.tolist() for column in found.ranges("contains")]
    [[1, 2], [2, 3]]
    """
    n_keys = 1 + max((int(keys.max()) for keys in (sources[0], targets[0]) if len(keys)), default=0)
    first, last = _earlier(targets[0], targets[1], *sources)
    stops = np.cumsum(np.bincount(targets[0], minlength=n_keys))
    stop = stops[sources[0]]
    begin = np.append(0, stops)[sources[0]]
    return Comparison(sources, targets, (begin, stop), first, last)


def _earlier(keys: Int64, times: Int64, of_keys: Int64, *probes: Int64) -> tuple[Int64, ...]:
    """For each probe of a key, the number of rows that have a smaller key, or this key and an earlier time.

    Contract: rows are sorted by key, then time.
    """
    if len(keys) == 0:
        return tuple(np.zeros(len(of_keys), dtype=np.int64) for _ in probes)
    n_keys = 1 + max(int(column.max()) for column in (keys, of_keys) if len(column))
    if n_keys == 1:
        return tuple(np.searchsorted(times, probe) for probe in probes)
    packing = packing_for(n_keys, times, *probes)
    ordered = packing.pack(keys, times)
    return tuple(np.searchsorted(ordered, packing.pack(of_keys, probe)) for probe in probes)


def _at(column: Int64, positions: Int64) -> Int64:
    """The column at positions; a position outside the column has any value."""
    if len(column) == 0:
        return np.full(len(positions), _EARLIEST, dtype=np.int64)
    return np.take(column, positions, mode="clip")


def in_some_range(ranges: Ranges, n: int) -> Flags:
    """Which of `n` positions are in at least one range. O(n + ranges).

    >>> in_some_range((np.array([1, 2]), np.array([3, 2])), 4).tolist()
    [False, True, True, False]
    """
    lo, hi = ranges
    there = lo < hi
    change = np.bincount(lo[there], minlength=n + 1) - np.bincount(hi[there], minlength=n + 1)
    covered: Flags = np.cumsum(change[:n]) > 0
    return covered


def relate_intervals(relation: Relation, sources: Keyed, targets: Keyed, mode: Mode, reach: int | None = None) -> Keyed:
    """The intervals that take part in a relation, combined by the output mode, by key, then start.

    Contract: as `compare_intervals`; the sources, too, are sorted and disjoint. O(n log n).
    """
    return combine_related(*related_intervals(relation, sources, targets, reach), mode)


def related_intervals(
    relation: Relation, sources: Keyed, targets: Keyed, reach: int | None = None
) -> tuple[Keyed, Keyed]:
    """The sources and the targets that take part in a relation, each by key, then start.

    Contract: as `relate_intervals`. O(n log n).
    """
    ranges = compare_intervals(sources, targets).ranges(relation, reach)
    return _rows(sources, ranges[0] < ranges[1]), _rows(targets, in_some_range(ranges, len(targets[0])))


def combine_related(sources: Keyed, targets: Keyed, mode: Mode) -> Keyed:
    """Related sources and related targets, combined by the output mode.

    Contract: both are disjoint within keys. O(n log n).
    """
    match mode:
        case "source":
            return merge_intervals(*sources)
        case "target":
            return merge_intervals(*targets)
        case "union":
            keys, starts, ends = concatenate_columns([sources, targets])
            return merge_intervals(keys, starts, ends)
        case "intersect":
            return intersect_intervals([sources, targets], 2)
        case "complement":
            return subtract_intervals(sources, [targets])
        case "complement_inv":
            return subtract_intervals(targets, [sources])


def _rows(keyed: Keyed, which: Flags) -> Keyed:
    rows = np.flatnonzero(which)
    keys, starts, ends = (column[rows] for column in keyed)
    return keys, starts, ends
