"""The stages of a program in one process: the worker functions of the Spark driver, with shuffles in Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.result_columns import ResultColumns, result_columns
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.pending import Pending, merged_pending
from holdsfor.columns.result_table import typed_schema
from holdsfor.distribution.stages import Stages, plan_stages
from holdsfor.errors import ExecutionProblem
from holdsfor.parallel.exchange.facts import PENDING
from holdsfor.parallel.exchange.retractions import Retractor
from holdsfor.parallel.exchange.routing import Router
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE
from holdsfor.parallel.stages.admission import JobAdmission, RunSchedule
from holdsfor.parallel.stages.dated_buckets import DatedAdmission
from holdsfor.parallel.stages.rule_facts import rule_fact_loads
from holdsfor.parallel.stages.stage_functions import buckets_of, destinations_of
from holdsfor.runtime.reports.changes import each_change
from holdsfor.runtime.reports.report_tables import DecodedReport
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.windows import each_report, settled_report
from holdsfor.sinks.changes import event_changes, interval_changes
from holdsfor.sources.input_columns import line_columns
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_columns import read_columns
from holdsfor.spark.exchange.shuffle_rows import by_bucket, loads_of, sent_rows
from holdsfor.spark.input.frame_reader import ReaderSettings
from holdsfor.spark.input.lines import LINE, LineReader
from holdsfor.spark.job.bucket_tasks import BucketTask, semijoin_rows
from holdsfor.spark.output.result_rows import AllRows, TypedRows
from tests.properties.answers import Answer, Found, Input, as_answer, pending_answer

__all__ = [
    "Reports",
    "Tables",
    "embedded_reports",
    "embedded_settled",
    "embedded_tables",
    "in_any_order",
    "staged_answer",
    "staged_reports",
    "staged_settled",
    "staged_tables",
    "stages_of",
]

PIECES = 3

Settled: TypeAlias = dict[str, list[Found]]

Tables: TypeAlias = dict[str, tuple[Any, list[tuple[Any, ...]]]]
"""The schema and the sorted rows of each table."""


@dataclass(frozen=True)
class Reports:
    """The known results of each query time, and its changes: a name with its old and new interval."""

    known: dict[int, dict[str, set[Found]]]
    changes: dict[int, set[tuple[str, Found | None, Found | None]]]


def stages_of(given: Input) -> Stages:
    return plan_stages(given.compiled, EngineSession(given.compiled, start=0).rules.program)


def staged_answer(given: Input, stages: Stages, n_buckets: int, *, has_pending: bool = False) -> Answer:
    """The results of the stages, with the keys in `n_buckets` buckets."""
    case = given.case
    lines = [_arriving(text, case.end) for _, text in case.records]
    try:
        run = RunSchedule(case.start, case.end, case.tick, None, None, case.allen_memory)
        return staged_settled(lines, given.compiled, stages, run, n_buckets, has_pending=has_pending)
    except ExecutionProblem as problem:
        return f"fails with {problem.diagnostics.in_order()[0].code}"


def staged_settled(
    lines: list[str],
    compiled: Compiled,
    stages: Stages,
    run: RunSchedule,
    n_buckets: int,
    *,
    has_pending: bool = False,
) -> Settled:
    """The settled results of the stages."""
    admission = JobAdmission(Rules.of(compiled), run, stages.ranges_over_sorts)
    found = _found(lines, compiled, stages, admission, n_buckets)
    answer: Settled = {}
    for row in _decoded(found, AllRows(), ("kind", "fluent"), ("kind", "event")):
        is_event = row["kind"] == "event"
        assert not is_event or row["start"] == row["end"]
        answer.setdefault(row["fvp"], []).append(row["start"] if is_event else (row["start"], row["end"]))
    if has_pending:
        effects = [row for batch in _of(found, ("kind", PENDING)) for row in batch.to_pylist()]
        answer |= pending_answer(merged_pending(Pending(row["name"], row["n"], row["first"]) for row in effects))
    return {name: sorted(found, key=str) for name, found in answer.items()}


def staged_tables(lines: list[str], compiled: Compiled, stages: Stages, run: RunSchedule, n_buckets: int) -> Tables:
    """The typed tables of the stages, by name."""
    admission = JobAdmission(Rules.of(compiled), run, stages.ranges_over_sorts)
    found = _found(lines, compiled, stages, admission, n_buckets)
    tables: Tables = {}
    for layout in _columns(compiled):
        rows = TypedRows(layout)
        batches = rows(_of(found, ("kind", rows.kind), ("name", layout.key[0]), ("arity", layout.key[1])))
        names = typed_schema(layout).names
        table = pa.Table.from_batches(batches, rows.schema).select(range(len(names))).rename_columns(names)
        tables[layout.table] = in_any_order(table)
    return tables


def embedded_tables(lines: list[str], compiled: Compiled, run: RunSchedule) -> Tables:
    """The typed tables of one session with all records, by name."""
    session = _session(lines, compiled, run)
    report = DecodedReport(settled_report(session, run.queries, run.last), session.symbols)
    return {layout.table: in_any_order(report.table_of(layout, None)) for layout in _columns(compiled)}


def _columns(compiled: Compiled) -> ResultColumns:
    return result_columns(compiled, line_columns(None, None, compiled.names))


def in_any_order(table: Any) -> tuple[Any, list[tuple[Any, ...]]]:
    """The schema of a table, and its rows sorted."""
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return table.schema, sorted(rows, key=str)


def staged_reports(lines: list[str], compiled: Compiled, stages: Stages, run: RunSchedule, n_buckets: int) -> Reports:
    """The reports and changes of the stages at each query time."""
    admission = DatedAdmission(Rules.of(compiled), run, stages.ranges_over_sorts)
    found = _found(lines, compiled, stages, admission, n_buckets)
    reports = Reports({at: {} for at in run.query_times}, {at: set() for at in run.query_times})
    for row in _decoded(found, AllRows(is_dated=True), ("kind", "fluent"), ("kind", "event")):
        _add_report(row, row["start"] if row["kind"] == "event" else (row["start"], row["end"]), run, reports)
    return reports


def _add_report(row: dict[str, Any], extent: Found, run: RunSchedule, reports: Reports) -> None:
    name = row["fvp"]
    old = None if row["old_start"] is None else (row["old_start"], row["old_end"])
    reports.changes[row["known_from"]].add((name, old, extent))
    if row["is_retracted"]:
        reports.changes[row["known_until"]].add((name, extent, None))
    if row["last_report"] is not None:
        for at in run.query_times:
            if row["known_from"] <= at <= row["last_report"]:
                reports.known[at].setdefault(name, set()).add(extent)


def embedded_settled(lines: list[str], compiled: Compiled, run: RunSchedule) -> Settled:
    """The settled results of one session with all records."""
    session = _session(lines, compiled, run)
    answer = as_answer(settled_report(session, run.queries, run.last), session.symbols)
    return {name: sorted(found, key=str) for name, found in answer.items()}


def embedded_reports(lines: list[str], compiled: Compiled, run: RunSchedule) -> Reports:
    """The reports and changes of one session at each query time, as in `holdsfor run`."""
    reports = Reports({}, {})
    session = _session(lines, compiled, run)
    for report in each_report(session, run.query_times):
        reports.known[report.query_time] = {n: set(each) for n, each in as_answer(report, session.symbols).items()}
    session = _session(lines, compiled, run)
    for changes in each_change(session, run.query_times):
        gone, come, symbols = changes.gone, changes.come, session.symbols
        listed = interval_changes(gone.intervals(symbols), come.intervals(symbols))
        listed += event_changes(gone.times(symbols), come.times(symbols))
        reports.changes[changes.query_time] = {(change.name, change.old, change.new) for change in listed}
    return reports


def _session(lines: list[str], compiled: Compiled, run: RunSchedule) -> EngineSession:
    """A session with all records and their constants before the first query time."""
    reading, symbols = ColumnReading(), Symbols()
    read_columns("\n".join(lines).encode(), "text", compiled.names, run.tick, symbols, reading)
    reading.settle()
    session = EngineSession(
        compiled,
        start=run.start,
        end=run.end,
        tick=run.tick,
        window=run.window,
        allen_memory=run.reach,
        symbols=symbols,
    )
    session.insert_reading(reading)
    session.announce(run.queries)
    return session


def _found(lines: list[str], compiled: Compiled, stages: Stages, admission: JobAdmission, n_buckets: int) -> list[Any]:
    """The shuffle blocks that all stages return, batch by batch."""
    rules, tick = admission.rules, admission.run.tick
    pieces = [
        pa.record_batch({LINE: pa.array([f"{line}\n".encode() for line in lines[i::PIECES]], pa.binary())})
        for i in range(PIECES)
    ]
    destinations = destinations_of(stages, rules, n_buckets)
    retractor, sender = Retractor(n_buckets, admission.run.window is not None), Router(destinations)
    reader = LineReader(ReaderSettings(rules, tick, has_places=True))
    read = [batch for piece in pieces for batch in sent_rows(reader([piece]), retractor.shuffle_blocks)]
    sent = [
        batch
        for _, part in sorted(by_bucket(read).items())
        for batch in sent_rows(admission(retractor.apply(loads_of(part, Symbols()))), sender.shuffle_blocks)
    ]
    sent += sent_rows(admission(rule_fact_loads(compiled, tick)), sender.shuffle_blocks)
    found: list[Any] = []
    for bucket in buckets_of(stages, destinations, admission):
        found += _evaluated(BucketTask(bucket), sent + found)
    return found


def _arriving(text: str, at: int) -> str:
    """A record with the given arrival."""
    name, _, rest = text.split("|", 2)
    return f"{name}|{at}|{rest}"


def _evaluated(task: BucketTask, known: list[Any]) -> list[Any]:
    destination = task.bucket.destination
    arriving = _of_stage(known, destination.stage)
    arriving += semijoin_rows(destination, _of_stage(known, -destination.stage))
    parts = by_bucket(arriving)
    return [row for number in range(destination.n_buckets) for row in task.evaluated(number, parts.get(number, []))]


def _of_stage(batches: list[Any], number: int) -> list[Any]:
    return [batch.filter(pc.equal(batch.column("stage"), number)) for batch in batches]


def _decoded(found: list[Any], rows_of: AllRows, *some: tuple[str, str]) -> list[dict[str, Any]]:
    return [row for each in some for batch in rows_of(_of(found, each)) for row in batch.to_pylist()]


def _of(found: list[Any], *equal: tuple[str, str | int]) -> list[Any]:
    """The results in which columns have these values."""
    results = _of_stage(found, NO_STAGE)
    for column, value in equal:
        results = [batch.filter(pc.equal(batch.column(column), value)) for batch in results]
    return results
