"""Plans of grounding rules: the instances of an event or a fluent."""

from __future__ import annotations

from collections.abc import Sequence, Set

from holdsfor.analysis.safety import needed_variables, scoped, take_ready
from holdsfor.logical.defer_open_goals import defer_open_goals
from holdsfor.logical.knowledge import Knowledge
from holdsfor.physical.operators.operator import Operator, Plan
from holdsfor.physical.operators.range_over import RangeOver
from holdsfor.physical.planner import Planner
from holdsfor.syntax.rules import Not, Test
from holdsfor.syntax.terms import Struct, Term, variables

__all__ = ["leaves_open", "open_variables", "plan_grounding"]


def plan_grounding(planner: Planner, entity: Term, goals: Sequence[Term], given: Set[str]) -> Plan:
    """The plan of a grounding rule; variables of the entity that goals leave unbound, or need, range over sorts."""
    names, bound, done = set(variables(entity)), set(given), set(given)
    ranges: dict[str, Operator] = {name: RangeOver(name, entity, ()) for name in variables(entity)}
    body = defer_open_goals(_grounding_body(goals), bound, names, planner.knowledge, frozenset(names))
    ready, rest = take_ready(scoped(body, bound | names), bound)
    operators = planner.plan_conditions(ready, done, None)
    while rest:
        needed = set().union(*(needed_variables(*each, bound) for each in rest)) - bound
        ranged = next((name for name in ranges if name in needed), None)
        assert ranged is not None, "the safety analysis refuses groundings that get stuck"
        operators.append(ranges[ranged])
        bound.add(ranged)
        done.add(ranged)
        ready, rest = take_ready(rest, bound)
        operators += planner.plan_conditions(ready, done, None)
    return tuple(each.with_ranges(tuple(ranges.items())) for each in operators)


def open_variables(knowledge: Knowledge, entity: Term, body: Term, given: Set[str]) -> tuple[list[str], list[str]]:
    """The variables of an entity that the body of its grounding rule needs, and those that it may leave unbound."""
    needed = knowledge.needed(body, set(given))
    bound = knowledge.ground_after(body, needed | given)
    names = [name for name in variables(entity) if name in variables(body) and name not in given]
    return [name for name in names if name in needed], [n for n in names if n not in needed | bound]


def leaves_open(knowledge: Knowledge, entity: Term, body: Term) -> bool:
    """Whether a grounding rule leaves variables of the entity to their sorts."""
    return any(open_variables(knowledge, entity, body, set())) or not set(variables(entity)) <= set(variables(body))


def _grounding_body(goals: Sequence[Term]) -> tuple[Test | Not, ...]:
    return tuple(map(_grounding_condition, goals))


def _grounding_condition(goal: Term) -> Test | Not:
    if isinstance(goal, Struct) and goal.name in ("\\+", "not") and len(goal.args) == 1:
        return Not((Test(goal.args[0], goal.span),), goal.span)
    return Test(goal, goal.span)
