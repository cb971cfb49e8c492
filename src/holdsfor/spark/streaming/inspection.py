"""The state of a stream in its checkpoint, as text: the query time reached, the sources, and the state of buckets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.kernels.packing import OPEN
from holdsfor.parallel.stages.state_parts import read_parts
from holdsfor.runtime.snapshot import Snapshot
from holdsfor.spark.streaming.decisions import Decision, DecisionLog
from holdsfor.spark.streaming.identity import PLACE, read_manifest
from holdsfor.spark.streaming.state_files import FILES, StateFiles, StreamFiles
from holdsfor.spark.streaming.stopped_stream import StoppedStream, replayed_snapshot

__all__ = ["inspection_of"]


def inspection_of(checkpoint: str) -> Iterator[str]:
    """Lines about the stream of a checkpoint; HF793 for a folder that is not a checkpoint of a stream."""
    files = StreamFiles(f"{checkpoint.rstrip('/')}/{FILES}")
    manifest = read_manifest(files)
    if manifest is None:
        message = f"`{checkpoint}` is not the checkpoint of a stream of holdsfor"
        raise UsageProblem(Diagnostic("HF793", message, hint=PLACE))
    identity = manifest.identity
    yield f"window {identity.window}, step {identity.step}, clock tick {identity.tick}, {identity.n_buckets} buckets"
    decision = DecisionLog(files).last()
    if decision is None:
        yield "no micro-batch yet"
        return
    yield from _progress(decision)
    yield from _state(StoppedStream(checkpoint.rstrip("/"), files))


def _progress(decision: Decision) -> Iterator[str]:
    reached = "no query time yet" if decision.last is None else f"query time {decision.last} reached"
    yield f"micro-batch {decision.batch}, start {decision.start}, {reached}"
    for name, clock in decision.sources.items():
        yield f"source {name}: arrival {clock}" + (", idle" if name in decision.idle else "")
    for name in decision.missing:
        yield f"input {name}: no record yet"


@dataclass
class _Stage:
    """The states of the buckets of a stage, in numbers."""

    n_bytes: int = 0
    n_journal_bytes: int = 0
    largest: int = 0
    n_records: int = 0
    n_waiting: int = 0
    n_open: Counter[str] = field(default_factory=Counter)
    oldest: int | None = None

    def add(self, snapshot: Snapshot) -> None:
        """Add the records and open intervals of a bucket."""
        for (name, _), (_, starts, ends) in snapshot.parts.get("report", [0, [], []])[1]:
            is_open = snapshot.columns[ends] == OPEN
            if is_open.any():
                self.n_open[name] += int(is_open.sum())
                first = int(snapshot.columns[starts][is_open].min())
                self.oldest = first if self.oldest is None else min(self.oldest, first)
        stored = snapshot.parts["state"]["records"]
        self.n_records += sum(
            len(snapshot.columns[part[2]]) for kind in ("events", "fluents") for _, part in stored[kind]
        )


def _state(stream: StoppedStream) -> Iterator[str]:
    """The size of the state of each stage, the open intervals of its fluents, and the oldest of them."""
    files = stream.files.inside(stream.manifest.folder)
    for number in files.folders("state"):
        stage = _Stage()
        for bucket in files.folders(f"state/{number}"):
            _read(stream, StateFiles(files, int(number), int(bucket)), stage)
        yield f"stage {number}: {stage.n_bytes} bytes in snapshots, {stage.n_journal_bytes} in journals, " + (
            f"largest bucket {stage.largest}, {stage.n_records} records, {stage.n_waiting} files wait"
        )
        yield from (f"  {name}: {n} open intervals" for name, n in sorted(stage.n_open.items()))
        if stage.oldest is not None:
            yield f"  the oldest open interval starts at {stage.oldest}"


def _read(stream: StoppedStream, states: StateFiles, stage: _Stage) -> None:
    """Add the state of a bucket, after its journals are replayed in memory."""
    names = states.needed_by()
    stage.n_waiting += len(names.waiting)
    if names.snapshot is None:
        return
    content = states.read(names.snapshot)
    n_journal_bytes = sum(len(states.read(each)) for files, journal in names.journals for each in (*files, journal))
    stage.n_bytes, stage.n_journal_bytes = stage.n_bytes + len(content), stage.n_journal_bytes + n_journal_bytes
    stage.largest = max(stage.largest, len(content) + n_journal_bytes)
    bucket = stream.buckets(stream.manifest.identity.n_buckets)[states.stage - 1]
    if names.journals:
        content = replayed_snapshot(bucket, states, names)
    for part in read_parts(content, f"{states.folder}/{names.last}", bucket, states.bucket)[0]:
        stage.add(part.snapshot)
