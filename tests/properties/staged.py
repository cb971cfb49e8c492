"""The stages of a program in one process: the functions that Spark calls in its workers, with its shuffles by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.analysis.compiled import Compiled
from holdsfor.columns.words import Symbols
from holdsfor.errors import ExecutionProblem
from holdsfor.kernels.packing import OPEN
from holdsfor.physical.stages import Stage, Stages, plan_stages
from holdsfor.runtime.changes import each_change
from holdsfor.runtime.session import Session
from holdsfor.runtime.windows import each_report, settled_report
from holdsfor.sinks.changes import event_changes, interval_changes
from holdsfor.sources.column_reading import ColumnReading
from holdsfor.sources.columns import read_columns
from holdsfor.spark.exchange import Layout
from holdsfor.spark.planning import bucket_of, layout_of, sender_of
from holdsfor.spark.query_times import DatedLayout
from holdsfor.spark.reading import Reader, Settler
from holdsfor.spark.rules import Rules
from holdsfor.spark.run import Admission, Run
from tests.properties.answers import Answer, Found, Input, as_answer

__all__ = [
    "Told",
    "embedded_reports",
    "embedded_settled",
    "staged_answer",
    "staged_reports",
    "staged_settled",
    "stages_of",
]

PIECES = 3

Settled: TypeAlias = dict[str, list[Found]]


@dataclass(frozen=True)
class Told:
    """What is known at each query time, and what each changes: a name with what it had before and has now."""

    known: dict[int, dict[str, set[Found]]]
    changes: dict[int, set[tuple[str, Found | None, Found | None]]]


def stages_of(given: Input) -> Stages:
    return plan_stages(given.compiled, Session(given.compiled, start=0).program)


def staged_answer(given: Input, stages: Stages, n_buckets: int) -> Answer:
    """What the stages say, with entities in so many buckets."""
    case = given.case
    lines = [_arriving(text, case.end) for _, text in case.records]
    try:
        return staged_settled(
            lines, given.compiled, stages, Run(case.start, case.end, case.tick, None, None), n_buckets
        )
    except ExecutionProblem as problem:
        return f"fails with {problem.diagnostics.in_order()[0].code}"


def staged_settled(lines: list[str], compiled: Compiled, stages: Stages, run: Run, n_buckets: int) -> Settled:
    """What all query times settle, as the stages say."""
    admission = Admission(Rules.of(compiled), run, layout_of(compiled), stages.ranges_over_sorts)
    answer: Settled = {}
    for row in _told(lines, stages, admission, n_buckets):
        answer.setdefault(row["shown"], []).append(_extent(row["kind"], row["start"], row["end"]))
    return {name: sorted(found, key=str) for name, found in answer.items()}


def staged_reports(lines: list[str], compiled: Compiled, stages: Stages, run: Run, n_buckets: int) -> Told:
    """What the stages say at each query time, and what each changes."""
    admission = Admission(Rules.of(compiled), run, DatedLayout(layout_of(compiled).width), stages.ranges_over_sorts)
    told = Told({at: {} for at in run.queries}, {at: set() for at in run.queries})
    for row in _told(lines, stages, admission, n_buckets):
        name, extent = row["shown"], _extent(row["kind"], row["start"], row["end"])
        old = None if row["old_start"] is None else _extent("fluent", row["old_start"], row["old_end"])
        told.changes[row["known_from"]].add((name, old, extent))
        if row["is_retracted"]:
            told.changes[row["known_until"]].add((name, extent, None))
        if row["last_report"] is not None:
            for at in run.queries:
                if row["known_from"] <= at <= row["last_report"]:
                    told.known[at].setdefault(name, set()).add(extent)
    return told


def embedded_settled(lines: list[str], compiled: Compiled, run: Run) -> Settled:
    """What all query times settle, as one session says with all records at hand."""
    session = _session(lines, compiled, run)
    answer = as_answer(settled_report(session, run.queries), session.symbols)
    return {name: sorted(found, key=str) for name, found in answer.items()}


def embedded_reports(lines: list[str], compiled: Compiled, run: Run) -> Told:
    """What one session says at each query time, with all records at hand as `holdsfor run` has them."""
    told = Told({}, {})
    session = _session(lines, compiled, run)
    for report in each_report(session, run.queries):
        told.known[report.query_time] = {n: set(each) for n, each in as_answer(report, session.symbols).items()}
    session = _session(lines, compiled, run)
    for changes in each_change(session, run.queries):
        gone, come, symbols = changes.gone, changes.come, session.symbols
        listed = interval_changes(gone.intervals(symbols), come.intervals(symbols))
        listed += event_changes(gone.times(symbols), come.times(symbols))
        told.changes[changes.query_time] = {(change.name, change.old, change.new) for change in listed}
    return told


def _session(lines: list[str], compiled: Compiled, run: Run) -> Session:
    """A session that has all records, and knows what they mention, before the first query time."""
    reading, symbols = ColumnReading(), Symbols()
    read_columns("\n".join(lines).encode(), "text", compiled.names, run.tick, symbols, reading)
    reading.settle()
    session = Session(
        compiled, start=run.start, tick=run.tick, window=run.window, allen_memory=run.reach, symbols=symbols
    )
    for key, records in (*reading.events.items(), *reading.fluents.items()):
        session.insert_columns(key, records.up_to(run.end))
    session.announce(run.queries[-1])
    return session


def _told(lines: list[str], stages: Stages, admission: Admission, n_buckets: int) -> list[dict[str, Any]]:
    """The results of all stages."""
    plain, layout = Layout(admission.layout.width), admission.layout
    pieces = [pa.record_batch({"value": pa.array(lines[i::PIECES], pa.string())}) for i in range(PIECES)]
    read = _table(Reader(admission.rules, admission.run.tick, plain, "text")(pieces), plain)
    known = _table(admission.rows(iter(Settler(plain)(read).to_batches())), layout)
    rows: list[dict[str, Any]] = []
    for stage in stages.stages:
        found = _evaluated(stage, stages, known, admission, n_buckets)
        known = pa.concat_tables([known, found.select(layout.schema.names)])
        rows += found.to_pylist()
    return rows


def _extent(kind: str, start: int, end: int) -> Found:
    if kind == "event":
        return start
    return start, None if end == OPEN else end


def _arriving(text: str, at: int) -> str:
    """A record that arrives then."""
    name, _, rest = text.split("|", 2)
    return f"{name}|{at}|{rest}"


def _table(batches: Any, layout: Layout) -> Any:
    return pa.Table.from_batches(list(batches), layout.schema)


def _evaluated(stage: Stage, stages: Stages, known: Any, admission: Admission, n_buckets: int) -> Any:
    bucket = bucket_of(stage, stages, admission, n_buckets)
    sender = sender_of(stage, stages, admission, bucket.n_buckets)
    batches = known.to_batches()
    sent = pa.Table.from_batches(list(sender.send(batches)), sender.sent_schema)
    if sender.has_guards:
        waiting = pa.Table.from_batches(list(sender.wait(batches)), sender.waiting_schema)
        routes = pa.Table.from_batches(list(sender.routes(batches)), sender.route_schema)
        routed = waiting.join(routes.group_by(["route", "bucket"]).aggregate([]), "route", join_type="inner")
        sent = pa.concat_tables([sent, routed.select(sender.sent_schema.names).cast(sender.sent_schema)])
    parts = [sent.filter(pa.compute.equal(sent["bucket"], number)) for number in range(bucket.n_buckets)]
    return pa.concat_tables([bucket(number, part) for number, part in enumerate(parts)])
