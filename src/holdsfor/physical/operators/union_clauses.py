"""Union of the clauses of an unfolded predicate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator, Plan, run_operators, solved
from holdsfor.physical.operators.scalar import ScalarCompiler, ScalarOperator
from holdsfor.physical.operators.union_branches import scalar_union
from holdsfor.physical.rows import Rows, concatenate_rows
from holdsfor.syntax.terms import Term, variables

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
        if not self.outputs:
            return rows.take(self._is_proved(rows, context))
        inputs = self._inputs(rows)
        parts = [run_operators(branch, inputs, context) for branch in self.branches]
        if len(parts) == 1 and parts[0].n and parts[0].columns["#row"] is inputs.columns["#row"]:
            return rows.with_columns({name: parts[0].columns[name] for name in self.outputs})
        answers = [Rows(part.n, part.keep(["#row", *self.outputs]).columns) for part in parts if part.n]
        if not answers:
            return rows.take(np.zeros(rows.n, dtype=bool))
        found = answers[0] if len(answers) == 1 and _ascends(answers[0]) else concatenate_rows(answers).distinct()
        kept = rows if _is_every(found, rows) else rows.take(found.columns["#row"])
        return kept.with_columns({name: found.columns[name] for name in self.outputs})

    def matched(self, rows: Rows, context: Context) -> NDArray[np.bool_] | None:
        return None if self.outputs else self._is_proved(rows, context)

    def _is_proved(self, rows: Rows, context: Context) -> NDArray[np.bool_]:
        """Which rows satisfy a clause, if no clause binds a variable of the goal."""
        given = self._given(rows)
        mask = solved(self.branches[0], given, context)
        for branch in self.branches[1:]:
            mask |= solved(branch, given, context)
        return mask

    def _given(self, rows: Rows) -> Rows:
        """The columns that clauses read: those of the goal."""
        columns = rows.columns
        return Rows(rows.n, {name: columns[name] for name in self._names if name in columns})

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(variables(self.goal))

    def _inputs(self, rows: Rows) -> Rows:
        return self._given(rows).with_columns({"#row": np.arange(rows.n, dtype=np.int64)})

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        return scalar_union(self.branches, self.outputs, compiler, bound)

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        binds = self.binds(wording, bound, is_timed=is_timed)
        return Description("union of clauses", wording.show(self.goal), "each answer once", binds)


def _ascends(answers: Rows) -> bool:
    """Whether every row has at most one answer, in the order of the rows."""
    row = answers.columns["#row"]
    return bool((row[1:] > row[:-1]).all())


def _is_every(found: Rows, rows: Rows) -> bool:
    """Whether every row has exactly one answer, in the order of the rows."""
    return found.n == rows.n and _ascends(found)
