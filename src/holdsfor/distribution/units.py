"""Units: groups of components that one stage must compute together.

Stages exchange events and intervals, not initiations and terminations. A component that uses initiations or
terminations therefore runs in the stage that computes them. Output events of one name also form one unit, so that a
stage can separate the events that it computes from those that it receives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import combinations

from holdsfor.analysis.connected_components import strong_components, weak_components
from holdsfor.analysis.dependencies import EVENT_KINDS, FVP_KINDS, Vertex
from holdsfor.analysis.goals import atemporal_goals
from holdsfor.analysis.levels import Component
from holdsfor.analysis.patterns import anonymous, may_match
from holdsfor.analysis.pipeline import Compiled
from holdsfor.distribution.background_maps import BackgroundMaps
from holdsfor.distribution.joins import Join, joins_of
from holdsfor.distribution.keys import DomainUse, Rule, Table, Unit
from holdsfor.physical.operators.operator import all_operators
from holdsfor.physical.plan import PhysicalProgram
from holdsfor.prolog.background import called_predicates, grounding_clauses
from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.printer import show
from holdsfor.syntax.program import Clause
from holdsfor.syntax.rules import Fvp, Grounding, Not, Test, condition_variables
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Struct, Term, name_and_arity, variables

__all__ = ["NEEDED", "units_of"]

NEEDED = "needed in one bucket"
"""The reason of a unit that another unit in one bucket depends on."""

Key = tuple[str, int]


def units_of(compiled: Compiled, program: PhysicalProgram, maps: BackgroundMaps) -> list[Unit]:
    """The units of the planned components, in processing order."""
    every = [c for c in compiled.levels.components if not c.is_input]
    components = {component.number: every[component.number] for component in program.components}
    computed = {vertex for component in components.values() for vertex in component.vertices}
    rules = [_rule(join, compiled, maps, computed) for join in joins_of(compiled.description)]
    rules = [rule for rule in rules if rule.about]
    numbers = _component_groups(components, rules)
    unit_of = {v: i for i, members in enumerate(numbers) for c in members for v in components[c].vertices}
    units: list[Unit] = []
    for i, members in enumerate(numbers):
        vertices = tuple(vertex for c in members for vertex in components[c].vertices)
        own = tuple(rule for rule in rules if unit_of[rule.about[0][1]] == i)
        needed = frozenset(unit_of[v] for rule in own for v in rule.reads if v in unit_of) - {i}
        units.append(Unit(tuple(members), vertices, tuple(_groups(vertices)), own, needed))
    return _with_bucket_reasons(units, compiled, program)


def _rule(join: Join, compiled: Compiled, maps: BackgroundMaps, computed: Collection[Vertex]) -> Rule:
    graph = compiled.graph
    about = [(h, v) for h in join.heads for v in graph.matching(h, ["event", "simple", "static"]) if v in computed]
    body = [(q, tuple(graph.matching(q.pattern, FVP_KINDS if q.is_fvp else EVENT_KINDS))) for q in join.atoms]
    return Rule(join, tuple(about), tuple(body), tuple(dict.fromkeys(_uses(join, compiled))), maps)


def _component_groups(components: dict[int, Component], rules: list[Rule]) -> list[list[int]]:
    """The numbers of the components of each unit."""
    component_of = {vertex: i for i, component in components.items() for vertex in component.vertices}
    links = [
        (component_of[rule.about[0][1]], component_of[vertex])
        for rule in rules
        for atom, vertices in rule.body
        for vertex in vertices
        if atom.is_about_effects and vertex in component_of
    ]
    links += [(component_of[a], component_of[b]) for r in rules for (_, a), (_, b) in combinations(r.about, 2)]
    events = [v for v in component_of if v.kind == "event"]
    links += [
        (component_of[a], component_of[b])
        for a, b in combinations(events, 2)
        if name_and_arity(a.pattern) == name_and_arity(b.pattern)
    ]
    groups = weak_components(list(components), links)
    group_of = {number: i for i, group in enumerate(groups) for number in group}
    before: dict[int, set[int]] = {i: set() for i in range(len(groups))}
    for rule in rules:
        here = before[group_of[component_of[rule.about[0][1]]]]
        here.update(group_of[component_of[vertex]] for vertex in rule.reads if vertex in component_of)
    cycles = strong_components(range(len(groups)), lambda i: sorted(before[i]))
    return [sorted(number for i in cycle for number in groups[i]) for cycle in cycles]


def _groups(vertices: tuple[Vertex, ...]) -> list[tuple[Vertex, ...]]:
    """The vertices that must have the same path: those of one simple fluent."""
    simple = [v for v in vertices if v.kind == "simple"]
    links = [(a, b) for a, b in combinations(simple, 2) if may_match(a.fluent, b.fluent)]
    return [tuple(group) for group in weak_components(vertices, links)]


# -- units that need one bucket ----------------------------------------------------------------------------------------


def _with_bucket_reasons(units: list[Unit], compiled: Compiled, program: PhysicalProgram) -> list[Unit]:
    """The units, with a reason for each one that must run in one bucket and for the units it depends on."""
    goals = [goal for goal, _ in atemporal_goals(compiled.description)]
    if any(name_and_arity(call) == ("queryTime", 1) for goal in goals for call in called_predicates(goal)):
        return [replace(unit, reason="the rules use the query time") for unit in units]
    reasons: dict[int, str] = {}
    for i, unit in enumerate(units):
        enumerated = [entity for c in unit.components for entity in program.by_number[c].enumerated]
        ranged = [entity for c in unit.components for entity in program.by_number[c].ranged]
        entity = next(
            (entity for entity in (*ranged, *enumerated) if entity in ranged or _is_open(entity, compiled, program)),
            None,
        )
        if entity is not None:
            reasons[i] = f"`{show(anonymous(entity))}` ranges over the constants of the input"
    needed = set(reasons)
    for i in reversed(range(len(units))):
        if i in needed:
            needed |= units[i].depends_on
    return [
        replace(unit, reason=reasons.get(i, NEEDED), span=_open_condition(unit, program), ranges_over_sorts=True)
        if i in needed
        else unit
        for i, unit in enumerate(units)
    ]


def _open_condition(unit: Unit, program: PhysicalProgram) -> Span | None:
    """The condition of a rule with a variable of the head that no condition binds, else the rule."""
    for planned in (rule for c in unit.components for rule in program.by_number[c].point_rules):
        enumerates = any(step.enumerates_head or step.ranged is not None for step in all_operators(planned.operators))
        if enumerates:
            body, head = planned.rule.body, set(variables(planned.rule.head_term))
            bound = {name for each in body if not isinstance(each, Test | Not) for name in condition_variables(each)}
            wanting = [each for each in body if (head - bound) & set(condition_variables(each))]
            wanting.sort(key=lambda each: not isinstance(each, Not))
            return next((each.span for each in wanting), planned.rule.span)
    return None


def _is_open(entity: Term, compiled: Compiled, program: PhysicalProgram) -> bool:
    """Whether the instances of an event or FVP depend on the constants of the input."""
    groundings = _groundings(entity, compiled.description)
    return not groundings or any(_term(grounding.entity) in program.open_entities for grounding in groundings)


# -- domains -----------------------------------------------------------------------------------------------------------


def _uses(join: Join, compiled: Compiled) -> Iterator[DomainUse]:
    """The uses of dynamic domains by a rule: in its goals, and in the groundings of its heads and input lists."""
    description = compiled.description
    domains = {name_and_arity(domain) for domain in description.dynamic_domains}
    domains |= {name_and_arity(collected.domain) for collected in description.collected}
    if not domains:
        return
    called = _calls(description)
    for goal in join.goals:
        for domain, call in _domain_calls(goal, domains, called):
            yield DomainUse(domain, call)
    inputs = [entity for entity in join.listed if any(compiled.graph.matching(entity, ["input fluent"]))]
    for entity in dict.fromkeys((*join.heads, *inputs)):
        for grounding in _groundings(entity, description):
            for goal in grounding.goals:
                for domain, call in _domain_calls(goal, domains, called):
                    yield DomainUse(domain, call, entity, _term(grounding.entity))


def _domain_calls(goal: Term, domains: set[Key], called: dict[Key, set[Key]]) -> Iterator[tuple[Table, Term | None]]:
    for call in called_predicates(goal):
        key = name_and_arity(call)
        if key in domains:
            yield ("domain", *key), call
        for indirect in sorted(_reached(key, called) & domains):
            yield ("domain", *indirect), None


def _reached(key: Key, called: dict[Key, set[Key]]) -> set[Key]:
    """The predicates that the clauses of a predicate call, directly or indirectly."""
    seen: set[Key] = set()
    stack = list(called.get(key, ()))
    while stack:
        here = stack.pop()
        if here not in seen:
            seen.add(here)
            stack.extend(called.get(here, ()))
    return seen


def _calls(description: EventDescription) -> dict[Key, set[Key]]:
    found: dict[Key, set[Key]] = {}
    for item in (*description.background, *grounding_clauses(description)):
        if isinstance(item, Clause) and item.body is not None:
            inside = {name_and_arity(call) for call in called_predicates(item.body)}
            found.setdefault(name_and_arity(item.head), set()).update(inside)
    return found


def _groundings(entity: Term, description: EventDescription) -> list[Grounding]:
    return [g for g in description.groundings if _named(_term(g.entity)) == _named(entity)]


def _named(entity: Term) -> tuple[bool, str, int]:
    if isinstance(entity, Struct) and name_and_arity(entity) == ("=", 2):
        return (True, *name_and_arity(entity.args[0]))
    return (False, *name_and_arity(entity))


def _term(entity: Fvp | Term) -> Term:
    return entity.term if isinstance(entity, Fvp) else entity
