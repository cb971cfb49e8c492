"""Unification and arithmetic of the oracle.

The oracle shares only the parser with the project. Double-quoted text becomes an atom here, because it is the same
constant.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from holdsfor.syntax.terms import Atom, Float, Int, Str, Struct, Term, Var, list_items, list_term

__all__ = [
    "Binding",
    "NoResult",
    "Refused",
    "Unbound",
    "compute",
    "free_names",
    "free_variables",
    "ground",
    "in_order",
    "key_of",
    "names_in",
    "plain",
    "rename",
    "resolve",
    "to_list",
    "unify",
    "value_if_any",
]

Binding: TypeAlias = dict[str, Term]


class Unbound(Exception):
    """A goal needs a variable that is not bound yet; another goal may bind it."""


class NoResult(Exception):
    """A condition has no result for its values: it is not satisfied."""


class Refused(Exception):
    """The oracle has no meaning for the program."""


def plain(term: Term) -> Term:
    """The term with double-quoted text as atoms, without places in the source."""
    if isinstance(term, Str):
        return Atom(term.value)
    if isinstance(term, Struct):
        return Struct(term.name, tuple(plain(arg) for arg in term.args))
    return term


def key_of(term: Term) -> tuple[str, int]:
    """Name and arity of an atom or a structure."""
    if isinstance(term, Struct):
        return term.name, len(term.args)
    if isinstance(term, Atom):
        return term.name, 0
    raise Refused(f"{term!r} has no name")


def names_in(*terms: Term) -> set[str]:
    """The names of the variables in the terms."""
    found: set[str] = set()
    for term in terms:
        if isinstance(term, Var):
            found.add(term.name)
        elif isinstance(term, Struct):
            found |= names_in(*term.args)
    return found


def in_order(term: Term) -> list[str]:
    """The names of the variables in a term, in the order in which they stand."""
    parts = [in_order(arg) for arg in term.args] if isinstance(term, Struct) else []
    return [term.name] if isinstance(term, Var) else list(dict.fromkeys(name for part in parts for name in part))


def walk(term: Term, binding: Binding) -> Term:
    while isinstance(term, Var) and term.name in binding:
        term = binding[term.name]
    return term


def resolve(term: Term, binding: Binding) -> Term:
    """The term with all that is bound put in."""
    term = walk(term, binding)
    if isinstance(term, Struct):
        return Struct(term.name, tuple(resolve(arg, binding) for arg in term.args))
    return term


def free_names(term: Term, binding: Binding) -> set[str]:
    return names_in(resolve(term, binding))


def free_variables(names: set[str], binding: Binding) -> set[str]:
    """The unbound variables among some variables."""
    return set().union(*(free_names(Var(name), binding) for name in names)) if names else set()


def ground(term: Term, binding: Binding) -> bool:
    return not free_names(term, binding)


def unify(left: Term, right: Term, binding: Binding) -> Binding | None:
    """The binding that makes both terms the same, or None."""
    left, right = walk(left, binding), walk(right, binding)
    if isinstance(left, Var):
        return binding if left == right else {**binding, left.name: right}
    if isinstance(right, Var):
        return {**binding, right.name: left}
    if isinstance(left, Struct) and isinstance(right, Struct):
        if left.name != right.name or len(left.args) != len(right.args):
            return None
        found: Binding | None = binding
        for one, other in zip(left.args, right.args, strict=True):
            if found is not None:
                found = unify(one, other, found)
        return found
    return binding if left == right else None


def rename(term: Term, suffix: str) -> Term:
    if isinstance(term, Var):
        return Var(term.name + suffix)
    if isinstance(term, Struct):
        return Struct(term.name, tuple(rename(arg, suffix) for arg in term.args))
    return term


def to_list(term: Term, binding: Binding) -> list[Term]:
    """The items of a proper list."""
    items, tail = list_items(resolve(term, binding))
    if isinstance(tail, Var):
        raise Unbound
    return items


def _integer(value: int | float) -> int:
    if isinstance(value, float):
        raise NoResult("an integer is expected")
    return value


def _divide(x: int | float, y: int | float) -> int | float:
    if isinstance(x, int) and isinstance(y, int) and x % y == 0:
        return x // y
    return x / y


def _round(x: int | float) -> int:
    return x if isinstance(x, int) else int(math.copysign(math.floor(abs(x) + 0.5), x))


def compute(term: Term, binding: Binding) -> int | float:
    """The value of an arithmetic expression; `NoResult` if it has none."""
    term = walk(term, binding)
    if isinstance(term, Var):
        raise Unbound
    if isinstance(term, Int | Float):
        return term.value
    if not isinstance(term, Struct):
        raise NoResult(f"{term!r} is no number")
    values = [compute(arg, binding) for arg in term.args]
    try:
        return _of_one(term.name, values[0]) if len(values) == 1 else _of_two(term.name, *values)
    except (ValueError, ZeroDivisionError, OverflowError) as problem:
        raise NoResult(str(problem)) from None


def value_if_any(term: Term, binding: Binding) -> int | float | None:
    """The value of an arithmetic expression, if it has one."""
    try:
        return compute(term, binding)
    except NoResult:
        return None


def _of_one(name: str, x: int | float) -> int | float:
    match name:
        case "-":
            return -x
        case "+":
            return x
        case "abs":
            return abs(x)
        case "sqrt":
            return math.sqrt(x)
        case "floor":
            return math.floor(x)
        case "ceiling":
            return math.ceil(x)
        case "truncate" | "integer" if name == "truncate":
            return math.trunc(x)
        case "round":
            return _round(x)
    raise Refused(f"arithmetic {name}/1")


def _of_two(name: str, x: int | float, y: int | float) -> int | float:
    match name:
        case "+":
            return x + y
        case "-":
            return x - y
        case "*":
            return x * y
        case "/":
            return _divide(x, y)
        case "//":
            quotient = abs(_integer(x)) // abs(_integer(y))
            return quotient if (x < 0) == (y < 0) else -quotient
        case "mod":
            return _integer(x) % _integer(y)
        case "min":
            return y if y < x else x
        case "max":
            return y if y > x else x
    raise Refused(f"arithmetic {name}/2")


def as_number(value: int | float) -> Term:
    return Float(value) if isinstance(value, float) else Int(value)


def as_list(items: list[Term]) -> Term:
    return list_term(items)
