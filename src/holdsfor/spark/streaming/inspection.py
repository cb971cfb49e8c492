"""The state of a stream in its checkpoint, as text: the query time reached, the sources, and the state of buckets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from holdsfor.columns.time_type import TimeType
from holdsfor.errors import Diagnostic, UsageProblem, counted
from holdsfor.kernels.packing import OPEN
from holdsfor.parallel.stages.state_parts import read_parts
from holdsfor.runtime.snapshot import Snapshot
from holdsfor.sources.times import Clock
from holdsfor.spark.streaming.decisions import Decision, DecisionLog
from holdsfor.spark.streaming.identity import PLACE, Identity, read_manifest
from holdsfor.spark.streaming.state_files import FILES, StateFiles, StreamFiles
from holdsfor.spark.streaming.stopped_stream import StoppedStream, replayed_snapshot

__all__ = ["inspection_of"]


ShowTime: TypeAlias = Callable[[int], object]
"""The notation of time-points."""


def inspection_of(checkpoint: str, shown_as: Callable[[TimeType | None], ShowTime] = lambda _: str) -> Iterator[str]:
    """Lines about the stream of a checkpoint; HF793 for a folder that is not a checkpoint of a stream.

    `shown_as` is the notation of time-points for a type of times.
    """
    files = StreamFiles(f"{checkpoint.rstrip('/')}/{FILES}")
    manifest = read_manifest(files)
    if manifest is None:
        message = f"`{checkpoint}` is not the checkpoint of a stream of holdsfor"
        raise UsageProblem(Diagnostic("HF793", message, hint=PLACE))
    decision = DecisionLog(files).last()
    times = None if decision is None else _time_type(decision, manifest.identity)
    yield _settings(manifest.identity, times)
    if decision is None:
        yield "no micro-batch yet"
        return
    yield from _progress(decision, shown_as(times))
    yield from _state(StoppedStream(checkpoint.rstrip("/"), files), shown_as(times))


def _time_type(decision: Decision, identity: Identity) -> TimeType | None:
    """The type of the times of the records; None for integers, and before a micro-batch has read a time."""
    if decision.has_offset is None:
        return None
    return Clock(identity.time_unit, has_offset=decision.has_offset, zone=identity.zone).time_type


def _settings(identity: Identity, times: TimeType | None) -> str:
    unit = "" if times is None else f" {times.unit}"
    lengths = {"window": identity.window, "step": identity.step, "clock tick": identity.tick}
    shown = [f"{name} {length}{unit}" for name, length in lengths.items()]
    return ", ".join([*shown, counted(identity.n_buckets, "bucket")])


def _progress(decision: Decision, show_time: ShowTime) -> Iterator[str]:
    reached = "no query time yet" if decision.last is None else f"query time {show_time(decision.last)} reached"
    start = "not known yet" if decision.start is None else show_time(decision.start)
    yield f"micro-batch {decision.batch}, start {start}, {reached}"
    for name, clock in decision.sources.items():
        yield f"source {name}: arrival {show_time(clock)}" + (", idle" if name in decision.idle else "")
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

    @property
    def shown(self) -> str:
        """The size of the state in one line."""
        snapshots = f"{counted(self.n_bytes, 'byte')} in snapshots, {self.n_journal_bytes:,} in journals"
        records = f"{counted(self.n_records, 'record')}, {counted(self.n_waiting, 'file')} of waiting records"
        return f"{snapshots}, {self.largest:,} in the largest bucket; {records}"

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


def _state(stream: StoppedStream, show_time: ShowTime) -> Iterator[str]:
    """The size of the state of each stage, the open intervals of its fluents, and the oldest of them."""
    files = stream.files.inside(stream.manifest.folder)
    for number in files.folders("state"):
        stage = _Stage()
        for bucket in files.folders(f"state/{number}"):
            _read(stream, StateFiles(files, int(number), int(bucket)), stage)
        yield f"stage {number}: {stage.shown}"
        yield from (f"  {name}: {counted(n, 'open interval')}" for name, n in sorted(stage.n_open.items()))
        if stage.oldest is not None:
            yield f"  the oldest open interval starts at {show_time(stage.oldest)}"


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
