"""Anti-join: negation as failure."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.join_fluents import JoinFluents
from holdsfor.physical.operators.operator import Operator, Plan, solved
from holdsfor.physical.operators.scalar import ScalarCompiler, ScalarOperator, run_scalar
from holdsfor.physical.rows import Rows

__all__ = ["AntiJoin"]


@dataclass(frozen=True)
class AntiJoin(Operator):
    """Keeps the rows for which the inner plan has no solution."""

    plan: Plan

    @property
    def inner(self) -> tuple[Plan, ...]:
        return (self.plan,)

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound

    def run(self, rows: Rows, context: Context) -> Rows:
        return rows.take(~solved(self.plan, rows, context))

    @property
    def guards(self) -> list[tuple[JoinFluents, bool]] | None:
        (only,) = self.plan if len(self.plan) == 1 else (None,)
        return [(only, False)] if isinstance(only, JoinFluents) else None

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        is_single = len(self.plan) == 1 and compiler.context.profile is None
        test = self.plan[0].scalar_test(compiler, bound) if is_single else None
        if test is not None:
            return lambda bindings: [b for b in bindings if not test(b)]
        plan = compiler.compiled(self.plan, set(bound))
        return lambda bindings: [b for b in bindings if not run_scalar(plan, [b])]

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        return Description("anti-join")
