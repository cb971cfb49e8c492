"""One question, answered by the oracle, the reference evaluator and the columnar engine, in one query and in windows.

An answer maps every output event and every FVP that rules define to time-points or intervals (`None` for an open end).
Intervals that begin after the last time-point of the run are left out: a run does not reach them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import holdsfor as hf
from holdsfor.analysis.pipeline import Compiled, compile_text
from holdsfor.errors import HoldsforError
from holdsfor.reference import INF, History, RunBounds, recognise
from holdsfor.sources.text_records import Reading, read_text_records
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term
from tests.oracle.answer import Answer, oracle_answer
from tests.oracle.intervals import Line
from tests.oracle.terms import plain

__all__ = ["ENGINES", "Question", "ask", "in_windows", "named_answer", "of_oracle"]


@dataclass(frozen=True)
class Question:
    """A program, its records and the run."""

    text: str
    lines: tuple[str, ...]
    end: int
    start: int = 0
    tick: int = 1
    memory: int | None = None
    window: int | None = None
    step: int | None = None

    @property
    def line(self) -> Line:
        return Line(self.start, self.end, self.tick)


def of_oracle(question: Question) -> Answer:
    return _within(question, oracle_answer(question.text, list(question.lines), question.line, question.memory))


def _of_windowed_oracle(question: Question) -> Answer:
    """The answer of the oracle for the records that windows admit."""
    if question.window is None or question.step is None:
        return of_oracle(question)
    window = question.window, question.step
    memory = question.window if question.memory is None else question.memory
    return _within(question, oracle_answer(question.text, list(question.lines), question.line, memory, window))


def _of_reference(question: Question) -> Answer:
    compiled = compile_text(question.text)
    reading = Reading()
    read_text_records(list(question.lines), "records", compiled.names, question.tick, reading)
    reading.add_input_facts(compiled.names, question.tick)
    history = History(has_input_facts=True)
    for fact in reading.facts():
        if fact.value is None:
            history.add_event(fact.entity, fact.start)
        else:
            history.add_interval(fact.entity, fact.value, fact.start, fact.end)
    found = recognise(compiled, history, RunBounds(question.start, question.end, question.tick, question.memory))
    intervals = {
        fvp: [(start, None if end == INF else int(end)) for start, end in spans]
        for fvp, spans in found.intervals.items()
    }
    return named_answer(question, {event: list(times) for event, times in found.times.items()}, intervals)


def _of_batch(question: Question) -> Answer:
    return _of_engine(question, compile_text(question.text), window=None, step=None)


def in_windows(question: Question) -> Answer:
    """The answer of the engine when every query time is evaluated; windows of half the run if none are given."""
    window, step = question.window, question.step
    if window is None:
        half = max(1, (question.end - question.start) // (2 * question.tick)) * question.tick
        window = step = half
    return _of_engine(question, compile_text(question.text), window=window, step=step)


def _of_engine(question: Question, compiled: Compiled, window: int | None, step: int | None) -> Answer:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.txt"
        path.write_text("".join(f"{line}\n" for line in question.lines))
        memory = question.memory
        result = hf.recognise(
            compiled,
            path,
            start=question.start,
            end=question.end,
            tick=question.tick,
            window=window,
            step=step,
            allen_memory=memory,
            merge_windows=False,
        )
    return named_answer(question, result.times, result.intervals)


def named_answer(
    question: Question, times: dict[Term, list[int]], intervals: dict[Term, list[tuple[int, int | None]]]
) -> Answer:
    """The answer in words, within the run."""
    answer: Answer = {show(plain(event)): sorted(found) for event, found in times.items()}
    answer |= {show(plain(fvp)): sorted(found) for fvp, found in intervals.items()}
    return _within(question, answer)


def _within(question: Question, answer: Answer) -> Answer:
    last = question.line.last
    kept = {name: [one for one in found if _begin(one) <= last] for name, found in answer.items()}
    return {name: kept[name] for name in sorted(kept) if kept[name]}


def _begin(found: int | tuple[int, int | None]) -> int:
    return found if isinstance(found, int) else found[0]


ENGINES: dict[str, Callable[[Question], Answer]] = {
    "oracle": _of_windowed_oracle,
    "reference": _of_reference,
    "batch": _of_batch,
    "windows": in_windows,
}


def ask(engine: str, question: Question) -> Answer | str:
    """The answer of an engine, or the code of its refusal."""
    try:
        return ENGINES[engine](question)
    except HoldsforError as problem:
        return f"refused: {problem.diagnostics.in_order()[0]}"
