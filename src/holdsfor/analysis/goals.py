"""The atemporal goals of an event description."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.syntax.description import EventDescription
from holdsfor.syntax.program import Clause
from holdsfor.syntax.rules import IntervalCall, Not, Test, flat_conditions
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Term

__all__ = ["atemporal_goals", "rule_goals"]


def atemporal_goals(description: EventDescription) -> Iterator[tuple[Term, Span | None]]:
    """Every atemporal goal of the rules, groundings and clauses."""
    yield from rule_goals(description)
    for clause in description.background:
        if isinstance(clause, Clause) and clause.body is not None:
            yield clause.body, clause.body.span


def rule_goals(description: EventDescription) -> Iterator[tuple[Term, Span | None]]:
    """Every atemporal goal of the rules and groundings."""
    bodies = [rule.body for rule in description.point_rules]
    bodies += [delay.body for delay in description.delays]
    bodies += [initially.body for initially in description.initially]
    bodies += [postponable.body for postponable in description.postponable]
    for body in bodies:
        yield from ((c.goal, c.span) for c, _ in flat_conditions(body) if isinstance(c, Test))
    for rule in description.interval_rules:
        for step in rule.body:
            if isinstance(step, IntervalCall):
                yield step.goal, step.span
            elif isinstance(step, Test | Not):
                yield from ((c.goal, c.span) for c, _ in flat_conditions((step,)) if isinstance(c, Test))
    for grounding in description.groundings:
        yield from ((goal, goal.span) for goal in grounding.goals)
