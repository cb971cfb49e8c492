"""The sessions of buckets: evaluated in micro-batches, and restored from their files."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.parallel.exchange.shuffle_blocks import ShuffleBlock
from holdsfor.parallel.stages.stream_buckets import StreamBucket
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.snapshot import Snapshot
from holdsfor.spark.exchange.shuffle_rows import SHUFFLE_SCHEMA, loads_of
from holdsfor.spark.streaming.journals import Journal, RowCounts, counted_rows, history_after
from holdsfor.spark.streaming.state_files import RESTART, StateFiles, StateNames, number_of

__all__ = ["BucketSession", "is_snapshot_due", "read_blocks", "restored_session", "written_blocks"]

_HISTORY = "history"
_REPLAY_BYTES = 64 << 10  # of a snapshot, which are written as fast as a journal without records is replayed
_SHARE = 0.5, 1.0  # of a snapshot that journals may reach; each bucket has its own, so that they do not meet


@dataclass
class BucketSession:
    """The session of a bucket, its history, the bytes of its last snapshot, and the cost of the journals after it."""

    session: EngineSession
    history: str
    snapshot_bytes: int = 0
    replay_bytes: int = 0

    def evaluated(
        self, bucket: StreamBucket, number: int, batch: int, blocks: Sequence[Sequence[Any]], last: int
    ) -> Iterator[ShuffleBlock]:
        """The results of a micro-batch; when all are taken, the history is that after it.

        The blocks are those of consecutive micro-batches.
        """
        session = self.session
        session.compact()
        facts = [[each for load in loads_of(part, session.symbols) for each in load.facts] for part in blocks]
        received = counted_rows(each for part in facts for each in part)
        return self._counted(bucket.step(number, session, facts, last), batch, last, received)

    def _counted(
        self, shuffle_blocks: Iterable[ShuffleBlock], batch: int, last: int, received: RowCounts
    ) -> Iterator[ShuffleBlock]:
        changed: RowCounts = Counter()
        for block in shuffle_blocks:
            changed += counted_rows([block.facts])
            yield block
        self.history = history_after(self.history, batch, last, received, changed)

    def snapshot(self) -> bytes:
        """The state as the content of a file; journals then continue it."""
        content = self.session.snapshot({_HISTORY: self.history}, has_report=True).to_bytes()
        self.snapshot_bytes, self.replay_bytes = len(content), 0
        return content

    def journal(self, last: int, before: str, blocks: bytes) -> bytes:
        """The journal of the evaluated micro-batch as the content of a file."""
        state = self.session.state
        return Journal(last, max(state.settled, state.reported_until), before, self.history, blocks).to_bytes()

    def note_journal(self, n_bytes: int) -> None:
        """Count a journal with the records that have waited for it."""
        self.replay_bytes += n_bytes + _REPLAY_BYTES

    # -- replay --------------------------------------------------------------------------------------------------------

    def replay(self, bucket: StreamBucket, states: StateFiles, waiting: Sequence[str], journal: str) -> None:
        """Evaluate the micro-batch of a journal again, after the records that have waited for it."""
        name, content = f"{states.folder}/{journal}", states.read(journal)
        found = Journal.from_bytes(content, name)
        if found.before != self.history:
            message = f"the journal `{name}` does not continue the state before it"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
        blocks = [*(read_blocks(states.read(each)) for each in waiting), read_blocks(found.blocks)]
        self.session.replayed = found.settled
        for _ in self.evaluated(bucket, states.bucket, number_of(journal), blocks, found.last):
            pass
        self.session.replayed = None
        state = self.session.state
        state.reported_until = max(state.reported_until, found.settled)
        if found.after != self.history:
            message = f"the journal `{name}` has other results than the micro-batch that wrote it"
            hint = "continue the stream once with the version of holdsfor that wrote the checkpoint"
            raise DataProblem(Diagnostic("HF792", message, hint=hint))


def restored_session(
    bucket: StreamBucket, states: StateFiles, names: StateNames, prepared: PreparedRules
) -> BucketSession:
    """The session of a bucket from its files, new without files."""
    name, history = f"{states.folder}/{names.snapshot}", f"{states.stage}/{states.bucket}"
    snapshot = None if names.snapshot is None else Snapshot.from_bytes(states.read(names.snapshot), name)
    if snapshot is not None:
        history = snapshot.more.get(_HISTORY, history)
    found = BucketSession(bucket.restored(snapshot, prepared, name), history)
    for waiting, journal in names.journals:
        found.replay(bucket, states, waiting, journal)
    return found


def is_snapshot_due(states: StateFiles, found: BucketSession, n_bytes: int) -> bool:
    """Whether a bucket writes a snapshot, not a journal of some bytes.

    The bytes of all snapshots then follow those of the journals, and a restored bucket replays in a time that follows
    the size of its snapshot. A small state is always a snapshot.
    """
    low, high = _SHARE
    share = low + (high - low) * (0.618 * states.bucket % 1)
    return found.replay_bytes + n_bytes + _REPLAY_BYTES > share * found.snapshot_bytes


# -- shuffle blocks in files -------------------------------------------------------------------------------------------


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
