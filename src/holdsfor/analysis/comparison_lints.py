"""Warn about comparisons of terms where numbers are meant, and about arithmetic that has no value."""

from __future__ import annotations

from collections.abc import Iterator

from holdsfor.analysis.draft import Draft
from holdsfor.errors import did_you_mean
from holdsfor.prolog.functions import CONSTANTS, FUNCTIONS
from holdsfor.syntax.durations import DURATIONS
from holdsfor.syntax.printer import show, show_indicator
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term, name_and_arity

__all__ = ["compared_numbers", "unknown_functions"]

_INSTEAD = {"==": "=:=", "\\==": "=\\="}
_LIST = "[|]"
_ARITHMETIC = {"<": 0, ">": 0, "=<": 0, ">=": 0, "=:=": 0, "=\\=": 0, "is": 1}
"""Goals of two arguments, and the first of these that is an expression."""


def compared_numbers(draft: Draft) -> None:
    """`==` and `\\==` with a number or an arithmetic expression on one side."""
    for goal in _structures(draft):
        if goal.name in _INSTEAD and len(goal.args) == 2 and any(map(_is_number, goal.args)):
            message = f"`{show(goal)}` compares terms, not numbers: `60 == 60.0` is false"
            draft.diagnostics.add("HF313", message, goal.span, f"write `{_INSTEAD[goal.name]}` to compare numbers")


def unknown_functions(draft: Draft) -> None:
    """Expressions with a function or a constant that arithmetic does not have: `sqroot(X) > 3`."""
    for goal in _structures(draft):
        first = _ARITHMETIC.get(goal.name) if len(goal.args) == 2 else None
        stack = [] if first is None else list(goal.args[first:])
        while stack:
            here = stack.pop()
            if isinstance(here, Struct) and name_and_arity(here) in FUNCTIONS:
                stack.extend(reversed(here.args))
            elif isinstance(here, Struct) and here.name != _LIST:
                _report(draft, here, show_indicator(*name_and_arity(here)), [name for name, _ in FUNCTIONS])
            elif isinstance(here, Atom) and here.name not in CONSTANTS and here.name not in DURATIONS:
                _report(draft, here, show(here), [*CONSTANTS, *DURATIONS])


def _report(draft: Draft, term: Atom | Struct, shown: str, known: list[str]) -> None:
    message = f"arithmetic has no {'function' if isinstance(term, Struct) else 'constant'} `{shown}`"
    arities = sorted(n for name, n in FUNCTIONS if name == term.name)
    hint = f"`{term.name}` has {' or '.join(map(str, arities))} argument{'' if arities == [1] else 's'}"
    draft.diagnostics.add("HF315", message, term.span, hint if arities else did_you_mean(term.name, known))


def _structures(draft: Draft) -> Iterator[Struct]:
    """The structures in the bodies of all clauses, in order."""
    for clause in draft.clauses:
        stack: list[Term] = [] if clause.body is None else [clause.body]
        while stack:
            here = stack.pop()
            if isinstance(here, Struct):
                yield here
                stack.extend(reversed(here.args))


def _is_number(term: Term) -> bool:
    return isinstance(term, Int | Float) or (isinstance(term, Struct) and name_and_arity(term) in FUNCTIONS)
