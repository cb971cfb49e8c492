"""Move conditions that need the time-point after a condition that binds it.

Rows have no time-points before the first condition on events. Conditions on fluents, negations, collections and all
conditions that mention the variable of the time-point wait for it, and so do conditions that use their variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from holdsfor.analysis.safety import binds_time, bound_by
from holdsfor.syntax.rules import Collect, Condition, Either, Holds, Not, condition_variables

__all__ = ["time_first", "without_time"]


def time_first(body: Sequence[Condition], time: str) -> list[Condition]:
    """The conditions in an order in which the time-point is bound before the conditions that need it."""
    says_when = [i for i, condition in enumerate(body) if binds_time((condition,))]
    for i in says_when:
        before, waiting = without_time(body[:i], time)
        if not waiting:
            return list(body)
        if not isinstance(body[i], Either):
            return [body[i], *body[:i], *body[i + 1 :]]
        if not _uses(body[i], waiting, time):
            return [*before, body[i], *waiting, *body[i + 1 :]]
    return _waiting_in_branches(body, says_when[0], time) if says_when else list(body)


def without_time(body: Sequence[Condition], time: str) -> tuple[list[Condition], list[Condition]]:
    """The conditions that can be evaluated without the time-point, and those that wait for it."""
    before, waiting = list[Condition](), list[Condition]()
    for condition in body:
        needs_time = isinstance(condition, Holds | Not | Collect | Either) or time in condition_variables(condition)
        is_waiting = needs_time or binds_time((condition,)) or _uses(condition, waiting, time)
        (waiting if is_waiting else before).append(condition)
    return before, waiting


def _uses(condition: Condition, others: Sequence[Condition], time: str) -> bool:
    """Whether a condition mentions variables that others bind."""
    bound = {name for other in others for name in bound_by(other)} - {time}
    return not bound.isdisjoint(condition_variables(condition))


def _waiting_in_branches(body: Sequence[Condition], position: int, time: str) -> list[Condition]:
    """The conditions after a disjunction that binds the time-point: the waiting ones move into each branch."""
    choice = body[position]
    assert isinstance(choice, Either), "only a disjunction uses variables that others bind"
    before, waiting = without_time(body[:position], time)
    branches = tuple((*waiting, *branch) for branch in choice.branches)
    return [*before, replace(choice, branches=branches), *body[position + 1 :]]
