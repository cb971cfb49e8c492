"""Allen constructs in the rules of statically determined fluents, over one stretch of time after another.

A stretch gives a construct its lists from the settled time-point on. Relations compare whole intervals, so what came
before is kept: `kernels/allen_memory.py` says what of it can still matter. Here it is kept by the instances of the
lists, not by those of the answer: these are combinations, and a partner that is first seen in a later stretch makes new
ones with instances that have been there for long.

What a construct answers is not settled where its lists are, since an interval joins the answer as a whole and perhaps
only when it is over. `decided_until` says how far the answer is settled; a session goes no further, so whatever
builds on the answer is exact too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from holdsfor.kernels.allen_memory import AllenMemory
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.kernels.packing import packing_for
from holdsfor.kernels.sweep import Keyed, merge_intervals
from holdsfor.physical.rows import Rows, concatenate
from holdsfor.runtime.interval_lists import Lists, natural_join, onto
from holdsfor.syntax.rules import Allen

if TYPE_CHECKING:
    from holdsfor.runtime.time_range import TimeRange

__all__ = ["Construct", "Kept"]


@dataclass(frozen=True)
class Kept:
    """What a construct remembers of its lists before a settled time-point."""

    sources: Lists
    targets: Lists

    @property
    def n(self) -> int:
        """How many intervals that are."""
        return self.sources.rows.n + self.targets.rows.n


class Construct:
    """One Allen construct over one stretch.

    The lists are given from the settled time-point on; `kept` is what was kept of them at that time-point. `reach` is
    how long `before` a target a source may end. Instances of the answer that are not `wanted` are left out.
    """

    def __init__(
        self,
        step: Allen,
        sources: Lists,
        targets: Lists,
        wanted: Rows | None,
        kept: Kept | None,
        time_range: TimeRange,
        reach: int | None,
    ) -> None:
        self.time_range = time_range
        self.wanted = wanted
        self.sources = sources if kept is None else _together([kept.sources, sources])
        self.targets = targets if kept is None else _together([kept.targets, targets])
        memory = AllenMemory(step.relation, step.mode, reach)
        self.memory = replace(memory, cut=time_range.first) if time_range.is_resumed else memory

    def answer(self) -> Lists:
        """The answer from the settled time-point on."""
        pairs = self._pairs
        keys, starts, ends = self.memory.answer(pairs.sources, pairs.targets)
        return Lists(pairs.rows.take(keys), starts, ends)

    def decided_until(self, settled: int) -> int:
        """The last time-point up to which the answer is settled, if the lists are settled up to one."""
        cut = self.time_range.next_of(settled)
        since = min(memory.unsettled_since for memory in self._settled(cut))
        return settled if since == cut else self.time_range.previous_of(since)

    def kept_at(self, settled: int) -> Kept:
        """What to keep of the lists before a time-point up to which lists and answer are settled."""
        sources, targets = [], []
        for paired, memory in zip(self._all_pairs, self._settled(settled), strict=True):
            sources.append(_lists_of(memory.sources, paired.rows, self.sources.names))
            targets.append(_lists_of(memory.targets, paired.rows, self.targets.names))
        return Kept(_maximal(_together(sources)), _maximal(_together(targets)))

    def _settled(self, cut: int) -> list[AllenMemory]:
        return [self.memory.settled(paired.sources, paired.targets, cut) for paired in self._all_pairs]

    @cached_property
    def _pairs(self) -> _Paired:
        """Sources and targets of every instance that may have both."""
        of_sources, of_targets = set(self.sources.names), set(self.targets.names)
        if of_sources == of_targets:
            return _by_instance(self.sources, self.targets)
        if of_sources < of_targets:
            wide = _by_instance(_none_of(self.targets), self.targets)
            return replace(wide, sources=_in_order(*onto(wide.rows, self.sources)))
        if of_targets < of_sources:
            wide = _by_instance(self.sources, _none_of(self.sources))
            return replace(wide, targets=_in_order(*onto(wide.rows, self.targets)))
        return self._combined

    @property
    def _combined(self) -> _Paired:
        """Sources and targets of every combination of their instances."""
        rows = self.sources.rows.distinct()
        if self.wanted is not None:
            rows = natural_join(rows, self.wanted)
        rows = natural_join(rows, self.targets.rows.distinct())
        return _Paired(rows, _in_order(*onto(rows, self.sources)), _in_order(*onto(rows, self.targets)))

    @cached_property
    def _all_pairs(self) -> list[_Paired]:
        """Besides, each instance of one list with a partner that is not known yet, where that is possible."""
        if set(self.sources.names) == set(self.targets.names):
            return [self._pairs]
        return [
            self._pairs,
            _by_instance(self.sources, _none_of(self.sources)),
            _by_instance(_none_of(self.targets), self.targets),
        ]


@dataclass(frozen=True)
class _Paired:
    """Two lists by number of instance, maximal within each, and the instances by number."""

    rows: Rows
    sources: Keyed
    targets: Keyed


def _by_instance(sources: Lists, targets: Lists) -> _Paired:
    """Lists with the same variables."""
    names, n = sources.names, sources.rows.n
    columns = [np.concatenate((sources.rows.columns[name], targets.rows.columns[name])) for name in names]
    ids, first = dense_ids(columns, n + targets.rows.n)
    rows = Rows(len(first), {name: column[first] for name, column in zip(names, columns, strict=True)})
    return _Paired(
        rows,
        _in_order(ids[:n], sources.starts, sources.ends),
        _in_order(ids[n:], targets.starts, targets.ends),
    )


def _in_order(keys: Int64, starts: Int64, ends: Int64) -> Keyed:
    """The maximal intervals of what is nearly always maximal: in order, a look tells."""
    if len(keys) == 0:
        return keys, starts, ends
    packed = packing_for(1 + int(keys.max()), starts).pack(keys, starts)
    if (packed[1:] < packed[:-1]).any():
        order = packed.argsort()
        keys, starts, ends = keys[order], starts[order], ends[order]
    return merge_intervals(keys, starts, ends)


def _lists_of(keyed: Keyed, rows: Rows, names: Sequence[str]) -> Lists:
    keys, starts, ends = keyed
    return Lists(rows.take(keys).keep(names), starts, ends)


def _none_of(lists: Lists) -> Lists:
    """No intervals, with the variables of a list."""
    return lists.take(np.empty(0, dtype=np.int64))


def _together(lists: Sequence[Lists]) -> Lists:
    """The intervals of lists with the same variables; a list of nothing need not have them."""
    lists = [each for each in lists if each.rows.n] or lists[:1]
    starts = np.concatenate([each.starts for each in lists])
    return Lists(concatenate([each.rows for each in lists]), starts, np.concatenate([each.ends for each in lists]))


def _maximal(lists: Lists) -> Lists:
    """Each interval once."""
    paired = _by_instance(lists, _none_of(lists))
    return _lists_of(paired.sources, paired.rows, lists.names)
