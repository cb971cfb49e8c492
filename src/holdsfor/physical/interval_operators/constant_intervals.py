"""Literal intervals in a rule: `[(1,5),(8,inf)]`, or the empty list."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.kernels.sweep import merge_intervals
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.interval_terms import intervals_of_term
from holdsfor.physical.interval_operators.operator import LeafOperator, Registers
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.rows import Rows
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Term

__all__ = ["ConstantIntervals"]


@dataclass(frozen=True)
class ConstantIntervals(LeafOperator):
    """The intervals of a term, from the first time-point of the window on."""

    output: str
    term: Term
    span: Span | None
    names: tuple[str, ...] = ()

    def run(self, registers: Registers, context: IntervalContext) -> Lists:
        intervals = intervals_of_term(self.term, self.span)
        starts = np.array([start for start, _ in intervals], dtype=np.int64)
        ends = np.array([end for _, end in intervals], dtype=np.int64)
        _, starts, ends = merge_intervals(np.zeros(len(intervals), dtype=np.int64), starts, ends)
        found, time_range = Lists(Rows(len(starts), {}), starts, ends), context.time_range
        if not time_range.is_resumed:
            return found
        inside = found.take(found.ends > time_range.first)
        return inside.with_starts(np.maximum(inside.starts, time_range.first))

    def describe(self, wording: Wording) -> Description:
        return Description("constant", wording.show(self.term))
