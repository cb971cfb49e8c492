"""Delayed effects of initiations (section 5).

Every delay takes effect independently, unless its FVP is broken before it is due: the shortest of several delays takes
effect because its effect breaks the FVP.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdsfor.syntax.terms import Int, Struct, Term, Var
from tests.oracle.conditions import Facts, Ranges, Solver
from tests.oracle.description import Delay
from tests.oracle.terms import rename, resolve, unify

if TYPE_CHECKING:
    from tests.oracle.model import Model

__all__ = ["Delays"]

_TEMPORAL = ("happensAt", "holdsAt", "initiatedAt", "terminatedAt")


class Delays:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.solver = Solver(model.background)

    def due(self, t: int, facts: Facts) -> tuple[set[Term], set[Term]]:
        """The initiations and terminations that earlier initiations bring about at a time-point."""
        initiated: set[Term] = set()
        terminated: set[Term] = set()
        for before in self.model.line.points:
            if before >= t:
                break
            for source in self.model.moments[before].initiated:
                for delay in self.model.description.delays:
                    if _may_act(delay, source, t - before) and self._acts(source, before, t):
                        for target in self._targets(delay, source, t - before, t, facts):
                            (terminated if delay.target is None else initiated).add(target)
        return initiated, terminated

    def _acts(self, source: Term, before: int, t: int) -> bool:
        moments = self.model.moments
        between = [moments[u] for u in self.model.line.points if before < u < t]
        if any(moment.breaks(source) for moment in between):
            return False
        if self._is_postponable(source):
            again = [moments[u] for u in self.model.line.points if before < u <= t]
            return not any(source in moment.initiated for moment in again)
        return not self._is_again(source, before)

    def _is_again(self, source: Term, at: int) -> bool:
        """Whether an initiation is not the first since the FVP began to hold."""
        moments = self.model.moments
        if moments[at].breaks(source):
            return False
        for u in reversed(self.model.line.points):
            if u >= at:
                continue
            if moments[u].breaks(source):
                return False
            if source in moments[u].initiated:
                return True
        return False

    def _is_postponable(self, source: Term) -> bool:
        for pattern, bodies in self.model.description.postponable:
            binding = unify(source, rename(pattern, "~p"), {})
            if binding is not None:
                for body in bodies:
                    if self.solver.solve([rename(goal, "~p") for goal in body], binding):
                        return True
        return False

    def _targets(self, delay: Delay, source: Term, length: int, t: int, facts: Facts) -> list[Term]:
        """The effects of a delay of some length when it is due; its conditions are tested then."""
        binding = unify(source, rename(delay.source, "~f"), {})
        binding = None if binding is None else unify(rename(delay.length, "~f"), Int(length), binding)
        if binding is None:
            return []
        target = rename(delay.source if delay.target is None else delay.target, "~f")
        solver = Solver(self.model.background, facts)
        found: list[Term] = []
        for body in delay.bodies:
            goals = [rename(goal, "~f") for goal in body]
            start = {**binding, **dict.fromkeys(_times(*goals), Int(t))}
            for one in solver.solve(goals, start, self._ranges(target)):
                found.append(resolve(target, one))
        return found

    def _ranges(self, target: Term) -> Ranges:
        return self.model.domains.ranges(target, (None, None))  # type: ignore[arg-type]


def _may_act(delay: Delay, source: Term, length: int) -> bool:
    if isinstance(delay.length, Int) and delay.length.value != length:
        return False
    return unify(source, rename(delay.source, "~f"), {}) is not None


def _times(*goals: Term) -> set[str]:
    """The variables that stand for the time-point when the effect is due."""
    found: set[str] = set()
    for goal in goals:
        if isinstance(goal, Struct):
            if goal.name in _TEMPORAL and len(goal.args) == 2 and isinstance(goal.args[1], Var):
                found.add(goal.args[1].name)
            found |= _times(*goal.args)
    return found
