"""The values of a head variable that no condition binds."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.physical.operators.context import Context
from holdsfor.physical.operators.description import Description, Wording
from holdsfor.physical.operators.operator import Operator
from holdsfor.physical.ownership import Owned
from holdsfor.physical.rows import Rows
from holdsfor.syntax.terms import Term

__all__ = ["RangeHead"]


@dataclass(frozen=True)
class RangeHead(Operator):
    """Lets one variable of a head without a grounding range over its sort.

    In the head of a termination, the variable also ranges over the FVPs that are initiated or hold, even outside its
    sort.
    """

    head: Term
    name: str
    is_termination: bool = False

    def bound_after(self, bound: set[str]) -> set[str]:
        return bound | {self.name}

    def reads_from(self, own: Owned) -> bool:
        """A termination belongs to the component of the fluent that it ranges over."""
        return self.is_termination

    @property
    def enumerates_head(self) -> bool:
        return True

    @property
    def reads_affected(self) -> bool:
        return self.is_termination

    def run(self, rows: Rows, context: Context) -> Rows:
        return rows.cross(self.name, context.head_members(self))

    def describe(self, wording: Wording, bound: set[str], *, is_timed: bool) -> Description:
        how = "members of its sort, and FVPs initiated or holding" if self.is_termination else "members of its sort"
        return Description("range", wording.names([self.name]), how, self.binds(wording, bound, is_timed=is_timed))
