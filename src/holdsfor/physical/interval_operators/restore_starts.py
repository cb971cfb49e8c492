"""Whole intervals, for operators that compare their length or their bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from holdsfor.logical.nodes import NodeId
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.operator import Registers, StatefulOperator, UnaryOperator
from holdsfor.physical.operators.description import Description, Wording

__all__ = ["RestoreStarts"]


@dataclass(frozen=True)
class RestoreStarts(StatefulOperator, UnaryOperator):
    """The list with the true starts of intervals that began before the window."""

    node: NodeId
    output: str
    names: tuple[str, ...]
    source: str

    looks_at_whole_intervals: ClassVar[bool] = True

    def run(self, registers: Registers, context: IntervalContext) -> Lists:
        return context.with_true_starts(registers.lists[self.source], self.node)

    def describe(self, wording: Wording) -> Description:
        return Description("restore starts", "", "whole intervals")
