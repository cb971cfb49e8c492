"""Counts of the FVPs that hold, without a row for each FVP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdsfor.columns.encoding import integer_words
from holdsfor.physical.operators.aggregate import Aggregate
from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.join_fluents import JoinFluents
from holdsfor.physical.operators.operator import Operator, Plan
from holdsfor.physical.ownership import Lookup
from holdsfor.physical.patterns import is_free, n_holding, unify_column
from holdsfor.physical.rows import Rows

__all__ = ["CountFluents", "counts_fluents"]


@dataclass(frozen=True)
class CountFluents(Aggregate):
    """Counts the FVPs of one pattern that hold at the rows' time-points: started intervals less ended ones.

    The unbound patterns of its only operator are distinct variables: every matching FVP is one solution.
    """

    @property
    def counted(self) -> JoinFluents:
        (operator,) = self.plan
        assert isinstance(operator, JoinFluents)
        return operator

    @property
    def inner(self) -> tuple[Plan, ...]:
        return ()

    @property
    def lookup(self) -> Lookup:
        return self.counted.lookup

    def run(self, rows: Rows, context: Context) -> Rows:
        table = context.fluents(self.counted.key)
        counts = n_holding(rows, table, self.counted.patterns, context.symbols)
        return unify_column(self.result, integer_words(counts), rows, context.symbols)

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        key = wording.key_of(self.counted.patterns, bound, has_value=True)
        how = f"{key}, started less ended" if key else "started less ended"
        subject = wording.fvp(self.counted.key, self.counted.patterns)
        return Description("count fluents", subject, how, self.binds(wording, bound, is_timed=is_timed))


def counts_fluents(plan: Sequence[Operator], bound: set[str]) -> bool:
    """Whether the solutions of a plan are the FVPs that hold, each once, given the bound variables."""
    return len(plan) == 1 and isinstance(plan[0], JoinFluents) and is_free(plan[0].patterns, bound)
