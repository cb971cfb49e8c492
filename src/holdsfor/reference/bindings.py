"""The instances of a `holdsFor` rule: the bindings of its variables that satisfy its atemporal goals.

Conditions on fluents do not restrict instances: a fluent without intervals has the empty list. A head variable ranges
over the grounding of the head, if there is one. Any other variable that no goal binds ranges over its sort and over its
values in the known FVPs of its fluents. A variable of a condition that must have intervals ranges only over the known
FVPs: the result is empty for all other values. The order of the goals does not matter: a goal waits until the variables
that it needs have values, and a goal that leaves a variable unbound is proved again when the variable has a value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from holdsfor.errors import ExecutionProblem
from holdsfor.prolog import Engine
from holdsfor.prolog.background import called_predicates
from holdsfor.reference.domains import Domains
from holdsfor.reference.intervals import Intervals
from holdsfor.reference.matching import Binding, match
from holdsfor.reference.required import required_literals
from holdsfor.syntax.rules import HoldsFor, IntervalCall, IntervalRule, Not, Test, step_variables
from holdsfor.syntax.terms import Atom, Struct, Term, is_ground, name_and_arity, substitute, variables

__all__ = ["Finished", "RuleBindings"]

Finished = dict[tuple[str, int], dict[Term, Intervals]]
_NEED_ALL = frozenset(["<", ">", "=<", ">=", "=:=", "=\\=", "\\=", "\\==", "@<", "@>", "@=<", "@>="])


class RuleBindings:
    """The bindings of one rule, given the known FVPs of its fluents."""

    def __init__(self, rule: IntervalRule, finished: Finished, domains: Domains, engine: Engine) -> None:
        self.head = rule.fvp.term
        self.domains = domains
        self.engine = engine
        self.finished = finished
        self.literals = [step for step in rule.body if isinstance(step, HoldsFor)]
        self.required = required_literals(rule)
        self.goals = [step for step in rule.body if isinstance(step, Test | Not)]
        calls = [step for step in rule.body if isinstance(step, IntervalCall)]
        self.patterns = [self.head, *(step.fvp.term for step in self.literals)]
        for goal in [step.goal for step in rule.body if isinstance(step, Test | IntervalCall)]:
            self.patterns += called_predicates(goal)
        computed = {name for call in calls for name in call.outputs}
        unions = {name for step in self.literals for name in step.some}
        named = [*variables(self.head), *(n for s in rule.body if not isinstance(s, Not) for n in step_variables(s))]
        counts = Counter(name for step in rule.body for name in {*step_variables(step)})
        once = {n for s in self.goals if isinstance(s, Test) for n in step_variables(s) if counts[n] == 1}
        without = computed | unions | (once - set(variables(self.head)))
        self.names = [name for name in dict.fromkeys(named) if name not in without]
        self.ranging = {*variables(self.head), *(name for step in self.literals for name in step.instance_variables)}

    def all(self) -> Iterator[Binding]:
        """Every binding; a binding may occur several times."""
        for binding in self.of_the_head():
            yield from self.solved(self.goals, [], binding)

    def of_the_head(self) -> Iterator[Binding]:
        """The initial bindings: of every instance of a declared grounding, else the empty binding."""
        if not self.domains.is_declared(self.head):
            yield {}
            return
        goal_names = {name for goal in self.goals for name in step_variables(goal)}
        left_to_goals = goal_names & {*variables(self.head.args[1])} if isinstance(self.head, Struct) else set()
        for instance in self.domains.instances(self.head):
            binding = match(self.head, instance, {})
            if binding is not None:
                yield {name: term for name, term in binding.items() if name not in left_to_goals}

    def solved(self, goals: Sequence[Test | Not], again: list[Term], binding: Binding) -> Iterator[Binding]:
        """The extensions of a binding that satisfy the goals; goals `again` are proved when all variables have
        values.
        """
        for i, goal in enumerate(goals):
            extended = self.answers(goal, binding)
            if extended is not None:
                rest = [*goals[:i], *goals[i + 1 :]]
                for more, is_open in extended:
                    repeated = [*again, goal.goal] if is_open and isinstance(goal, Test) else again
                    yield from self.solved(rest, repeated, {**binding, **more})
                return
        unbound = self.unbound(goals, binding)
        if unbound:
            for member in self.members(unbound[0], binding):
                yield from self.solved(goals, again, {**binding, unbound[0]: member})
        elif all(self.engine.holds(substitute(goal, binding)) for goal in again):
            assert not goals, "a goal whose variables have values is ready"
            yield binding

    def unbound(self, goals: Sequence[Test | Not], binding: Binding) -> list[str]:
        """The variables without values; first those that goals need and that no goal can bind."""
        tests = [substitute(goal.goal, binding) for goal in goals if isinstance(goal, Test)]
        needs = [_needed(test) | self.engine.groundness.needed(test, set()) for test in tests]
        bound = {name for test, needed in zip(tests, needs, strict=True) for name in set(variables(test)) - needed}
        needed = set().union(*needs, *(self.missing(goal, binding) for goal in goals if isinstance(goal, Not)))
        names = [name for name in self.names if name not in binding]
        return sorted(names, key=lambda name: (name not in needed, name in bound))

    def answers(self, goal: Test | Not, binding: Binding) -> list[tuple[Binding, bool]] | None:
        """The extensions of a binding by a goal, and whether it leaves a variable unbound; None if the goal must
        wait.
        """
        if isinstance(goal, Not):
            if self.missing(goal, binding):
                return None
            return [] if self.engine.holds(substitute(_conjunction(goal), binding)) else [({}, False)]
        here = substitute(goal.goal, binding)
        if self.missing(goal, binding) & _needed(here):
            return None
        try:
            found = list(self.engine.solve(here))
        except ExecutionProblem as problem:
            if variables(here) and any(each.code == "HF602" for each in problem.diagnostics):
                return None
            raise
        return [
            ({name: term for name, term in answer.items() if is_ground(term)}, not all(map(is_ground, answer.values())))
            for answer in (*found, *self.ranged_answers(here, binding, is_proved=bool(found)))
        ]

    def ranged_answers(self, goal: Term, binding: Binding, *, is_proved: bool) -> Iterator[Binding]:
        """The answers of a goal for all values of variables that it may only test, such as `X` in `p(X) :- X \\= a`.

        For a goal that was proved already, values without an answer are skipped.
        """
        names = [name for name in variables(goal) if name in self.ranging]
        if not names or self.is_table(goal):
            return
        for choice in product(*(self.members(name, binding) for name in names)):
            given = dict(zip(names, choice, strict=True))
            try:
                yield from ({**given, **answer} for answer in self.engine.solve(substitute(goal, given)))
            except ExecutionProblem:
                if not is_proved:
                    raise

    def is_table(self, goal: Term) -> bool:
        """Whether the predicate of a goal has only ground facts, which bind all variables."""
        key, database = name_and_arity(goal), self.engine.database
        return database.defines(*key) and database.n_clauses(*key) == sum(1 for _ in database.facts(*key))

    def missing(self, goal: Test | Not, binding: Binding) -> set[str]:
        """The variables of the rule that a goal mentions and that have no value."""
        return {name for name in step_variables(goal) if name in self.names and name not in binding}

    def members(self, name: str, binding: Binding) -> Iterable[Term]:
        """The range of a variable that no goal binds: the head's grounding, or its sort and the known values."""
        if name in variables(self.head) and self.domains.is_declared(self.head):
            instances = self.domains.instances(substitute(self.head, binding))
            matches = (match(self.head, instance, binding) for instance in instances)
            return dict.fromkeys(each[name] for each in matches if each is not None)
        required = next(
            (step for step in self.literals if step in self.required and name in step.instance_variables), None
        )
        if required is not None:
            return self.known(required, name, binding)
        found: dict[Term, None] = {}
        pattern = next((term for term in self.patterns if name in variables(term)), None)
        if pattern is not None:
            found.update(dict.fromkeys(self.domains.sorts().members(pattern, name)))
        for step in self.literals:
            if name in step.instance_variables:
                found.update(self.known(step, name, {}))
        return found

    def known(self, literal: HoldsFor, name: str, binding: Binding) -> dict[Term, None]:
        """The values of a variable in the known FVPs of a condition that match a binding."""
        fvps = self.finished.get(name_and_arity(literal.fvp.fluent), {})
        matches = (match(literal.fvp.term, fvp, binding) for fvp, intervals in fvps.items() if intervals)
        return dict.fromkeys(each[name] for each in matches if each is not None)


def _needed(goal: Term) -> set[str]:
    """The variables that a goal needs for its proof, as its name shows."""
    if isinstance(goal, Struct) and goal.name == "is":
        return set(variables(goal.args[1]))
    if isinstance(goal, Struct) and goal.name in _NEED_ALL:
        return set(variables(goal))
    return set()


def _conjunction(negation: Not) -> Term:
    goals = [condition.goal for condition in negation.body if isinstance(condition, Test)]
    result: Term = Atom("true")
    for goal in reversed(goals):
        result = Struct(",", (goal, result))
    return result
