"""A case of the specification: the smallest program and stream that notice when a sentence does not hold."""

from __future__ import annotations

from dataclasses import dataclass

from tests.oracle.answer import Answer
from tests.oracle.questions import ENGINES, Question

__all__ = ["REFUSED", "Case", "case", "refused"]

REFUSED = "refused"


@dataclass(frozen=True)
class Case:
    """The subject of a sentence, a question, and the answer written by hand."""

    name: str
    question: Question
    expected: Answer | str
    engines: tuple[str, ...] = tuple(ENGINES)


def case(
    name: str,
    text: str,
    records: str,
    expected: Answer,
    *,
    start: int = 0,
    end: int = 30,
    tick: int = 1,
    memory: int | None = None,
    window: int | None = None,
    step: int | None = None,
    engines: tuple[str, ...] = tuple(ENGINES),
) -> Case:
    """A case; `records` has one record a line."""
    lines = tuple(line.strip() for line in records.splitlines() if line.strip())
    step = window if step is None else step
    question = Question(text, lines, end, start, tick, memory, window, step)
    return Case(name, question, dict(sorted(expected.items())), engines)


def refused(name: str, text: str, *, engines: tuple[str, ...] = ("reference", "batch", "windows")) -> Case:
    """A case that the engines refuse."""
    return Case(name, Question(text, (), 30), REFUSED, engines)
