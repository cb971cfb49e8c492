"""The buckets of a stage as functions on the batches of a micro-batch that Spark delivers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.parallel.stages.rule_pool import borrowed_rules
from holdsfor.parallel.stages.stream_buckets import StreamBucket
from holdsfor.spark.exchange.shuffle_rows import by_bucket
from holdsfor.spark.streaming.bucket_sessions import (
    BucketSession,
    is_snapshot_due,
    restored_session,
    settled_by,
)
from holdsfor.spark.streaming.stage_costs import bucket_cost
from holdsfor.spark.streaming.state_files import RESTART, StateFiles, StateNames, StreamFiles
from holdsfor.spark.streaming.stored_blocks import file_of_blocks, read_file, written_blocks

__all__ = ["BucketStepTask", "KeptBuckets", "WaitTask"]

_QUIET_SECONDS = 1_800.0
_HEAD = 64  # bytes: the head of a snapshot or journal has its digest


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
        """The results of a bucket, as rows; its state is written before the first one.

        The session continues from its state in memory, if `kept` has it, else from its state in files. Attempts to
        evaluate one micro-batch may settle different time-points: the first one that writes its state decides, and all
        others report the same results as settled. So it does not matter which attempt counts.
        """
        states = StateFiles(self.files, self.bucket.destination.stage, number)
        rows = self._attempt(states, shuffle_blocks, kept)
        while rows is None:
            rows = self._attempt(states, shuffle_blocks, None, is_second=True)
        yield from rows

    def _attempt(
        self, states: StateFiles, shuffle_blocks: Sequence[Any], kept: KeptBuckets | None, *, is_second: bool = False
    ) -> list[Any] | None:
        """The results of a bucket; None if another attempt has written its state meanwhile.

        Then a second evaluation leaves that state as it is: later micro-batches may have begun, if this task was lost.
        """
        began, bucket, names = time.perf_counter(), self.bucket, states.before(self.batch)
        known = None if kept is None else kept.taken(states, names.last)
        borrowed = borrowed_rules(bucket.rules, bucket.components, is_last=bucket.is_last)
        with nullcontext() if kept is not None else borrowed as prepared:
            found = restored_session(bucket, states, names, prepared) if known is None else known
            self._check(found, f"{states.folder}/{names.last}")
            attempted = states.after(self.batch) if names.has_repetition else None
            found.repeat(None if attempted is None else settled_by(states, attempted))
            waiting, before = {each: states.read(each) for each in names.waiting}, found.history
            blocks = [read_file(content, f"{states.folder}/{each}") for each, content in waiting.items()]
            rows = list(found.evaluated(self.batch, [*blocks, shuffle_blocks], self.last))
            content = None
            if kept is not None and known is not None and known.is_whole and not names.has_repetition:
                journal = found.journal(self.last, before, written_blocks(shuffle_blocks))
                n_bytes = len(journal) + sum(map(len, waiting.values()))
                if not kept.is_snapshot_due(states, found, n_bytes):
                    found.note_journal(n_bytes)
                    content = journal
            is_written = is_second and names.has_repetition
            written = b"" if is_written else self._written(states, names, found, content)
        if written is None:
            return None
        if kept is not None:
            kept.keep(states, self.batch, written, found)
        return [*rows, *bucket_cost(states.stage, time.perf_counter() - began, found.n_rows)]

    def _check(self, found: BucketSession, name: str) -> None:
        """Refuse the state of another query time."""
        for part in found.parts:
            if part.session.previous != self.previous:
                message = f"the state `{name}` is of the query time {part.session.previous}, expected {self.previous}"
                raise DataProblem(Diagnostic("HF792", message, hint=RESTART))

    def _written(
        self, states: StateFiles, names: StateNames, found: BucketSession, journal: bytes | None
    ) -> bytes | None:
        """Write the journal, or a snapshot without one; the content, or None if another attempt was the first.

        A session that was restored writes a snapshot: a bucket that moves between processes does not replay a
        micro-batch twice. A repetition replaces the state, which has settled the same.
        """
        content = found.snapshot() if journal is None else journal
        if names.has_repetition:
            states.save(self.batch, content)
            return content
        return content if states.claim(self.batch, content, is_journal=journal is not None) else None


@dataclass
class KeptBuckets:
    """The sessions of buckets between micro-batches, in the memory of one process.

    The state in files decides: a session is used only if the last file that the next micro-batch reads is the one that
    this session has written. Every due micro-batch evaluates all buckets, so a session that was not used in the last
    but one is evaluated in another process now, and is dropped. The sessions of a stream that may have ended, because
    it has evaluated no micro-batch for some time, are dropped too.
    """

    is_snapshot_due: Callable[[StateFiles, BucketSession, int], bool] = is_snapshot_due
    now: Callable[[], float] = time.monotonic
    _sessions: dict[StateFiles, tuple[int, bytes, BucketSession]] = field(default_factory=dict)
    _batches: dict[StreamFiles, tuple[int, int, float]] = field(default_factory=dict)

    def taken(self, states: StateFiles, name: str | None) -> BucketSession | None:
        """The session of a bucket whose state is in a file, if it is kept; it is not kept any more."""
        batch, head, session = self._sessions.pop(states, (-1, b"", None))
        return session if states.is_of(name, batch, head) else None

    def keep(self, states: StateFiles, batch: int, content: bytes, session: BucketSession) -> None:
        """Keep a session after a micro-batch, with the content of the file that it has written."""
        before, last, _ = self._batches.get(states.files, (-1, -1, 0.0))
        if batch != last:
            self._batches[states.files] = last, batch, self.now()
            self._drop(lambda each, at: each.files == states.files and at < before)
            self._drop_ended_streams()
        self._sessions[states] = batch, content[:_HEAD], session

    def _drop_ended_streams(self) -> None:
        ended = {files for files, (_, _, at) in self._batches.items() if self.now() - at > _QUIET_SECONDS}
        self._drop(lambda each, _: each.files in ended)
        for files in ended:
            del self._batches[files]

    def _drop(self, is_unused: Callable[[StateFiles, int], bool]) -> None:
        """Drop sessions by their files and their last micro-batch."""
        for each in [each for each, (at, _, _) in self._sessions.items() if is_unused(each, at)]:
            del self._sessions[each]


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
                StateFiles(self.files, stage, number).wait(self.batch, file_of_blocks(shuffle_blocks))
        yield from ()
