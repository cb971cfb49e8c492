"""Warn about comparisons of terms where numbers are meant: `Speed == 50` is false for 50.0."""

from __future__ import annotations

from holdsfor.analysis.draft import Draft
from holdsfor.prolog.functions import FUNCTIONS
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Float, Int, Struct, Term, name_and_arity

__all__ = ["compared_numbers"]

_INSTEAD = {"==": "=:=", "\\==": "=\\="}


def compared_numbers(draft: Draft) -> None:
    """`==` and `\\==` with a number or an arithmetic expression on one side."""
    for clause in draft.clauses:
        stack: list[Term] = [] if clause.body is None else [clause.body]
        while stack:
            goal = stack.pop()
            if not isinstance(goal, Struct):
                continue
            if goal.name in _INSTEAD and len(goal.args) == 2 and any(map(_is_number, goal.args)):
                message = f"`{show(goal)}` compares terms, not numbers: `60 == 60.0` is false"
                draft.diagnostics.add("HF313", message, goal.span, f"write `{_INSTEAD[goal.name]}` to compare numbers")
            stack.extend(reversed(goal.args))


def _is_number(term: Term) -> bool:
    return isinstance(term, Int | Float) or (isinstance(term, Struct) and name_and_arity(term) in FUNCTIONS)
