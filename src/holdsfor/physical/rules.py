"""The physical program: planned rules, by component, in processing order."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from holdsfor.analysis.compiled import Compiled
from holdsfor.analysis.dependencies import Vertex
from holdsfor.analysis.levels import Component, What
from holdsfor.analysis.patterns import may_match
from holdsfor.analysis.safety import bound_by
from holdsfor.columns.tables import Key
from holdsfor.errors import Diagnostic, PlanningProblem
from holdsfor.logical.fold_facts import fold_facts, fold_facts_of_intervals
from holdsfor.logical.outside_first import outside_first
from holdsfor.physical.planning import Planner
from holdsfor.physical.steps import GroundHead, StampTime, Step, asks_for
from holdsfor.syntax.rules import (
    Allen,
    Complement,
    Delay,
    Fvp,
    HoldsFor,
    Intersect,
    IntervalCall,
    IntervalRule,
    PointRule,
    Postponable,
    RelativeComplement,
    Terminated,
    Union,
    flat_conditions,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Struct, Term, Var, name_and_arity, variables

__all__ = [
    "PlannedComponent",
    "PlannedDelay",
    "PlannedFluent",
    "PlannedInitial",
    "PlannedRule",
    "Program",
    "plan_program",
]


@dataclass(frozen=True)
class PlannedRule:
    """A rule with a time-point: `steps` find the bindings, `columns` are the patterns of the head's columns.

    The first `n_outside` steps ask for nothing that the rule's own component computes. At one time-point, a rule comes
    after those of lower `rank`.
    """

    head: Term
    key: Key
    columns: tuple[Term, ...]
    steps: tuple[Step, ...]
    unbound: tuple[str, ...]
    n_outside: int
    rank: int


@dataclass(frozen=True)
class PlannedInitial:
    """An initial value: `steps` are its atemporal conditions."""

    head: Term
    columns: tuple[Term, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class PlannedFluent:
    """The rules of one simple fluent, for all of its values.

    `patterns` are the FVPs they are about; unless it `is_whole`, others of the name belong to another component.
    """

    initiations: tuple[PlannedRule, ...]
    terminations: tuple[PlannedRule, ...]
    initially: tuple[PlannedInitial, ...]
    patterns: tuple[tuple[Term, ...], ...]
    is_whole: bool


@dataclass(frozen=True)
class PlannedPostponement:
    """Initiations of FVPs that fit the columns postpone their effects, if the steps can be satisfied."""

    columns: tuple[Term, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class PlannedDelay:
    """What an initiation of a source sets up.

    `set_up` computes the delay, and then the variables `bound` have values; `when_due` are the conditions that the
    effect must satisfy when its time has come.
    """

    key: Key
    source: tuple[Term, ...]
    postponements: tuple[PlannedPostponement, ...]
    set_up: tuple[Step, ...]
    bound: frozenset[str]
    delay: Term
    when_due: tuple[Step, ...]
    target_key: Key
    target: tuple[Term, ...]
    is_termination: bool
    rank: int
    span: Span | None


@dataclass(frozen=True)
class PlannedComponent:
    """What one component computes: output events, simple fluents, or statically determined ones.

    One that `is_circular` asks for what it computes itself, through conditions or delayed effects.
    """

    events: tuple[PlannedRule, ...]
    fluents: dict[Key, PlannedFluent]
    static: tuple[IntervalRule, ...]
    delays: tuple[PlannedDelay, ...] = ()
    is_circular: bool = False

    @property
    def is_only_delayed(self) -> bool:
        """Whether what it computes matters to itself only through delayed effects: no condition asks for it."""
        own = {*self.fluents, *(rule.key for rule in self.events)}
        effects = [rule for f in self.fluents.values() for rule in (*f.initiations, *f.terminations)]
        steps = [step for rule in (*self.events, *effects) for step in rule.steps]
        steps += [step for delay in self.delays for step in delay.when_due]
        return not any(asks_for(step, own) for step in steps)

    @property
    def enumerated(self) -> Iterator[Term]:
        fluents = self.fluents.values()
        effects = [rule for fluent in fluents for rule in (*fluent.initiations, *fluent.terminations)]
        for rule in (*self.events, *effects):
            if rule.unbound or any(isinstance(step, GroundHead) for step in rule.steps):
                yield rule.head
        yield from (initial.head for fluent in fluents for initial in fluent.initially if variables(initial.head))
        for interval_rule in self.static:
            yield from _enumerated(interval_rule)


def _enumerated(rule: IntervalRule) -> list[Term]:
    """The FVPs of a rule of which also instances without intervals may matter."""
    literals = [step.fvp.term for step in rule.body if isinstance(step, HoldsFor)]
    scopes = {frozenset(variables(term)) for term in (*literals, rule.fvp.term)}
    written_out = any(
        not isinstance(term, Var)
        for step in rule.body
        if isinstance(step, Union | Intersect | RelativeComplement | Complement)
        for term in step.lists
    )
    if written_out or len(scopes) > 1 or any(isinstance(step, Complement | IntervalCall) for step in rule.body):
        return [*literals, rule.fvp.term]
    return []


@dataclass(frozen=True)
class Program:
    """The components in processing order."""

    components: tuple[PlannedComponent, ...]

    @property
    def enumerated(self) -> list[Term]:
        """The events and FVPs whose instances may have to be enumerated."""
        return [entity for component in self.components for entity in component.enumerated]

    def part(self, numbers: Collection[int] | None) -> Program:
        """The program with only the components of these numbers; None is all of them."""
        return self if numbers is None else Program(tuple(c for i, c in enumerate(self.components) if i in numbers))


def plan_program(compiled: Compiled, planner: Planner) -> Program:
    """The physical program of an event description, or a `PlanningProblem` for what this engine does not compute."""
    _refuse(compiled)
    components = [c for c in compiled.levels.components if not c.is_input]
    return Program(tuple(_component(compiled, component, planner) for component in components))


def _refuse(compiled: Compiled) -> None:
    description = compiled.description
    _refuse_open_terminations(compiled)
    for rule in description.interval_rules:
        for step in rule.body:
            if isinstance(step, Allen):
                _unsupported("relations of Allen", step.span)


def _refuse_open_terminations(compiled: Compiled) -> None:
    """A condition on terminations must see those of fluents that never were: none is in a table."""
    description = compiled.description
    asked = [c.fvp for r in description.point_rules for c, _ in flat_conditions(r.body) if isinstance(c, Terminated)]
    for rule in description.point_rules:
        if rule.kind == "terminatedAt" and any(may_match(rule.fvp.fluent, fvp.fluent) for fvp in asked):
            bound = {name for condition in rule.body for name in bound_by(condition)}
            if set(variables(rule.fvp.fluent)) - bound:
                _unsupported("conditions on terminations with open arguments", rule.span)


def _unsupported(what: str, span: Span | None) -> None:
    message = f"{what} are not supported by the columnar engine yet"
    raise PlanningProblem(Diagnostic("HF401", message, span, "use `--engine reference`"))


def _component(compiled: Compiled, component: Component, planner: Planner) -> PlannedComponent:
    description = compiled.description
    vertices = component.vertices
    if vertices[0].kind == "static":
        rules = [r for r in description.interval_rules if not r.is_empty and _concerns(vertices, r.fvp.term)]
        return PlannedComponent((), {}, tuple(fold_facts_of_intervals(rule, planner.knowledge) for rule in rules))
    mine = [rule for rule in description.point_rules if _concerns(vertices, rule.head_term)]
    own = {name_and_arity(v.fluent if v.kind == "simple" else v.pattern) for v in vertices}
    mine = [outside_first(fold_facts(rule, planner.knowledge), own, planner.knowledge) for rule in mine]
    events = tuple(_rule(rule, compiled, planner, own) for rule in mine if rule.kind == "happensAt")
    keys = dict.fromkeys(name_and_arity(v.fluent) for v in vertices if v.kind == "simple")
    inside = set(vertices)
    return PlannedComponent(
        events,
        {key: _fluent(compiled, key, vertices, mine, planner, own) for key in keys},
        (),
        tuple(_delay(compiled, d, planner) for d in description.delays if _concerns(vertices, d.source.term)),
        is_circular=any(edge.source in inside and edge.target in inside for edge in compiled.graph.edges),
    )


def _concerns(vertices: tuple[Vertex, ...], head: Term) -> bool:
    return any(may_match(vertex.pattern, head) for vertex in vertices)


def _fluent(
    compiled: Compiled,
    key: Key,
    vertices: tuple[Vertex, ...],
    rules: list[PointRule],
    planner: Planner,
    component: set[Key],
) -> PlannedFluent:
    own = [r for r in rules if r.kind != "happensAt" and name_and_arity(r.fvp.fluent) == key]
    initially = [
        PlannedInitial(i.fvp.term, _columns(i.fvp), planner.atemporal_steps(i.fvp.term, i.body))
        for i in compiled.description.initially
        if name_and_arity(i.fvp.fluent) == key and _concerns(vertices, i.fvp.term)
    ]
    return PlannedFluent(
        tuple(_rule(r, compiled, planner, component) for r in own if r.kind == "initiatedAt"),
        tuple(_rule(r, compiled, planner, component) for r in own if r.kind == "terminatedAt"),
        tuple(initially),
        tuple(
            _columns(Fvp(v.fluent, v.value)) for v in vertices if v.kind == "simple" and name_and_arity(v.fluent) == key
        ),
        is_whole=all(v in vertices for v in compiled.graph.named(key)),
    )


def _columns(entity: Fvp | Term) -> tuple[Term, ...]:
    term = entity.fluent if isinstance(entity, Fvp) else entity
    arguments = term.args if isinstance(term, Struct) else ()
    return (*arguments, entity.value) if isinstance(entity, Fvp) else arguments


def _rank(compiled: Compiled, what: What, pattern: Term) -> int:
    """When, at a time-point, it can be said whether something of the pattern happens, is initiated or terminated."""
    ranks = [i for i, m in enumerate(compiled.moments) if m.what == what and may_match(m.vertex.pattern, pattern)]
    return min(ranks, default=len(compiled.moments))


_DECIDED: dict[str, What] = {"happensAt": "happens", "initiatedAt": "initiated", "terminatedAt": "terminated"}


def _rule(rule: PointRule, compiled: Compiled, planner: Planner, component: set[Key]) -> PlannedRule:
    steps, bound = planner.steps(rule.head_term, rule.time, rule.body)
    key = name_and_arity(rule.fvp.fluent if rule.kind != "happensAt" else rule.event)
    unbound = tuple(name for name in variables(rule.head_term) if name not in bound)
    n_outside = next((i for i, step in enumerate(steps) if asks_for(step, component)), len(steps))
    rank = _rank(compiled, _DECIDED[rule.kind], rule.head_term)
    return PlannedRule(rule.head_term, key, _columns(rule.head), steps, unbound, n_outside, rank)


def _delay(compiled: Compiled, delay: Delay, planner: Planner) -> PlannedDelay:
    target = delay.source if delay.target is None else delay.target
    bound = set(variables(delay.source.term))
    set_up = planner.inner(delay.tests_at_set_up, bound)
    bound = bound.union(*(variables(test.goal) for test in delay.tests_at_set_up))
    stamp = [] if delay.time is None else [StampTime(delay.time.name)]
    known = bound if delay.time is None else bound | {delay.time.name}
    return PlannedDelay(
        name_and_arity(delay.source.fluent),
        _columns(delay.source),
        tuple(
            _postponement(p, planner)
            for p in compiled.description.postponable
            if name_and_arity(p.fvp.fluent) == name_and_arity(delay.source.fluent)
        ),
        tuple(set_up),
        frozenset(bound),
        delay.delay,
        (*stamp, *planner.inner(delay.conditions_when_due, known)) if delay.conditions_when_due else (),
        name_and_arity(target.fluent),
        _columns(target),
        is_termination=delay.target is None,
        rank=_rank(compiled, "terminated" if delay.target is None else "initiated", target.term),
        span=delay.span,
    )


def _postponement(postponable: Postponable, planner: Planner) -> PlannedPostponement:
    bound = set(variables(postponable.fvp.term))
    return PlannedPostponement(_columns(postponable.fvp), tuple(planner.inner(postponable.body, bound)))
