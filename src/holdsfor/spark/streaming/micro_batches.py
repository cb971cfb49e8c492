"""The micro-batches of a stream: read the records, decide which query times are due, and evaluate the stages.

The driver handles no records. It collects one row for each source and kind of count, decides, writes the decision, and
starts the stages. All functions of a micro-batch give the same result when it is repeated after a crash: they read the
state of earlier micro-batches, the records, which Spark repeats, and the decision.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.result_columns import ResultColumns, TableColumns, find_table, result_columns
from holdsfor.columns.time_type import TimeType
from holdsfor.distribution.stages import Stages
from holdsfor.parallel.exchange.facts import FAULT, Facts
from holdsfor.parallel.exchange.routing import Destination, Router
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.parallel.stages.stream_buckets import (
    SETTLED,
    UNMATCHED,
    StreamBucket,
    StreamRouter,
    stream_buckets,
    stream_destinations,
)
from holdsfor.prolog.faults import Faults, fault_diagnostics
from holdsfor.sources.fields import Horizon
from holdsfor.sources.text_records import SetAside
from holdsfor.sources.times import Clock, Unit
from holdsfor.spark.cluster.broadcast_rules import broadcast_rules
from holdsfor.spark.cluster.connect import is_elsewhere, parallelism
from holdsfor.spark.input.ingestion import frame_of, keep, rows_frame, union
from holdsfor.spark.input.set_aside import faults_of, first_set_aside
from holdsfor.spark.output.time_columns import with_times
from holdsfor.spark.output.typed_frames import typed_frame
from holdsfor.spark.streaming.batch_progress import BatchProgress, Phases
from holdsfor.spark.streaming.bucket_processes import DelegatedStepTask
from holdsfor.spark.streaming.bucket_steps import BucketStepTask, WaitTask
from holdsfor.spark.streaming.decisions import Decision, DecisionLog, Pace, Seen
from holdsfor.spark.streaming.feed_rows import Decoding, FeedRows
from holdsfor.spark.streaming.identity import Manifest, check_generation
from holdsfor.spark.streaming.output_rows import (
    PROBLEMS,
    ChangeRows,
    SettledRows,
    TypedChangeRows,
    is_problem,
    problem_rows,
)
from holdsfor.spark.streaming.restart import ReplacedRows, replaced_rows
from holdsfor.spark.streaming.stage_costs import StageCost, stage_costs
from holdsfor.spark.streaming.state_files import StreamFiles
from holdsfor.spark.streaming.stream_input import StreamInput
from holdsfor.spark.streaming.stream_reader import NEWEST, PROGRESS, Lateness, ReadTask, StreamReaderSettings
from holdsfor.spark.streaming.time_probe import TimeForm, time_form
from holdsfor.syntax.time_points import LATEST

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Numbers: TypeAlias = Mapping[tuple[str, str, int], int]
"""The number of rows in the blocks of each kind, name and arity."""

_CHANGED = ("fluent", "event")
_SHOWN_MISFITS = 10
_MISFIT = "set aside"
_PROBLEMS = ("late", "dropped", "cut", _MISFIT)

__all__ = ["MicroBatch", "MicroBatches", "StreamPlan", "StreamStopped"]


class StreamStopped(Exception):
    """Ends a query before its next micro-batch, which is processed when the query starts again."""


@dataclass(frozen=True)
class StreamPlan:
    """The rules, inputs and settings of a stream; `fixed_times` is the type of times of its output, if it is given."""

    compiled: Compiled
    rules: Rules
    stages: Stages
    input: StreamInput
    pace: Pace
    tick: int
    window: int
    step: int
    allen_memory: int | None
    n_buckets: int
    unit: Unit
    zone: str | None
    has_integers: bool

    @cached_property
    def columns(self) -> ResultColumns:
        return result_columns(self.compiled, self.input.columns)

    def schedule(self, start: int) -> RunSchedule:
        return RunSchedule(start, LATEST, self.tick, self.window, self.step, self.allen_memory)


@dataclass
class MicroBatch:
    """The output of a micro-batch, as DataFrames.

    `changes`, `settled` and `problems` are the rows of the feeds; without a due query time there are no changes and no
    settled results. `number` is the number of the micro-batch, the same when it is repeated.
    """

    number: int
    decision: Decision
    counts: dict[str, int]
    _plan: StreamPlan
    _times: TimeType | None
    _sent: DataFrame
    _found: list[DataFrame]
    _numbers: Numbers

    @property
    def _answers(self) -> DataFrame:
        return union(self._found or [self._sent.limit(0)]).where(f"stage = {NO_STAGE}")

    @property
    def changes(self) -> DataFrame:
        """`query_time, op, kind, name, arguments, value, fvp, start, end`; rows with the `op` `-` are deletes."""
        return self.change_rows.frame

    @property
    def change_rows(self) -> FeedRows:
        """The rows of `changes`, before they are decoded."""
        decoding = Decoding(ChangeRows(), ("query_time", "start", "end"), self._times)
        return FeedRows(self._answers.where("kind in ('fluent', 'event')"), decoding)

    def changes_of(self, name: str) -> DataFrame:
        """The changes of one fluent or event: `query_time`, `op`, and the columns of its table."""
        return self.typed_changes(find_table(self._plan.columns, self._plan.compiled.names, name))

    def typed_changes(self, layout: TableColumns) -> DataFrame:
        """The changes of one fluent or event by its columns."""
        from pyspark.sql import functions as F

        rows = TypedChangeRows(layout)
        name, arity = layout.key
        is_of_table = (F.col("kind") == rows.rows.kind) & (F.col("name") == name) & (F.col("arity") == arity)
        found = frame_of(self._answers.where(is_of_table), rows, rows.schema)
        return typed_frame(found, layout, self._times, has_query_time=True, has_op=True)

    def n_changes_of(self, layout: TableColumns) -> int:
        """The number of changes of one fluent or event."""
        return self._numbers.get((TypedChangeRows(layout).rows.kind, *layout.key), 0)

    @property
    def n_problems(self) -> int:
        """The number of rows of `problems`, at most."""
        unmatched = sum(n for (kind, _, _), n in self._numbers.items() if kind == UNMATCHED)
        return unmatched + sum(self.counts.get(kind, 0) for kind in _PROBLEMS)

    @property
    def stage_costs(self) -> dict[int, StageCost]:
        """The seconds and the state of each stage by its number; without a due query time there are none."""
        return stage_costs(self._numbers)

    @property
    def settled(self) -> DataFrame:
        """`kind, name, arguments, value, fvp, start, end` of results that no later record changes."""
        return self.settled_rows.frame

    @property
    def settled_rows(self) -> FeedRows:
        """The rows of `settled`, before they are decoded."""
        decoding = Decoding(SettledRows(), ("start", "end"), self._times)
        return FeedRows(self._answers.where(f"kind like '{SETTLED} %'"), decoding)

    @property
    def problems(self) -> DataFrame:
        """Records that are late, dropped, cut, set aside or unmatched, with this `kind`."""
        sent = frame_of(self._sent.where(f"stage = {NO_STAGE} and {is_problem('kind')}"), problem_rows, PROBLEMS)
        unmatched = frame_of(self._answers.where(f"kind = '{UNMATCHED}'"), problem_rows, PROBLEMS)
        found = sent.union(unmatched.dropDuplicates(["id"])).drop("id")
        times = None if self.decision.has_integer_problems else self._times
        return with_times(found, ("query_time", "start", "end", "arrival"), times)

    def first_set_aside(self, n: int) -> list[SetAside]:
        """The first records that do not fit. Runs a job if there are any."""
        return first_set_aside(self._sent.where(f"stage = {NO_STAGE}"), n) if self.counts.get("set aside") else []


@dataclass
class MicroBatches:
    """Runs the micro-batches of a stream whose checkpoint has the files."""

    plan: StreamPlan
    files: StreamFiles
    manifest: Manifest
    on_progress: Callable[[BatchProgress], None] = lambda _: None
    is_stopping: Callable[[], bool] = lambda: False
    _form: TimeForm = field(default=TimeForm(None, is_final=False), init=False)
    _tokens: dict[int, DataFrame] = field(default_factory=dict, init=False)
    _n_misfits: int = field(default=0, init=False)
    _faults: Faults = field(default_factory=Faults, init=False)
    pace: Pace = field(init=False)

    def __post_init__(self) -> None:
        self.pace = replace(self.plan.pace, began=time.time())

    @cached_property
    def states(self) -> StreamFiles:
        """The folder with the state of the stream."""
        return self.files.inside(self.manifest.folder)

    @cached_property
    def log(self) -> DecisionLog:
        return DecisionLog(self.files)

    @cached_property
    def rules(self) -> Rules:
        return broadcast_rules(self.plan.input.spark, self.plan.rules)

    def run(self, batch: DataFrame, number: int, write: Callable[[MicroBatch], None]) -> None:
        """Process a micro-batch: evaluate the due query times, write the output, and keep the state."""
        if self.is_stopping():
            raise StreamStopped
        check_generation(self.files, self.manifest)
        began = time.perf_counter()
        kept: list[DataFrame] = []
        phases = Phases(self.plan.input.spark, number)
        try:
            output = self._evaluated(batch, phases, kept)
            with phases.measured("write"):
                write(output)
            misfits = self._first_misfits(output)
        finally:
            for frame in kept:
                frame.unpersist()
        seconds = time.perf_counter() - began
        progress = BatchProgress(output.decision, output.counts, seconds, phases.seconds, self.states)
        progress = replace(progress, times=output._times, set_aside=misfits, stages=output.stage_costs)
        without_result = fault_diagnostics(self._faults.unreported(), self.plan.compiled.programs)
        self.on_progress(replace(progress, without_result=without_result))

    def _first_misfits(self, output: MicroBatch) -> list[SetAside]:
        """The records that do not fit, until ten have been found since the start of the query."""
        wanted = _SHOWN_MISFITS - self._n_misfits
        found = output.first_set_aside(wanted) if wanted else []
        self._n_misfits += len(found)
        return found

    def _evaluated(self, batch: DataFrame, phases: Phases, kept: list[DataFrame]) -> MicroBatch:
        number = phases.batch
        before = self.log.before(number)
        parts = self.plan.input.parts(batch)
        settings = self._reader_settings(parts, before)
        decision = self.log.of(number)
        destinations = stream_destinations(self.plan.stages, self.rules, self.plan.n_buckets)

        def read(limits: Mapping[str, int]) -> tuple[DataFrame, dict[str, Seen], dict[str, int]]:
            start = decision.start if decision is not None else self._start(before, parts, settings, limits)
            lateness = None if start is None else Lateness(self.plan.schedule(start).queries, before.last)
            sender = StreamRouter(Router(destinations))
            sent = keep(self._read(parts, settings, number, sender, lateness, limits), kept)
            with phases.measured("read"):
                return sent, *_summary(sent)

        sent, seen, counts = read({} if decision is None else decision.limits)
        if decision is None:
            now = time.time()
            limits = self.pace.limits(before, seen, now, are_dates=self._form.has_offset is not None)
            if limits:  # read again without the records that are ahead
                sent, seen, counts = read(limits)
            decision = replace(self.pace.decided(before, number, seen, now), limits=limits)
            decision = self._with_times(decision, before, has_records=bool(seen), has_misfits=bool(counts.get(_MISFIT)))
            decision = self.log.add(decision)
        found: list[DataFrame] = []
        numbers: Numbers = {}
        if decision.is_due:
            assert decision.start is not None
            for bucket in self._buckets(destinations, decision.start):
                found.append(keep(self._stage(bucket, [sent, *found], decision), kept))
            found += (keep(frame, kept) for frame in self._replaced(decision))
            with phases.measured("evaluate"):
                numbers = self._numbers(found)
                counts |= _counts(numbers)
                if any(kind == UNMATCHED for kind, _, _ in numbers):
                    counts[UNMATCHED] = _n_unmatched(union(found))
                if any(kind == FAULT for kind, _, _ in numbers):
                    self._faults.add(faults_of(union(found)))
        elif seen:
            with phases.measured("wait"):
                _wait(sent, WaitTask(self.states, number), self.plan.n_buckets)
        return MicroBatch(
            number, decision, counts, self.plan, self._time_type(settings, decision), sent, found, numbers
        )

    def _buckets(self, destinations: tuple[Destination, ...], start: int) -> list[StreamBucket]:
        """The function of each stage; after a change of the rules, new sessions begin later than the stream."""
        begins, restarted = self.manifest.begins, self.manifest.restarted
        run = self.plan.schedule(start if begins is None else begins)
        buckets = stream_buckets(self.plan.stages, destinations, self.rules, run)
        return [replace(each, after=restarted, stream_start=start) for each in buckets]

    def _replaced(self, decision: Decision) -> Iterator[DataFrame]:
        """The rows of the old rules that the first query time after a change of the rules removes or settles."""
        names = replaced_rows(self.states) if self.manifest.is_restarted(decision.previous) else []
        if names:
            numbers = self.plan.input.spark.range(len(names))
            yield frame_of(numbers, ReplacedRows(self.states, names))

    def _stage(self, bucket: StreamBucket, known: list[DataFrame], decision: Decision) -> DataFrame:
        """The results of one stage at the due query times; empty buckets are evaluated too."""
        assert decision.last is not None
        number, n = bucket.destination.stage, bucket.destination.n_buckets
        previous = None if self.manifest.begins_after(number, decision.previous) else decision.previous
        task = BucketStepTask(bucket, self.states, decision.batch, previous, decision.last)
        arriving = [frame.where(f"stage = {number}") for frame in known]
        arriving.append(self._every_bucket(known[0].sparkSession, number, n))
        return frame_of(union(arriving).repartition(n, "place"), DelegatedStepTask(task, self._n_processes))

    def _numbers(self, found: list[DataFrame]) -> Numbers:
        """The number of changes and settled results of each name; evaluates all buckets. Runs jobs."""
        # The next stage and this count need the rows of a stage. In one job, two executors of a cluster may compute the
        # same rows, before either has kept them. There, each stage is a job of its own.
        parts = found if is_elsewhere(self.plan.input.spark) else [union(found)]
        return sum(map(_numbers, parts), Counter())

    def _every_bucket(self, spark: SparkSession, stage: int, n_buckets: int) -> DataFrame:
        """A block for each bucket of a stage, so that every bucket is evaluated."""
        if stage not in self._tokens:
            block = ShuffleBlock(stage, tuple(range(n_buckets)), n_buckets, Facts("nothing", "", 0, 0))
            self._tokens[stage] = rows_frame(spark, [block])
        return self._tokens[stage]

    @cached_property
    def _n_processes(self) -> int:
        """The number of bucket processes of an executor: its cores."""
        spark = self.plan.input.spark
        given = spark.conf.get("spark.executor.cores", None)
        return min(self.plan.n_buckets, parallelism(spark) if given is None else int(given))

    def _read(
        self,
        parts: list[DataFrame],
        settings: StreamReaderSettings,
        number: int,
        sender: StreamRouter,
        lateness: Lateness | None,
        limits: Mapping[str, int],
    ) -> DataFrame:
        """The records of a micro-batch as shuffle blocks."""
        are_dates = self._form.has_offset is not None
        horizons = {
            source: Horizon(dates=last) if are_dates else Horizon(integers=last) for source, last in limits.items()
        }
        inputs = enumerate(zip(parts, self.plan.input.sources, strict=True))
        return union(
            [
                frame_of(part, ReadTask(source.reader(settings), number, i, sender, lateness, horizons))
                for i, (part, source) in inputs
            ]
        )

    def _start(
        self, before: Decision, parts: list[DataFrame], settings: StreamReaderSettings, limits: Mapping[str, int]
    ) -> int | None:
        """The first time-point of the run; the first micro-batch with records is read for it."""
        if before.start is not None or self.plan.pace.start is not None:
            return self.plan.pace.start if before.start is None else before.start
        seen, _ = _summary(self._read(parts, settings, 0, StreamRouter(Router(())), None, limits))
        return self.plan.pace.decided(before, 0, seen, 0.0).start

    # -- times ---------------------------------------------------------------------------------------------------------

    def _reader_settings(self, parts: list[DataFrame], before: Decision) -> StreamReaderSettings:
        """The settings of readers. Whether texts of times have an offset is known with the first ones of the stream."""
        plan = self.plan
        settings = StreamReaderSettings(self.rules, plan.tick, plan.unit, True, has_places=True, zone=plan.zone)
        if before.has_offset is not None:
            self._form = TimeForm(before.has_offset, is_final=True)
        if not self._form.is_final:
            self._form = time_form(plan.input.sources, parts, settings)
        return settings if self._form.has_offset is None else replace(settings, has_offset=self._form.has_offset)

    def _with_times(self, decision: Decision, before: Decision, *, has_records: bool, has_misfits: bool) -> Decision:
        """The decision with the form of times. Dates that come after the first rows of outputs do not change types."""
        is_unknown = self._form.has_offset is None
        return replace(
            decision,
            has_offset=self._form.has_offset,
            has_integers=before.has_integers or (has_records and is_unknown),
            has_integer_problems=before.has_integer_problems or (has_misfits and is_unknown),
        )

    def _time_type(self, settings: StreamReaderSettings, decision: Decision) -> TimeType | None:
        if self.plan.has_integers or decision.has_integers or self._form.has_offset is None:
            return None
        return Clock(settings.unit, has_offset=self._form.has_offset, zone=settings.zone).time_type


def _summary(sent: DataFrame) -> tuple[dict[str, Seen], dict[str, int]]:
    """How far each source is, and the number of records by outcome. Runs a job."""
    # A few rows of each task: an aggregation in Spark would need a shuffle.
    seen: dict[str, Seen] = {}
    rows: list[Any] = sent.where(f"stage = {NO_STAGE}").select("kind", "name", "n", "first", "last").collect()
    for row in (row for row in rows if row["kind"] == PROGRESS):
        found = Seen(row["last"], row["last"] if row["first"] is None else row["first"], row["last"])
        seen[row["name"]] = found.with_more(seen.get(row["name"], found))
    for row in (row for row in rows if row["kind"] == NEWEST):
        seen[row["name"]] = replace(seen[row["name"]], newest=max(seen[row["name"]].newest, row["last"]))
    counts: dict[str, int] = {}
    for row in rows:
        if row["kind"] not in (PROGRESS, NEWEST, "lines"):
            what = row["kind"].partition(" ")[0] if row["kind"] != "set aside" else "set aside"
            counts[what] = counts.get(what, 0) + row["n"]
    return seen, counts


def _numbers(found: DataFrame) -> Counter[tuple[str, str, int]]:
    """The number of rows in the results of stages, by name. Runs a job."""
    rows = found.where(f"stage = {NO_STAGE}").select("kind", "name", "arity", "n").collect()
    numbers: Counter[tuple[str, str, int]] = Counter()
    for kind, name, arity, n in rows:
        numbers[kind, name, arity] += n
    return numbers


def _counts(numbers: Numbers) -> dict[str, int]:
    """The numbers of changes and of settled results."""
    settled = sum(n for (kind, _, _), n in numbers.items() if kind.startswith(f"{SETTLED} "))
    return {"changes": sum(n for (kind, _, _), n in numbers.items() if kind in _CHANGED), SETTLED: settled}


def _n_unmatched(found: DataFrame) -> int:
    """The number of retractions without a record, each once: several buckets may report one. Runs a job."""
    return frame_of(found.where(f"kind = '{UNMATCHED}'"), problem_rows, PROBLEMS).select("id").distinct().count()


def _wait(sent: DataFrame, task: WaitTask, n_buckets: int) -> None:
    """Store the records for the buckets of all stages. Runs a job."""
    n_tasks = max(1, min(n_buckets, int(sent.sparkSession.sparkContext.defaultParallelism)))
    frame_of(sent.where(f"stage > {NO_STAGE}").repartition(n_tasks, "stage", "bucket"), task).count()
