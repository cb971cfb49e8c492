"""The complement of interval lists: `complement_all`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.kernels.packing import OPEN
from holdsfor.logical.nodes import NodeId
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.alignment import subtracted
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.enumerate_instances import EnumerateInstances
from holdsfor.physical.interval_operators.operator import NaryOperator, Registers, StatefulOperator
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Plan

__all__ = ["ComplementIntervals"]


@dataclass(frozen=True)
class ComplementIntervals(StatefulOperator, NaryOperator):
    """The time-points in none of the lists, from the first time-point of the run on, for every instance."""

    node: NodeId
    output: str
    names: tuple[str, ...]
    lists: tuple[str, ...]
    instances: EnumerateInstances

    @property
    def plans(self) -> tuple[Plan, ...]:
        return self.instances.plans

    def run(self, registers: Registers, context: IntervalContext) -> Lists:
        found = self.instances.run(context)
        keys, first = context.complemented_instances(found, self.node, is_grounded=self.instances.is_grounded)
        whole = Lists(keys, first, np.full(keys.n, OPEN, dtype=np.int64))
        whole.numbers(self.names, context.symbols.instances)
        return subtracted(whole, [registers.lists[name] for name in self.lists], context.symbols.instances)

    def describe(self, wording: Wording) -> Description:
        return Description("complement", "", "sweep; over all instances, from the first time-point")
