"""The intervals that an Allen construct keeps from earlier windows, so that windows do not change its answer.

The time-points before a *cut* are settled: no later record changes the lists there. After the cut, the lists may still
change. An interval that reaches the cut is *unfinished*: it may continue after the cut. Relations compare ends, and an
interval must never be compared as if it ended at the cut. So the settled part of an unfinished interval is kept, and
joined with its continuation before relations are computed.

The answer is not settled wherever its lists are. An interval may become related, or not, long after it began, and it
belongs to the answer as a whole, from its start. So for each key the answer is settled only before `since`: the start
of the earliest *undecided* interval, or the cut if there is none. An interval is undecided if it is related in one
possible future and not in another. By relation, with `i*` and `j*` the unfinished source and target:

    relation        `i*` is undecided                     `j*` is undecided, unless a finished source relates to it
    before          always, with a reach above 0          never
    meets           always                                never
    overlaps        always                                if it begins within `i*`, later than it
    starts, equal   if `j*` begins with it                if `i*` begins with it
    finishes        if it begins within `j*`, later       always
    during          if it begins within `j*`, later       always

Finished sources and targets are decided, because no relation but `before` depends on time-points after the end of a
source, and the partner of a target never ends later than the target. A finished source that is before no target yet is
undecided as long as a later target may begin within its reach.

For each key are kept: the unfinished intervals; related or undecided intervals that end after `since` (as far as the
output mode shows them); one partner for each related interval among these; and for `before` the last finished source,
as the partner of later targets. All other intervals are dropped: they neither appear in the answer after `since` nor
change it. If no interval is undecided, at most one interval is kept besides the unfinished ones.

This is the caching of Mantenoglou, Kelesis and Artikis (KR 2023, Algorithm 3 and Lemma 2), with one difference: there,
the settled part of an unfinished interval is kept only if it may become related. Without the settled part, a later
window sees an interval that begins at the cut, which then wrongly equals, starts or is during other intervals.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.allen import INVERSES, Mode, compare_intervals, in_some_range, relate_intervals, related_intervals
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN
from holdsfor.kernels.sweep import Keyed, merge_intervals

__all__ = ["AllenMemory", "DirectRelation"]

DirectRelation = Literal["before", "meets", "starts", "finishes", "during", "overlaps", "equal"]
Flags = NDArray[np.bool_]

_NOTHING: Int64 = np.empty(0, dtype=np.int64)
_EARLIEST = int(np.iinfo(np.int64).min)


@dataclass(frozen=True)
class AllenMemory:
    """The state of one Allen construct between two windows, for all keys.

    `sources` and `targets` are the intervals kept of the lists before the `cut`, sorted by key and start. `since` is,
    by key, the time-point from which the answer is not settled; a key beyond `since` had no intervals, and is settled
    up to the cut. `reach` is part of the relation: the longest gap between a source and a target that it is `before`.
    `begins`, if given, is the first time-point of the answer by key; the answer counts as settled before it.
    """

    relation: DirectRelation
    mode: Mode
    reach: int | None = None
    cut: int = _EARLIEST
    sources: Keyed = (_NOTHING, _NOTHING, _NOTHING)
    targets: Keyed = (_NOTHING, _NOTHING, _NOTHING)
    since: Int64 = field(default_factory=lambda: _NOTHING)
    begins: Int64 | None = None

    @property
    def n_kept(self) -> int:
        """The number of intervals that are kept."""
        return len(self.sources[0]) + len(self.targets[0])

    @property
    def unsettled_since(self) -> int:
        """The earliest time-point at which the answer of some key is not settled."""
        return min(self.cut, int(self.since.min())) if len(self.since) else self.cut

    def answer(self, sources: Keyed, targets: Keyed) -> Keyed:
        """The answer from `since` on, given the present lists from the cut on.

        Contract: keys are dense numbers that mean the same in every call; the lists are any intervals that begin at the
        cut or later (one that crosses the cut is given from the cut on). O(n log n) in the intervals kept and given.
        """
        known = self._with_kept(sources, targets)
        return self._not_settled(relate_intervals(self.relation, *known, self.mode, self.reach))

    def related(self, sources: Keyed, targets: Keyed) -> tuple[Keyed, Keyed]:
        """The related sources and the related targets from `since` on, as far as the output mode shows them.

        Contract: as `answer`.
        """
        one, other = related_intervals(self.relation, *self._with_kept(sources, targets), self.reach)
        return self._not_settled(one), self._not_settled(other)

    def _not_settled(self, found: Keyed) -> Keyed:
        """The part of each interval that is not settled."""
        keys, starts, ends = found
        begins = self.settled_before(keys)
        inside = ends > begins
        return keys[inside], np.maximum(starts, begins)[inside], ends[inside]

    def settled(self, sources: Keyed, targets: Keyed, cut: int) -> AllenMemory:
        """The memory for a later cut, given the lists from the previous cut on; times after the new cut are ignored.

        Contract: as `answer`; the cut is a time-point and not before the previous one. O(n log n).
        """
        state = self._settling(sources, targets, cut)
        return replace(self, cut=cut, sources=state.kept_sources(), targets=state.kept_targets(), since=state.since)

    def unsettled_at(self, sources: Keyed, targets: Keyed, cut: int) -> int:
        """`unsettled_since` of the memory for a later cut."""
        since = self._settling(sources, targets, cut).since
        return min(cut, int(since.min())) if len(since) else cut

    def _settling(self, sources: Keyed, targets: Keyed, cut: int) -> _Settling:
        known = [_before(each, cut) for each in self._with_kept(sources, targets)]
        return _Settling(self, known[0], known[1], cut)

    def _with_kept(self, sources: Keyed, targets: Keyed) -> tuple[Keyed, Keyed]:
        """The kept and the given intervals together; an interval that continues at the cut becomes one interval."""
        return _joined(self.sources, sources), _joined(self.targets, targets)

    def settled_before(self, keys: Int64) -> Int64:
        """The end of the settled part of the answer, for each of the keys."""
        if len(self.since) == 0:
            return self.shown_from(keys, np.full(len(keys), self.cut, dtype=np.int64))
        since = np.where(keys < len(self.since), np.take(self.since, keys, mode="clip"), self.cut)
        return self.shown_from(keys, since)

    def shown_from(self, keys: Int64, starts: Int64) -> Int64:
        """The first time-points at which intervals with these starts appear in the answers of their keys."""
        return starts if self.begins is None else np.maximum(starts, self.begins[keys])


class _Settling:
    """Both lists up to a cut: which intervals are finally related, which are undecided, and which to keep."""

    def __init__(self, memory: AllenMemory, sources: Keyed, targets: Keyed, cut: int) -> None:
        self.relation, self.reach = memory.relation, memory.reach
        self.shows_sources, self.shows_targets = memory.mode != "target", memory.mode != "source"
        self.sources, self.targets, self.cut = sources, targets, cut
        self.shown = memory.shown_from(sources[0], sources[1]), memory.shown_from(targets[0], targets[1])
        self.n_keys = 1 + max((int(each[0].max()) for each in (sources, targets) if len(each[0])), default=-1)
        self.continues: tuple[Flags, Flags] = (sources[2] == cut, targets[2] == cut)
        ranges = compare_intervals(sources, targets).ranges(self.relation, self.reach)
        self.first_partner, stop = ranges
        self.source_is_related: Flags = ~self.continues[0] & (self.first_partner < stop)
        over = self.first_partner[self.source_is_related], stop[self.source_is_related]
        self.target_is_related = in_some_range(over, len(targets[0]))
        # A source that is kept only as a partner, and whose related target was dropped, begins before `since`.
        self.source_is_undecided = self._undecided_sources() & (self.shown[0] >= memory.settled_before(sources[0]))
        self.target_is_undecided = self._undecided_targets()
        self.since = self._unsettled()

    @cached_property
    def source_is_needed(self) -> Flags:
        """Which sources can be part of the answer that is not settled."""
        may_show = self.source_is_related | self.source_is_undecided
        return self.shows_sources & self._needed(self.sources, may_show, self.continues[0])

    @cached_property
    def target_is_needed(self) -> Flags:
        """Which targets can be part of the answer that is not settled."""
        may_show = self.target_is_related | self.target_is_undecided
        return self.shows_targets & self._needed(self.targets, may_show, self.continues[1])

    def _unfinished_starts(self, side: int) -> Int64:
        """By key, the start of the interval that continues at the cut; `OPEN` if there is none."""
        keys, starts, _ = (self.sources, self.targets)[side]
        begins = np.full(self.n_keys, OPEN, dtype=np.int64)
        begins[keys[self.continues[side]]] = starts[self.continues[side]]
        return begins

    def _undecided_sources(self) -> Flags:
        keys, starts, ends = self.sources
        other = self._unfinished_starts(1)[keys]
        undecided = self.continues[0]
        match self.relation:
            case "starts" | "equal":
                undecided = undecided & (other == starts)
            case "finishes" | "during":
                undecided = undecided & (other < starts)
            case "before":
                over = ~undecided & ~self.source_is_related
                undecided = (undecided & (self.reach != 0)) | (over & self._reaches_the_cut(ends))
        return undecided

    def _undecided_targets(self) -> Flags:
        keys, starts, _ = self.targets
        other = self._unfinished_starts(0)[keys]
        undecided = self.continues[1] & ~self.target_is_related
        match self.relation:
            case "before" | "meets":
                undecided = np.zeros(len(keys), dtype=bool)
            case "starts" | "equal":
                undecided = undecided & (other == starts)
            case "overlaps":
                undecided = undecided & (other < starts)
        return undecided

    def _reaches_the_cut(self, ends: Int64) -> Flags:
        """Whether a target at the cut or later may be within the reach of sources that end there."""
        if self.reach is None:
            return np.ones(len(ends), dtype=bool)
        return ends >= max(self.cut - self.reach, _EARLIEST)

    def _unsettled(self) -> Int64:
        since = np.full(self.n_keys, self.cut, dtype=np.int64)
        if self.shows_sources:
            np.minimum.at(since, self.sources[0][self.source_is_undecided], self.shown[0][self.source_is_undecided])
        if self.shows_targets:
            np.minimum.at(since, self.targets[0][self.target_is_undecided], self.shown[1][self.target_is_undecided])
        return since

    def _needed(self, each: Keyed, may_show: Flags, continues: Flags) -> Flags:
        """Which intervals can be part of the answer that is not settled."""
        keys, _, ends = each
        return may_show & (continues | (ends > self.since[keys]))

    def kept_sources(self) -> Keyed:
        keep = self.continues[0] | self.source_is_needed
        lo, hi = compare_intervals(self.targets, self.sources).ranges(INVERSES[self.relation], self.reach)
        wanting = self.target_is_needed & self.target_is_related & (lo < hi)
        keep[hi[wanting] - 1] = True
        if self.relation == "before" and self.shows_targets:
            keep[self._last_finished()] = True
        return _rows(self.sources, keep)

    def kept_targets(self) -> Keyed:
        keep = self.continues[1] | self.target_is_needed
        keep[self.first_partner[self.source_is_needed & self.source_is_related]] = True
        return _rows(self.targets, keep)

    def _last_finished(self) -> Int64:
        """The last finished source of each key, where later targets may be within its reach."""
        over: Int64 = np.flatnonzero(~self.continues[0] & self._reaches_the_cut(self.sources[2]))
        keys = self.sources[0][over]
        is_last: Flags = np.append(keys[1:] != keys[:-1], True)[: len(over)]
        return over[is_last]


def _joined(kept: Keyed, given: Keyed) -> Keyed:
    if len(kept[0]) == 0:
        return merge_intervals(*given)
    keys, starts, ends = concatenate_columns([kept, given])
    return merge_intervals(keys, starts, ends)


def _before(each: Keyed, cut: int) -> Keyed:
    """The list up to the cut."""
    keys, starts, ends = _rows(each, each[1] < cut)
    return keys, starts, np.minimum(ends, cut)


def _rows(each: Keyed, which: Flags) -> Keyed:
    rows = which.nonzero()[0]
    if len(rows) == len(which):
        return each
    keys, starts, ends = each
    return keys[rows], starts[rows], ends[rows]
