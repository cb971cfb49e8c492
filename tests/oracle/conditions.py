"""Conditions in any order: a conjunction is solved by taking, again and again, a condition that can be answered now.

Temporal conditions are looked up in the facts of a time-point. Goals about background knowledge are tried; one that
needs more to be bound waits. When nothing else is left, a variable of the head that no goal can compute from others
ranges over its domain, and the goals are tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from holdsfor.syntax.terms import Int, Struct, Term, Var
from tests.oracle.background import Background, aggregated
from tests.oracle.scopes import alternatives
from tests.oracle.terms import (
    Binding,
    Refused,
    Unbound,
    as_list,
    free_names,
    free_variables,
    ground,
    resolve,
    unify,
)

__all__ = ["Facts", "Ranges", "Solver"]

_TEMPORAL = {"happensAt": 2, "holdsAt": 2, "initiatedAt": 2, "terminatedAt": 2}
_PROBE = Int(1)


@dataclass(frozen=True)
class Ranges:
    """The ranges of variables that no goal binds: of one name, or of all names that remain in the end."""

    names: Sequence[str]
    one: Callable[[str, Binding], Iterable[Binding]]
    rest: Callable[[Binding], Iterable[Binding]]


class Facts(Protocol):
    """The facts at a time-point."""

    def candidates(self, predicate: str, what: Term) -> Iterable[Term]:
        """Ground events or FVPs for which the temporal predicate holds, among those that may match."""
        ...


class _Nothing:
    def candidates(self, predicate: str, what: Term) -> Iterable[Term]:
        raise Refused("a temporal condition where none is allowed")


class Solver:
    """Solves conjunctions about one time-point, or about none."""

    def __init__(self, background: Background, facts: Facts | None = None) -> None:
        self.background = background
        self.facts = facts or _Nothing()

    def solve(self, goals: list[Term], binding: Binding, ranges: Ranges | None = None) -> list[Binding]:
        """All bindings that satisfy the goals; a variable that no goal binds ranges before the goals that need it."""
        if not goals:
            return list(ranges.rest(binding)) if ranges else [binding]
        for goal in sorted(goals, key=self._rank):
            try:
                found = self._answers(goal, binding)
            except Unbound:
                continue
            rest = [other for other in goals if other is not goal]
            return [result for one in found for result in self.solve(rest, one, ranges)]
        name = None if ranges is None else self._ranging(goals, binding, ranges)
        if ranges is None or name is None:
            raise Refused(f"cannot be ordered: {goals}")
        return [result for one in ranges.one(name, binding) for result in self.solve(goals, one, ranges)]

    def _ranging(self, goals: list[Term], binding: Binding, ranges: Ranges) -> str | None:
        """The variable that ranges over its domain next: the first that no goal computes from the others."""
        asked = set().union(*(free_names(goal, binding) for goal in goals))
        names = {name: free for name in ranges.names if (free := free_names(Var(name), binding) & asked)}
        computed = [n for n, free in names.items() if any(self._computes(g, f, binding) for g in goals for f in free)]
        return next((name for name in names if name not in computed), next(iter(names), None))

    def _computes(self, goal: Term, name: str, binding: Binding) -> bool:
        """Whether a goal can be proved without one of its variables, if all others are bound."""
        free = free_names(goal, binding)
        if name not in free:
            return False
        try:
            self._answers(goal, {**binding, **dict.fromkeys(free - {name}, _PROBE)})
        except Unbound:
            return False
        except Refused:
            return True
        return True

    @staticmethod
    def _rank(goal: Term) -> int:
        if isinstance(goal, Struct) and _temporal(goal) is not None:
            return 0
        if isinstance(goal, Struct) and goal.name == "=":
            return 1
        if isinstance(goal, Struct) and goal.name.startswith("$"):
            return 3
        return 2

    def _answers(self, goal: Term, binding: Binding) -> list[Binding]:
        if isinstance(goal, Struct):
            if (temporal := _temporal(goal)) is not None:
                return self._look_up(*temporal, binding)
            match goal.name, len(goal.args):
                case ("$not", 2):
                    return self._negation(goal, binding)
                case ("$findall" | "$aggregate_all", 4):
                    return self._aggregate(goal, binding)
        return self.background.answers(goal, binding)

    def _look_up(self, predicate: str, what: Term, binding: Binding) -> list[Binding]:
        found = (unify(what, one, binding) for one in self.facts.candidates(predicate, resolve(what, binding)))
        return [one for one in found if one is not None]

    def _inner(self, goal: Term, binding: Binding) -> list[Binding]:
        return [found for goals in alternatives(goal) for found in self.solve(goals, binding)]

    def _negation(self, goal: Struct, binding: Binding) -> list[Binding]:
        if not ground(goal.args[1], binding):
            raise Unbound
        return [] if self._inner(goal.args[0], binding) else [binding]

    def _aggregate(self, goal: Struct, binding: Binding) -> list[Binding]:
        template, inner, result, visible = goal.args
        if not ground(visible, binding):
            raise Unbound
        found = self._inner(inner, binding)
        if goal.name == "$findall":
            value: Term | None = as_list([resolve(template, one) for one in found])
        else:
            value = aggregated(template, found)
        bound = None if value is None else unify(result, value, binding)
        return [] if bound is None else [bound]


def _temporal(goal: Struct) -> tuple[str, Term] | None:
    """The predicate of a temporal condition and its event or FVP."""
    if _TEMPORAL.get(goal.name) == len(goal.args):
        return goal.name, goal.args[0]
    if goal.name in ("initiatedAt", "terminatedAt") and len(goal.args) == 4:
        return goal.name, goal.args[0]
    return None


def open_names(names: Iterable[str], binding: Binding) -> set[str]:
    return free_variables(set(names), binding)
