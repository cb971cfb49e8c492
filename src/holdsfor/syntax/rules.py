"""The rules of an event description: the meaning of clauses, independent of their spelling.

A *fluent-value pair* (FVP) is `F=V`. A *condition* is an element of the body of a rule with a time-point; all
conditions of a rule refer to the same time-point. An *interval step* is an element of the body of a `holdsFor` rule.
Older spellings, forms of `not` and emptiness tests are normalised: texts that state the same rules give equal objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from holdsfor.syntax.printer import show
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Struct, Term, Var, variables

__all__ = [
    "EDGE_NAMES",
    "Allen",
    "AllenMode",
    "AllenRelation",
    "Collect",
    "Complement",
    "Condition",
    "Delay",
    "Duration",
    "Either",
    "Ends",
    "EndsI",
    "Fvp",
    "Grounding",
    "Happens",
    "Holds",
    "HoldsFor",
    "Initially",
    "Initiated",
    "InputDeclaration",
    "InputFact",
    "Intersect",
    "IntervalCall",
    "IntervalRule",
    "IntervalStep",
    "Not",
    "PointRule",
    "Postponable",
    "RelativeComplement",
    "Starts",
    "StartsI",
    "Terminated",
    "Test",
    "Union",
    "condition_variables",
    "elsewhere",
    "flat_conditions",
    "outer_variables",
    "show_condition",
    "step_lists",
    "step_variables",
    "with_some_values",
]


def _span() -> Span | None:
    return field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Fvp:
    """A fluent-value pair `fluent=value`."""

    fluent: Term
    value: Term
    span: Span | None = _span()

    @property
    def term(self) -> Term:
        return Struct("=", (self.fluent, self.value), self.span)

    def __str__(self) -> str:
        return show(self.term)


# -- conditions at a time-point ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Happens:
    """`happensAt(event, T)`"""

    event: Term
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Starts:
    """`happensAt(start(F=V), T)`"""

    fvp: Fvp
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Ends:
    """`happensAt(end(F=V), T)`"""

    fvp: Fvp
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class StartsI(Starts):
    """`happensAt(startI(F=V), T)`: T is the first time-point of the interval."""


@dataclass(frozen=True, slots=True)
class EndsI(Ends):
    """`happensAt(endI(F=V), T)`: T is the end of the interval."""


@dataclass(frozen=True, slots=True)
class Holds:
    """`holdsAt(F=V, T)`"""

    fvp: Fvp
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Initiated:
    """`initiatedAt(F=V, T)` as a condition: F=V is initiated at T, even if the initiation has no effect."""

    fvp: Fvp
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Terminated:
    """`terminatedAt(F=V, T)` as a condition: F=V is broken at T, by a termination or by another value."""

    fvp: Fvp
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Test:
    """An atemporal goal: background knowledge, arithmetic, unification."""

    goal: Term
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Not:
    """The body has no answer."""

    body: tuple[Condition, ...]
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Either:
    """At least one of the branches has an answer."""

    branches: tuple[tuple[Condition, ...], ...]
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Collect:
    """`findall(template, body, result)` or `aggregate_all(aggregate, body, result)` over conditions."""

    template: Term
    body: tuple[Condition, ...]
    result: Term
    aggregate: Literal["list", "count", "sum", "max", "min", "bag", "set"]
    span: Span | None = _span()


EDGE_NAMES: dict[type[Starts | Ends], Literal["start", "end", "startI", "endI"]] = {
    Starts: "start",
    Ends: "end",
    StartsI: "startI",
    EndsI: "endI",
}
"""The event functors for the edges of intervals."""

Condition: TypeAlias = Happens | Starts | Ends | Holds | Initiated | Terminated | Test | Not | Either | Collect


def flat_conditions(body: tuple[Condition, ...]) -> Iterator[tuple[Condition, bool]]:
    """Every condition of a body, nested ones included, and whether it is a positive condition of the body itself."""
    stack: list[tuple[Condition, bool]] = [(c, True) for c in reversed(body)]
    while stack:
        condition, positive = stack.pop()
        yield condition, positive
        match condition:
            case Not(inner) | Collect(body=inner):
                stack.extend((c, False) for c in reversed(inner))
            case Either(branches):
                stack.extend((c, False) for branch in reversed(branches) for c in reversed(branch))


def condition_variables(condition: Condition) -> dict[str, Var]:
    """All variables that a condition mentions, including variables quantified inside it."""
    match condition:
        case Happens(event):
            return variables(event)
        case Starts(fvp) | Ends(fvp) | Holds(fvp) | Initiated(fvp) | Terminated(fvp):
            return variables(fvp.fluent, fvp.value)
        case Test(goal):
            return variables(goal)
        case Not(body):
            return _all_variables(body)
        case Either(branches):
            return _all_variables(tuple(c for branch in branches for c in branch))
        case Collect(template, body, result):
            return {**variables(template), **_all_variables(body), **variables(result)}


def outer_variables(condition: Condition) -> set[str]:
    """The variables that a condition mentions outside negations and collections."""
    match condition:
        case Not():
            return set()
        case Collect(result=result):
            return set(variables(result))
        case Either(branches):
            return {name for branch in branches for inner in branch for name in outer_variables(inner)}
    return set(condition_variables(condition))


def elsewhere(body: Sequence[Condition], inherited: set[str]) -> list[set[str]]:
    """For each condition of a body: the variables outside it, in the other conditions or in the enclosing rule.

    A variable of a negation that does not occur outside it is quantified inside the negation.
    """
    outer = [outer_variables(condition) for condition in body]
    return [inherited.union(*(names for j, names in enumerate(outer) if j != i)) for i in range(len(body))]


def show_condition(condition: Condition, time: str = "T") -> str:
    """The condition as text, in the current spelling."""
    match condition:
        case Happens(event):
            return f"happensAt({show(event)}, {time})"
        case Starts(fvp) | Ends(fvp):
            return f"happensAt({EDGE_NAMES[type(condition)]}({fvp}), {time})"
        case Holds(fvp):
            return f"holdsAt({fvp}, {time})"
        case Initiated(fvp):
            return f"initiatedAt({fvp}, {time})"
        case Terminated(fvp):
            return f"terminatedAt({fvp}, {time})"
        case Test(Struct(name=";" | "->" | ",") as goal):
            return f"({show(goal)})"
        case Test(goal):
            return show(goal)
        case Not(body):
            return f"not ({_show_body(body, time)})"
        case Either(branches):
            return "(" + "; ".join(_show_body(branch, time) for branch in branches) + ")"
        case Collect(template, body, result, aggregate):
            inner = f"({_show_body(body, time)})"
            if aggregate == "list":
                return f"findall({show(template)}, {inner}, {show(result)})"
            what = aggregate if aggregate == "count" else f"{aggregate}({show(template)})"
            return f"aggregate_all({what}, {inner}, {show(result)})"


def _show_body(body: tuple[Condition, ...], time: str) -> str:
    return ", ".join(show_condition(condition, time) for condition in body) or "true"


def _all_variables(body: tuple[Condition, ...]) -> dict[str, Var]:
    return {name: var for condition in body for name, var in condition_variables(condition).items()}


# -- steps over lists of intervals -------------------------------------------------------------------------------------

AllenRelation = Literal["before", "meets", "starts", "finishes", "during", "overlaps", "equal"]
AllenMode = Literal["source", "target", "union", "intersect", "complement", "complement_inv"]


@dataclass(frozen=True, slots=True)
class HoldsFor:
    """`holdsFor(F=V, I)`; the variables `some` occur only in the value, and `I` is the union over all their values."""

    fvp: Fvp
    result: Var
    span: Span | None = _span()
    some: tuple[str, ...] = ()

    @property
    def instance_variables(self) -> tuple[str, ...]:
        """The variables of the FVP that the list varies by."""
        return tuple(name for name in variables(self.fvp.term) if name not in self.some)


@dataclass(frozen=True, slots=True)
class Union:
    """`union_all(lists, I)`; a list is a variable or a literal such as `[(S,E),…]`."""

    lists: tuple[Term, ...]
    result: Var
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Intersect:
    """`intersect_all(lists, I)`"""

    lists: tuple[Term, ...]
    result: Var
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class RelativeComplement:
    """`relative_complement_all(base, lists, I)`"""

    base: Term
    lists: tuple[Term, ...]
    result: Var
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Complement:
    """`complement_all(lists, I)`"""

    lists: tuple[Term, ...]
    result: Var
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Duration:
    """`intDurGreater(I, bound, J)` or `intDurLess(I, bound, J)`"""

    comparison: Literal["greater", "less"]
    intervals: Term
    bound: Term
    result: Var
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Allen:
    """`allen(relation, source, target, mode, I)`; inverse relations are written with source and target swapped."""

    relation: AllenRelation
    source: Term
    target: Term
    mode: AllenMode
    result: Var
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class IntervalCall:
    """A goal of the background knowledge over interval lists: the goal reads `inputs` and binds `outputs`.

    A call that `is_intervalwise` reads one list, computes one list and is proved once per interval.
    """

    goal: Term
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    span: Span | None = _span()
    is_intervalwise: bool = False


IntervalStep: TypeAlias = (
    HoldsFor | Union | Intersect | RelativeComplement | Complement | Duration | Allen | IntervalCall | Test | Not
)


def step_lists(step: IntervalStep) -> tuple[list[str], list[str]]:
    """The names of the lists that a step reads, and of the lists that it computes."""
    match step:
        case HoldsFor(result=result):
            return [], [result.name]
        case Union(lists, result) | Intersect(lists, result) | Complement(lists, result):
            return [term.name for term in lists if isinstance(term, Var)], [result.name]
        case RelativeComplement(base, lists, result):
            return [term.name for term in (base, *lists) if isinstance(term, Var)], [result.name]
        case Duration(intervals=intervals, result=result):
            return [intervals.name] if isinstance(intervals, Var) else [], [result.name]
        case Allen(source=source, target=target, result=result):
            return [term.name for term in (source, target) if isinstance(term, Var)], [result.name]
        case IntervalCall(inputs=inputs, outputs=outputs):
            return list(inputs), list(outputs)
        case Test() | Not():
            return [], []


def step_variables(step: IntervalStep) -> Iterator[str]:
    """The variables of a step that are not lists, once for every term that contains them."""
    match step:
        case HoldsFor(fvp):
            yield from variables(fvp.fluent)
            yield from variables(fvp.value)
        case Duration(bound=bound):
            yield from variables(bound)
        case IntervalCall(goal, inputs, _):
            yield from (name for name in variables(goal) if name not in inputs)
        case Test() | Not():
            yield from condition_variables(step)


def with_some_values(fvp: Fvp, body: Sequence[IntervalStep]) -> tuple[IntervalStep, ...]:
    """The steps of a rule, with the variables marked that occur in the value of one condition and nowhere else."""
    uses = Counter([*variables(fvp.term), *(name for step in body for name in step_variables(step))])
    return tuple(
        replace(step, some=tuple(name for name in variables(step.fvp.value) if uses[name] == 1))
        if isinstance(step, HoldsFor)
        else step
        for step in body
    )


# -- rules and declarations --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PointRule:
    """A rule for an effect or an output event: `head` occurs at `time` if the body is satisfied at `time`."""

    kind: Literal["happensAt", "initiatedAt", "terminatedAt"]
    head: Fvp | Term
    time: Var
    body: tuple[Condition, ...]
    span: Span | None = _span()

    @property
    def fvp(self) -> Fvp:
        assert isinstance(self.head, Fvp)
        return self.head

    @property
    def event(self) -> Term:
        assert not isinstance(self.head, Fvp)
        return self.head

    @property
    def head_term(self) -> Term:
        return self.head.term if isinstance(self.head, Fvp) else self.head


@dataclass(frozen=True, slots=True)
class IntervalRule:
    """A rule for a statically determined FVP; without `result` it is an empty fall-back clause.

    `number` is the position of the rule among the interval rules of its event description. Rewrites keep it.
    """

    fvp: Fvp
    result: Term
    body: tuple[IntervalStep, ...]
    is_empty: bool = False
    span: Span | None = _span()
    number: int = field(default=0, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Initially:
    """`initially(F=V)`, optionally with atemporal conditions."""

    fvp: Fvp
    body: tuple[Condition, ...]
    span: Span | None = _span()


def _connected(tests: Iterable[Test], names: set[str], known: set[str]) -> set[str]:
    """The variables, and the variables that tests connect with them other than through known variables."""
    goals = [set(variables(test.goal)) - known for test in tests]
    found = set(names)
    while more := set[str]().union(*(goal for goal in goals if goal & found)) - found:
        found |= more
    return found


@dataclass(frozen=True, slots=True)
class Delay:
    """`fi(source, target, delay)`; `ft(source, delay)` has no target. Temporal conditions refer to the due time."""

    source: Fvp
    target: Fvp | None
    delay: Term
    body: tuple[Condition, ...]
    time: Var | None = None
    span: Span | None = _span()

    @property
    def tests_at_set_up(self) -> tuple[Test, ...]:
        """The atemporal conditions that compute the delay, and those that share no variable with temporal conditions.

        Atemporal conditions have the same answers at all times, so the remaining ones may wait until the effect is due.
        """
        tests = [c for c in self.body if isinstance(c, Test)]
        source = set(variables(self.source.fluent, self.source.value))
        computing = _connected(tests, set(variables(self.delay)) - source, source)
        temporal = {name for c in self.body if not isinstance(c, Test) for name in condition_variables(c)}
        temporal |= set() if self.time is None else {self.time.name}
        others = [test for test in tests if not computing & set(variables(test.goal))]
        later = _connected(others, temporal - source - computing, source)
        return tuple(test for test in tests if not later & set(variables(test.goal)) or test not in others)

    @property
    def conditions_when_due(self) -> tuple[Condition, ...]:
        """The conditions that are tested when the effect is due."""
        first = self.tests_at_set_up
        return tuple(c for c in self.body if not any(c is test for test in first))


@dataclass(frozen=True, slots=True)
class InputFact:
    """A ground event or FVP stated as a fact: at a time-point, or from `start` to `end`."""

    entity: Fvp | Term
    start: int
    end: int | None = None
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Postponable:
    """`p(F=V)`"""

    fvp: Fvp
    body: tuple[Condition, ...] = ()
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class Grounding:
    """`grounding(entity) :- goals`; the entity is an event or an FVP."""

    entity: Fvp | Term
    goals: tuple[Term, ...]
    span: Span | None = _span()


@dataclass(frozen=True, slots=True)
class InputDeclaration:
    """The form in which an input fluent arrives."""

    shape: Literal["intervals", "points"]
    pattern: Fvp
    span: Span | None = _span()
