"""The buckets of a stage as functions on the batches of a micro-batch that Spark delivers."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.parallel.exchange.facts import Texts
from holdsfor.parallel.stages.rule_pool import borrowed_rules, new_rules
from holdsfor.parallel.stages.stream_buckets import StreamBucket
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.session import EngineSession
from holdsfor.spark.exchange.shuffle_rows import SHUFFLE_SCHEMA, by_bucket, loads_of, rows_of
from holdsfor.spark.streaming.state_files import RESTART, StateFiles, StreamFiles

__all__ = ["BucketStepTask", "KeptBuckets", "WaitTask", "read_blocks", "written_blocks"]

_HEAD = 64  # bytes: the head of a state has its digest


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

    def evaluated(self, number: int, shuffle_blocks: Sequence[Any], kept: KeptBuckets | None = None) -> Iterator[Any]:
        """The results of a bucket, as rows; its state is saved when all are taken.

        The session continues from its state in memory, if `kept` has it, else from its state in a file.
        """
        states = StateFiles(self.files, self.bucket.destination.stage, number)
        name, waiting = states.before(self.batch)
        known = None if kept is None else kept.taken(states, name)
        bucket = self.bucket
        borrowed = borrowed_rules(bucket.rules, bucket.components, is_last=bucket.is_last)
        with nullcontext() if kept is not None else borrowed as prepared:
            session = self._session(states, name, prepared) if known is None else known
            session.compact()
            blocks = [*(read_blocks(states.read(each)) for each in waiting), shuffle_blocks]
            facts = [[each for load in loads_of(part, session.symbols) for each in load.facts] for part in blocks]
            step = bucket.step(number, session, facts, self.last)
            if step.previous != self.previous:
                message = f"the state `{states.folder}/{name}` is of the query time {step.previous}"
                raise DataProblem(Diagnostic("HF792", f"{message}, expected {self.previous}", hint=RESTART))
            yield from rows_of(step.shuffle_blocks, Texts(session.symbols))
            content = step.saved()
            states.save(self.batch, content)
            if kept is not None:
                kept.keep(states, self.batch, content, session)

    def _session(self, states: StateFiles, name: str | None, prepared: PreparedRules | None) -> EngineSession:
        """The session of a bucket, from its state in a file."""
        saved = None if name is None else states.read(name)
        if prepared is None:
            prepared = new_rules(self.bucket.rules, self.bucket.components, is_last=self.bucket.is_last)
        return self.bucket.restored(saved, prepared, f"{states.folder}/{name}")


@dataclass
class KeptBuckets:
    """The sessions of buckets between micro-batches, in the memory of one process.

    The state in files decides: a session is used only if the file that the next micro-batch reads is the one that this
    session has written. Every due micro-batch evaluates all buckets, so a session that was not used in the last but one
    is evaluated in another process now, and is dropped.
    """

    _sessions: dict[StateFiles, tuple[int, bytes, EngineSession]] = field(default_factory=dict)
    _batches: dict[StreamFiles, tuple[int, int]] = field(default_factory=dict)

    def taken(self, states: StateFiles, name: str | None) -> EngineSession | None:
        """The session of a bucket whose state is in a file, if it is kept; it is not kept any more."""
        batch, head, session = self._sessions.pop(states, (-1, b"", None))
        return session if states.is_of(name, batch, head) else None

    def keep(self, states: StateFiles, batch: int, content: bytes, session: EngineSession) -> None:
        """Keep a session after a micro-batch, with the content of its state."""
        before, last = self._batches.get(states.files, (-1, -1))
        if batch != last:
            self._batches[states.files] = last, batch
            unused = [each for each, (at, _, _) in self._sessions.items() if each.files == states.files and at < before]
            for each in unused:
                del self._sessions[each]
        self._sessions[states] = batch, content[:_HEAD], session


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
                StateFiles(self.files, stage, number).wait(self.batch, written_blocks(shuffle_blocks))
        yield from ()


def written_blocks(batches: Sequence[Any]) -> bytes:
    """Batches of shuffle blocks as the content of a file."""
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, SHUFFLE_SCHEMA) as writer:
        for batch in batches:
            writer.write_batch(batch.cast(SHUFFLE_SCHEMA))
    return sink.getvalue()


def read_blocks(content: bytes) -> list[Any]:
    """The batches of a file."""
    with pa.ipc.open_stream(content) as reader:
        return list(reader)
