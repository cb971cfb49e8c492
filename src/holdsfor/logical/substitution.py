"""Conditions and interval steps with variables replaced."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from holdsfor.syntax.rules import (
    Collect,
    Condition,
    Duration,
    Either,
    Ends,
    Fvp,
    Happens,
    Holds,
    HoldsFor,
    Initiated,
    IntervalCall,
    IntervalStep,
    Not,
    Starts,
    Terminated,
    Test,
)
from holdsfor.syntax.terms import Term, substitute

__all__ = ["bind_body", "bind_fvp", "bind_step"]

Binding = dict[str, Term]
_OnFvp = TypeVar("_OnFvp", bound=Starts | Ends | Holds | Initiated | Terminated | HoldsFor)


def bind_fvp(fvp: Fvp, binding: Binding) -> Fvp:
    return Fvp(substitute(fvp.fluent, binding), substitute(fvp.value, binding), fvp.span)


def bind_body(body: tuple[Condition, ...], binding: Binding) -> tuple[Condition, ...]:
    """The conditions with each variable of the binding replaced, including negations and collections."""
    return tuple(_bind_condition(condition, binding) for condition in body)


def _bind_condition(condition: Condition, binding: Binding) -> Condition:
    match condition:
        case Happens(event):
            return Happens(substitute(event, binding), condition.span)
        case Test(goal):
            return Test(substitute(goal, binding), condition.span)
        case Not(body):
            return Not(bind_body(body, binding), condition.span)
        case Either(branches):
            return Either(tuple(bind_body(branch, binding) for branch in branches), condition.span)
        case Collect(template, body, result):
            return replace(
                condition,
                template=substitute(template, binding),
                body=bind_body(body, binding),
                result=substitute(result, binding),
            )
    return _on_fvp(condition, binding)


def _on_fvp(condition: _OnFvp, binding: Binding) -> _OnFvp:
    return replace(condition, fvp=bind_fvp(condition.fvp, binding))


def bind_step(step: IntervalStep, binding: Binding) -> IntervalStep:
    """A step of an interval rule with each variable of the binding replaced; lists keep their names."""
    match step:
        case HoldsFor():
            return _on_fvp(step, binding)
        case Duration(bound=bound):
            return replace(step, bound=substitute(bound, binding))
        case IntervalCall(goal):
            return replace(step, goal=substitute(goal, binding))
        case Test() | Not():
            bound_step = _bind_condition(step, binding)
            assert isinstance(bound_step, Test | Not)
            return bound_step
    return step
