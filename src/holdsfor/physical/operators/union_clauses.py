"""Union of the clauses of an unfolded predicate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator, Plan, run_operators
from holdsfor.physical.operators.scalar import ScalarCompiler, ScalarOperator
from holdsfor.physical.operators.union_branches import scalar_union
from holdsfor.physical.rows import Rows, concatenate_rows
from holdsfor.syntax.terms import Term

__all__ = ["UnionClauses"]


@dataclass(frozen=True)
class UnionClauses(Operator):
    """The rows that satisfy at least one clause of the goal's predicate; each answer counts once."""

    branches: tuple[Plan, ...]
    outputs: tuple[str, ...]
    goal: Term

    @property
    def inner(self) -> tuple[Plan, ...]:
        return self.branches

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | set(self.outputs)

    def run(self, rows: Rows, context: Context) -> Rows:
        numbered = rows.with_columns({"#row": np.arange(rows.n, dtype=np.int64)})
        parts = [run_operators(branch, numbered, context) for branch in self.branches]
        answers = [Rows(part.n, part.keep(["#row", *self.outputs]).columns) for part in parts if part.n]
        if not answers:
            return rows.take(np.zeros(rows.n, dtype=bool))
        found = concatenate_rows(answers).distinct()
        return rows.take(found.columns["#row"]).with_columns({name: found.columns[name] for name in self.outputs})

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        return scalar_union(self.branches, self.outputs, compiler, bound)

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        binds = self.binds(wording, bound, is_timed=is_timed)
        return Description("union of clauses", wording.show(self.goal), "each answer once", binds)
