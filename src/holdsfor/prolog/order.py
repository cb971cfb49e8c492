"""The standard order of terms: variables < numbers < atoms < structures.

Numbers are compared by value, a float before the integer it equals (and `nan` before all); structures by arity, then
name, then arguments from the left. Two variables compare in a fixed but arbitrary order; when a list is sorted, in the
order of their first occurrence in the list.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import total_ordering
from itertools import repeat
from operator import itemgetter
from typing import Any, TypeVar

from holdsfor.prolog.unify import MAX_PAIRS, Ref, cyclic, deref, resolve
from holdsfor.syntax.terms import Atom, Float, Int, Str, Struct, Term, Var

__all__ = ["compare", "same", "sort_terms", "sort_unique", "standard_order_key"]

T = TypeVar("T")


def standard_order_key(term: Term) -> tuple[Any, ...]:
    """A key that sorts terms in standard order.

    >>> from holdsfor.syntax.parser import parse_term
    >>> terms = [parse_term(text) for text in ("f(a)", "b", "1", "1.0")]
    >>> sorted(terms, key=standard_order_key)
    [Float(value=1.0), Int(value=1), Atom(name='b'), Struct(f(a))]
    """
    term = deref(term)
    match term:
        case Atom():
            return 2, term.name
        case Int():
            return 1, term.value, 1
        case Float():
            return (1, -math.inf, -1) if math.isnan(term.value) else (1, term.value, 0)
        case Struct():
            return 4, len(term.args), term.name, _Arguments(term)
        case Ref():
            return 0, 1, term.stamp, id(term)
        case Var():
            return 0, 0, term.name
        case Str():
            return 3, term.value


@total_ordering
class _Arguments:
    """The arguments of a structure, ordered like the structures of their name and arity."""

    __slots__ = ("struct",)

    def __init__(self, struct: Struct) -> None:
        self.struct = struct

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Arguments) and compare(self.struct, other.struct) == 0

    def __lt__(self, other: _Arguments) -> bool:
        return compare(self.struct, other.struct) < 0


def compare(left: Term, right: Term) -> int:
    """-1, 0 or 1: the standard order of the terms."""
    pairs = [(left, right)]
    for _ in repeat(None, MAX_PAIRS):
        if not pairs:
            return 0
        left, right = pairs.pop()
        left, right = deref(left), deref(right)
        if left is right:
            continue
        if type(left) is Struct and type(right) is Struct:
            sign = _sign((len(left.args), left.name), (len(right.args), right.name))
            pairs.extend(zip(reversed(left.args), reversed(right.args), strict=False))
        else:
            sign = _sign(standard_order_key(left), standard_order_key(right))
        if sign:
            return sign
    raise cyclic()


def _sign(left: tuple[Any, ...], right: tuple[Any, ...]) -> int:
    return (left > right) - (left < right)


def same(left: Term, right: Term) -> bool:
    """Whether the terms are identical (`==`).

    >>> from holdsfor.syntax.terms import Atom, Int
    >>> same(Int(1), Int(1)), same(Int(1), Float(1.0))
    (True, False)
    """
    left, right = deref(left), deref(right)
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    return compare(left, right) == 0


def sort_terms(terms: Iterable[T], key: Callable[[T], Term], *, reverse: bool = False, unique: bool = False) -> list[T]:
    """The terms sorted by the standard order of their keys, stable; with `unique`, the first term of every key."""
    order_key = _key_by_occurrence()
    keyed = sorted([(order_key(key(term)), term) for term in terms], key=itemgetter(0), reverse=reverse)
    if unique:
        keyed = [pair for n, pair in enumerate(keyed) if n == 0 or keyed[n - 1][0] != pair[0]]
    return [term for _, term in keyed]


def _key_by_occurrence() -> Callable[[Term], tuple[Any, ...]]:
    """A key that sorts variables by their first occurrence in the terms that it is called with."""
    names: dict[Ref, Var] = {}

    def named(ref: Ref) -> Var:
        if ref not in names:
            names[ref] = Var(f"{len(names):012}")
        return names[ref]

    return lambda term: standard_order_key(resolve(term, named))


def sort_unique(terms: Iterable[Term]) -> list[Term]:
    """The terms in standard order, each once."""
    return sort_terms(terms, lambda term: term, unique=True)
