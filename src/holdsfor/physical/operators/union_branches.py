"""Union of the branches of a disjunction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator, Plan, Ranges, run_operators
from holdsfor.physical.operators.scalar import Binding, ScalarCompiler, ScalarOperator, run_scalar
from holdsfor.physical.rows import Rows, concatenate_rows

__all__ = ["UnionBranches", "scalar_union"]


@dataclass(frozen=True)
class UnionBranches(Operator):
    """The rows that satisfy at least one of the branches, with the variables that all branches bind."""

    branches: tuple[Plan, ...]
    outputs: tuple[str, ...]

    @property
    def inner(self) -> tuple[Plan, ...]:
        return self.branches

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | set(self.outputs)

    @property
    def binds_time(self) -> bool:
        return all(any(operator.binds_time for operator in branch) for branch in self.branches)

    def with_ranges(self, ranges: Ranges) -> UnionBranches:
        branches = tuple(tuple(operator.with_ranges(ranges) for operator in branch) for branch in self.branches)
        return replace(self, branches=branches)

    def leaving_open(self, names: frozenset[str]) -> UnionBranches:
        branches = tuple(tuple(operator.leaving_open(names) for operator in branch) for branch in self.branches)
        return replace(self, branches=branches)

    def run(self, rows: Rows, context: Context) -> Rows:
        parts = [run_operators(branch, rows, context) for branch in self.branches]
        parts = [part.keep([*rows.columns, *self.outputs]) for part in parts if part.n]
        return concatenate_rows(parts) if parts else rows.take(np.zeros(rows.n, dtype=bool))

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        return scalar_union(self.branches, self.outputs, compiler, bound)

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        return Description("union of branches", "", "", self.binds(wording, bound, is_timed=is_timed))


def scalar_union(
    branches: Sequence[Plan], outputs: Sequence[str], compiler: ScalarCompiler, bound: set[str]
) -> ScalarOperator:
    """The bindings after each of the branches, with the outputs."""
    compiled = [compiler.compiled(branch, set(bound)) for branch in branches]
    kept = tuple(bound | set(outputs))
    bound.update(outputs)

    def run(bindings: list[Binding]) -> list[Binding]:
        found = [b for branch in compiled for b in run_scalar(branch, bindings)]
        return [{name: b[name] for name in kept if name in b} for b in found]

    return run
