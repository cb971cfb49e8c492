"""Answers as text: one line each, or one line per variable at the prompt."""

from __future__ import annotations

from collections.abc import Mapping

from holdsfor.syntax.operators import Operators
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Struct, Term, Var, list_items

__all__ = ["answer_line", "answer_lines", "is_abbreviated"]

_OPERATORS = Operators()
_TIGHT = 700
_MANY = 20
"""The number of list items that the prompt shows before the rest is counted."""


def answer_line(answer: Mapping[str, Term]) -> str:
    """An answer as one line.

    >>> from holdsfor.syntax.parser import parse_term as term
    >>> answer_line({"F": term("happy(chris)=true"), "I": term("[(14,22)]")})
    'F = (happy(chris)=true), I = [(14,22)]'
    >>> answer_line({})
    'true'
    """
    return ", ".join(_bindings(answer, is_whole=True)) or "true"


def answer_lines(answer: Mapping[str, Term], *, is_whole: bool = False) -> str:
    """An answer with one line for each variable. A long list ends with the number of its further items."""
    return ",\n".join(_bindings(answer, is_whole=is_whole)) or "true"


def is_abbreviated(answer: Mapping[str, Term]) -> bool:
    """Whether `answer_lines` leaves out items of a list."""
    return any(len(list_items(term)[0]) > _MANY for term in answer.values())


def _bindings(answer: Mapping[str, Term], *, is_whole: bool) -> list[str]:
    bound = {name: term for name, term in answer.items() if not isinstance(term, Var)}
    return [f"{name} = {_shown(term, is_whole=is_whole)}" for name, term in bound.items()]


def _shown(term: Term, *, is_whole: bool) -> str:
    items, _ = list_items(term)
    if len(items) > _MANY and not is_whole:
        first = ",".join(_operand(item) for item in items[:_MANY])
        return f"[{first},… {len(items) - _MANY:,} more]"
    return _operand(term)


def _operand(term: Term) -> str:
    """A term in brackets if it is an operator that binds as loosely as `=`."""
    operator = _OPERATORS.infix.get(term.name) if isinstance(term, Struct) and len(term.args) == 2 else None
    text = show(term)
    return f"({text})" if operator is not None and operator.priority >= _TIGHT and not text.startswith("(") else text
