"""Allen constructs in the rules of statically determined fluents, over one time range after another.

A construct receives its lists from the settled time-point on. Relations compare whole intervals, so earlier intervals
are kept as long as they can affect a result (`kernels/allen_memory.py`). They are kept by the instances of the lists,
not by those of the result: the latter are combinations, and a partner that first appears in a later time range forms
new combinations with old instances.

The result of a construct is not settled where its lists are settled, because an interval enters the result as a whole
and may do so only when it ends. `decided_until` is the time-point up to which the result is settled; a session does not
settle beyond it, so everything computed from the result is exact too.

Input intervals that are cut are compared separately (`runtime/cut_relations.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.allen_memory import AllenMemory
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.kernels.sweep import Keyed, merge_intervals
from holdsfor.physical.interval_lists import Lists, concatenate_lists, natural_join, onto
from holdsfor.physical.interval_operators.relate_intervals import RelateIntervals
from holdsfor.physical.rows import Rows

if TYPE_CHECKING:
    from holdsfor.physical.time_range import TimeRange

__all__ = ["AllenConstruct", "KeptIntervals", "PairedInstances", "by_instance", "empty_like", "maximal"]


@dataclass(frozen=True)
class KeptIntervals:
    """The intervals that a construct keeps from before a settled time-point; `cut` ones separately."""

    sources: Lists
    targets: Lists
    cut: KeptIntervals | None = None

    @property
    def n(self) -> int:
        """The number of kept intervals."""
        return self.sources.n + self.targets.n + (0 if self.cut is None else self.cut.n)


class AllenConstruct:
    """One Allen construct over one time range.

    The lists are given from the settled time-point on; `kept` are the intervals kept at that time-point. `reach` is the
    maximal gap between a source and a target of `before`. Instances of the result that are not `wanted` are left out.
    """

    def __init__(
        self,
        operator: RelateIntervals,
        sources: Lists,
        targets: Lists,
        wanted: Rows | None,
        kept: KeptIntervals | None,
        time_range: TimeRange,
        reach: int | None,
    ) -> None:
        self.time_range = time_range
        self.wanted = wanted
        self.sources = sources if kept is None else concatenate_lists([kept.sources, sources])
        self.targets = targets if kept is None else concatenate_lists([kept.targets, targets])
        memory = AllenMemory(operator.relation, operator.mode, reach)
        self.memory = replace(memory, cut=time_range.first) if time_range.is_resumed else memory

    def answer(self) -> Lists:
        """The result from the settled time-point on."""
        pairs = self._pairs
        return pairs.lists(self._memory_of(pairs).answer(pairs.sources, pairs.targets))

    def related(self) -> tuple[Lists, Lists]:
        """The related sources and the related targets, by instance of the result, as the mode requires."""
        pairs = self._pairs
        one, other = self._memory_of(pairs).related(pairs.sources, pairs.targets)
        return pairs.lists(one), pairs.lists(other)

    def decided_until(self, settled: int) -> int:
        """The last time-point up to which the result is settled, if the lists are settled up to `settled`."""
        cut = self.time_range.next_of(settled)
        since = min(self._memory_of(each).unsettled_at(each.sources, each.targets, cut) for each in self._all_pairs)
        return settled if since == cut else self.time_range.previous_of(since)

    def kept_at(self, settled: int) -> KeptIntervals:
        """The intervals to keep from before a time-point up to which lists and result are settled."""
        sources, targets = [], []
        for paired in self._all_pairs:
            memory = self._memory_of(paired).settled(paired.sources, paired.targets, settled)
            sources.append(paired.lists(memory.sources, self.sources.names))
            targets.append(paired.lists(memory.targets, self.targets.names))
        return KeptIntervals(maximal(concatenate_lists(sources)), maximal(concatenate_lists(targets)))

    def _memory_of(self, paired: PairedInstances) -> AllenMemory:
        """The memory for the instances of two lists."""
        return self.memory

    @cached_property
    def _pairs(self) -> PairedInstances:
        """Sources and targets of every instance that may have both."""
        of_sources, of_targets = set(self.sources.names), set(self.targets.names)
        if of_sources == of_targets:
            return by_instance(self.sources, self.targets)
        if of_sources < of_targets:
            wide = by_instance(empty_like(self.targets), self.targets)
            return replace(wide, sources=merge_intervals(*onto(wide.rows, self.sources)))
        if of_targets < of_sources:
            wide = by_instance(self.sources, empty_like(self.sources))
            return replace(wide, targets=merge_intervals(*onto(wide.rows, self.targets)))
        return self._combined

    @property
    def _combined(self) -> PairedInstances:
        """Sources and targets of every combination of their instances."""
        rows = self.sources.rows.distinct()
        if self.wanted is not None:
            rows = natural_join(rows, self.wanted)
        rows = natural_join(rows, self.targets.rows.distinct())
        return PairedInstances(
            rows, merge_intervals(*onto(rows, self.sources)), merge_intervals(*onto(rows, self.targets))
        )

    @cached_property
    def _all_pairs(self) -> list[PairedInstances]:
        """The pairs, and each instance of one list with a future partner, where this is possible."""
        if set(self.sources.names) == set(self.targets.names):
            return [self._pairs]
        sources, targets = self._waiting
        return [self._pairs, by_instance(sources, empty_like(sources)), by_instance(empty_like(targets), targets)]

    @property
    def _waiting(self) -> tuple[Lists, Lists]:
        """The sources and the targets that an instance which does not exist yet may be related to."""
        return self.sources, self.targets


@dataclass(frozen=True)
class PairedInstances:
    """Two lists by number of instance, maximal within each, and the instances by number.

    `numbers` are the tuple ids of the instances by number, if both lists have them.
    """

    rows: Rows
    sources: Keyed
    targets: Keyed
    numbers: tuple[TupleIds, Int64] | None = None

    def lists(self, keyed: Keyed, names: Sequence[str] | None = None) -> Lists:
        """Intervals by number as a list that varies by all variables, or by the given ones."""
        keys, starts, ends = keyed
        every = list(self.rows.columns)
        if self.numbers is not None and (names is None or list(names) == every):
            return Lists.numbered(every, self.numbers[0], self.numbers[1][keys], starts, ends)
        return Lists(self.rows.take(keys).keep(every if names is None else names), starts, ends)


def by_instance(sources: Lists, targets: Lists) -> PairedInstances:
    """Lists with the same variables."""
    names, n = sources.names, sources.n
    instances = sources.instances or targets.instances
    if instances is not None and sources.is_numbered(names) and targets.is_numbered(names):
        both = np.concatenate([each.numbers(names, instances) for each in (sources, targets)])
        ids, first = dense_ids([both], len(both))
        numbers = both[first]
        words = instances.words(len(names), numbers)
        rows = Rows(len(first), dict(zip(names, words, strict=True)))
        known: tuple[TupleIds, Int64] | None = (instances, numbers)
    else:
        columns = [np.concatenate((sources.rows.columns[name], targets.rows.columns[name])) for name in names]
        ids, first = dense_ids(columns, n + targets.n)
        rows = Rows(len(first), {name: column[first] for name, column in zip(names, columns, strict=True)})
        known = None
    return PairedInstances(
        rows,
        merge_intervals(ids[:n], sources.starts, sources.ends),
        merge_intervals(ids[n:], targets.starts, targets.ends),
        known,
    )


def empty_like(lists: Lists) -> Lists:
    """An empty list with the variables of a list."""
    return lists.take(np.empty(0, dtype=np.int64))


def maximal(lists: Lists) -> Lists:
    """Each interval once."""
    paired = by_instance(lists, empty_like(lists))
    return paired.lists(paired.sources)
