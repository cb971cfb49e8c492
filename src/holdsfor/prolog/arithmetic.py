"""Evaluate arithmetic: of terms, and of expressions in clauses, which are compiled once and evaluated at every call.

>>> from holdsfor.syntax.parser import parse_term
>>> evaluate(parse_term("7 / 2 + 2 ** 3"))
Float(value=11.5)
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from holdsfor.errors import did_you_mean
from holdsfor.prolog.functions import CONSTANTS, FUNCTIONS, Number
from holdsfor.prolog.problems import GoalProblem, located, needs_bound, not_a
from holdsfor.prolog.unify import MAX_PAIRS, cyclic, deref
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term, Var

__all__ = ["COMPARISONS", "Expression", "compile_expression", "evaluate", "number_term", "value_of"]

_WORD = re.compile(r"[a-z]\w*\Z", re.ASCII)
"""A name as written in a rule; other names come from data."""

Slots: TypeAlias = list[Any]
Expression: TypeAlias = Callable[[Slots], Number]

COMPARISONS: dict[str, Callable[[Number, Number], bool]] = {
    "=:=": operator.eq,
    "=\\=": operator.ne,
    "<": operator.lt,
    "=<": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_DEEPEST_COMPILED = 30
_SMALL = tuple(Int(value) for value in range(1025))


def number_term(value: Number) -> Int | Float:
    """The number as a term."""
    if type(value) is int:
        return _SMALL[value] if 0 <= value <= 1024 else Int(value)
    return Float(value)


def evaluate(expression: Term) -> Int | Float:
    """The value of an arithmetic expression; an `ExecutionProblem` if it has none."""
    try:
        return number_term(value_of(expression))
    except GoalProblem as problem:
        raise located(problem, expression, None) from None


def value_of(term: Term) -> Number:
    """The value of an expression; a `GoalProblem` if it has none. Does not recurse."""
    term = deref(term)
    if type(term) is not Struct:
        return _leaf(term)
    values: list[Number] = []
    work: list[Term | tuple[Callable[..., Number], int]] = [term]
    budget = MAX_PAIRS
    while work:
        here = work.pop()
        budget -= 1
        if budget < 0:
            raise cyclic()
        if isinstance(here, tuple):
            function, arity = here
            values[-arity:] = [function(*values[-arity:])]
        elif isinstance(here := deref(here), Struct):
            work.extend(_opened(here))
        else:
            values.append(_leaf(here))
    return values[0]


def _opened(term: Struct) -> list[Term | tuple[Callable[..., Number], int]]:
    """The pending work of an application: its function below its arguments."""
    if term.name == "[|]" and len(term.args) == 2 and deref(term.args[1]) == Atom("[]"):
        return [term.args[0]]
    return [(_function(term), len(term.args)), *reversed(term.args)]


def _function(term: Struct) -> Callable[..., Number]:
    function = FUNCTIONS.get((term.name, len(term.args)))
    if function is None:
        raise _unknown(term.name, len(term.args))
    return function


def _unknown(name: str, arity: int) -> GoalProblem:
    known = [n for n, _ in FUNCTIONS] + list(CONSTANTS)
    hint = did_you_mean(name, known)
    if arity == 0:
        field = "if it is a field of a record, test for it before the arithmetic, with `number(X)` or `X \\= unknown`"
        near = hint if _WORD.match(name) else None
        return GoalProblem("HF603", f"expected a number, found `{name}`", near or field)
    return GoalProblem("HF603", f"`{name}/{arity}` is not an arithmetic function", hint)


def _leaf(term: Term) -> Number:
    match term:
        case Int() | Float():
            return term.value
        case Var():
            raise needs_bound("a variable of an arithmetic expression")
        case Atom():
            if term.name not in CONSTANTS:
                raise _unknown(term.name, 0)
            return CONSTANTS[term.name]
        case _:
            raise not_a("a number", term)


class ExpressionScope(Protocol):
    """The positions of the values of a clause's variables."""

    def slot_of(self, variable: Var) -> int: ...

    def builder(self, term: Term) -> Callable[[Slots], Term]: ...


def compile_expression(term: Term, scope: ExpressionScope, depth: int = 0) -> Expression:
    """A function from the slots of a clause to the value of the expression.

    An invalid expression is reported when it is run.
    """
    match term:
        case Int() | Float():
            value = term.value
            return lambda slots: value
        case Struct() if depth < _DEEPEST_COMPILED and (term.name, len(term.args)) in FUNCTIONS:
            args = [compile_expression(arg, scope, depth + 1) for arg in term.args]
            return _application(term.name, args)
        case Var() if type(term) is Var:
            return _variable(scope.slot_of(term))
        case _:
            build = scope.builder(term)
            return lambda slots: value_of(build(slots))


def _variable(slot: int) -> Expression:
    def value(slots: Slots) -> Number:
        term: Term = slots[slot]
        return term.value if type(term) is Int else value_of(term)

    return value


_UNCHECKED_ON_INTEGERS: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub}


def _application(name: str, args: list[Expression]) -> Expression:
    function = FUNCTIONS[name, len(args)]
    if len(args) == 1:
        (only,) = args
        return lambda slots: function(only(slots))
    left, right = args
    quick = _UNCHECKED_ON_INTEGERS.get(name)
    if quick is None:
        return lambda slots: function(left(slots), right(slots))

    def quickly(slots: Slots) -> Number:
        a, b = left(slots), right(slots)
        return quick(a, b) if type(a) is int and type(b) is int else function(a, b)

    return quickly
