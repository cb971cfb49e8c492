"""The physical program: planned rules, by component, in processing order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial

from holdsfor.analysis.levels import What
from holdsfor.analysis.patterns import may_match
from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.tables import Key
from holdsfor.logical.nodes import FluentId, NodeId
from holdsfor.logical.program import LogicalComponent, LogicalProgram, concerns, rewrite_program
from holdsfor.physical.fvp_shape import distinct_variables
from holdsfor.physical.grounding_planner import leaves_open
from holdsfor.physical.interval_planner import PlannedIntervalRule, plan_interval_rule
from holdsfor.physical.number_columns import number_column_of
from holdsfor.physical.operators.context import EdgeKind
from holdsfor.physical.operators.join_points import JoinPoints
from holdsfor.physical.operators.operator import Operator, Plan, all_operators
from holdsfor.physical.operators.stamp_time import StampTime
from holdsfor.physical.ownership import Owned, owned_by
from holdsfor.physical.planner import Planner
from holdsfor.physical.rule_planner import plan_initial_value, plan_rule
from holdsfor.prolog.background import grounding_clauses
from holdsfor.syntax.rules import (
    Delay,
    Fvp,
    PointRule,
    Postponable,
    Terminated,
    condition_variables,
    flat_conditions,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Atom, Struct, Term, Var, name_and_arity, variables

__all__ = [
    "PhysicalProgram",
    "PlannedComponent",
    "PlannedDelay",
    "PlannedFluent",
    "PlannedInitial",
    "PlannedRule",
    "plan_program",
]


@dataclass(frozen=True)
class PlannedRule:
    """A rule with a time-point: `operators` find the bindings, `columns` are the patterns of the head's columns.

    The first `n_outside` operators read nothing that the rule's own component computes. At one time-point, a rule comes
    after rules of lower `rank`. `numbered` is the column with the numbers of the fluent's arguments, if the plan has
    one. `rule` is the rule that was planned.
    """

    rule: PointRule
    head: Term
    key: Key
    columns: tuple[Term, ...]
    operators: Plan
    unbound: tuple[str, ...]
    n_outside: int
    rank: int
    numbered: str | None = None


@dataclass(frozen=True)
class PlannedInitial:
    """An initial value: `operators` are its atemporal conditions."""

    head: Term
    columns: tuple[Term, ...]
    operators: Plan


@dataclass(frozen=True)
class PlannedFluent:
    """The rules of one simple fluent, for all of its values.

    `patterns` are the FVPs of the rules; unless it `is_whole`, other FVPs of the name belong to another component. If
    `has_break_conditions`, a condition `terminatedAt` reads the breaks of its values.
    """

    id: FluentId
    initiations: tuple[PlannedRule, ...]
    terminations: tuple[PlannedRule, ...]
    initially: tuple[PlannedInitial, ...]
    patterns: tuple[tuple[Term, ...], ...]
    is_whole: bool
    has_break_conditions: bool


@dataclass(frozen=True)
class PlannedPostponement:
    """Initiations of FVPs that match the columns postpone their effects, if the operators find a row."""

    columns: tuple[Term, ...]
    operators: Plan


@dataclass(frozen=True)
class PlannedDelay:
    """The effect that an initiation of a source sets up.

    `set_up` computes the delay and binds the variables `bound`; the effect must satisfy the conditions `when_due` when
    it is due. If it `may_contend`, another effect that is due at the same time-point may postpone it, and vice versa.
    """

    key: Key
    source: tuple[Term, ...]
    postponements: tuple[PlannedPostponement, ...]
    set_up: Plan
    bound: frozenset[str]
    delay: Term
    when_due: Plan
    target_key: Key
    target: tuple[Term, ...]
    is_termination: bool
    rank: int
    may_contend: bool
    span: Span | None


@dataclass(frozen=True)
class PlannedComponent:
    """The rules of one component: of output events, simple fluents, or statically determined fluents.

    `number` is the position of the component in the program. A component that `is_circular` depends on itself, through
    conditions or delayed effects.
    """

    number: int
    own: Owned
    events: tuple[PlannedRule, ...]
    fluents: dict[Key, PlannedFluent]
    interval_rules: tuple[PlannedIntervalRule, ...]
    delays: tuple[PlannedDelay, ...] = ()
    is_circular: bool = False

    @property
    def is_only_delayed(self) -> bool:
        """Whether the component depends on itself only through delayed effects, not through conditions."""
        effects = [rule for f in self.fluents.values() for rule in (*f.initiations, *f.terminations)]
        operators = [operator for rule in (*self.events, *effects) for operator in rule.operators]
        operators += [operator for delay in self.delays for operator in delay.when_due]
        return not any(operator.reads_from(self.own) for operator in operators)

    @property
    def point_operators(self) -> Iterator[Operator]:
        """Every operator of its rules with a time-point and of its delays, including operators inside others."""
        fluents = self.fluents.values()
        effects = [rule for fluent in fluents for rule in (*fluent.initiations, *fluent.terminations)]
        for rule in (*self.events, *effects):
            yield from all_operators(rule.operators)
        for delay in self.delays:
            yield from all_operators(delay.when_due)

    @property
    def enumerated(self) -> Iterator[Term]:
        fluents = self.fluents.values()
        effects = [rule for fluent in fluents for rule in (*fluent.initiations, *fluent.terminations)]
        for rule in (*self.events, *effects):
            if rule.unbound or any(step.enumerates_head for step in all_operators(rule.operators)):
                yield rule.head
        yield from (initial.head for fluent in fluents for initial in fluent.initially if variables(initial.head))
        scopes = (rule.scope for rule in self.interval_rules)
        yield from (scope.rule.fvp.term for scope in scopes if scope.is_grounded and scope.enumerates_head)

    @property
    def ranged(self) -> Iterator[Term]:
        """Terms of rules with variables that may have to range over their sorts."""
        yield from (step.ranged for step in self.point_operators if step.ranged is not None)
        for scope in (rule.scope for rule in self.interval_rules):
            patterns = (scope.pattern(name) for name in scope.ranged)
            yield from (pattern for pattern in patterns if pattern is not None)


@dataclass(frozen=True)
class PhysicalProgram:
    """The components in processing order, and the rules they are planned from.

    `simple` are the columns of the simple FVPs, by fluent, also of FVPs that other components compute. `open_entities`
    are the entities of grounding rules that leave variables to their sorts.
    """

    components: tuple[PlannedComponent, ...]
    logical: LogicalProgram
    simple: dict[Key, tuple[tuple[Term, ...], ...]]
    open_entities: frozenset[Term]

    @property
    def enumerated(self) -> list[Term]:
        """The events and FVPs whose instances may have to be enumerated."""
        return [entity for component in self.components for entity in component.enumerated]

    @property
    def ranged(self) -> list[Term]:
        """Terms with variables that may have to range over their sorts, even with groundings."""
        return [term for component in self.components for term in component.ranged]

    @property
    def numbered_events(self) -> dict[Key, set[tuple[int, ...]]]:
        """The positions of events whose words are numbered together."""
        found: dict[Key, set[tuple[int, ...]]] = {}
        for component in self.components:
            fluents = component.fluents.values()
            effects = [rule for fluent in fluents for rule in (*fluent.initiations, *fluent.terminations)]
            for step in (step for rule in (*component.events, *effects) for step in rule.operators):
                if isinstance(step, JoinPoints) and step.kind == "events":
                    found.setdefault(step.key, set()).update(positions for _, positions in step.numbered)
        return found

    @property
    def edges(self) -> dict[tuple[EdgeKind, Key], None]:
        """The edges of intervals that rules read at the edge itself."""
        found: dict[tuple[EdgeKind, Key], None] = {}
        for component in self.components:
            for step in component.point_operators:
                if step.edge is not None:
                    found[step.edge] = None
        return found

    @property
    def deciding_steps(self) -> list[NodeId]:
        """The ids of the interval operators that read whole intervals, in processing order."""
        rules = (rule for component in self.components for rule in component.interval_rules)
        operators = (operator for rule in rules for operator in rule.operators)
        return [each.id for each in operators if each.looks_at_whole_intervals and each.id is not None]

    def part(self, numbers: Collection[int] | None) -> PhysicalProgram:
        """The program with only the components of these numbers; None for all."""
        if numbers is None:
            return self
        chosen = sorted(numbers)
        logical = LogicalProgram(tuple(self.logical.components[i] for i in chosen))
        return PhysicalProgram(tuple(self.components[i] for i in chosen), logical, self.simple, self.open_entities)


def plan_program(compiled: Compiled, planner: Planner) -> PhysicalProgram:
    """The physical program of an event description, or a `PlanningProblem` if this engine cannot evaluate it."""
    logical = rewrite_program(compiled, planner.knowledge, planner.rewrites)
    components = tuple(_component(compiled, component, planner) for component in logical.components)
    return PhysicalProgram(components, logical, _simple_columns(compiled), _open_entities(compiled, planner))


def _open_entities(compiled: Compiled, planner: Planner) -> frozenset[Term]:
    clauses = grounding_clauses(compiled.description)
    rules = [
        (clause.head.args[0], clause.body or Atom("true")) for clause in clauses if isinstance(clause.head, Struct)
    ]
    return frozenset(entity for entity, body in rules if leaves_open(planner.knowledge, entity, body))


def _simple_columns(compiled: Compiled) -> dict[Key, tuple[tuple[Term, ...], ...]]:
    found: dict[Key, tuple[tuple[Term, ...], ...]] = {}
    for vertex in compiled.graph.vertices:
        if vertex.kind == "simple":
            key = name_and_arity(vertex.fluent)
            found[key] = (*found.get(key, ()), _columns(Fvp(vertex.fluent, vertex.value)))
    return found


def _component(compiled: Compiled, logical: LogicalComponent, planner: Planner) -> PlannedComponent:
    vertices = logical.vertices
    own = owned_by(vertices, compiled.graph)
    if logical.is_static:
        rules = tuple(plan_interval_rule(each.rule, planner) for each in logical.intervals)
        return PlannedComponent(logical.number, own, (), {}, rules)
    mine = [each.rule for each in logical.rules]
    inside = set(vertices)
    is_circular = any(edge.source in inside and edge.target in inside for edge in compiled.graph.edges)
    plan = partial(_rule, compiled=compiled, planner=planner, component=own, is_circular=is_circular)
    events = tuple(plan(rule) for rule in mine if rule.kind == "happensAt")
    keys = dict.fromkeys(name_and_arity(v.fluent) for v in vertices if v.kind == "simple")
    return PlannedComponent(
        logical.number,
        own,
        events,
        {key: _fluent(compiled, logical, key, mine, planner, plan) for key in keys},
        (),
        tuple(_delay(compiled, delay, planner) for delay in logical.delays),
        is_circular,
    )


def _fluent(
    compiled: Compiled,
    logical: LogicalComponent,
    key: Key,
    rules: list[PointRule],
    planner: Planner,
    plan: Callable[[PointRule], PlannedRule],
) -> PlannedFluent:
    vertices = logical.vertices
    own = [r for r in rules if r.kind != "happensAt" and name_and_arity(r.fvp.fluent) == key]
    initially = [
        PlannedInitial(i.fvp.term, _columns(i.fvp), plan_initial_value(planner, i.fvp.term, i.body))
        for i in compiled.description.initially
        if name_and_arity(i.fvp.fluent) == key and concerns(vertices, i.fvp.term)
    ]
    return PlannedFluent(
        (logical.number, *key),
        tuple(plan(r) for r in own if r.kind == "initiatedAt"),
        tuple(plan(r) for r in own if r.kind == "terminatedAt"),
        tuple(initially),
        tuple(
            _columns(Fvp(v.fluent, v.value)) for v in vertices if v.kind == "simple" and name_and_arity(v.fluent) == key
        ),
        is_whole=all(v in vertices for v in compiled.graph.named(key)) and key not in compiled.names.input_fluents,
        has_break_conditions=any(name_and_arity(fvp.fluent) == key for fvp in _break_conditions(compiled)),
    )


def _break_conditions(compiled: Compiled) -> Iterator[Fvp]:
    """The FVPs of conditions `terminatedAt(F=V, T)`."""
    description = compiled.description
    for body in (*(rule.body for rule in description.point_rules), *(delay.body for delay in description.delays)):
        yield from (condition.fvp for condition, _ in flat_conditions(body) if isinstance(condition, Terminated))


def _columns(entity: Fvp | Term) -> tuple[Term, ...]:
    term = entity.fluent if isinstance(entity, Fvp) else entity
    arguments = term.args if isinstance(term, Struct) else ()
    return (*arguments, entity.value) if isinstance(entity, Fvp) else arguments


def _rank(compiled: Compiled, what: What, pattern: Term) -> int:
    """The order within one time-point in which events, initiations or terminations of the pattern are decided."""
    for i, together in enumerate(compiled.moments):
        if any(moment.what == what and may_match(moment.vertex.pattern, pattern) for moment in together):
            return i
    return len(compiled.moments)


_DECIDED: dict[str, What] = {"happensAt": "happens", "initiatedAt": "initiated", "terminatedAt": "terminated"}


def _rule(rule: PointRule, *, compiled: Compiled, planner: Planner, component: Owned, is_circular: bool) -> PlannedRule:
    """The plan of a rule; a rule that time stepping may evaluate keeps words."""
    columns = _columns(rule.head)
    arguments = None if rule.kind == "happensAt" or is_circular else distinct_variables(columns[:-1])
    value = columns[-1] if rule.kind == "terminatedAt" else None
    open_value = value.name if isinstance(value, Var) else None
    is_termination = rule.kind == "terminatedAt"
    operators, bound = plan_rule(
        planner, rule.head_term, rule.time, rule.body, arguments, open_value, is_termination=is_termination
    )
    key = name_and_arity(rule.fvp.fluent if rule.kind != "happensAt" else rule.event)
    unbound = tuple(name for name in variables(rule.head_term) if name not in bound)
    made = {name for each in operators if isinstance(each, JoinPoints) for name, _ in each.numbered}
    numbered = number_column_of(arguments) if arguments else None
    numbered = numbered if numbered in made else None
    n_outside = next((i for i, each in enumerate(operators) if each.reads_from(component)), len(operators))
    rank = _rank(compiled, _DECIDED[rule.kind], rule.head_term)
    return PlannedRule(rule, rule.head_term, key, columns, operators, unbound, n_outside, rank, numbered)


def _delay(compiled: Compiled, delay: Delay, planner: Planner) -> PlannedDelay:
    target = delay.source if delay.target is None else delay.target
    bound = set(variables(delay.source.term))
    used = set(variables(delay.delay, target.term)).union(*map(condition_variables, delay.conditions_when_due))
    set_up = planner.plan_body(delay.tests_at_set_up, bound, used=used)
    for step in set_up:
        bound = step.bound_after(bound)
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
        (*stamp, *planner.plan_body(delay.conditions_when_due, known, used=set(variables(target.term))))
        if delay.conditions_when_due
        else (),
        name_and_arity(target.fluent),
        _columns(target),
        is_termination=delay.target is None,
        rank=_rank(compiled, "terminated" if delay.target is None else "initiated", target.term),
        may_contend=delay.target is not None and _may_contend(compiled, delay.source, delay.target),
        span=delay.span,
    )


def _may_contend(compiled: Compiled, source: Fvp, target: Fvp) -> bool:
    """Whether the initiations of the source and of the target may depend on each other at one time-point."""
    if not any(may_match(p.fvp.term, source.term) for p in compiled.description.postponable):
        return False
    sources = set(compiled.graph.matching(source.term, ["simple"]))
    targets = set(compiled.graph.matching(target.term, ["simple"]))
    together = ({m.vertex for m in part if m.what == "initiated"} for part in compiled.moments)
    return any(part & sources and part & targets for part in together)


def _postponement(postponable: Postponable, planner: Planner) -> PlannedPostponement:
    bound = set(variables(postponable.fvp.term))
    return PlannedPostponement(_columns(postponable.fvp), tuple(planner.plan_body(postponable.body, bound, used=set())))
