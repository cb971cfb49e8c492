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
from holdsfor.syntax.rules import (
    Condition,
    Either,
    Ends,
    Happens,
    Holds,
    Initiated,
    PointRule,
    Starts,
    Terminated,
    Test,
    flat_conditions,
)
from holdsfor.syntax.terms import Struct, Term, Var, is_callable, name_and_arity

__all__ = ["hoist_external"]


def hoist_external(rule: PointRule, component: tuple[Vertex, ...], knowledge: Knowledge) -> PointRule:
    """The rule with its conditions on other components in front."""
    if not any(_is_inside(condition, component) for condition in rule.body):
        return rule
    first: list[Condition] = []
    later: list[Condition] = []
    for condition in rule.body:
        is_movable = not later or _is_safe(condition, knowledge)
        (first if is_movable and not _is_inside(condition, component) else later).append(condition)
    return replace(rule, body=(*first, *later)) if binds_time(tuple(first)) else rule


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
