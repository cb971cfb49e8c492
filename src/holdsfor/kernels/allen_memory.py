"""What an Allen construct must remember when the past is forgotten, so that windows do not change its answer.

The time-points before a *cut* are settled: no record will change there. What lies behind it is known for now, and may
change. An interval that reaches the cut is *unfinished*; whether it goes on is not settled. Relations compare ends, so
an interval must never be compared as if it were over at the cut; here its settled part is kept and joined with what
comes later, before anything is compared.

Is the answer settled where its lists are? Not everywhere. An interval may be found to be related, or not, long after it
began, and it is part of the answer as a whole, from its start. So for each key the answer is settled only before
`since`: the start of the earliest interval that is *undecided*, one that some future relates and another does not, or
the cut if there is none. By relation, with `i*` and `j*` the unfinished source and target:

    relation        `i*` is undecided                     `j*` is undecided, unless a source that is over relates to it
    before          always, with a reach above 0          never
    meets           always                                never
    overlaps        always                                if it begins within `i*`, later than it
    starts, equal   if `j*` begins with it                if `i*` begins with it
    finishes        if it begins within `j*`, later       always
    during          if it begins within `j*`, later       always

Sources and targets that are over are decided, because no relation but `before` looks beyond the end of a source, and
the partner of a target never ends later than it. A source that is over and before no target yet is undecided as long as
a target may still come within its reach.

Kept are, per key: the unfinished intervals; related or undecided intervals that are not over before `since` (as far as
the output mode shows them); one partner for each of these that is related; and for `before` the last source that is
over, as the partner of targets to come. Everything else can be forgotten: it can neither show up in the answer behind
`since` nor change it. When nothing is undecided, that is at most one interval besides the unfinished ones.

This is the caching of Mantenoglou, Kelesis and Artikis (KR 2023, Algorithm 3 and Lemma 2), with one difference: there,
the settled part of an unfinished interval is kept only if it may become related. Without it a later window takes the
rest for an interval that begins at the cut, which then equals, starts or is during others that it never was.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
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
    """One Allen construct between two windows, for all keys.

    `sources` and `targets` are what is kept of the lists before the `cut`, sorted by key and start. `since` says by key
    from where on the answer is not settled; a key beyond it has had no intervals, and is settled up to the cut.
    `reach` bounds how long before a target a source may end to be `before` it; it is part of the relation's meaning.
    The answer of a key may be wanted only from a time-point on, by key in `begins`: it is settled before that.
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
        """How many intervals are kept."""
        return len(self.sources[0]) + len(self.targets[0])

    @property
    def unsettled_since(self) -> int:
        """The earliest time-point at which the answer of some key is not settled."""
        return min(self.cut, int(self.since.min())) if len(self.since) else self.cut

    def answer(self, sources: Keyed, targets: Keyed) -> Keyed:
        """The answer from `since` on, given the lists from the cut on, as they are known now.

        Contract: keys are dense numbers that mean the same in every call; the lists are any intervals that begin at the
        cut or later (one that crosses it is given from the cut on). O(n log n) in what is kept and given.
        """
        known = self._known(sources, targets)
        return self._not_settled(relate_intervals(self.relation, *known, self.mode, self.reach))

    def related(self, sources: Keyed, targets: Keyed) -> tuple[Keyed, Keyed]:
        """The related sources and the related targets from `since` on, as far as the output mode shows them.

        Contract: as `answer`.
        """
        one, other = related_intervals(self.relation, *self._known(sources, targets), self.reach)
        return self._not_settled(one), self._not_settled(other)

    def _not_settled(self, found: Keyed) -> Keyed:
        """The part of each interval that is not settled."""
        keys, starts, ends = found
        begins = self.settled_before(keys)
        inside = ends > begins
        return keys[inside], np.maximum(starts, begins)[inside], ends[inside]

    def settled(self, sources: Keyed, targets: Keyed, cut: int) -> AllenMemory:
        """The memory for a later cut, given the lists from the previous cut on; what is behind the new cut is ignored.

        Contract: as `answer`; the cut is a time-point, and cuts do not go back. O(n log n).
        """
        known = [_before(each, cut) for each in self._known(sources, targets)]
        state = _Settling(self, known[0], known[1], cut)
        return replace(self, cut=cut, sources=state.kept_sources(), targets=state.kept_targets(), since=state.since)

    def _known(self, sources: Keyed, targets: Keyed) -> tuple[Keyed, Keyed]:
        """What is kept and what is given together; an interval that goes on at the cut is one interval."""
        return _joined(self.sources, sources), _joined(self.targets, targets)

    def settled_before(self, keys: Int64) -> Int64:
        """Where the settled part of the answer ends, for each of the keys."""
        if len(self.since) == 0:
            return self.shown_from(keys, np.full(len(keys), self.cut, dtype=np.int64))
        since = np.where(keys < len(self.since), np.take(self.since, keys, mode="clip"), self.cut)
        return self.shown_from(keys, since)

    def shown_from(self, keys: Int64, starts: Int64) -> Int64:
        """From where on intervals that begin there can show in the answers of their keys."""
        return starts if self.begins is None else np.maximum(starts, self.begins[keys])


class _Settling:
    """Both lists up to a cut: which intervals are related for good, which are undecided, and which to keep."""

    def __init__(self, memory: AllenMemory, sources: Keyed, targets: Keyed, cut: int) -> None:
        self.relation, self.reach = memory.relation, memory.reach
        self.shows_sources, self.shows_targets = memory.mode != "target", memory.mode != "source"
        self.sources, self.targets, self.cut = sources, targets, cut
        self.shown = memory.shown_from(sources[0], sources[1]), memory.shown_from(targets[0], targets[1])
        self.n_keys = 1 + max((int(each[0].max()) for each in (sources, targets) if len(each[0])), default=-1)
        self.goes_on: tuple[Flags, Flags] = (sources[2] == cut, targets[2] == cut)
        ranges = compare_intervals(sources, targets).ranges(self.relation, self.reach)
        self.first_partner, stop = ranges
        self.source_is_related: Flags = ~self.goes_on[0] & (self.first_partner < stop)
        over = self.first_partner[self.source_is_related], stop[self.source_is_related]
        self.target_is_related = in_some_range(over, len(targets[0]))
        # A source that is kept as a partner only, and was decided with a target that is forgotten, lies before `since`.
        self.source_is_undecided = self._undecided_sources() & (self.shown[0] >= memory.settled_before(sources[0]))
        self.target_is_undecided = self._undecided_targets()
        self.since = self._unsettled()
        self.source_is_needed = self.shows_sources & self._needed(
            sources, self.source_is_related | self.source_is_undecided, self.goes_on[0]
        )
        self.target_is_needed = self.shows_targets & self._needed(
            targets, self.target_is_related | self.target_is_undecided, self.goes_on[1]
        )

    def _unfinished_starts(self, side: int) -> Int64:
        """By key, where the interval that goes on at the cut began; `OPEN` if there is none."""
        keys, starts, _ = (self.sources, self.targets)[side]
        begins = np.full(self.n_keys, OPEN, dtype=np.int64)
        begins[keys[self.goes_on[side]]] = starts[self.goes_on[side]]
        return begins

    def _undecided_sources(self) -> Flags:
        keys, starts, ends = self.sources
        other = self._unfinished_starts(1)[keys]
        undecided = self.goes_on[0]
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
        undecided = self.goes_on[1] & ~self.target_is_related
        match self.relation:
            case "before" | "meets":
                undecided = np.zeros(len(keys), dtype=bool)
            case "starts" | "equal":
                undecided = undecided & (other == starts)
            case "overlaps":
                undecided = undecided & (other < starts)
        return undecided

    def _reaches_the_cut(self, ends: Int64) -> Flags:
        """Whether a target at the cut or later may be within the reach of sources that are over."""
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

    def _needed(self, each: Keyed, may_show: Flags, goes_on: Flags) -> Flags:
        """Which intervals can be part of the answer that is not settled."""
        keys, _, ends = each
        return may_show & (goes_on | (ends > self.since[keys]))

    def kept_sources(self) -> Keyed:
        keep = self.goes_on[0] | self.source_is_needed
        lo, hi = compare_intervals(self.targets, self.sources).ranges(INVERSES[self.relation], self.reach)
        wanting = self.target_is_needed & self.target_is_related & (lo < hi)
        keep[hi[wanting] - 1] = True
        if self.relation == "before" and self.shows_targets:
            keep[self._last_over()] = True
        return _rows(self.sources, keep)

    def kept_targets(self) -> Keyed:
        keep = self.goes_on[1] | self.target_is_needed
        keep[self.first_partner[self.source_is_needed & self.source_is_related]] = True
        return _rows(self.targets, keep)

    def _last_over(self) -> Int64:
        """The last source of each key that is over, where targets to come may be within its reach."""
        over: Int64 = np.flatnonzero(~self.goes_on[0] & self._reaches_the_cut(self.sources[2]))
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
    keys, starts, ends = (column[which] for column in each)
    return keys, starts, ends
