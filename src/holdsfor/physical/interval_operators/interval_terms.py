"""Interval lists as terms `[(S,E),…]`, for predicates of the background knowledge."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.kernels.packing import OPEN
from holdsfor.syntax.printer import show
from holdsfor.syntax.source import Span
from holdsfor.syntax.terms import Atom, Int, Struct, Term, list_items, list_term

__all__ = ["intervals_of_term", "is_interval_list", "term_of_intervals"]


def term_of_intervals(intervals: Sequence[tuple[int, int]]) -> Term:
    """The list as the term `[(S,E),…]`, with `inf` for an open end."""
    return list_term(Struct(",", (Int(start), Atom("inf") if end == OPEN else Int(end))) for start, end in intervals)


def is_interval_list(term: Term) -> bool:
    """Whether a term is a list of pairs; `intervals_of_term` checks the pairs."""
    items, tail = list_items(term)
    return tail == Atom("[]") and all(isinstance(item, Struct) and item.name == "," for item in items)


def intervals_of_term(term: Term, span: Span | None) -> list[tuple[int, int]]:
    """The intervals that a term `[(S,E),…]` denotes."""
    found: list[tuple[int, int]] = []
    for item in list_items(term)[0]:
        match item:
            case Struct(name=",", args=(Int(start), Int(end))):
                found.append((start, end))
            case Struct(name=",", args=(Int(start), Atom("inf"))):
                found.append((start, OPEN))
            case _:
                message = f"expected an interval `(S,E)`, found `{show(item)}`"
                hint = "intervals are pairs of integers, the second may be `inf`"
                raise ExecutionProblem(Diagnostic("HF609", message, span, hint))
    return found
