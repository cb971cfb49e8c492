"""Conditions on what a component does not compute itself come first: they are answered once, not every turn.

One of them must say when: a rule that something inside triggers stays as it is. Tests keep their place behind the
conditions they stand behind: one that is an error for what an earlier condition excludes must not see it.
"""

from __future__ import annotations

from dataclasses import replace

from holdsfor.analysis.dependencies import Vertex
from holdsfor.analysis.patterns import may_match
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
    """The rule with its conditions on other components in front, and the conditions that were moved forward."""
    body = _external_first(given.rule.body, context.component, context.knowledge)
    return [Rewritten(replace(given.rule, body=body), given.facts, _moved(given.rule.body, body))]


def _external_first(
    body: tuple[Condition, ...], component: tuple[Vertex, ...], knowledge: Knowledge
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
    """The conditions that now stand before one they stood behind."""
    place = {id(condition): i for i, condition in enumerate(before)}
    places = [place[id(condition)] for condition in after]
    return tuple(c for i, c in enumerate(after) if any(later < places[i] for later in places[i + 1 :]))


def _is_inside(condition: Condition, component: tuple[Vertex, ...]) -> bool:
    for each, _ in flat_conditions((condition,)):
        asked: Term | None = None
        match each:
            case Happens(event):
                asked = event
            case Terminated(fvp):
                asked = Struct("=", (fvp.fluent, Var("_#value")))
            case Starts(fvp) | Ends(fvp) | Holds(fvp) | Initiated(fvp):
                asked = fvp.term
        if asked is not None and any(may_match(vertex.pattern, asked) for vertex in component):
            return True
    return False


def _is_safe(condition: Condition, knowledge: Knowledge) -> bool:
    """Whether it may be asked earlier: what happens or holds, and facts.

    A test may be an error for what it was not meant to see; a choice may bind in one branch what is bound before it.
    """
    if isinstance(condition, Either):
        return False
    tests = [each.goal for each, _ in flat_conditions((condition,)) if isinstance(each, Test)]
    return all(is_callable(goal) and knowledge.is_relation(name_and_arity(goal)) for goal in tests)
