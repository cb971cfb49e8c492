"""Move conditions on other components to the front of a recursive rule: they are evaluated once, not in every
iteration.

One of the moved conditions must bind the time-point: a rule that its own component triggers stays unchanged. A test
stays after the conditions that precede it: earlier conditions may exclude bindings for which the test is an error.
"""

from __future__ import annotations

from dataclasses import replace

from holdsfor.analysis.dependencies import Vertex
from holdsfor.analysis.pattern_index import PatternIndex
from holdsfor.analysis.safety import binds_time
from holdsfor.logical.knowledge import Knowledge
from holdsfor.logical.rewritten import RewriteContext, Rewritten
from holdsfor.syntax.rules import (
    Condition,
    Either,
    Ends,
    Happens,
    Holds,
    Initiated,
    Starts,
    Terminated,
    Test,
    flat_conditions,
)
from holdsfor.syntax.terms import Struct, Term, Var, is_callable, name_and_arity

__all__ = ["hoist_external"]


def hoist_external(given: Rewritten, context: RewriteContext) -> list[Rewritten]:
    """The rule with its conditions on other components first, and the conditions that were moved forward."""
    body = _external_first(given.rule.body, context.component, context.knowledge)
    return [Rewritten(replace(given.rule, body=body), given.facts, _moved(given.rule.body, body))]


def _external_first(
    body: tuple[Condition, ...], component: PatternIndex[Vertex], knowledge: Knowledge
) -> tuple[Condition, ...]:
    if not any(_is_inside(condition, component) for condition in body):
        return body
    first: list[Condition] = []
    later: list[Condition] = []
    for condition in body:
        is_movable = not later or _is_safe(condition, knowledge)
        (first if is_movable and not _is_inside(condition, component) else later).append(condition)
    return (*first, *later) if binds_time(tuple(first)) else body


def _moved(before: tuple[Condition, ...], after: tuple[Condition, ...]) -> tuple[Condition, ...]:
    """The conditions that now precede one that they followed."""
    place = {id(condition): i for i, condition in enumerate(before)}
    places = [place[id(condition)] for condition in after]
    return tuple(c for i, c in enumerate(after) if any(later < places[i] for later in places[i + 1 :]))


def _is_inside(condition: Condition, component: PatternIndex[Vertex]) -> bool:
    for each, _ in flat_conditions((condition,)):
        pattern: Term | None = None
        match each:
            case Happens(event):
                pattern = event
            case Terminated(fvp):
                pattern = Struct("=", (fvp.fluent, Var("_#value")))
            case Starts(fvp) | Ends(fvp) | Holds(fvp) | Initiated(fvp):
                pattern = fvp.term
        if pattern is not None and component.has(pattern):
            return True
    return False


def _is_safe(condition: Condition, knowledge: Knowledge) -> bool:
    """Whether a condition may be evaluated earlier: conditions on events and fluents, and facts.

    A test may be an error for bindings that earlier conditions exclude; a disjunction may bind a variable in one branch
    that earlier conditions bind in all.
    """
    if isinstance(condition, Either):
        return False
    tests = [each.goal for each, _ in flat_conditions((condition,)) if isinstance(each, Test)]
    return all(is_callable(goal) and knowledge.is_relation(name_and_arity(goal)) for goal in tests)
