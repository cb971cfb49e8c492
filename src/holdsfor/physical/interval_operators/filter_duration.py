"""Intervals that are longer, or shorter, than a bound: `intDurGreater` and `intDurLess`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN
from holdsfor.logical.nodes import NodeId
from holdsfor.physical.arithmetic import number_column
from holdsfor.physical.fvp_shape import FvpShape
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.interval_operators.context import IntervalContext
from holdsfor.physical.interval_operators.cut_inputs import cut_intervals, starting_together
from holdsfor.physical.interval_operators.operator import Registers, StatefulOperator, UnaryOperator
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Term, substitute, variables

__all__ = ["FilterDuration"]


@dataclass(frozen=True)
class FilterDuration(StatefulOperator, UnaryOperator):
    """The whole intervals of a list that are longer (`greater`) or shorter than a bound.

    An open interval lasts until the end of the window. `fluent` is the pattern of the fluent if the list is read from a
    fluent: input intervals that are cut at the edge of a window last from their true starts on.
    """

    node: NodeId
    output: str
    names: tuple[str, ...]
    source: str
    comparison: Literal["greater", "less"]
    bound: Term
    fluent: FvpShape | None
    span: Span | None = None

    def run(self, registers: Registers, context: IntervalContext) -> Lists:
        whole = registers.lists[self.source]
        if whole.n == 0:
            return whole
        measured = whole.with_starts(self._true_starts(whole, context))
        lengths = np.where(measured.ends == OPEN, context.time_range.after_last, measured.ends) - measured.starts
        limits = self._limits(whole, context)
        context.expect_crossings(self.node, measured, limits)
        return whole.take(lengths > limits if self.comparison == "greater" else lengths < limits)

    def _true_starts(self, whole: Lists, context: IntervalContext) -> Int64:
        """The starts of the intervals; true starts for input intervals that are cut."""
        cuts, starts = cut_intervals(self.fluent, context), whole.starts.copy()
        rows, partner = starting_together(whole, cuts, cuts.starts)
        starts[rows] = cuts.ends[partner]
        return starts

    def _limits(self, whole: Lists, context: IntervalContext) -> NDArray[np.float64] | Int64:
        """The bound of each interval; not a number where the bound has no value, so that no interval is kept."""
        values = number_column(self.bound, whole.rows, context.symbols)
        if values is not None:
            return values
        names = list(variables(self.bound))
        columns = [context.symbols.terms(whole.rows.columns[name]) for name in names]
        rows = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)] if names else [{}] * whole.n
        numbers = [context.engine.number(substitute(self.bound, row), self.span) for row in rows]
        return np.array([math.nan if each is None else each.value for each in numbers], dtype=np.float64)

    def describe(self, wording: Wording) -> Description:
        sign = ">" if self.comparison == "greater" else "<"
        return Description("duration", f"{sign} {wording.show(self.bound)}", "whole intervals")
