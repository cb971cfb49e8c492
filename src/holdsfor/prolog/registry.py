"""Built-in predicates written in Python, by name and arity.

A *deterministic* built-in receives the dereferenced arguments and the context of the run, binds its results and returns
whether it succeeds. An *enumerated* built-in returns rows, which the machine unifies with the arguments one after
another as if they were facts; it binds nothing and must not depend on bindings made after its call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Protocol, TypeAlias

from holdsfor.prolog.compiler import CONTROL, TESTS
from holdsfor.prolog.database import Database
from holdsfor.prolog.unify import Trail
from holdsfor.syntax.terms import Term

__all__ = [
    "DETERMINISTIC",
    "ENUMERATED",
    "Answers",
    "Arguments",
    "BuiltinContext",
    "builtin_keys",
    "deterministic",
    "enumerated",
    "is_builtin",
]

Arguments: TypeAlias = tuple[Term, ...]
Answers: TypeAlias = Iterator[tuple[Term, ...]]


class BuiltinContext(Protocol):
    """The part of the machine that a built-in may use."""

    database: Database
    trail: Trail

    def copy(self, term: Term) -> Term: ...


Deterministic: TypeAlias = Callable[[Arguments, BuiltinContext], bool]
Enumerated: TypeAlias = Callable[[Arguments, BuiltinContext], Answers]

DETERMINISTIC: dict[tuple[str, int], Deterministic] = {}
ENUMERATED: dict[tuple[str, int], Enumerated] = {}


def deterministic(*keys: tuple[str, int]) -> Callable[[Deterministic], Deterministic]:
    """Register a function as a deterministic built-in under names and arities."""

    def register(function: Deterministic) -> Deterministic:
        DETERMINISTIC.update(dict.fromkeys(keys, function))
        return function

    return register


def enumerated(*keys: tuple[str, int]) -> Callable[[Enumerated], Enumerated]:
    """Register a function as an enumerated built-in under names and arities."""

    def register(function: Enumerated) -> Enumerated:
        ENUMERATED.update(dict.fromkeys(keys, function))
        return function

    return register


@cache
def builtin_keys() -> frozenset[tuple[str, int]]:
    """Name and arity of all built-ins, except internal ones."""
    from holdsfor.prolog.library import library_predicates

    keys = {*library_predicates(), *CONTROL, *TESTS, *DETERMINISTIC, *ENUMERATED}
    return frozenset(key for key in keys if not key[0].startswith("$"))


def is_builtin(name: str, arity: int) -> bool:
    """Whether a predicate is built in.

    >>> is_builtin("member", 2), is_builtin("person", 1)
    (True, False)
    """
    return (name, arity) in builtin_keys()
