"""Comparisons and arithmetic on columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from holdsfor.physical.arithmetic import COMPARISONS, NoValue, compared, computed
from holdsfor.physical.exact_arithmetic import scalar_expression
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.prove import Prove
from holdsfor.physical.operators.scalar import Binding, ScalarCompiler, ScalarOperator
from holdsfor.physical.patterns import unify_column
from holdsfor.physical.rows import Rows
from holdsfor.physical.standard_order import standard_ranks
from holdsfor.prolog.arithmetic import COMPARISONS as EXACT_COMPARISONS
from holdsfor.prolog.arithmetic import number_term
from holdsfor.prolog.problems import GoalProblem
from holdsfor.syntax.terms import Struct, variables

__all__ = ["ComputeNumbers"]


@dataclass(frozen=True)
class ComputeNumbers(Operator):
    """A comparison, or `is`, on columns. A row without a value fails; the background engine notes it (`otherwise`)."""

    goal: Struct
    otherwise: Prove

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | set(variables(self.goal))

    # -- on rows -------------------------------------------------------------------------------------------------------

    def run(self, rows: Rows, context: Context) -> Rows:
        if rows.n == 0 or not self.expression_variables <= rows.columns.keys():
            return self.otherwise.run(rows, context)
        left, right = self.goal.args
        try:
            if self.goal.name in COMPARISONS:
                return rows.take(compared(self.goal.name, left, right, rows, context.symbols))
            words = computed(right, rows, context.symbols)
        except NoValue as problem:
            self._note(rows.take(problem.rows), context)
            others = np.ones(rows.n, dtype=bool)
            others[problem.rows] = False
            return self.run(rows.take(others), context)
        return unify_column(left, words, rows, context.symbols)

    def _note(self, rows: Rows, context: Context) -> None:
        """Note the row with the least values, of rows without a result."""
        ranks = [
            standard_ranks(rows.columns[name], context.symbols) for name in variables(self.goal) if name in rows.columns
        ]
        least = np.lexsort(ranks[::-1])[:1] if ranks else np.zeros(1, dtype=np.int64)
        self.otherwise.run(rows.take(least), context)

    @property
    def is_cheap_test(self) -> bool:
        return self.goal.name in COMPARISONS

    def matched(self, rows: Rows, context: Context) -> NDArray[np.bool_] | None:
        if self.goal.name not in COMPARISONS or not self.expression_variables <= rows.columns.keys():
            return None
        left, right = self.goal.args
        try:
            return compared(self.goal.name, left, right, rows, context.symbols)
        except NoValue:
            return None

    @cached_property
    def expression_variables(self) -> set[str]:
        """The variables whose numbers the operator needs."""
        return set(variables(*self.goal.args[0 if self.goal.name in COMPARISONS else 1 :]))

    # -- on single bindings --------------------------------------------------------------------------------------------

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        if not self.expression_variables <= bound:
            return self.otherwise.scalar(compiler, bound)
        proved = self.otherwise.scalar(compiler, set(bound))
        return (self.filtering if self.goal.name in COMPARISONS else self.computing)(compiler, bound, proved)

    def filtering(self, compiler: ScalarCompiler, bound: set[str], proved: ScalarOperator) -> ScalarOperator:
        left, right = (scalar_expression(side, compiler.symbols) for side in self.goal.args)
        holds = EXACT_COMPARISONS[self.goal.name]

        def run(bindings: list[Binding]) -> list[Binding]:
            try:
                return [b for b in bindings if holds(left(b), right(b))]
            except GoalProblem:
                return proved(bindings)

        return run

    def computing(self, compiler: ScalarCompiler, bound: set[str], proved: ScalarOperator) -> ScalarOperator:
        value, word = scalar_expression(self.goal.args[1], compiler.symbols), compiler.symbols.word
        match = compiler.matcher([self.goal.args[0]], bound)

        def run(bindings: list[Binding]) -> list[Binding]:
            try:
                found = [match((word(number_term(value(b))),), b) for b in bindings]
            except GoalProblem:
                return proved(bindings)
            return [b for b in found if b is not None]

        return run

    # -- in words ------------------------------------------------------------------------------------------------------

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        operator = "filter" if self.goal.name in COMPARISONS else "compute"
        return Description(
            operator, wording.show(self.goal), "in columns", self.binds(wording, bound, is_timed=is_timed)
        )
