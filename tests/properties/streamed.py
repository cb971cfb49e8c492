"""A stream in one process: the worker functions of `hf.spark.stream`, with micro-batches and shuffles in Python."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.encoding import Symbols
from holdsfor.distribution.stages import Stages
from holdsfor.errors import DataProblem
from holdsfor.parallel.exchange.facts import FAULT, Facts, Load, Texts
from holdsfor.parallel.exchange.routing import Router
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.parallel.stages.stream_buckets import StreamRouter, stream_buckets, stream_destinations
from holdsfor.prolog.faults import Fault, Place
from holdsfor.runtime.reports.changes import changes_since
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.session import EngineSession, Incremental
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_columns import read_columns
from holdsfor.spark.exchange.shuffle_rows import by_bucket, loads_of, sent_rows
from holdsfor.spark.input.frame_reader import ReaderSettings
from holdsfor.spark.input.lines import LINE, LineReader
from holdsfor.spark.input.set_aside import FileBlock
from holdsfor.spark.streaming.bucket_processes import DelegatedStepTask
from holdsfor.spark.streaming.bucket_steps import BucketStepTask, KeptBuckets, WaitTask
from holdsfor.spark.streaming.decisions import Decision, DecisionLog, Pace, Seen
from holdsfor.spark.streaming.identity import Manifest
from holdsfor.spark.streaming.restart import ReplacedRows, replaced_rows
from holdsfor.spark.streaming.state_files import StreamFiles
from holdsfor.spark.streaming.stream_reader import numbered_retractions
from tests.properties.answers import as_answer

__all__ = ["Outcome", "SimulatedStream", "embedded_outcome", "latest_arrival", "quiet_batches", "random_cuts"]

QUIET_WINDOWS = 4
"""The windows at the end of a run in which buckets settle what one session has settled before."""

Row = tuple[str, str, Any]
"""`+` or `-`, an FVP or event as text, and its interval or time-point."""


@dataclass
class Outcome:
    """The changes of each query time, all settled results, and the places of conditions without a result.

    `expected` are some results that must be settled at the end.
    """

    changes: dict[int, set[Row]] = field(default_factory=dict)
    settled: list[tuple[str, Any]] = field(default_factory=list)
    expected: list[tuple[str, Any]] = field(default_factory=list)
    unmatched: int = 0
    without_result: set[Place] = field(default_factory=set)


def embedded_outcome(
    lines: list[str], compiled: Compiled, run: RunSchedule, last: int, after: int | None = None
) -> Outcome:
    """The changes and settled results of one live session at the query times up to the last, from the first one on.

    The first query time is the one `after` a query time, or after the start. The results that the session has settled
    some windows before the end are those that every bucket must have settled: a bucket may settle later.
    """
    assert run.step is not None
    first = (run.start if after is None else after) + run.step
    reading, symbols = ColumnReading(), Symbols()
    read_columns("\n".join(lines).encode(), "text", compiled.names, run.tick, symbols, reading)
    session = EngineSession(
        compiled, start=run.start, tick=run.tick, window=run.window, allen_memory=run.reach, symbols=symbols
    )
    session.apply(reading.unsettled())
    outcome = Outcome()
    for at in range(first, last + 1, run.step):
        known = session.last_report() or ReportColumns(session.start - 1, {}, {})
        outcome.settled += _rows(known.before(session.settled_at(at)), symbols)
        if run.window is not None and at <= last - QUIET_WINDOWS * run.window:
            outcome.expected = list(outcome.settled)
        changes = changes_since(known, session.query(at), session.frontier)
        found = {("-", *row) for row in _rows(changes.gone, symbols)} | {
            ("+", *row) for row in _rows(changes.come, symbols)
        }
        if found:
            outcome.changes[at] = found
    outcome.unmatched = session.records.n_unmatched
    outcome.without_result = {fault.place for fault in session.faults}
    return outcome


def _rows(report: ReportColumns, symbols: Symbols) -> Iterator[tuple[str, Any]]:
    for name, found in as_answer(report, symbols).items():
        yield from ((name, each) for each in found)


def random_cuts(lines: list[str], chance: random.Random) -> list[list[str]]:
    """Lines in the order of arrival, cut into micro-batches of random lengths, some of them long, some empty."""
    chance.shuffle(lines)
    lines = sorted(lines, key=lambda line: int(line.split("|")[1]))
    batches: list[list[str]] = []
    longest = chance.choice([1, 3, 10, 100])
    while lines:
        n = chance.randint(0, longest)
        batches.append(lines[:n])
        lines = lines[n:]
    return batches


def latest_arrival(batches: list[list[str]], run: RunSchedule) -> int:
    """The arrival of the last record."""
    return max((int(line.split("|")[1]) for batch in batches for line in batch), default=run.start)


def quiet_batches(batches: list[list[str]], run: RunSchedule, n_windows: int = QUIET_WINDOWS) -> list[list[str]]:
    """Micro-batches without results of their own after others, so that the results of these are settled."""
    assert run.step is not None
    assert run.window is not None
    latest = latest_arrival(batches, run)
    times = range(latest + run.window, latest + (n_windows + 2) * run.window, max(run.window // 2, run.step))
    return [[f"quiet|{at}|{at}"] for at in times]


class SimulatedStream:
    """The micro-batches of a stream one after another, with the state of buckets in files."""

    def __init__(
        self,
        compiled: Compiled,
        stages: Stages,
        run: RunSchedule,
        n_buckets: int,
        folder: Path,
        incremental: Incremental = "auto",
    ) -> None:
        assert run.step is not None
        self.rules, self.run, self.stages, self.incremental = Rules.of(compiled), run, stages, incremental
        self.files = self.states = StreamFiles(str(folder))
        self.log = DecisionLog(self.files)
        self.pace = Pace(run.start, run.step)
        self.manifest: Manifest | None = None
        self.divide(n_buckets, "")
        self.outcome = Outcome()
        self.executors_of: Callable[[int], Sequence[KeptBuckets | None]] = lambda bucket: [None]
        self.n_processes = 0
        self.is_delayed: Callable[[], bool] = lambda: False
        self.is_faster: Callable[[], bool] = lambda: False
        self._delayed: list[LostTask] = []
        self.is_ordered = False

    def divide(self, n_buckets: int, folder: str) -> None:
        """Continue with a number of buckets, and with the state in a folder."""
        self.states = self.files.inside(folder)
        self.destinations = stream_destinations(self.stages, self.rules, n_buckets)
        run, after = self.run, None
        if self.manifest is not None and self.manifest.begins is not None:
            run, after = replace(run, start=self.manifest.begins), self.manifest.restarted
        buckets = stream_buckets(self.stages, self.destinations, self.rules, run)
        self.buckets = [
            replace(each, incremental=self.incremental, after=after, stream_start=self.run.start) for each in buckets
        ]

    def change_rules(self, compiled: Compiled, stages: Stages, n_buckets: int, manifest: Manifest) -> None:
        """Continue with other rules, some of which have no results yet."""
        assert manifest.begins is not None
        self.rules, self.stages, self.manifest = Rules.of(compiled), stages, manifest
        self.divide(n_buckets, manifest.folder)

    def batch(self, number: int, lines: list[str], *, fails_at: int | None = None) -> Decision:
        """One micro-batch; with `fails_at`, it ends before this bucket is evaluated, or loses its output at the end.

        Each bucket is evaluated on its `executors_of`, one after another, and the results of the last one count. A
        bucket continues with its session on an executor, or in a bucket process, if there is one, else with its state
        in files. A task that `is_delayed` was lost, and writes its state after the next micro-batch. If it `is_faster`
        with its results, it writes its state after other attempts, and its results count.
        """
        delayed, self._delayed = self._delayed, []
        decision = self.log.of(number)
        if decision is None:
            arrivals = [int(line.split("|")[1]) for line in lines]
            starts = [int(line.split("|")[2]) for line in lines]
            seen = {"0": Seen(max(arrivals), min(starts), max(arrivals + starts))} if lines else {}
            decision = self.pace.decided(self.log.before(number), number, seen, 0.0)
            self.log.add(decision)
        place = FileBlock("text", is_ordered=self.is_ordered)
        reader = LineReader(ReaderSettings(self.rules, self.run.tick, has_places=True), place=place)
        sender = StreamRouter(Router(self.destinations))
        batch = pa.record_batch({LINE: pa.array([f"{line}\n".encode() for line in lines], pa.binary())})

        def send(facts: Facts, texts: Texts) -> Iterator[ShuffleBlock]:
            return sender.shuffle_blocks(numbered_retractions(facts, str(number)), texts)

        sent = list(sent_rows(reader([batch]) if lines else [], send))
        if decision.is_due:
            found = self._evaluated(number, decision, sent, fails_at)
            if fails_at is None:
                self._take(found)
        else:
            list(WaitTask(self.states, number)([_only(each, "stage", *range(1, 99)) for each in sent]))
        for task in delayed:
            task.finish()
        return decision

    def _evaluated(self, number: int, decision: Decision, sent: list[Any], fails_at: int | None) -> list[Any]:
        assert decision.last is not None
        found: list[Any] = []
        n_done = 0
        for bucket in self.buckets:
            is_new = self.manifest is not None and self.manifest.begins_after(
                bucket.destination.stage, decision.previous
            )
            previous = None if is_new else decision.previous
            task = BucketStepTask(bucket, self.states, number, previous, decision.last)
            arriving = [_only(each, "stage", bucket.destination.stage) for each in sent + found]
            parts = by_bucket(arriving)
            for each in range(bucket.destination.n_buckets):
                if n_done == fails_at:
                    return []
                found += self._rows(task, each, parts.get(each, []))
                n_done += 1
        if self.manifest is not None and self.manifest.is_restarted(decision.previous):
            names = replaced_rows(self.states)
            numbers = pa.record_batch({"id": pa.array(range(len(names)), pa.int64())})
            found += ReplacedRows(self.states, names)([numbers])
        return found

    def _rows(self, task: BucketStepTask, bucket: int, blocks: list[Any]) -> list[Any]:
        """The results of a bucket."""
        if self.n_processes:
            return list(DelegatedStepTask(task, self.n_processes).evaluated(bucket, blocks))
        lost = LostTask(task, bucket, blocks) if self.is_delayed() else None
        *_, last = [list(task.evaluated(bucket, blocks, kept)) for kept in self.executors_of(bucket)]
        if lost is None:
            return last
        if self.is_faster():
            return lost.finish()
        self._delayed.append(lost)
        return last

    def _take(self, found: list[Any]) -> None:
        unmatched: set[tuple[int, str]] = set()
        for load in loads_of([_only(each, "stage", NO_STAGE) for each in found]):
            for facts in load.facts:
                if facts.kind == "unmatched":
                    unmatched.update(
                        zip(facts.times["query_time"].tolist(), facts.texts["text"].to_pylist(), strict=True)
                    )
                elif facts.kind == FAULT:
                    faults = map(Fault.of_text, facts.texts["text"].to_pylist())
                    self.outcome.without_result |= {fault.place for fault in faults}
                elif facts.kind.startswith("settled "):
                    self.outcome.settled += _named(facts, load)
                elif facts.kind in ("event", "fluent"):
                    self._add_changes(facts, load)
        self.outcome.unmatched += len(unmatched)

    def _add_changes(self, facts: Facts, load: Load) -> None:
        signs = ["-" if each else "+" for each in facts.times["is_gone"].tolist()]
        for at, sign, row in zip(facts.times["query_time"].tolist(), signs, _named(facts, load), strict=True):
            rows = self.outcome.changes.setdefault(at, set())
            assert (sign, *row) not in rows, "a change occurs twice"
            rows.add((sign, *row))


@dataclass(frozen=True)
class _HeldFiles(StreamFiles):
    """Files that are written when a task may go on."""

    hold: Callable[[], None] = field(default=lambda: None, compare=False)

    def create(self, path: str, content: bytes) -> bool:
        self.hold()
        return super().create(path, content)

    def write(self, path: str, content: bytes) -> None:
        self.hold()
        super().write(path, content)


class LostTask:
    """A task that has evaluated a bucket, and writes its state at the end of other attempts."""

    def __init__(self, task: BucketStepTask, bucket: int, blocks: list[Any]) -> None:
        self._is_evaluated, self._may_write = Event(), Event()
        self._rows: list[Any] = []
        held = replace(task, files=_HeldFiles(task.files.root, self._hold))
        self._thread = Thread(target=self._run, args=(held, bucket, blocks), daemon=True)
        self._thread.start()
        self._is_evaluated.wait()

    def _hold(self) -> None:
        self._is_evaluated.set()
        self._may_write.wait()

    def _run(self, task: BucketStepTask, bucket: int, blocks: list[Any]) -> None:
        with suppress(DataProblem):  # if the next micro-batch has deleted the files before this one
            self._rows = list(task.evaluated(bucket, blocks))
        self._is_evaluated.set()

    def finish(self) -> list[Any]:
        """The rows."""
        self._may_write.set()
        self._thread.join()
        return self._rows


def _named(facts: Facts, load: Load) -> list[tuple[str, Any]]:
    """The rows as texts with their extents."""
    if facts.kind.endswith("event"):
        events = load.symbols.entities.events(facts.key, list(facts.words), facts.n).names().to_pylist()
        return list(zip(events, facts.times["start"].tolist(), strict=True))
    names = load.symbols.entities.fvps(facts.key, list(facts.words)).names().to_pylist()
    ends = [None if end >= 2**62 else end for end in facts.times["end"].tolist()]
    return list(zip(names, zip(facts.times["start"].tolist(), ends, strict=True), strict=True))


def _only(batch: Any, column: str, *values: int) -> Any:
    return batch.filter(pc.is_in(batch.column(column), pa.array(values, batch.column(column).type)))
