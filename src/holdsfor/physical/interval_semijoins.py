"""Semijoins in plans of interval rules: lists are repeated only for instances that affect the result.

In `intersect_all([near(A,B), union_all([slow(A), slow(B)])])` both lists of the union are repeated for all pairs. The
intersection is empty for every pair that is never near, so the pairs of `near` are enough. An operand of an
intersection is needed only for instances of the other operands, and a subtracted list only for instances of the base.

Operators with state (durations, relations, complements) need all instances of their inputs, because an instance that
does not affect the result now may affect a later window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from holdsfor.physical.interval_operators.call_predicate import CallPredicate
from holdsfor.physical.interval_operators.intersect_intervals import IntersectIntervals
from holdsfor.physical.interval_operators.operator import IntervalOperator, IntervalPlan
from holdsfor.physical.interval_operators.repeat_intervals import RepeatIntervals
from holdsfor.physical.interval_operators.subtract_intervals import SubtractIntervals
from holdsfor.physical.interval_operators.union_intervals import UnionIntervals

__all__ = ["with_semijoins"]


def with_semijoins(operators: Sequence[IntervalOperator], result: str) -> IntervalPlan:
    """The plan in which lists are repeated only for the instances of a list that restricts the result.

    Plans that call predicates over lists stay as they are, because the order of calls matters.
    """
    if any(isinstance(operator, CallPredicate) for operator in operators):
        return tuple(operators)
    made = {operator.output: operator for operator in operators}
    restrictions = _restrictions(operators, made, result)
    changed = [
        replace(each, restriction=restrictions[each.output])
        if isinstance(each, RepeatIntervals) and restrictions.get(each.output)
        else each
        for each in operators
    ]
    return tuple(_in_order(changed))


def _restrictions(
    operators: Sequence[IntervalOperator], made: dict[str, IntervalOperator], result: str
) -> dict[str, str | None]:
    """For every list the list outside of whose instances it does not matter, if there is one."""
    found: dict[str, str | None] = {result: None}
    for operator in reversed(operators):
        for name, restriction in _demands(operator, found.get(operator.output), made):
            if name in found and found[name] != restriction:
                restriction = None
            found[name] = restriction
    return found


def _demands(
    operator: IntervalOperator, own: str | None, made: dict[str, IntervalOperator]
) -> Iterator[tuple[str, str | None]]:
    """The inputs of an operator, each with a list outside of whose instances it does not matter."""
    for name in operator.inputs:
        match operator:
            case IntersectIntervals(lists=lists):
                siblings = [each for each in lists if each != name and _may_restrict(each, name, made)]
                yield name, siblings[0] if siblings else _fitting(own, name, made)
            case SubtractIntervals(base=base) if name != base and _may_restrict(base, name, made):
                yield name, base
            case UnionIntervals() | SubtractIntervals():
                yield name, _fitting(own, name, made)
            case _:
                yield name, None


def _fitting(restriction: str | None, name: str, made: dict[str, IntervalOperator]) -> str | None:
    return restriction if restriction is not None and _may_restrict(restriction, name, made) else None


def _may_restrict(one: str, other: str, made: dict[str, IntervalOperator]) -> bool:
    """Whether a list has all variables of another one, is not repeated itself, and is made without the other."""
    needed = set(_needed(one, made))
    is_repeated = any(isinstance(made[name], RepeatIntervals) for name in needed if name in made)
    return set(made[one].names) >= set(made[other].names) and other not in needed and not is_repeated


def _needed(name: str, made: dict[str, IntervalOperator]) -> Iterator[str]:
    """A list and all lists that it is made of."""
    yield name
    for each in made[name].inputs if name in made else ():
        yield from _needed(each, made)


def _in_order(operators: Sequence[IntervalOperator]) -> Iterator[IntervalOperator]:
    """The operators, each after the operators that make its inputs; otherwise their order."""
    waiting, known = list(operators), set[str]()
    while waiting:
        ready = next(each for each in waiting if known.issuperset(each.inputs))
        waiting.remove(ready)
        known.add(ready.output)
        yield ready
