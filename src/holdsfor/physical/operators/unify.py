"""Unification of a pattern with a bound term."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.scalar import Binding, ScalarCompiler, ScalarOperator
from holdsfor.physical.patterns import build, unify_column
from holdsfor.physical.rows import Rows
from holdsfor.syntax.terms import Term, variables

__all__ = ["Unify"]


@dataclass(frozen=True)
class Unify(Operator):
    """`pattern = built`, where the right side is bound."""

    pattern: Term
    built: Term

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | set(variables(self.pattern, self.built))

    def run(self, rows: Rows, context: Context) -> Rows:
        return unify_column(self.pattern, build(self.built, rows, context.symbols), rows, context.symbols)

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        get = compiler.getter(self.built)
        match = compiler.matcher([self.pattern], bound)

        def run(bindings: list[Binding]) -> list[Binding]:
            matched = [match((get(b),), b) for b in bindings]
            return [b for b in matched if b is not None]

        return run

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        subject = f"{wording.show(self.pattern)} = {wording.show(self.built)}"
        return Description("unify", subject, "", self.binds(wording, bound, is_timed=is_timed))
