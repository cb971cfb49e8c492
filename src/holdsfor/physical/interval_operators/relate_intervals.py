"""Allen relations between the intervals of two lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from holdsfor.logical.nodes import NodeId
from holdsfor.physical.fvp_shape import FvpShape
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.operator import Registers, StatefulOperator
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.ground_head import GroundHead
from holdsfor.physical.rows import one_row
from holdsfor.syntax.rules import AllenMode, AllenRelation
from holdsfor.syntax.terms import Term

__all__ = ["RelateIntervals"]


@dataclass(frozen=True)
class RelateIntervals(StatefulOperator):
    """The intervals selected by the mode, of the pairs of sources and targets in the relation.

    If the lists vary by different variables, all combinations of their instances are compared, or those of the
    grounding of the `head`. The pattern of a list that is read from a fluent is given: input intervals that are cut at
    the edge of a window are compared with their true starts.
    """

    node: NodeId
    output: str
    names: tuple[str, ...]
    relation: AllenRelation
    mode: AllenMode
    source: str
    target: str
    head: Term | None
    source_fluent: FvpShape | None
    target_fluent: FvpShape | None

    looks_at_whole_intervals: ClassVar[bool] = True

    @property
    def inputs(self) -> tuple[str, ...]:
        return (self.source, self.target)

    def run(self, registers: Registers, context: IntervalContext) -> Lists:
        wanted = None
        if self.head is not None:
            wanted = GroundHead(self.head).run(one_row(), context).keep(self.names).distinct()
        return context.relate(self, registers.lists[self.source], registers.lists[self.target], wanted)

    def describe(self, wording: Wording) -> Description:
        how = "whole intervals; ranges by binary search, kept while undecided"
        return Description("allen", f"{self.relation}, {self.mode}", how)
