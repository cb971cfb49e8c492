"""The instances of a `holdsFor` rule that must be enumerated, and the ranges of their variables.

A rule is applied to every binding of its variables that satisfies its atemporal goals. Conditions on fluents do not
restrict bindings, but a fluent without intervals has an empty list, and most operations on empty lists have empty
results. So the engine follows the instances with intervals, and enumerates others only if they matter: for a list that
is repeated for the values of a missing variable, for a complement, for a predicate over lists, and for variables that
occur in no list of the result. The plan of the rule has the repeated lists (`PlannedIntervalRule.enumerates`).

A variable of the head ranges over the grounding of the head, if there is one. Any other variable that no goal binds
ranges over its sort, and over its values in the known FVPs of its fluents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import cached_property

from holdsfor.analysis.safety import Scoped, take_ready
from holdsfor.prolog.background import called_predicates
from holdsfor.syntax.rules import (
    Duration,
    HoldsFor,
    IntervalCall,
    IntervalRule,
    IntervalStep,
    Not,
    Test,
    elsewhere,
    step_lists,
    step_variables,
)
from holdsfor.syntax.terms import Term, Var, variables

__all__ = ["RuleScope", "connected", "list_variables"]


def list_variables(rule: IntervalRule) -> dict[str, tuple[str, ...]]:
    """The variables by which each list of an interval rule varies."""
    found: dict[str, tuple[str, ...]] = {}
    for step in rule.body:
        read, made = step_lists(step)
        names: Iterable[str] = [name for each in read for name in found.get(each, ())]
        if isinstance(step, HoldsFor):
            names = step.instance_variables
        elif isinstance(step, Duration) or (isinstance(step, IntervalCall) and step.is_intervalwise):
            names = (*names, *(name for name in step_variables(step) if name not in made))
        found.update(dict.fromkeys(made, tuple(dict.fromkeys(names))))
    return found


def connected(tests: Sequence[Test | Not], names: Set[str]) -> list[Test | Not]:
    """The tests that restrict the variables, directly or through other tests."""
    found: set[int] = set()
    about = set(names)
    while more := [i for i, test in enumerate(tests) if i not in found and about & {*step_variables(test)}]:
        found.update(more)
        about.update(name for i in more for name in step_variables(tests[i]))
    return [test for i, test in enumerate(tests) if i in found]


def unused_variables(tests: Sequence[Test | Not], body: Sequence[IntervalStep]) -> set[str]:
    """The variables that one goal mentions and no other step: their values do not matter."""
    counts = Counter(name for step in body for name in {*step_variables(step)})
    return {name for test in tests if isinstance(test, Test) for name in step_variables(test) if counts[name] == 1}


@dataclass(frozen=True)
class RuleScope:
    """The variables of an interval rule and their ranges; `is_grounded` is true if the head has a grounding.

    `open_names` are variables that goals may leave unbound.
    """

    rule: IntervalRule
    is_grounded: bool
    open_names: frozenset[str] = frozenset()

    @cached_property
    def tests(self) -> tuple[Test | Not, ...]:
        """The atemporal goals."""
        return tuple(step for step in self.rule.body if isinstance(step, Test | Not))

    @cached_property
    def head(self) -> frozenset[str]:
        return frozenset(variables(self.rule.fvp.term))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The variables of a binding: without those that stand for any value, or that predicates over lists compute."""
        body = self.rule.body
        computed = {name for step in body if isinstance(step, IntervalCall) for name in step.outputs}
        unions = {name for step in body if isinstance(step, HoldsFor) for name in step.some}
        named = [name for step in body if not isinstance(step, Not) for name in step_variables(step)]
        without = computed | unions | (unused_variables(self.tests, body) - self.head)
        return tuple(dict.fromkeys(n for n in (*variables(self.rule.fvp.term), *named) if n not in without))

    @cached_property
    def ranging(self) -> frozenset[str]:
        """The variables of the head and of lists, which have a range of their own."""
        literals = [step for step in self.rule.body if isinstance(step, HoldsFor)]
        return self.head | {name for step in literals for name in step.instance_variables}

    def scoped(self, tests: Sequence[Test | Not]) -> Scoped:
        """Each test with the variables that also occur outside it."""
        return list(zip(tests, elsewhere(tests, set(self.names)), strict=True))

    def pattern(self, name: str) -> Term | None:
        """A term of the rule that determines the sort of a variable."""
        goals = [step.goal for step in self.rule.body if isinstance(step, Test | IntervalCall)]
        literals = [step.fvp.term for step in self.rule.body if isinstance(step, HoldsFor)]
        terms = (self.rule.fvp.term, *literals, *(call for goal in goals for call in called_predicates(goal)))
        return next((term for term in terms if name in variables(term)), None)

    @cached_property
    def _unbound(self) -> frozenset[str]:
        """The variables that neither goals nor the grounding of the head bind."""
        bound = set(self.head) if self.is_grounded else set[str]()
        take_ready(self.scoped(self.tests), bound)
        return frozenset(self.names) - bound

    def ranged(self, *, enumerates: bool) -> tuple[str, ...]:
        """The variables that may have to range over their sorts, if the plan enumerates instances or not."""
        assert isinstance(self.rule.result, Var)
        in_result = () if enumerates else list_variables(self.rule)[self.rule.result.name]
        unbound = self._unbound - set(in_result)
        return tuple(name for name in self.names if name in unbound | self.open_names)

    def enumerates_head(self, *, enumerates: bool) -> bool:
        """Whether the instances of the head may have to be enumerated."""
        assert isinstance(self.rule.result, Var)
        return enumerates or bool(self.head - set(list_variables(self.rule)[self.rule.result.name]))
