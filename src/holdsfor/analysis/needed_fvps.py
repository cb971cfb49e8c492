"""The FVPs that must hold somewhere if a `holdsFor` rule is to have a result, as conditions on its variables."""

from __future__ import annotations

from holdsfor.syntax.rules import (
    Allen,
    Condition,
    Duration,
    Either,
    Holds,
    HoldsFor,
    Intersect,
    IntervalRule,
    IntervalStep,
    RelativeComplement,
    Union,
    step_lists,
)
from holdsfor.syntax.terms import Term, Var

__all__ = ["needed_fvps"]


def needed_fvps(rule: IntervalRule) -> tuple[Condition, ...]:
    """Conditions that hold of every instance of the rule with a result: all for an intersection, one for a union.

    >>> from holdsfor.analysis.pipeline import compile_text
    >>> from holdsfor.syntax.rules import show_condition
    >>> both = "holdsFor(c(X)=true, I) :- holdsFor(a(X)=true, J), holdsFor(b(X)=true, K), intersect_all([J,K], I)."
    >>> [show_condition(each) for each in needed_fvps(compile_text(both).description.interval_rules[0])]
    ['holdsAt(a(X)=true, T)', 'holdsAt(b(X)=true, T)']
    """
    steps = {name: step for step in rule.body for name in step_lists(step)[1]}
    return _needed(rule.result, steps)


def _needed(intervals: Term, steps: dict[str, IntervalStep]) -> tuple[Condition, ...]:
    step = steps.get(intervals.name) if isinstance(intervals, Var) else None
    match step:
        case HoldsFor(fvp):
            return (Holds(fvp),)
        case Union(lists):
            return (Either(tuple(_needed(each, steps) for each in lists)),) if lists else ()
        case Intersect(lists):
            return tuple(condition for each in lists for condition in _needed(each, steps))
        case RelativeComplement(base):
            return _needed(base, steps)
        case Duration(intervals=operand):
            return _needed(operand, steps)
        case Allen(source=source, target=target):
            return (*_needed(source, steps), *_needed(target, steps))
    return ()
