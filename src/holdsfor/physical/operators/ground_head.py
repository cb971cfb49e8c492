"""The instances of a head whose variables conditions leave unbound."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.rows import Rows
from holdsfor.syntax.terms import Term, variables

__all__ = ["GroundHead"]


@dataclass(frozen=True)
class GroundHead(Operator):
    """Lets the unbound variables of a head range over its grounding.

    The arguments of an effect range over the groundings of all values of the fluent.
    """

    head: Term
    is_effect: bool = False

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | set(variables(self.head))

    @property
    def enumerates_head(self) -> bool:
        return True

    def run(self, rows: Rows, context: Context) -> Rows:
        return context.ground(self.head, rows, over_all_values=self.is_effect)

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        binds = self.binds(wording, bound, is_timed=is_timed)
        return Description("ground", wording.show(self.head), "instances of the grounding, or of sorts", binds)
