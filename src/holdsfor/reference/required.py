"""The conditions of a `holdsFor` rule that must have intervals: otherwise the result of the rule is empty."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from holdsfor.syntax.rules import (
    Allen,
    Duration,
    HoldsFor,
    Intersect,
    IntervalCall,
    IntervalRule,
    IntervalStep,
    RelativeComplement,
    Union,
)
from holdsfor.syntax.terms import Term, Var

__all__ = ["required_literals"]

Required = frozenset[HoldsFor]
_NONE: Required = frozenset()


def required_literals(rule: IntervalRule) -> Required:
    """The literals of a rule that must have intervals; empty if the rule calls a predicate on lists.

    Such a predicate may fail or report an error for an empty list, too.
    """
    if any(isinstance(step, IntervalCall) for step in rule.body):
        return _NONE
    lists: dict[str, Required] = {}
    for step in rule.body:
        result = getattr(step, "result", None)
        if isinstance(result, Var):
            lists[result.name] = _required_by(step, lists)
    return _required(rule.result, lists)


def _required_by(step: IntervalStep, lists: Mapping[str, Required]) -> Required:
    match step:
        case HoldsFor():
            return frozenset([step])
        case Intersect(operands):
            return _NONE.union(*_each(operands, lists))
        case Union(operands):
            return frozenset.intersection(*_each(operands, lists)) if operands else _NONE
        case RelativeComplement(base):
            return _required(base, lists)
        case Duration(_, intervals):
            return _required(intervals, lists)
        case Allen(_, source, target):
            return _required(source, lists) | _required(target, lists)
        case _:
            return _NONE


def _each(operands: Iterable[Term], lists: Mapping[str, Required]) -> list[Required]:
    return [_required(operand, lists) for operand in operands]


def _required(operand: Term, lists: Mapping[str, Required]) -> Required:
    return lists.get(operand.name, _NONE) if isinstance(operand, Var) else _NONE
