"""The buckets of a stage as functions on the batches of a micro-batch that Spark delivers."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.parallel.exchange.facts import Texts
from holdsfor.parallel.stages.rule_pool import borrowed_rules
from holdsfor.parallel.stages.stream_buckets import StreamBucket
from holdsfor.spark.exchange.shuffle_rows import SHUFFLE_SCHEMA, by_bucket, loads_of, rows_of
from holdsfor.spark.streaming.state_files import RESTART, StateFiles, StreamFiles

__all__ = ["BucketStepTask", "WaitTask"]


@dataclass(frozen=True)
class BucketStepTask:
    """Evaluates the due query times of a micro-batch, up to `last`, for the buckets of the batches.

    `previous` is the last query time of earlier micro-batches, which the state of every bucket must have.
    """

    bucket: StreamBucket
    files: StreamFiles
    batch: int
    previous: int | None
    last: int

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The results of all buckets in the batches, as rows."""
        for number, shuffle_blocks in by_bucket(batches).items():
            yield from self.evaluated(number, shuffle_blocks)

    def evaluated(self, number: int, shuffle_blocks: Sequence[Any]) -> Iterator[Any]:
        """The results of a bucket, as rows; its state is saved when all are taken."""
        states = StateFiles(self.files, self.bucket.destination.stage, number)
        name, waiting = states.before(self.batch)
        saved = None if name is None else states.read(name)
        with borrowed_rules(self.bucket.rules, self.bucket.components) as prepared:
            blocks = [*(_read(states.read(each)) for each in waiting), shuffle_blocks]
            facts = [[each for load in loads_of(part, prepared.symbols) for each in load.facts] for part in blocks]
            shown = f"{states.folder}/{name}"
            step = self.bucket.step(number, saved, facts, self.last, prepared, shown)
            if step.previous != self.previous:
                message = f"the state `{shown}` is of the query time {step.previous}, expected {self.previous}"
                raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
            yield from rows_of(step.shuffle_blocks, Texts(prepared.symbols))
            states.save(self.batch, step.saved())


@dataclass(frozen=True)
class WaitTask:
    """Stores the records of a micro-batch without a due query time, for the buckets of all stages."""

    files: StreamFiles
    batch: int

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Nothing; the batches are written to files."""
        by_stage: dict[int, list[Any]] = {}
        for batch in batches:
            for stage in pc.unique(batch.column("stage")).to_pylist():
                by_stage.setdefault(stage, []).append(batch.filter(pc.equal(batch.column("stage"), stage)))
        for stage, blocks in by_stage.items():
            for number, shuffle_blocks in by_bucket(blocks).items():
                StateFiles(self.files, stage, number).wait(self.batch, _written(shuffle_blocks))
        yield from ()


def _written(batches: Sequence[Any]) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, SHUFFLE_SCHEMA) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(SHUFFLE_SCHEMA))
    return sink.getvalue()


def _read(content: bytes) -> list[Any]:
    with pa.ipc.open_stream(content) as reader:
        return list(reader)
