"""One case, answered by the reference evaluator, in one query, and in sliding windows.

An answer maps every FVP and output event, as text, to its intervals (`None` for an open end) or time-points. If it
`has_pending`, it also has the number of pending effects of each fluent, and the first due time. The answer of a run
that fails is the code of its problem.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.pending import Pending, merged_pending
from holdsfor.columns.query_times import QueryTimes
from holdsfor.errors import ExecutionProblem
from holdsfor.reference import INF, History, RunBounds, recognise
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.session import EngineSession, Incremental
from holdsfor.runtime.windows import settled_report
from holdsfor.sources.text_records import Fact, Reading, read_text_records
from holdsfor.syntax.printer import show
from tests.properties.compiling import compiled_once
from tests.properties.programs import Case

__all__ = [
    "Answer",
    "Found",
    "Input",
    "Schedule",
    "as_answer",
    "batch_answer",
    "counted_window_answer",
    "explained",
    "pending_answer",
    "read_case",
    "reference_answer",
    "settled_answer",
    "window_answer",
]

Found: TypeAlias = int | tuple[int, int | None]
Answer: TypeAlias = dict[str, list[Found]] | str
Counts: TypeAlias = tuple[int, int, int, int]


@dataclass(frozen=True)
class Input:
    """A compiled case with its records."""

    case: Case
    compiled: Compiled
    facts: list[Fact]

    def session(self, window: int | None, incremental: Incremental) -> EngineSession:
        """A session over the time of the case, without records."""
        case = self.case
        return EngineSession(
            self.compiled,
            start=case.start,
            end=case.end,
            tick=case.tick,
            window=window,
            allen_memory=case.allen_memory,
            incremental=incremental,
        )


@dataclass(frozen=True)
class Schedule:
    """Query times with the window they look back over."""

    window: int
    query_times: list[int]


def read_case(case: Case) -> Input:
    """A case with its records, which all fit."""
    compiled = compiled_once(case.text)
    reading = Reading()
    read_text_records([text for _, text in case.records], "records", compiled.names, case.tick, reading)
    assert not reading.set_aside, reading.set_aside[0]
    return Input(case, compiled, reading.facts())


def as_answer(report: ReportColumns, symbols: Symbols) -> dict[str, list[Found]]:
    """A report as an answer, by FVP and event."""
    answer: dict[str, list[Found]] = {show(event): list(times) for event, times in report.times(symbols).items()}
    answer |= {show(fvp): list(intervals) for fvp, intervals in report.intervals(symbols).items()}
    return _in_order(answer)


def _in_order(answer: dict[str, list[Found]]) -> dict[str, list[Found]]:
    return {name: sorted(found, key=_begin) for name, found in sorted(answer.items()) if found}


def _begin(found: Found) -> tuple[int, float]:
    if isinstance(found, int):
        return found, 0
    return found[0], INF if found[1] is None else found[1]


def _problem(problem: ExecutionProblem) -> str:
    return f"fails with {problem.diagnostics.in_order()[0].code}"


# -- the three ways ----------------------------------------------------------------------------------------------------


def reference_answer(given: Input, *, has_pending: bool = False) -> Answer:
    """The answer of the reference evaluator."""
    history = History()
    for fact in given.facts:
        if fact.value is None:
            history.add_event(fact.entity, fact.start)
        else:
            history.add_interval(fact.entity, fact.value, fact.start, fact.end)
    case = given.case
    try:
        found = recognise(given.compiled, history, RunBounds(case.start, case.end, case.tick, case.allen_memory))
    except ExecutionProblem as problem:
        return _problem(problem)
    answer: dict[str, list[Found]] = {show(event): list(times) for event, times in found.times.items()}
    for fvp, intervals in found.intervals.items():
        answer[show(fvp)] = [(start, None if end == INF else int(end)) for start, end in intervals]
    effects = (Pending(f"{name}/{arity}", 1, due) for (name, arity), due in found.pending)
    return _in_order(answer | (pending_answer(merged_pending(effects)) if has_pending else {}))


def pending_answer(pending: Iterable[Pending]) -> dict[str, list[Found]]:
    """The pending effects as a part of an answer."""
    return {f"pending on {each.fluent}": [(each.n, each.first_due)] for each in pending}


def batch_answer(given: Input, at: int, *, has_pending: bool = False) -> Answer:
    """The answer of the engine in one query over all records."""
    session = _session(given, None)
    session.insert((at, fact) for fact in given.facts)
    try:
        answer = as_answer(session.query(at), session.symbols)
        return answer | (pending_answer(session.pending) if has_pending else {})
    except ExecutionProblem as problem:
        return _problem(problem)


def _session(given: Input, window: int | None, end: int | None = None) -> EngineSession:
    case = given.case
    return EngineSession(
        given.compiled, start=case.start, end=end, tick=case.tick, window=window, allen_memory=case.allen_memory
    )


def window_answer(given: Input, schedule: Schedule, arrivals: Iterable[int]) -> Answer:
    """The answer of the engine over all query times."""
    return counted_window_answer(given, schedule, arrivals)[0]


def counted_window_answer(given: Input, schedule: Schedule, arrivals: Iterable[int]) -> tuple[Answer, Counts]:
    """The results that query times settle one by one, and the outcomes of the records."""
    return settled_answer(given, schedule, arrivals, merge_windows=False)


def settled_answer(
    given: Input,
    schedule: Schedule,
    arrivals: Iterable[int],
    *,
    merge_windows: bool = True,
    has_pending: bool = False,
) -> tuple[Answer, Counts]:
    """The merged report of all query times, and the numbers of records that are late, dropped, cut and unmatched."""
    case = given.case
    session = _session(given, schedule.window, case.end)
    session.insert(zip(arrivals, given.facts, strict=True))
    queries = QueryTimes(case.start, case.end, schedule.query_times[0] - case.start, schedule.window, case.tick)
    session.announce(queries)
    try:
        report = settled_report(session, queries, session.last_query_time(queries), merge_windows=merge_windows)
    except ExecutionProblem as problem:
        return _problem(problem), (0, 0, 0, 0)
    session.count_not_admitted(queries)
    pending = pending_answer(session.pending) if has_pending else {}
    return as_answer(report, session.symbols) | pending, session.records.counts


# -- failures ----------------------------------------------------------------------------------------------------------


def explained(seed: int, given: Input, expected: Answer, found: Answer, **more: object) -> str:
    """Everything needed to see why two answers differ."""
    case = given.case
    lines = [f"seed {seed}, run {case.start} to {case.end}, tick {case.tick}"]
    lines += [f"{name}: {value}" for name, value in more.items()]
    lines += [case.text.rstrip(), "", *(text for _, text in case.records), ""]
    if isinstance(expected, str) or isinstance(found, str):
        return "\n".join([*lines, f"expected {_short(expected)}", f"found    {_short(found)}"])
    for name in sorted({*expected, *found}):
        if expected.get(name) != found.get(name):
            lines += [name, f"  expected {expected.get(name)}", f"  found    {found.get(name)}"]
    return "\n".join(lines)


def _short(answer: Answer) -> str:
    return answer if isinstance(answer, str) else f"an answer about {len(answer)} FVPs and events"
