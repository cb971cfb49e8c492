"""The stages of a program in one process: the functions that Spark calls in its workers, with its shuffles by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.columns.words import Symbols
from holdsfor.errors import ExecutionProblem
from holdsfor.physical.stages import Stages, plan_stages
from holdsfor.runtime.session import Session
from holdsfor.spark.buckets import Bucket
from holdsfor.spark.facts import Load
from holdsfor.spark.lines import LINE, LineReader
from holdsfor.spark.parcels import NOWHERE, by_bucket, loads_of
from holdsfor.spark.planning import buckets_of, destinations_of
from holdsfor.spark.reading import Setting
from holdsfor.spark.rules import Rules
from holdsfor.spark.run import Admission, Run
from holdsfor.spark.sending import Destination, Sender
from holdsfor.spark.settling import Settler
from holdsfor.spark.telling import told_events, told_intervals
from tests.properties.answers import Answer, Input

__all__ = ["staged_answer", "stages_of"]

PIECES = 3


def stages_of(given: Input) -> Stages:
    return plan_stages(given.compiled, Session(given.compiled, start=0).program)


def staged_answer(given: Input, stages: Stages, n_buckets: int) -> Answer:
    """What the stages say, with entities in so many buckets."""
    case, rules = given.case, Rules.of(given.compiled)
    lines = [_arriving(text, case.end) for _, text in case.records]
    pieces = [
        pa.record_batch({LINE: pa.array([f"{line}\n".encode() for line in lines[i::PIECES]], pa.binary())})
        for i in range(PIECES)
    ]
    admission = Admission(rules, Run(case.start, case.end, case.tick, None, None))
    destinations = destinations_of(stages, given.compiled, n_buckets)
    settler, sender = Settler(n_buckets), Sender(destinations)
    reader = LineReader(Setting(rules, case.tick, has_places=True))
    read = [batch for piece in pieces for batch in settler.send(reader([piece]))]
    known = [
        batch
        for _, part in sorted(by_bucket(read).items())
        for batch in sender(admission(settler.settle(loads_of(part, Symbols()))))
    ]
    answer: dict[str, list[Any]] = {}
    for destination, bucket in zip(destinations, buckets_of(stages, destinations, admission), strict=True):
        try:
            found = _evaluated(destination, bucket, known)
        except ExecutionProblem as problem:
            return f"fails with {problem.diagnostics.in_order()[0].code}"
        known += found
        for row in _told(found, "fluent", told_intervals):
            answer.setdefault(row["fvp"], []).append((row["start"], row["end"]))
        for row in _told(found, "event", told_events):
            answer.setdefault(row["event"], []).append(row["time"])
    return {name: sorted(found, key=str) for name, found in answer.items()}


def _arriving(text: str, at: int) -> str:
    """A record that arrives then."""
    name, _, rest = text.split("|", 2)
    return f"{name}|{at}|{rest}"


def _evaluated(destination: Destination, bucket: Bucket, known: list[Any]) -> list[Any]:
    arriving = _of_stage(known, destination.stage)
    arriving += destination.routed(_of_stage(known, -destination.stage))
    parts = by_bucket(arriving)
    everyone = (Load([], Symbols()) for _ in range(destination.n_buckets))
    found: list[Any] = []
    for number, nothing in enumerate(everyone):
        found += bucket(parts[number]) if number in parts else bucket.evaluated(number, nothing)
    return found


def _of_stage(batches: list[Any], number: int) -> list[Any]:
    return [batch.filter(pc.equal(batch.column("stage"), number)) for batch in batches]


def _told(found: list[Any], kind: str, tell: Callable[[Any], Iterable[Any]]) -> list[dict[str, Any]]:
    results = [batch.filter(pc.equal(batch.column("kind"), kind)) for batch in _of_stage(found, NOWHERE)]
    return [row for batch in tell(results) for row in batch.to_pylist()]
