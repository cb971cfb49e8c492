"""The time-point as a column."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.operators.scalar import Binding, ScalarCompiler, ScalarOperator
from holdsfor.physical.patterns import unify_column
from holdsfor.physical.rows import Rows
from holdsfor.syntax.terms import Int, Var

__all__ = ["StampTime"]


@dataclass(frozen=True)
class StampTime(Operator):
    """Adds the time-point as a column, for rules that compute with it; an existing column must equal it."""

    name: str

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | {self.name}

    def run(self, rows: Rows, context: Context) -> Rows:
        assert rows.times is not None
        return unify_column(Var(self.name), context.symbols.integers(rows.times), rows, context.symbols)

    def scalar(self, compiler: ScalarCompiler, bound: set[str]) -> ScalarOperator:
        match, word, now = compiler.matcher([Var(self.name)], bound), compiler.symbols.word, compiler.now

        def run(bindings: list[Binding]) -> list[Binding]:
            time = (word(Int(now.time)),)
            return [b for b in (match(time, b) for b in bindings) if b is not None]

        return run

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        return Description("column of time", wording.name(self.name))
