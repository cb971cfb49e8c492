"""Allen constructs on cut input intervals, which are compared with their true starts.

The *edge* of a cut interval is its first visible time-point. Intervals that have ended at the edge are settled and may
have been dropped, so they form no pair with the cut interval. All other intervals have their true starts. If both
intervals of a pair are cut, the edge of the pair is the later one. A pair affects the result from its edge on, because
the result before the edge is settled. So the result does not depend on the time of its computation.

Each edge has its own pairs: the sources that are cut there with the targets that have not ended there (`AS_SOURCE`),
and the targets that are cut there with the other sources (`AS_TARGET`). Both are ordinary constructs, with the edge as
an additional variable of the lists: for each edge, at most one interval of an instance begins before it, so the lists
are disjoint. They keep past intervals like any other construct.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.allen import Mode, combine_related
from holdsfor.kernels.allen_memory import AllenMemory
from holdsfor.kernels.keys import Int64, dense_ids, pairs_of_equal_keys, rows_with_a_partner
from holdsfor.kernels.stabbing import Stabbing
from holdsfor.physical.interval_lists import Lists, concatenate_lists
from holdsfor.runtime.allen_constructs import (
    AllenConstruct,
    KeptIntervals,
    PairedInstances,
    by_instance,
    empty_like,
    maximal,
)

__all__ = ["ConstructWithCuts", "Operand", "combined", "reaching_back", "split_at_cuts", "with_cuts"]

EDGE, SIDE = "#edge", "#side"
AS_SOURCE, AS_TARGET = 1, 2
UNCUT = int(np.iinfo(np.int64).min)


@dataclass(frozen=True)
class Operand:
    """A list without its cut intervals, and the cut intervals with their true starts and the edge as a variable."""

    whole: Lists
    cut: Lists


def split_at_cuts(lists: Lists, rows: Int64, true_starts: Int64, edges: Int64) -> Operand:
    """The operand of a list with some cut rows."""
    if len(rows) == 0:
        return Operand(lists, empty_like(lists))
    cut = lists.take(rows).with_starts(true_starts)
    return Operand(lists.take(np.delete(np.arange(lists.n, dtype=np.int64), rows)), _with_edges(cut, edges))


class ConstructWithCuts:
    """One Allen construct over one time range: pairs of intervals that are not cut, and pairs with cut intervals."""

    def __init__(self, whole: AllenConstruct, at_edges: _PairsAtEdges) -> None:
        self.whole = whole
        self.at_edges = at_edges

    def related(self) -> tuple[Lists, Lists]:
        """The related sources and the related targets, by instance of the result, as the mode requires."""
        one, other = self.at_edges.related()
        parts = [self.whole.related(), (_without_edges(one), _without_edges(other))]
        nothing = empty_like(max((each for part in parts for each in part), key=lambda each: len(each.names)))
        sources, targets = (concatenate_lists([nothing, *side]) for side in zip(*parts, strict=True))
        return sources, targets

    def decided_until(self, settled: int) -> int:
        """The last time-point up to which the result is settled, if the lists are settled up to `settled`."""
        return min(self.whole.decided_until(settled), self.at_edges.decided_until(settled))

    def kept_at(self, settled: int) -> KeptIntervals:
        """The intervals to keep from before a time-point up to which lists and result are settled."""
        return replace(self.whole.kept_at(settled), cut=self.at_edges.kept_at(settled))


def with_cuts(
    whole: AllenConstruct, sources: Operand, targets: Operand, kept: KeptIntervals | None
) -> AllenConstruct | ConstructWithCuts:
    """The construct with the pairs of cut intervals, if there are any."""
    of_cuts = None if kept is None else kept.cut
    if sources.cut.n + targets.cut.n + (0 if of_cuts is None else of_cuts.n) == 0:
        return whole
    return ConstructWithCuts(whole, _PairsAtEdges(whole, sources, targets, of_cuts))


class _PairsAtEdges(AllenConstruct):
    """The pairs with at least one cut interval."""

    def __init__(self, whole: AllenConstruct, sources: Operand, targets: Operand, kept: KeptIntervals | None) -> None:
        self.time_range, self.wanted, self.memory = whole.time_range, whole.wanted, whole.memory
        first = self.time_range.first
        cut_sources = _of_side(AS_SOURCE, sources.cut, None if kept is None else kept.sources)
        cut_targets = _of_side(AS_TARGET, targets.cut, None if kept is None else kept.targets)
        other_targets = _facing(AS_SOURCE, cut_sources, _known(whole.targets, targets.cut), first)
        other_sources = _facing(AS_TARGET, cut_targets, _known(whole.sources, sources.cut), first)
        if kept is not None:
            other_targets = concatenate_lists([other_targets, _still_facing(AS_SOURCE, cut_sources, kept.targets)])
            other_sources = concatenate_lists([other_sources, _still_facing(AS_TARGET, cut_targets, kept.sources)])
        self.sources = concatenate_lists([cut_sources, other_sources])
        self.targets = concatenate_lists([cut_targets, other_targets])

    def kept_at(self, settled: int) -> KeptIntervals:
        """As for any construct; pairs of later edges can still change, and are computed again."""
        kept = super().kept_at(settled)
        sources, targets = (each.take(each.rows.columns[EDGE] < settled) for each in (kept.sources, kept.targets))
        return KeptIntervals(sources, targets)

    def _memory_of(self, paired: PairedInstances) -> AllenMemory:
        return replace(self.memory, begins=paired.rows.columns[EDGE])

    @property
    def _waiting(self) -> tuple[Lists, Lists]:
        """The cut intervals; no other intervals will be cut at their edges."""
        return _on_side(self.sources, AS_SOURCE), _on_side(self.targets, AS_TARGET)


def _known(whole: Lists, cut: Lists) -> Lists:
    """All intervals of a list, with their edges."""
    whole = maximal(whole)
    return concatenate_lists([_with_edges(whole, np.full(whole.n, UNCUT, dtype=np.int64)), cut])


def _of_side(side: int, cut: Lists, kept: Lists | None) -> Lists:
    """The cut intervals of one side, and those that were kept."""
    given = _with_side(cut if cut.n else _with_edges(cut, cut.starts), side)
    return given if kept is None else concatenate_lists([given, _on_side(kept, side)])


def _facing(side: int, cut: Lists, others: Lists, first: int) -> Lists:
    """The intervals that may form pairs with cut ones: for each edge, those that have not ended and are not cut later.

    Pairs of two intervals with the same edge belong to the source.
    """
    shared = [name for name in cut.names if name in others.names and name != EDGE]
    edges = cut.rows.keep([*shared, EDGE]).distinct()
    row, partner = pairs_of_equal_keys(
        [edges.columns[name] for name in shared], edges.n, [others.rows.columns[name] for name in shared], others.n
    )
    edge, own_edge = edges.columns[EDGE][row], others.rows.columns[EDGE][partner]
    is_seen = own_edge <= edge if side == AS_SOURCE else own_edge < edge
    may_pair = is_seen & (others.ends[partner] > np.maximum(edge, first))
    return _with_side(_with_edges(others.take(partner[may_pair]), edge[may_pair]), side)


def _still_facing(side: int, cut: Lists, kept: Lists) -> Lists:
    """The intervals that were kept for cut intervals which still exist."""
    others = _on_side(kept, side)
    shared = [name for name in others.names if name in cut.names]
    own, known = ([each.rows.columns[name] for name in shared] for each in (others, cut))
    return others.take(rows_with_a_partner(own, others.n, known, cut.n))


def _on_side(lists: Lists, side: int) -> Lists:
    return lists.take(lists.rows.columns[SIDE] == side)


def _with_edges(lists: Lists, edges: Int64) -> Lists:
    return Lists(lists.rows.with_columns({EDGE: edges}), lists.starts, lists.ends)


def _with_side(lists: Lists, side: int) -> Lists:
    sides = np.full(lists.n, side, dtype=np.int64)
    return Lists(lists.rows.with_columns({SIDE: sides}), lists.starts, lists.ends)


def _without_edges(lists: Lists) -> Lists:
    names = [name for name in lists.names if name not in (EDGE, SIDE)]
    return Lists(lists.rows.keep(names), lists.starts, lists.ends)


def combined(related: Sequence[Lists], mode: Mode) -> Lists:
    """The related sources and related targets of the same instances, combined by the output mode."""
    paired = by_instance(*related)
    return paired.lists(combine_related(paired.sources, paired.targets, mode))


def reaching_back(related: Lists, operand: Lists) -> Lists:
    """The related intervals, extended back to the start of the operand's interval that contains their start."""
    if related.n == 0 or operand.n == 0:
        return related
    columns = [np.concatenate((operand.rows.columns[name], related.rows.columns[name])) for name in operand.names]
    ids = dense_ids(columns, operand.n + related.n)[0]
    found = Stabbing(ids[: operand.n], operand.starts, operand.ends).find(ids[operand.n :], related.starts)
    is_inside: NDArray[np.bool_] = found >= 0
    starts = np.where(is_inside, np.minimum(related.starts, operand.starts[found]), related.starts)
    return related.with_starts(starts)
