"""The report of each query time: the maximal intervals that overlap its window, with their true starts."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from holdsfor.analysis.pipeline import compile_text
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import QueryTimes
from holdsfor.runtime.reports.changes import each_change
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.reports.report_tables import DecodedReport
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.windows import each_report
from holdsfor.sources.inputs import read_inputs
from holdsfor.syntax.terms import Term
from tests.oracle.answer import Answer, reported
from tests.oracle.description import describe
from tests.oracle.domains import Domains
from tests.oracle.intervals import Line
from tests.oracle.model import Model
from tests.oracle.questions import Question, named_answer
from tests.oracle.records import admitted, given_records, mentioned, query_times, read_records

__all__ = ["engine_reports", "oracle_reports", "rows_after_changes"]

Reports = dict[int, Answer]


def oracle_reports(question: Question) -> Reports:
    """For each query time the FVPs and events in its window, by all records that have arrived."""
    assert question.window is not None
    assert question.step is not None
    rules = describe(question.text)
    records = [*given_records(rules, question.tick), *read_records(list(question.lines), rules, question.tick)]
    queries = query_times(records, question.start, question.end, question.window, question.step)
    memory = question.window if question.memory is None else question.memory
    found: Reports = {}
    for k, at in enumerate(queries, 1):
        description = describe(question.text)
        pieces = admitted(records, queries[:k], question.window)
        domains = Domains(description, mentioned(records, pieces, question.line))
        model = Model(description, domains, pieces, Line(question.start, min(at, question.end), question.tick), memory)
        # Nothing is settled at the first query time: its window has the whole run so far.
        edge = question.start - question.tick if k == 1 else at - question.window
        found[at] = _overlapping(reported(model), edge, question.tick)
    return found


def _overlapping(answer: Answer, edge: int, tick: int) -> Answer:
    found = {name: [one for one in all_of if _last(one, tick) > edge] for name, all_of in answer.items()}
    return {name: kept for name, kept in found.items() if kept}


def _last(found: int | tuple[int, int | None], tick: int) -> float:
    """The last time-point of an interval, or the time-point of an event."""
    if isinstance(found, int):
        return found
    return float("inf") if found[1] is None else found[1] - tick


def engine_reports(question: Question) -> Reports:
    """The reports of the engine at each query time."""
    session, times = _session(question)
    found: Reports = {}
    for at, report in zip(times, each_report(session, times), strict=True):
        decoded = DecodedReport(report, session.symbols)
        found[at] = named_answer(replace(question, end=min(at, question.end)), decoded.times, decoded.intervals)
    return found


def rows_after_changes(question: Question) -> Answer:
    """The rows that remain when the changes of all query times are applied one after another."""
    session, times = _session(question)
    known: set[tuple[Term, int | tuple[int, int | None]]] = set()
    for changes in each_change(session, times):
        gone, come = _rows(changes.gone, session), _rows(changes.come, session)
        assert gone <= known, f"at {changes.query_time}: {gone - known} was not known"
        known -= gone
        assert not come & known, f"at {changes.query_time}: {come & known} was known"
        known |= come
    instants: dict[Term, list[int]] = {}
    intervals: dict[Term, list[tuple[int, int | None]]] = {}
    for name, found in known:
        if isinstance(found, int):
            instants.setdefault(name, []).append(found)
        else:
            intervals.setdefault(name, []).append(found)
    return named_answer(question, instants, intervals)


def _rows(report: ReportColumns, session: EngineSession) -> set[tuple[Term, int | tuple[int, int | None]]]:
    rows: set[tuple[Term, int | tuple[int, int | None]]] = set()
    for fvp, intervals in report.intervals(session.symbols).items():
        rows |= {(fvp, interval) for interval in intervals}
    for event, times in report.times(session.symbols).items():
        rows |= {(event, time) for time in times}
    return rows


def _session(question: Question) -> tuple[EngineSession, list[int]]:
    """A session with all records, and its query times."""
    compiled, symbols = compile_text(question.text), Symbols()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "records.txt"
        path.write_text("".join(f"{line}\n" for line in question.lines))
        reading = read_inputs((path,), compiled.names, question.tick, symbols)
    session = EngineSession(
        compiled,
        start=question.start,
        end=question.end,
        tick=question.tick,
        window=question.window,
        allen_memory=question.memory,
        symbols=symbols,
    )
    session.insert_reading(reading)
    queries = QueryTimes(question.start, question.end, question.step, question.window, question.tick)
    session.announce(queries)
    return session, list(queries.up_to(session.last_query_time(queries)))
