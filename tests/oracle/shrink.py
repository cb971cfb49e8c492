"""The smallest program and stream that still show a difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tests.oracle.questions import Question

__all__ = ["shrunk"]

_DECLARATIONS = ("collectIntervals", "points")


def shrunk(question: Question, fails: Callable[[Question], bool]) -> Question:
    """The question with as few clauses, conditions and records as it needs to fail."""
    before = None
    while before != question:
        before = question
        lines = _fewest(question.lines, lambda kept: fails(replace(question, lines=tuple(kept))))  # noqa: B023
        question = replace(question, lines=tuple(lines))
        clauses = question.text.splitlines()
        shape = [clause for clause in clauses if clause.startswith(_DECLARATIONS)]
        rest = [clause for clause in clauses if clause not in shape]
        rest = _fewest(rest, lambda kept: fails(replace(question, text=_text([*shape, *kept]))))  # noqa: B023
        question = replace(question, text=_text([*shape, *rest]))
        question = _shorter_bodies(question, fails)
    return question


def _text(clauses: Sequence[str]) -> str:
    return "".join(f"{clause}\n" for clause in clauses)


def _fewest(items: Sequence[str], fails: Callable[[list[str]], bool]) -> list[str]:
    kept = list(items)
    for item in items:
        fewer = list(kept)
        fewer.remove(item)
        if fails(fewer):
            kept = fewer
    return kept


def _shorter_bodies(question: Question, fails: Callable[[Question], bool]) -> Question:
    clauses = question.text.splitlines()
    for i, clause in enumerate(clauses):
        head, arrow, body = clause.removesuffix(".").partition(" :- ")
        conditions = _split(body) if arrow else []
        for condition in list(conditions):
            fewer = [one for one in conditions if one is not condition]
            if not fewer:
                continue
            shorter = [*clauses[:i], f"{head} :- {', '.join(fewer)}.", *clauses[i + 1 :]]
            if fails(replace(question, text=_text(shorter))):
                clauses, conditions = shorter, fewer
    return replace(question, text=_text(clauses))


def _split(body: str) -> list[str]:
    """The conditions of a body, at its outermost commas."""
    found, depth, begin = list[str](), 0, 0
    for at, letter in enumerate(body):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            found.append(body[begin:at].strip())
            begin = at + 1
    return [*found, body[begin:].strip()]
