"""The union of interval lists: `union_all`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.kernels.sweep import unite_intervals
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.alignment import aligned
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.operator import NaryOperator, Registers
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.rows import Rows

__all__ = ["UnionIntervals"]


@dataclass(frozen=True)
class UnionIntervals(NaryOperator):
    """The time-points in at least one of the lists, which vary by the same variables."""

    output: str
    names: tuple[str, ...]
    lists: tuple[str, ...]

    def run(self, registers: Registers, context: IntervalContext) -> Lists:
        lists = [registers.lists[name] for name in self.lists]
        if not lists:
            nothing = np.empty(0, dtype=np.int64)
            return Lists(Rows(0, {}), nothing, nothing)
        lists = [each for each in lists if each.n] or lists[:1]
        if len(lists) == 1:
            return lists[0]
        keyed, back = aligned(lists, context.symbols.instances)
        return back(unite_intervals(keyed))

    def describe(self, wording: Wording) -> Description:
        return Description("union", "", "sweep")
