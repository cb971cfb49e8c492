"""How rules use the fields of input records, for the decision whether a rule computes with a text of a record.

A *use* is an event or FVP in a condition of a rule, with the atemporal conditions of that rule (`Step`) in the order in
which they are written, and the heads to which the rule passes constants. A field is *computed* if a rule computes with
its variable, or passes it to an argument of a head that is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from holdsfor.analysis.sorts import places
from holdsfor.prolog.background import called_predicates
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.program import Clause, FactTable
from holdsfor.syntax.rules import (
    Collect,
    Condition,
    Duration,
    Either,
    Ends,
    Happens,
    Holds,
    HoldsFor,
    Initiated,
    Not,
    Starts,
    Terminated,
    Test,
)
from holdsfor.syntax.terms import Struct, Term, Var, name_and_arity, variables

__all__ = [
    "COMPUTING",
    "ComputedFields",
    "Step",
    "Use",
    "arithmetic_variables",
    "computing_arguments",
    "is_computing",
    "uses_of",
]

Key = tuple[str, int]
Field = tuple[str | int, ...]
"""The place of an argument or of the value of a record."""

_COMPARISONS = ("<", ">", "=<", ">=", "=:=", "=\\=")
COMPUTING: dict[Key, tuple[int, ...]] = {
    **{(name, 2): (0, 1) for name in _COMPARISONS},
    ("is", 2): (1,),
    ("between", 3): (0, 1, 2),
    ("succ", 2): (0, 1),
    ("plus", 3): (0, 1, 2),
    ("distance", 5): (0, 1, 2, 3),
    ("in_area", 3): (0, 1),
    ("near_area", 4): (0, 1, 2),
    **dict.fromkeys((("hour_of_day", 2), ("day_of_week", 2), ("date", 4)), (0,)),
}
"""The arguments of built-in predicates that must be numbers."""
_NUMBER_AGGREGATES = frozenset(["sum", "max", "min"])
_FIELD = 3  # a name, an arity and a position


@dataclass(frozen=True)
class Step:
    """An atemporal condition of a rule: a goal, variables with which the rule computes, or a nested body."""

    goal: Term | None = None
    computed: frozenset[str] = frozenset()
    branch: tuple[Step, ...] = ()

    @property
    def variables(self) -> set[str]:
        """The variables of the condition."""
        own = set() if self.goal is None else set(variables(self.goal))
        return own.union(self.computed, *(step.variables for step in self.branch))


@dataclass(frozen=True)
class Use:
    """An event or FVP in a condition of a rule."""

    pattern: Term
    steps: tuple[Step, ...]
    heads: tuple[Term, ...] = ()


def uses_of(description: EventDescription) -> list[Use]:
    """The events and FVPs in conditions of all rules."""
    found: list[Use] = []
    for rule in description.point_rules:
        found += _body_uses(rule.body, (), (rule.head_term,))
    for interval_rule in description.interval_rules:
        steps: list[Step] = []
        for step in interval_rule.body:
            if isinstance(step, Test):
                steps.append(Step(step.goal))
            elif isinstance(step, Duration):
                steps.append(Step(computed=frozenset(variables(step.bound))))
        patterns = [step.fvp.term for step in interval_rule.body if isinstance(step, HoldsFor)]
        found += [Use(pattern, tuple(steps), (interval_rule.fvp.term,)) for pattern in patterns]
    for delay in description.delays:
        own = (*_steps(delay.body), Step(computed=frozenset(variables(delay.delay))))
        heads = () if delay.target is None else (delay.target.term,)
        found.append(Use(delay.source.term, own, heads))
        found += _body_uses(delay.body, own, heads)
    return found


def _body_uses(
    body: tuple[Condition, ...], outer: tuple[Step, ...], heads: tuple[Term, ...], last: tuple[Step, ...] = ()
) -> Iterator[Use]:
    """The uses in a body, after the conditions `outer` and before the conditions `last`.

    Nested bodies do not see each other: equal names of variables that occur only inside are different variables.
    """
    steps = (*outer, *_steps(body), *last)
    around = tuple(step for step in steps if not step.branch)
    for condition in body:
        match condition:
            case Happens(event):
                yield Use(event, steps, heads)
            case Starts(fvp) | Ends(fvp) | Holds(fvp) | Initiated(fvp) | Terminated(fvp):
                yield Use(fvp.term, steps, heads)
            case Not(inner):
                yield from _body_uses(inner, around, ())
            case Collect(body=inner):
                yield from _body_uses(inner, around, (), _aggregated(condition))
            case Either(branches):
                for branch in branches:
                    yield from _body_uses(branch, around, heads)


def _steps(body: tuple[Condition, ...]) -> Iterator[Step]:
    """The atemporal conditions of a body, in order."""
    for condition in body:
        match condition:
            case Test(goal):
                yield Step(goal)
            case Not(inner) if all(isinstance(each, Test) for each in inner):
                yield Step(_negation([each.goal for each in inner if isinstance(each, Test)]))
            case Not(inner):
                yield from _nested(_steps(inner))
            case Either(branches):
                for branch in branches:
                    yield from _nested(_steps(branch))
            case Collect(body=inner):
                yield from _nested((*_steps(inner), *_aggregated(condition)))


def _nested(steps: Iterable[Step]) -> Iterator[Step]:
    """The step of a nested body, if it has atemporal conditions."""
    if branch := tuple(steps):
        yield Step(branch=branch)


def _negation(goals: list[Term]) -> Term:
    inner = goals[-1]
    for goal in reversed(goals[:-1]):
        inner = Struct(",", (goal, inner))
    return Struct("\\+", (inner,))


def _aggregated(condition: Collect) -> tuple[Step, ...]:
    if condition.aggregate not in _NUMBER_AGGREGATES:
        return ()
    return (Step(computed=frozenset(variables(condition.template))),)


# -- arithmetic --------------------------------------------------------------------------------------------------------


def arithmetic_variables(goal: Term) -> set[str]:
    """The variables in arguments of built-in predicates that must be numbers, anywhere in a goal.

    >>> from holdsfor.syntax.parser import parse_term
    >>> sorted(arithmetic_variables(parse_term("(p(X), Y > 3 ; Z is W + 1)")))
    ['W', 'Y']
    """
    found: set[str] = set()
    stack = [goal]
    while stack:
        here = stack.pop()
        if isinstance(here, Struct):
            computed = COMPUTING.get((here.name, len(here.args)), ())
            found.update(variables(*(here.args[i] for i in computed)))
            stack.extend(() if computed else here.args)
    return found


def is_computing(goal: Term) -> bool:
    """Whether a goal is a call of a built-in predicate with arguments that must be numbers."""
    return isinstance(goal, Struct) and (goal.name, len(goal.args)) in COMPUTING


def computing_arguments(background: Iterable[Clause | FactTable]) -> dict[Key, set[int]]:
    """The arguments of predicates with which their clauses compute, also through other predicates."""
    clauses = [item for item in background if isinstance(item, Clause) and item.body is not None]
    found: dict[Key, set[int]] = {}
    has_changed = True
    while has_changed:
        has_changed = False
        for clause in clauses:
            head, body = clause.head, clause.body
            if not isinstance(head, Struct) or body is None:
                continue
            computed = _computed_names(body, found)
            arguments = {i for i, arg in enumerate(head.args) if computed & set(variables(arg))}
            known = found.setdefault(name_and_arity(head), set())
            has_changed |= not arguments <= known
            known |= arguments
    return found


def _computed_names(goal: Term, computing: Mapping[Key, set[int]]) -> set[str]:
    """The variables with which a goal computes, itself or in a predicate that it calls."""
    found = arithmetic_variables(goal)
    for call in called_predicates(goal):
        for i in computing.get(name_and_arity(call), ()):
            found.update(variables(call.args[i]) if isinstance(call, Struct) else ())
    return found


# -- fields ------------------------------------------------------------------------------------------------------------


@dataclass
class ComputedFields:
    """The fields with which rules compute, and the *relevant* fields, on which that decision depends."""

    computed: set[Field] = field(default_factory=set)
    relevant: set[Field] = field(default_factory=set)

    @classmethod
    def of(cls, uses: Iterable[Use], computing: Mapping[Key, set[int]]) -> ComputedFields:
        """The least sets that contain what each use says, and what the heads of the use say."""
        found, all_uses = cls(), list(uses)
        size = -1
        while size != (size := len(found.computed) + len(found.relevant)):
            for use in all_uses:
                found._add(use, computing)
        return found

    def _add(self, use: Use, computing: Mapping[Key, set[int]]) -> None:
        computed, relevant = set[str](), set[str]()
        for step in use.steps:
            computed |= _computed_in(step, computing)
            relevant |= step.variables
        for head in use.heads:
            for place, part in places(head):
                computed |= set(variables(part)) if place[:_FIELD] in self.computed else set()
                relevant |= set(variables(part)) if place[:_FIELD] in self.relevant else set()
        seen: set[str] = set()
        for place, part in places(use.pattern):
            names = set(variables(part))
            if names & computed:
                self.computed.add(place[:_FIELD])
            if not isinstance(part, Var) or names & (relevant | seen) or len(place) > _FIELD:
                self.relevant.add(place[:_FIELD])
            seen |= names


def _computed_in(step: Step, computing: Mapping[Key, set[int]]) -> set[str]:
    own = set() if step.goal is None else _computed_names(step.goal, computing)
    return own.union(step.computed, *(_computed_in(each, computing) for each in step.branch))
