"""The stages of a program in one process: the functions that Spark calls in its workers, with its shuffles by hand."""

from __future__ import annotations

from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.errors import ExecutionProblem
from holdsfor.kernels.packing import OPEN
from holdsfor.physical.stages import Stage, Stages, plan_stages
from holdsfor.runtime.session import Session
from holdsfor.spark.exchange import Layout
from holdsfor.spark.lines import LINE, LineReader
from holdsfor.spark.planning import bucket_of, layout_of, sender_of
from holdsfor.spark.reading import Setting, Settler
from holdsfor.spark.rules import Rules
from holdsfor.spark.run import Admission, Run
from tests.properties.answers import Answer, Input

__all__ = ["staged_answer", "stages_of"]

PIECES = 3


def stages_of(given: Input) -> Stages:
    return plan_stages(given.compiled, Session(given.compiled, start=0).program)


def staged_answer(given: Input, stages: Stages, n_buckets: int) -> Answer:
    """What the stages say, with entities in so many buckets."""
    case, rules, layout = given.case, Rules.of(given.compiled), layout_of(given.compiled)
    lines = [_arriving(text, case.end) for _, text in case.records]
    pieces = [
        pa.record_batch({LINE: pa.array([f"{line}\n".encode() for line in lines[i::PIECES]], pa.binary())})
        for i in range(PIECES)
    ]
    reader = LineReader(Setting(rules, case.tick, layout, has_places=True))
    read = pa.Table.from_batches(reader(pieces), layout.placed_schema)
    admission = Admission(rules, Run(case.start, case.end, case.tick, None, None), layout)
    known = _table(admission.rows(iter(Settler(layout)(read).to_batches())), layout)
    answer: dict[str, list[Any]] = {}
    for stage in stages.stages:
        try:
            found = _evaluated(stage, stages, known, admission, n_buckets)
        except ExecutionProblem as problem:
            return f"fails with {problem.diagnostics.in_order()[0].code}"
        known = pa.concat_tables([known, found.select(layout.schema.names)])
        for row in found.to_pylist():
            end = None if row["end"] == OPEN else row["end"]
            answer.setdefault(row["shown"], []).append(row["start"] if row["kind"] == "event" else (row["start"], end))
    return {name: sorted(found, key=str) for name, found in answer.items()}


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
