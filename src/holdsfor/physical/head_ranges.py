"""Ranges of head variables that conditions need and do not bind.

In `initiatedAt(d(X, Y)=true, T) :- happensAt(s, T), Y is 2 * X`, X ranges over its sort and the goal computes Y. A head
with a declared grounding takes all of its arguments from the grounding at once; its value is left to the goals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from holdsfor.analysis.safety import Scoped, needed_variables, scoped, take_ready
from holdsfor.logical.knowledge import Knowledge
from holdsfor.physical.operators.ground_head import GroundHead
from holdsfor.physical.operators.range_head import RangeHead
from holdsfor.syntax.rules import Condition, Either, Test, outer_variables
from holdsfor.syntax.terms import Atom, Struct, Term, name_and_arity, variables

__all__ = ["HeadRanges"]


@dataclass(frozen=True)
class HeadRanges:
    """The ranges of the variables of an event, an effect or an initial value."""

    head: Term
    knowledge: Knowledge
    is_termination: bool = False

    @property
    def is_grounded(self) -> bool:
        is_fvp = isinstance(self.head, Struct) and self.head.name == "="
        named = self.head.args[0] if is_fvp and isinstance(self.head, Struct) else self.head
        return self.knowledge.is_grounded(name_and_arity(named))

    def take_ready(self, body: Scoped, bound: set[str]) -> tuple[list[Condition], Scoped]:
        """The conditions in an order of evaluation, and the conditions that wait; extends `bound`."""
        return take_ready(body, bound, self._needed)

    def rounds(self, waiting: Scoped, bound: set[str]) -> Iterator[tuple[GroundHead | RangeHead, list[Condition]]]:
        """Until no condition waits: the operator that binds a head variable, and the conditions that are then ready."""
        while waiting:
            step = self.step(self._next_name(waiting, bound), bound)
            bound |= step.bound_after(bound)
            ready, waiting = self.take_ready(waiting, bound)
            yield step, ready

    def step(self, name: str, bound: set[str]) -> GroundHead | RangeHead:
        """The operator that binds a head variable."""
        if not self.is_grounded:
            return RangeHead(self.head, name, is_termination=self.is_termination)
        if isinstance(self.head, Struct) and self.head.name == "=":
            fluent, value = self.head.args
            if name in variables(fluent) and not set(variables(value)) <= bound:
                return GroundHead(Struct("=", (fluent, Atom("any"))), is_effect=True)
        return GroundHead(self.head, is_effect=True)

    def _needed(self, condition: Condition, outside: set[str], bound: set[str]) -> set[str]:
        """The variables that a condition waits for, including those inside the clauses that a goal calls."""
        match condition:
            case Test(goal):
                inside = self.knowledge.needed(goal, bound) & set(variables(self.head))
                return needed_variables(condition, outside, bound) | inside
            case Either(branches):
                return {name for branch in branches for name in self._needed_in(branch, outside, bound)}
        return needed_variables(condition, outside, bound)

    def _needed_in(self, branch: tuple[Condition, ...], outside: set[str], bound: set[str]) -> set[str]:
        known = set(bound)
        _, rest = self.take_ready(scoped(branch, outside), known)
        return {name for condition, scope in rest for name in self._needed(condition, scope, known) - known}

    def _next_name(self, waiting: Scoped, bound: set[str]) -> str:
        """A head variable that conditions need, if possible one that no condition computes."""
        needs = [self._needed(*each, bound) for each in waiting]
        pairs = zip(waiting, needs, strict=True)
        computed = {name for (condition, _), own in pairs for name in outer_variables(condition) - own}
        needed = set[str]().union(*needs)
        names = [name for name in variables(self.head) if name not in bound]
        assert names, "the safety analysis refuses rules that get stuck"
        return min(names, key=lambda name: (name not in needed, name in computed))
