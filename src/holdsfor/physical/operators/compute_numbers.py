"""Comparisons and arithmetic on columns."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.physical.arithmetic import COMPARISONS, compare_columns, number_column, number_words
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.prove import Prove
from holdsfor.physical.operators.scalar import ScalarCompiler, ScalarOperator
from holdsfor.physical.patterns import unify_column
from holdsfor.physical.rows import Rows
from holdsfor.syntax.terms import Struct, variables

__all__ = ["ComputeNumbers"]


@dataclass(frozen=True)
class ComputeNumbers(Operator):
    """A comparison, or `is`, on columns; expressions that columns cannot compute exactly are proved row by row."""

    goal: Struct
    otherwise: Prove

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | set(variables(self.goal))

    def run(self, rows: Rows, context: Context) -> Rows:
        left, right = self.goal.args
        if self.goal.name in COMPARISONS:
            mask = compare_columns(self.goal.name, left, right, rows, context.symbols)
            return self.otherwise.run(rows, context) if mask is None else rows.take(mask)
        values = number_column(right, rows, context.symbols)
        if values is None:
            return self.otherwise.run(rows, context)
        return unify_column(left, number_words(values), rows, context.symbols)

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        return self.otherwise.scalar(compiler, bound)

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        operator = "filter" if self.goal.name in COMPARISONS else "compute"
        return Description(
            operator, wording.show(self.goal), "in columns", self.binds(wording, bound, is_timed=is_timed)
        )
