"""Comparisons of terms on columns: identity, and the standard order."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.scalar import ScalarCompiler, ScalarOperator, ScalarTest
from holdsfor.physical.patterns import build
from holdsfor.physical.rows import Rows
from holdsfor.physical.standard_order import standard_ranks
from holdsfor.prolog import standard_order_key
from holdsfor.syntax.terms import Struct

__all__ = ["CompareTerms"]

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "\\==": operator.ne,
    "\\=": operator.ne,
    "@<": operator.lt,
    "@>": operator.gt,
    "@=<": operator.le,
    "@>=": operator.ge,
}


@dataclass(frozen=True)
class CompareTerms(Operator):
    """A comparison of two terms without unbound variables. Equal terms have equal words."""

    goal: Struct

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound

    @property
    def is_ordered(self) -> bool:
        """Whether the comparison is one of the standard order of terms."""
        return self.goal.name.startswith("@")

    def run(self, rows: Rows, context: Context) -> Rows:
        return rows.take(self.matched(rows, context))

    def matched(self, rows: Rows, context: Context) -> NDArray[np.bool_]:
        left, right = (build(side, rows, context.symbols) for side in self.goal.args)
        if self.is_ordered:
            left, right = np.split(standard_ranks(np.concatenate((left, right)), context.symbols), 2)
        holds: NDArray[np.bool_] = _COMPARISONS[self.goal.name](left, right)
        return holds

    def scalar_test(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarTest:
        left, right = (compiler.getter(side) for side in self.goal.args)
        holds, term = _COMPARISONS[self.goal.name], compiler.symbols.term
        if not self.is_ordered:
            return lambda binding: bool(holds(left(binding), right(binding)))
        key = standard_order_key
        return lambda binding: bool(holds(key(term(left(binding))), key(term(right(binding)))))

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        test = self.scalar_test(compiler, bound)
        return lambda bindings: [binding for binding in bindings if test(binding)]

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        return Description("filter", wording.show(self.goal), "in columns")
