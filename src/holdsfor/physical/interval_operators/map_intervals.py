"""Predicates of the background knowledge that map the intervals of a list one by one."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.logical.nodes import NodeId
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.alignment import maximal
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.operator import Registers, StatefulOperator, UnaryOperator
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Term

__all__ = ["MapIntervals"]


@dataclass(frozen=True)
class MapIntervals(StatefulOperator, UnaryOperator):
    """Maps whole intervals by an interval-wise predicate: `given` stands for the interval, `result` for the list.

    The results for all intervals of an instance are merged.
    """

    node: NodeId
    output: str
    names: tuple[str, ...]
    source: str
    goal: Term
    given: str
    result: str
    span: Span | None

    def run(self, registers: Registers, context: IntervalContext) -> Lists:
        made = context.map_intervals(self, registers.lists[self.source])
        found, time_range = maximal(made, context.symbols.instances), context.time_range
        return found.take(found.ends > time_range.first) if time_range.is_resumed else found

    def describe(self, wording: Wording) -> Description:
        return Description("prove", wording.show(self.goal), "background engine, interval by interval")
