"""The physical program: planned rules, by component, in processing order."""

from __future__ import annotations

from dataclasses import dataclass

from holdsfor.analysis.compiled import Compiled
from holdsfor.analysis.dependencies import Vertex
from holdsfor.analysis.levels import Component
from holdsfor.analysis.patterns import may_match
from holdsfor.errors import Diagnostic, PlanningProblem
from holdsfor.physical.planning import Planner
from holdsfor.physical.steps import GroundHead, Key, Step
from holdsfor.syntax.rules import Allen, Complement, Fvp, HoldsFor, IntervalCall, IntervalRule, PointRule
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Struct, Term, Var, name_and_arity, variables

__all__ = ["PlannedComponent", "PlannedFluent", "PlannedInitial", "PlannedRule", "Program", "plan_program"]


@dataclass(frozen=True)
class PlannedRule:
    """A rule with a time-point: `steps` find the bindings, `columns` are the patterns of the head's columns."""

    head: Term
    key: Key
    columns: tuple[Term, ...]
    steps: tuple[Step, ...]
    unbound: tuple[str, ...]


@dataclass(frozen=True)
class PlannedInitial:
    """An initial value: `steps` are its atemporal conditions."""

    head: Term
    columns: tuple[Term, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class PlannedFluent:
    """The rules of one simple fluent, for all of its values; `patterns` are the FVPs they are about."""

    initiations: tuple[PlannedRule, ...]
    terminations: tuple[PlannedRule, ...]
    initially: tuple[PlannedInitial, ...]
    patterns: tuple[tuple[Term, ...], ...]

    @property
    def is_whole(self) -> bool:
        """Whether the rules are about all FVPs of their name; others may belong to another component."""
        return any(all(isinstance(pattern, Var) for pattern in columns[:-1]) for columns in self.patterns)


@dataclass(frozen=True)
class PlannedComponent:
    """What one component computes: output events, simple fluents, or statically determined ones."""

    events: tuple[PlannedRule, ...]
    fluents: dict[Key, PlannedFluent]
    static: tuple[IntervalRule, ...]

    @property
    def ranges_over_sorts(self) -> bool:
        rules = [*self.events, *(r for f in self.fluents.values() for r in f.initiations)]
        if any(rule.unbound or any(isinstance(s, GroundHead) for s in rule.steps) for rule in rules):
            return True
        if any(variables(initial.head) for f in self.fluents.values() for initial in f.initially):
            return True
        if any(isinstance(s, GroundHead) for f in self.fluents.values() for r in f.terminations for s in r.steps):
            return True
        return any(_enumerates(rule) for rule in self.static)


def _enumerates(rule: IntervalRule) -> bool:
    """Whether a rule may need instances that have no intervals."""
    scopes = {frozenset(variables(step.fvp.term)) for step in rule.body if isinstance(step, HoldsFor)}
    scopes.add(frozenset(variables(rule.fvp.term)))
    return len(scopes) > 1 or any(isinstance(step, Complement | IntervalCall) for step in rule.body)


@dataclass(frozen=True)
class Program:
    """The components in processing order."""

    components: tuple[PlannedComponent, ...]

    @property
    def ranges_over_sorts(self) -> bool:
        """Whether some variable may have to range over what the input mentions."""
        return any(component.ranges_over_sorts for component in self.components)


def plan_program(compiled: Compiled, planner: Planner) -> Program:
    """The physical program of an event description, or a `PlanningProblem` for what this engine does not compute."""
    _refuse(compiled)
    components = [c for c in compiled.levels.components if not c.is_input]
    return Program(tuple(_component(compiled, component, planner) for component in components))


def _refuse(compiled: Compiled) -> None:
    description = compiled.description
    for delay in description.delays:
        _unsupported("delayed effects", delay.span)
    for component in compiled.levels.components:
        inside = set(component.vertices)
        circle = [e for e in compiled.graph.edges if e.source in inside and e.target in inside]
        if circle:
            _unsupported("rules in which the values of a fluent depend on each other", circle[0].span)
    for rule in description.interval_rules:
        for step in rule.body:
            if isinstance(step, Allen):
                _unsupported("Allen relations", step.span)


def _unsupported(what: str, span: Span | None) -> None:
    message = f"{what} are not supported by the columnar engine yet"
    raise PlanningProblem(Diagnostic("HF401", message, span, "use `--engine reference`"))


def _component(compiled: Compiled, component: Component, planner: Planner) -> PlannedComponent:
    description = compiled.description
    vertices = component.vertices
    if vertices[0].kind == "static":
        rules = [r for r in description.interval_rules if not r.is_empty and _concerns(vertices, r.fvp.term)]
        return PlannedComponent((), {}, tuple(rules))
    mine = [rule for rule in description.point_rules if _concerns(vertices, rule.head_term)]
    events = tuple(_rule(rule, planner) for rule in mine if rule.kind == "happensAt")
    keys = dict.fromkeys(name_and_arity(v.fluent) for v in vertices if v.kind == "simple")
    return PlannedComponent(events, {key: _fluent(compiled, key, vertices, mine, planner) for key in keys}, ())


def _concerns(vertices: tuple[Vertex, ...], head: Term) -> bool:
    return any(may_match(vertex.pattern, head) for vertex in vertices)


def _fluent(
    compiled: Compiled, key: Key, vertices: tuple[Vertex, ...], rules: list[PointRule], planner: Planner
) -> PlannedFluent:
    own = [r for r in rules if r.kind != "happensAt" and name_and_arity(r.fvp.fluent) == key]
    initially = [
        PlannedInitial(i.fvp.term, _columns(i.fvp), tuple(planner.inner(i.body, set())))
        for i in compiled.description.initially
        if name_and_arity(i.fvp.fluent) == key and _concerns(vertices, i.fvp.term)
    ]
    return PlannedFluent(
        tuple(_rule(r, planner) for r in own if r.kind == "initiatedAt"),
        tuple(_rule(r, planner) for r in own if r.kind == "terminatedAt"),
        tuple(initially),
        tuple(_columns(Fvp(v.fluent, v.value)) for v in vertices if v.kind == "simple"),
    )


def _columns(entity: Fvp | Term) -> tuple[Term, ...]:
    term = entity.fluent if isinstance(entity, Fvp) else entity
    arguments = term.args if isinstance(term, Struct) else ()
    return (*arguments, entity.value) if isinstance(entity, Fvp) else arguments


def _rule(rule: PointRule, planner: Planner) -> PlannedRule:
    steps, bound = planner.steps(rule.head_term, rule.time, rule.body)
    key = name_and_arity(rule.fvp.fluent if rule.kind != "happensAt" else rule.event)
    unbound = tuple(name for name in variables(rule.head_term) if name not in bound)
    return PlannedRule(rule.head_term, key, _columns(rule.head), steps, unbound)
