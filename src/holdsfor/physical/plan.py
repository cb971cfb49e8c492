"""The physical program: planned rules, by component, in processing order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial

from holdsfor.analysis.dependencies import Vertex
from holdsfor.analysis.levels import MomentKind
from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.tables import Key
from holdsfor.logical.nodes import FluentId
from holdsfor.logical.program import LogicalComponent, LogicalProgram, rewrite_program
from holdsfor.physical.fvp_shape import distinct_variables
from holdsfor.physical.grounding_planner import leaves_open
from holdsfor.physical.interval_planner import PlannedIntervalRule, plan_interval_rule
from holdsfor.physical.moment_ranks import MomentRanks
from holdsfor.physical.number_columns import number_column_of
from holdsfor.physical.operators.anti_join import AntiJoin
from holdsfor.physical.operators.compare_terms import CompareTerms
from holdsfor.physical.operators.compute_calendar import ComputeCalendar
from holdsfor.physical.operators.compute_numbers import ComputeNumbers
from holdsfor.physical.operators.context import EdgeKind
from holdsfor.physical.operators.join_facts import JoinFacts
from holdsfor.physical.operators.join_fluents import JoinFluents
from holdsfor.physical.operators.join_points import JoinPoints
from holdsfor.physical.operators.operator import Operator, Plan, all_operators
from holdsfor.physical.operators.project import Project
from holdsfor.physical.operators.stamp_time import StampTime
from holdsfor.physical.operators.unify import Unify
from holdsfor.physical.ownership import Owned, owned_by
from holdsfor.physical.planner import Planner
from holdsfor.physical.rule_planner import plan_initial_value, plan_rule
from holdsfor.prolog.background import grounding_clauses
from holdsfor.syntax.rules import (
    Delay,
    Fvp,
    Initially,
    PointRule,
    Postponable,
    Terminated,
    condition_variables,
    flat_conditions,
)
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Atom, Struct, Term, Var, name_and_arity, variables

_OF_SINGLE_ROWS = (JoinFluents, JoinFacts, CompareTerms, ComputeNumbers, ComputeCalendar, Unify, Project, AntiJoin)

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

    `number` is the position of the component in the program. A component that `is_recursive` depends on itself, through
    conditions or delayed effects.
    """

    number: int
    own: Owned
    events: tuple[PlannedRule, ...]
    fluents: dict[Key, PlannedFluent]
    interval_rules: tuple[PlannedIntervalRule, ...]
    delays: tuple[PlannedDelay, ...] = ()
    is_recursive: bool = False

    @property
    def is_only_delayed(self) -> bool:
        """Whether the component depends on itself only through delayed effects, not through conditions."""
        operators = [operator for rule in self.point_rules for operator in rule.operators]
        operators += [operator for delay in self.delays for operator in delay.when_due]
        return not any(operator.reads_from(self.own) for operator in operators)

    @property
    def point_rules(self) -> tuple[PlannedRule, ...]:
        """Its rules with a time-point."""
        fluents = self.fluents.values()
        return (*self.events, *(rule for fluent in fluents for rule in (*fluent.initiations, *fluent.terminations)))

    @property
    def point_operators(self) -> Iterator[Operator]:
        """Every operator of its rules with a time-point and of its delays, including operators inside others."""
        for rule in self.point_rules:
            yield from all_operators(rule.operators)
        for delay in self.delays:
            yield from all_operators(delay.when_due)

    @property
    def enumerated(self) -> Iterator[Term]:
        """The events and FVPs whose instances may have to be enumerated.

        Open arguments of a termination range over the fluents that hold or are initiated, unless a condition reads
        breaks.
        """
        fluents = self.fluents.values()
        visible = [rule for fluent in fluents if fluent.has_break_conditions for rule in fluent.terminations]
        open_heads = [*self.events, *(rule for fluent in fluents for rule in fluent.initiations), *visible]
        terminations = [rule for fluent in fluents for rule in fluent.terminations]
        yield from (rule.head for rule in open_heads if rule.unbound)
        for rule in (*open_heads, *terminations):
            if any(step.enumerates_head for step in all_operators(rule.operators)):
                yield rule.head
        yield from (initial.head for fluent in fluents for initial in fluent.initially if variables(initial.head))
        for planned in self.interval_rules:
            if planned.scope.is_grounded and planned.scope.enumerates_head(enumerates=planned.enumerates):
                yield planned.rule.fvp.term

    @property
    def ranged(self) -> Iterator[Term]:
        """Terms of rules with variables that may have to range over their sorts."""
        yield from (step.ranged for step in self.point_operators if step.ranged is not None)
        for planned in self.interval_rules:
            scope = planned.scope
            patterns = (scope.pattern(name) for name in scope.ranged(enumerates=planned.enumerates))
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

    @cached_property
    def by_number(self) -> dict[int, PlannedComponent]:
        """The components by their numbers, which are those of all components of the rules."""
        return {component.number: component for component in self.components}

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
    def repeatable_events(self) -> set[Key]:
        """The events of which evaluations may read duplicates, because they are used for effects only.

        Duplicates of an effect change nothing. So an event may be repeated if all rules that use it use it first, and
        only have conditions on each row by itself besides it.
        """
        found, others = set[Key](), set[Key]()
        for component in self.components:
            fluents = () if component.is_recursive else component.fluents.values()
            effects = [rule.operators for fluent in fluents for rule in (*fluent.initiations, *fluent.terminations)]
            plain = [plan for plan in effects if all(isinstance(step, _OF_SINGLE_ROWS) for step in plan[1:])]
            first = [step for step, *_ in plain if isinstance(step, JoinPoints) and step.kind == "events"]
            read = [step.key for step in component.point_operators if isinstance(step, JoinPoints)]
            n_first, n_read = Counter(step.key for step in first), Counter(read)
            found |= n_first.keys()
            others |= {key for key, n in n_read.items() if n > n_first[key]}
        return found - others

    @property
    def edges(self) -> dict[tuple[EdgeKind, Key], None]:
        """The edges of intervals that rules read at the edge itself."""
        found: dict[tuple[EdgeKind, Key], None] = {}
        for component in self.components:
            for step in component.point_operators:
                if step.edge is not None:
                    found[step.edge] = None
        return found


def plan_program(compiled: Compiled, planner: Planner, numbers: Collection[int] | None = None) -> PhysicalProgram:
    """The physical program of an event description, or a `PlanningProblem` if this engine cannot evaluate it.

    `numbers` are the components to plan, None for all.
    """
    logical = rewrite_program(compiled, planner.knowledge, planner.rewrites, numbers)
    context = _PlanContext(compiled, planner)
    components = tuple(_component(context, component) for component in logical.components)
    return PhysicalProgram(components, logical, _simple_columns(compiled), _open_entities(compiled, planner))


def _open_entities(compiled: Compiled, planner: Planner) -> frozenset[Term]:
    clauses = grounding_clauses(compiled.description)
    rules = [
        (clause.head.args[0], clause.body or Atom("true")) for clause in clauses if isinstance(clause.head, Struct)
    ]
    return frozenset(entity for entity, body in rules if leaves_open(planner.knowledge, entity, body))


def _simple_columns(compiled: Compiled) -> dict[Key, tuple[tuple[Term, ...], ...]]:
    found: dict[Key, list[tuple[Term, ...]]] = {}
    for vertex in compiled.graph.vertices:
        if vertex.kind == "simple":
            columns = _columns(Fvp(vertex.fluent, vertex.value))
            found.setdefault(name_and_arity(vertex.fluent), []).append(columns)
    return {key: tuple(patterns) for key, patterns in found.items()}


class _PlanContext:
    """The input of all plans of a program: the event description, the planner, and indexes of both."""

    def __init__(self, compiled: Compiled, planner: Planner) -> None:
        self.compiled = compiled
        self.planner = planner
        self.ranks = MomentRanks(compiled)
        self.broken = {name_and_arity(fvp.fluent) for fvp in _break_conditions(compiled)}
        self.postponable: dict[Key, list[Postponable]] = {}
        for each in compiled.description.postponable:
            self.postponable.setdefault(name_and_arity(each.fvp.fluent), []).append(each)


def _component(context: _PlanContext, logical: LogicalComponent) -> PlannedComponent:
    vertices, graph = logical.vertices, context.compiled.graph
    own = owned_by(vertices, graph)
    if logical.is_static:
        rules = tuple(plan_interval_rule(each.rule, context.planner) for each in logical.intervals)
        return PlannedComponent(logical.number, own, (), {}, rules)
    inside = set(vertices)
    is_recursive = any(edge.target in inside for vertex in vertices for edge in graph.successors[vertex])
    plan = partial(_rule, context=context, component=own, is_recursive=is_recursive)
    return PlannedComponent(
        logical.number,
        own,
        tuple(plan(each.rule) for each in logical.rules if each.rule.kind == "happensAt"),
        {key: _fluent(context, logical.number, part, plan) for key, part in _fluent_parts(logical).items()},
        (),
        tuple(_delay(context, delay) for delay in logical.delays),
        is_recursive,
    )


@dataclass
class _FluentPart:
    """The part of a component that concerns one simple fluent."""

    key: Key
    vertices: list[Vertex] = field(default_factory=list)
    rules: list[PointRule] = field(default_factory=list)
    initially: list[Initially] = field(default_factory=list)


def _fluent_parts(logical: LogicalComponent) -> dict[Key, _FluentPart]:
    """The simple fluents of a component, in the order of its vertices."""
    found: dict[Key, _FluentPart] = {}
    for vertex in logical.vertices:
        if vertex.kind == "simple":
            key = name_and_arity(vertex.fluent)
            found.setdefault(key, _FluentPart(key)).vertices.append(vertex)
    for each in logical.rules:
        if each.rule.kind != "happensAt":
            found[name_and_arity(each.rule.fvp.fluent)].rules.append(each.rule)
    for initially in logical.initially:
        found[name_and_arity(initially.fvp.fluent)].initially.append(initially)
    return found


def _fluent(
    context: _PlanContext, number: int, part: _FluentPart, plan: Callable[[PointRule], PlannedRule]
) -> PlannedFluent:
    key, names = part.key, context.compiled.names
    inside = set(part.vertices)
    initially = [
        PlannedInitial(i.fvp.term, _columns(i.fvp), plan_initial_value(context.planner, i.fvp.term, i.body))
        for i in part.initially
    ]
    return PlannedFluent(
        (number, *key),
        tuple(plan(r) for r in part.rules if r.kind == "initiatedAt"),
        tuple(plan(r) for r in part.rules if r.kind == "terminatedAt"),
        tuple(initially),
        tuple(_columns(Fvp(v.fluent, v.value)) for v in part.vertices),
        is_whole=all(v in inside for v in context.compiled.graph.named(key)) and key not in names.input_fluents,
        has_break_conditions=key in context.broken,
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


_DECIDED: dict[str, MomentKind] = {"happensAt": "happens", "initiatedAt": "initiated", "terminatedAt": "terminated"}


def _rule(rule: PointRule, *, context: _PlanContext, component: Owned, is_recursive: bool) -> PlannedRule:
    """The plan of a rule; a rule that time stepping may evaluate keeps words."""
    columns = _columns(rule.head)
    arguments = None if rule.kind == "happensAt" or is_recursive else distinct_variables(columns[:-1])
    value = columns[-1] if rule.kind == "terminatedAt" else None
    open_value = value.name if isinstance(value, Var) else None
    is_termination = rule.kind == "terminatedAt"
    operators, bound = plan_rule(
        context.planner, rule.head_term, rule.time, rule.body, arguments, open_value, is_termination=is_termination
    )
    key = name_and_arity(rule.fvp.fluent if rule.kind != "happensAt" else rule.event)
    unbound = tuple(name for name in variables(rule.head_term) if name not in bound)
    made = {name for each in operators if isinstance(each, JoinPoints) for name, _ in each.numbered}
    numbered = number_column_of(arguments) if arguments else None
    numbered = numbered if numbered in made else None
    n_outside = next((i for i, each in enumerate(operators) if each.reads_from(component)), len(operators))
    rank = context.ranks.rank(_DECIDED[rule.kind], rule.head_term)
    return PlannedRule(rule, rule.head_term, key, columns, operators, unbound, n_outside, rank, numbered)


def _delay(context: _PlanContext, delay: Delay) -> PlannedDelay:
    planner, ranks = context.planner, context.ranks
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
        tuple(_postponement(p, planner) for p in context.postponable.get(name_and_arity(delay.source.fluent), ())),
        tuple(set_up),
        frozenset(bound),
        delay.delay,
        (*stamp, *planner.plan_body(delay.conditions_when_due, known, used=set(variables(target.term))))
        if delay.conditions_when_due
        else (),
        name_and_arity(target.fluent),
        _columns(target),
        is_termination=delay.target is None,
        rank=ranks.rank("terminated" if delay.target is None else "initiated", target.term),
        may_contend=delay.target is not None and ranks.may_contend(delay.source, delay.target),
        span=delay.span,
    )


def _postponement(postponable: Postponable, planner: Planner) -> PlannedPostponement:
    bound = set(variables(postponable.fvp.term))
    return PlannedPostponement(_columns(postponable.fvp), tuple(planner.plan_body(postponable.body, bound, used=set())))
