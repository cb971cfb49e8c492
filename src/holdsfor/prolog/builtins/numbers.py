"""Predicates on numbers."""

from __future__ import annotations

from itertools import count

from holdsfor.prolog.arithmetic import number_term
from holdsfor.prolog.problems import GoalProblem, not_a
from holdsfor.prolog.registry import Answers, Arguments, BuiltinContext, deterministic, enumerated
from holdsfor.prolog.unify import unify
from holdsfor.syntax.terms import Atom, Float, Int, Term, Var

__all__ = ["integer_value"]


def integer_value(term: Term) -> int:
    """The value of an integer; a `GoalProblem` for any other term."""
    if isinstance(term, Int):
        return term.value
    raise not_a("an integer", term)


@enumerated(("between", 3))
def _between(args: Arguments, run: BuiltinContext) -> Answers:
    low, high, value = integer_value(args[0]), _upper_bound(args[1]), args[2]
    if isinstance(value, Var):
        numbers = count(low) if high is None else range(low, high + 1)
        return ((args[0], args[1], number_term(number)) for number in numbers)
    found = integer_value(value)
    return iter([args] if low <= found and (high is None or found <= high) else [])


def _upper_bound(term: Term) -> int | None:
    """The bound; None for infinity."""
    if term in (Atom("inf"), Atom("infinite"), Float(float("inf"))):
        return None
    return integer_value(term)


@deterministic(("succ", 2))
def _succ(args: Arguments, run: BuiltinContext) -> bool:
    low, high = args
    if isinstance(low, Var):
        value = integer_value(high)
        if value < 0:
            raise GoalProblem("HF603", f"expected a natural number, found `{value}`")
        return value > 0 and unify(low, number_term(value - 1), run.trail)
    value = integer_value(low)
    if value < 0:
        raise GoalProblem("HF603", f"expected a natural number, found `{value}`")
    return unify(high, number_term(value + 1), run.trail)


@deterministic(("plus", 3))
def _plus(args: Arguments, run: BuiltinContext) -> bool:
    left, right, total = args
    if isinstance(total, Var):
        return unify(total, number_term(integer_value(left) + integer_value(right)), run.trail)
    if isinstance(right, Var):
        return unify(right, number_term(integer_value(total) - integer_value(left)), run.trail)
    return unify(left, number_term(integer_value(total) - integer_value(right)), run.trail)
