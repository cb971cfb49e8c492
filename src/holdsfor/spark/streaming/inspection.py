"""The state of a stream in its checkpoint, as text: the query time reached, the sources, and the state of buckets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import FluentTable, Key
from holdsfor.columns.time_type import TimeType
from holdsfor.errors import DataProblem, Diagnostic, UsageProblem, counted
from holdsfor.kernels.packing import OPEN
from holdsfor.parallel.exchange.facts import Texts
from holdsfor.parallel.stages.state_parts import StatePart, read_parts
from holdsfor.parallel.stages.stream_buckets import StreamBucket
from holdsfor.runtime.state_snapshot import report_of, stored_state
from holdsfor.sources.times import Clock
from holdsfor.spark.exchange.shuffle_rows import loads_of
from holdsfor.spark.streaming.decisions import Decision, DecisionLog
from holdsfor.spark.streaming.identity import PLACE, Identity, read_manifest
from holdsfor.spark.streaming.state_files import FILES, RESTART, StateFiles, StreamFiles
from holdsfor.spark.streaming.stopped_stream import StoppedStream, replayed_snapshot, state_files
from holdsfor.spark.streaming.stored_blocks import read_file
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct

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
    decision, stages = _stages(checkpoint.rstrip("/"), files)
    times = None if decision is None else _time_type(decision, manifest.identity)
    yield _settings(manifest.identity, times)
    if decision is None:
        yield "no micro-batch yet"
        return
    yield from _progress(decision, shown_as(times))
    if manifest.is_restarted(decision.last):
        yield "the rules were changed: new definitions have results from the next query time on"
    for number, stage in enumerate(stages, start=1):
        yield from stage.lines(number, shown_as(times))


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
class _Open:
    """The open intervals of a fluent: their number, and the start and the FVP of the oldest."""

    n: int = 0
    start: int = OPEN
    fvp: str = ""

    def add(self, table: FluentTable, key: Key, symbols: Symbols) -> None:
        """Add the open intervals of a bucket."""
        rows = (table.ends == OPEN).nonzero()[0]
        self.n += len(rows)
        if len(rows) and int(table.starts[rows].min()) < self.start:
            oldest = table.take(rows[[int(table.starts[rows].argmin())]])
            *arguments, value = (symbols.term(int(column[0])) for column in oldest.keys)
            fluent = Struct(key[0], tuple(arguments)) if arguments else Atom(key[0])
            self.start, self.fvp = int(oldest.starts[0]), show(Struct("=", (fluent, value)))


@dataclass
class _Stage:
    """The states of the buckets of a stage, in numbers."""

    n_bytes: int = 0
    n_journal_bytes: int = 0
    largest: int = 0
    n_records: int = 0
    n_waiting: int = 0
    n_entities: int = 0
    open_intervals: dict[Key, _Open] = field(default_factory=dict)

    def lines(self, number: int, show_time: ShowTime) -> Iterator[str]:
        """The size of the state, what waits, and the open intervals of each fluent."""
        snapshots = f"{counted(self.n_bytes, 'byte')} in snapshots, {self.n_journal_bytes:,} in journals"
        yield f"stage {number}: {snapshots}, {self.largest:,} in the largest bucket"
        yield f"  {counted(self.n_records, 'record')}, {self.n_waiting:,} of them for a later query time"
        n_open = sum(each.n for each in self.open_intervals.values())
        sizes = [self._size(n_open, "open interval"), self._size(self.n_entities, "entity", "entities")]
        yield from (f"  {size}" for size in sizes if size)
        for (name, _), each in sorted(self.open_intervals.items()):
            oldest = f"the oldest is {each.fvp} since {show_time(each.start)}"
            yield f"  {name}: {counted(each.n, 'open interval')}, {oldest}"

    def _size(self, n: int, singular: str, plural: str | None = None) -> str:
        total = self.n_bytes + self.n_journal_bytes
        return f"{counted(n, singular, plural)}, {total // n:,} bytes of state for each" if n else ""

    def add_waiting(self, blocks: Iterable[Any]) -> None:
        """Add the records in a file of a micro-batch without a due query time."""
        found = (facts for load in loads_of(blocks, Symbols()) for facts in load.facts)
        n = sum(facts.n for facts in found if "arrival" in facts.times)
        self.n_records, self.n_waiting = self.n_records + n, self.n_waiting + n

    def add(self, part: StatePart) -> None:
        """Add the records, open intervals and entities of a bucket, or of a part of it."""
        symbols = Symbols()
        state, report = stored_state(part.snapshot, symbols), report_of(part.snapshot, symbols)
        for records in state.records.all:
            self.n_records += len(records)
            self.n_waiting += int((records.arrivals > (state.previous or 0)).sum())
        texts, entities = Texts(symbols), set[int]()
        for key, table in ({} if report is None else report.fluents).items():
            keyed = list(part.bucket.keyed_rows(("fluent", key), table, texts))
            if part.bucket.paths and not keyed:
                continue  # input, which other buckets may have, too
            entities.update(word for _, words in keyed for word in words.tolist())
            if (table.ends == OPEN).any():
                self.open_intervals.setdefault(key, _Open()).add(table, key, symbols)
        self.n_entities += len(entities)


def _stages(checkpoint: str, files: StreamFiles) -> tuple[Decision | None, list[_Stage]]:
    """The last decision and the states of all stages; a stream that is running may replace them meanwhile."""
    log = DecisionLog(files)
    while True:
        decision, stream = log.last(), StoppedStream(checkpoint, files)
        if decision is None:
            return None, []
        try:
            buckets = stream.buckets(stream.manifest.identity.n_buckets)
            return decision, [_stage(stream, bucket, decision) for bucket in buckets]
        except DataProblem:
            if log.last() == decision:
                raise


def _stage(stream: StoppedStream, bucket: StreamBucket, decision: Decision) -> _Stage:
    """The states of the buckets of a stage, after their journals are replayed in memory."""
    found, files = _Stage(), stream.files.inside(stream.manifest.folder)
    for states in state_files(bucket, files):
        names = states.needed_by()
        for waiting in names.waiting:
            found.add_waiting(read_file(states.read(waiting), f"{states.folder}/{waiting}"))
        content = None if names.snapshot is None else states.read(names.snapshot)
        parts: list[StatePart] = []
        if content is not None:
            n_journal_bytes = sum(len(states.read(each)) for more, last in names.journals for each in (*more, last))
            found.n_bytes, found.n_journal_bytes = found.n_bytes + len(content), found.n_journal_bytes + n_journal_bytes
            found.largest = max(found.largest, len(content) + n_journal_bytes)
            content = replayed_snapshot(bucket, states, names) if names.journals else content
            parts = read_parts(content, f"{states.folder}/{names.last}", bucket, states.bucket)[0]
        _check_query_time(stream, states, parts, decision)
        for part in parts:
            found.add(part)
    return found


def _check_query_time(
    stream: StoppedStream, states: StateFiles, parts: Sequence[StatePart], decision: Decision
) -> None:
    """Refuse a state that is missing or too old; a micro-batch without a commit may be incomplete."""
    needed = decision.last if decision.batch < stream.next else decision.previous
    if needed is None or stream.manifest.begins_after(states.stage, needed):
        return
    found = [part.snapshot.parts["state"]["previous"] for part in parts]
    if not found or None in found or min(found) < needed:
        shown = "of an earlier query time" if found else "missing"
        message = f"the state of bucket {states.bucket} of stage {states.stage} is {shown}"
        raise DataProblem(Diagnostic("HF792", message, hint=RESTART))
