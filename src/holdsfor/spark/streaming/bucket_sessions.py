"""The sessions of buckets: evaluated in micro-batches, and restored from their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.parallel.exchange.facts import Facts, Texts
from holdsfor.parallel.exchange.shuffle_blocks import ShuffleBlock
from holdsfor.parallel.stages.rescaled_states import joined_parts
from holdsfor.parallel.stages.rule_pool import new_rules
from holdsfor.parallel.stages.state_parts import StatePart, part_facts, read_parts, written_parts
from holdsfor.parallel.stages.stream_buckets import UNMATCHED, StreamBucket
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.snapshot import Snapshot
from holdsfor.spark.exchange.shuffle_rows import loads_of, rows_of
from holdsfor.spark.streaming.journals import Journal, RowCounts, counted_rows, history_after, is_journal
from holdsfor.spark.streaming.state_files import RESTART, StateFiles, StateNames, number_of
from holdsfor.spark.streaming.stored_blocks import read_blocks, read_file

__all__ = ["BucketSession", "is_snapshot_due", "restored_session", "settled_by"]

_HISTORY, _SETTLED, _PLACE = "history", "settled", "place"
_REPLAY_BYTES = 64 << 10  # of a snapshot, which are written as fast as a journal without records is replayed
_SHARE = 0.5, 1.0  # of a snapshot that journals may reach; each bucket has its own, so that they do not meet


@dataclass(frozen=True)
class PartSession:
    """The session of the keys that the bucket `number` owns, if there are as many buckets as `bucket` says."""

    bucket: StreamBucket
    number: int
    session: EngineSession

    @property
    def settled(self) -> int:
        """The time-point up to which results were reported as settled."""
        return max(self.session.state.settled, self.session.state.reported_until)

    @property
    def n_rows(self) -> int:
        """The number of records, of results that may still change, and of results of earlier stages."""
        session, report = self.session, self.session.last_report()
        computed = session.state.computed
        tables = [table for found in (computed.all_events(), computed.all_fluents()) for _, table, *_ in found]
        if report is not None:
            tables += [*report.fluents.values(), *report.events.values()]
        return sum(map(len, session.records.all)) + sum(table.n for table in tables)

    def facts(self, blocks: Iterable[Any]) -> list[Facts]:
        """The facts in shuffle blocks."""
        return [each for load in loads_of(blocks, self.session.symbols) for each in load.facts]

    def own(self, facts: Iterable[Facts], texts: Texts) -> list[Facts]:
        """The facts for the keys of the part."""
        return [own for each in facts for own in part_facts(self.bucket, self.number, each, texts)]


@dataclass
class BucketSession:
    """The session of a bucket, its history, the bytes of its last snapshot, and the cost of the journals after it.

    After a change of the number of buckets, a bucket may have several `parts`, each with a session of its own, until
    one session can continue them.
    """

    bucket: StreamBucket
    number: int
    parts: list[PartSession]
    history: str
    snapshot_bytes: int = 0
    replay_bytes: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether one session has all keys of the bucket."""
        return len(self.parts) == 1

    @property
    def session(self) -> EngineSession:
        """The session of all keys."""
        (part,) = self.parts
        return part.session

    @property
    def n_rows(self) -> int:
        """The number of rows of the state."""
        return sum(part.n_rows for part in self.parts)

    def evaluated(self, batch: int, blocks: Sequence[Sequence[Any]], last: int) -> Iterator[Any]:
        """The results of a micro-batch, as rows; when all are taken, the history is that after it.

        The blocks are those of consecutive micro-batches.
        """
        received: RowCounts = Counter()
        changed: RowCounts = Counter()
        unmatched: set[tuple[int, str]] = set()
        for part in self.parts:
            part.session.compact()
            texts = Texts(part.session.symbols)
            facts = [part.facts(each) for each in blocks]
            received = counted_rows(each for found in facts for each in found)
            if not self.is_whole:
                facts = [part.own(found, texts) for found in facts]
            results: Iterable[ShuffleBlock] = part.bucket.step(part.number, part.session, facts, last)
            if not self.is_whole:
                results = _unmatched_once(results, unmatched)
            yield from rows_of(_counted(results, changed), texts)
        self.history = history_after(self.history, batch, last, received, changed)

    def repeat(self, settled: Sequence[int] | None) -> None:
        """Settle in the next micro-batch what another attempt to evaluate it has settled in each part, if there is one.

        The results of that attempt may be in the output.
        """
        if settled is not None:
            for part, until in zip(self.parts, settled, strict=True):
                part.session.replayed = until

    def snapshot(self) -> bytes:
        """The state as the content of a file; journals then continue it, if one session has all keys."""
        place = [self.bucket.destination.stage, self.number]
        more = {_HISTORY: self.history, _SETTLED: [part.settled for part in self.parts], _PLACE: place}
        if not self.is_whole:
            self._join(more)
        content = written_parts(self._states(), more)
        self.snapshot_bytes, self.replay_bytes = len(content), 0
        return content

    def _states(self) -> list[StatePart]:
        return [StatePart(part.bucket, part.number, part.session.snapshot(has_report=True)) for part in self.parts]

    def _join(self, more: dict[str, Any]) -> None:
        """Continue all parts in one session, if their intervals are decided."""
        sessions = [part.session for part in self.parts]
        boundary = min(each.unchanged_until(each.previous) for each in sessions if each.previous is not None)
        snapshot = joined_parts(self._states(), self.bucket, self.number, boundary, more)
        if snapshot is not None:
            self.parts = [_part_session(StatePart(self.bucket, self.number, snapshot), None)]

    def journal(self, last: int, before: str, blocks: bytes) -> bytes:
        """The journal of the evaluated micro-batch as the content of a file."""
        (part,) = self.parts
        return Journal(last, part.settled, before, self.history, blocks).to_bytes()

    def note_journal(self, n_bytes: int) -> None:
        """Count a journal with the records that have waited for it."""
        self.replay_bytes += n_bytes + _REPLAY_BYTES

    # -- replay --------------------------------------------------------------------------------------------------------

    def replay(self, states: StateFiles, waiting: Sequence[str], journal: str) -> None:
        """Evaluate the micro-batch of a journal again, after the records that have waited for it."""
        name, content = f"{states.folder}/{journal}", states.read(journal)
        found = Journal.from_bytes(content, name)
        if found.before != self.history:
            message = f"the journal `{name}` does not continue the state before it"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
        blocks = [
            *(read_file(states.read(each), f"{states.folder}/{each}") for each in waiting),
            read_blocks(found.blocks),
        ]
        self.repeat([found.settled])
        for _ in self.evaluated(number_of(journal), blocks, found.last):
            pass
        self.session.faults.report_again()
        if found.after != self.history:
            message = f"the journal `{name}` has other results than the micro-batch that wrote it"
            hint = "continue the stream once with the version of holdsfor that wrote the checkpoint"
            raise DataProblem(Diagnostic("HF792", message, hint=hint))


def settled_by(states: StateFiles, name: str) -> list[int] | None:
    """The settled time-points in a file with the state after a micro-batch; None in one of an older version."""
    content, path = states.read(name), f"{states.folder}/{name}"
    if is_journal(content):
        return [Journal.from_bytes(content, path).settled]
    found: list[int] | None = Snapshot.from_bytes(content, path).more.get(_SETTLED)
    return found


def _counted(shuffle_blocks: Iterable[ShuffleBlock], counts: RowCounts) -> Iterator[ShuffleBlock]:
    """The shuffle blocks, with their rows added to counts."""
    for block in shuffle_blocks:
        counts.update(counted_rows([block.facts]))
        yield block


def _unmatched_once(shuffle_blocks: Iterable[ShuffleBlock], known: set[tuple[int, str]]) -> Iterator[ShuffleBlock]:
    """The shuffle blocks without retractions that another part of the bucket has received, too."""
    for block in shuffle_blocks:
        if block.facts.kind != UNMATCHED:
            yield block
            continue
        found = list(zip(block.facts.times["query_time"].tolist(), block.facts.texts["text"].to_pylist(), strict=True))
        new = np.array([each not in known for each in found]).nonzero()[0]
        known.update(found)
        if len(new):
            yield replace(block, facts=block.facts.take(new))


def restored_session(
    bucket: StreamBucket, states: StateFiles, names: StateNames, prepared: PreparedRules | None
) -> BucketSession:
    """The session of a bucket from its files, new without files; `prepared` rules are for one session."""
    name, history = f"{states.folder}/{names.snapshot}", f"{states.stage}/{states.bucket}"
    found: list[StatePart] = []
    if names.snapshot is not None:
        found, more = read_parts(states.read(names.snapshot), name, bucket, states.bucket)
        _check_place(more, states, name)
        history = more.get(_HISTORY, history)
    parts = [_part_session(part, prepared if i == 0 else None, name) for i, part in enumerate(found)]
    if not parts:
        rules = _rules(bucket) if prepared is None else prepared
        parts = [PartSession(bucket, states.bucket, bucket.restored(states.bucket, None, rules, name))]
    session = BucketSession(bucket, states.bucket, parts, history)
    for waiting, journal in names.journals:
        session.replay(states, waiting, journal)
    return session


def _check_place(more: dict[str, Any], states: StateFiles, name: str) -> None:
    """Refuse the state of another bucket; the states of older versions do not have their place."""
    stage, bucket = more.get(_PLACE, (states.stage, states.bucket))
    if (stage, bucket) != (states.stage, states.bucket):
        message = f"the file `{name}` has the state of bucket {bucket} of stage {stage}"
        raise DataProblem(Diagnostic("HF792", message, hint=RESTART))


def _part_session(part: StatePart, prepared: PreparedRules | None, name: str = "state") -> PartSession:
    rules = _rules(part.bucket) if prepared is None else prepared
    return PartSession(part.bucket, part.number, part.bucket.restored(part.number, part.snapshot, rules, name))


def _rules(bucket: StreamBucket) -> PreparedRules:
    return new_rules(bucket.rules, bucket.components, is_last=bucket.is_last)


def is_snapshot_due(states: StateFiles, found: BucketSession, n_bytes: int) -> bool:
    """Whether a bucket writes a snapshot, not a journal of some bytes.

    The bytes of all snapshots then follow those of the journals, and a restored bucket replays in a time that follows
    the size of its snapshot. A small state is always a snapshot.
    """
    low, high = _SHARE
    share = low + (high - low) * (0.618 * states.bucket % 1)
    return found.replay_bytes + n_bytes + _REPLAY_BYTES > share * found.snapshot_bytes
