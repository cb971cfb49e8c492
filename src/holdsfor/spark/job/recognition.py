"""Recognition over DataFrames: the stages of the rules as shuffles, the engine in the workers.

Each stage routes rows to buckets (`routing`), runs the engine once per bucket (`buckets`) and returns results as rows.
The driver collects no rows. Results are computed lazily; if the first and last time-point are not given, the first use
of a result computes them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from holdsfor.analysis.pipeline import Compiled, check_time_zone, with_clock
from holdsfor.distribution.one_bucket import one_bucket_warnings
from holdsfor.distribution.stages import Stages, plan_stages
from holdsfor.errors import Diagnostic, ParallelismWarning, UsageProblem
from holdsfor.parallel.exchange.facts import Facts
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.parallel.stages.admission import JobAdmission, RunSchedule
from holdsfor.parallel.stages.dated_buckets import DatedAdmission
from holdsfor.parallel.stages.stage_functions import buckets_of, destinations_of
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.windows import check_bounds, check_query_times, check_windows
from holdsfor.sources.times import Unit
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.input.ingestion import check_buckets, frame_of, keep, rows_frame, union
from holdsfor.spark.input.inputs import Columns, Given
from holdsfor.spark.input.set_aside import set_aside_of, unmatched_of
from holdsfor.spark.job.bucket_tasks import BucketTask, semijoin_rows
from holdsfor.spark.job.job_input import JobInput, read_job_input
from holdsfor.spark.output.reports import Reports, reports_of
from holdsfor.spark.output.result_rows import EVENTS, INTERVALS, event_rows, interval_rows
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Recognition", "check_buckets", "recognise"]


@dataclass(frozen=True)
class Recognition:
    """The results of the rules as lazy DataFrames.

    `intervals` has a row for every maximal interval (`end` is null while it is open), `events` for every time-point of
    an output event, `set_aside` for every record that does not fit, `unmatched` for every retraction without a record,
    and `counts` the number of records by outcome. These are settled over all query times; `reports` has the known
    results of each query time. `unreadable` are the files that cannot be read; in `set_aside` they have line 0.
    `one_bucket` are the warnings about rules that one task computes. Results are cached until `unpersist()`.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> wins = spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string")
    >>> found = hf.spark.recognise(wins, rules, start=0, end=30)
    >>> found.intervals.select("fvp", "start", "end").collect()
    [Row(fvp='rich(chris)=true', start=14, end=None)]
    >>> found.counts.where("what = 'read'").first().n
    1
    """

    _job: _Job = field(repr=False)

    @cached_property
    def intervals(self) -> DataFrame:
        return frame_of(self._job.settled.answers.where("kind = 'fluent'"), interval_rows, INTERVALS)

    @cached_property
    def events(self) -> DataFrame:
        return frame_of(self._job.settled.answers.where("kind = 'event'"), event_rows, EVENTS)

    @cached_property
    def set_aside(self) -> DataFrame:
        return set_aside_of(self._job.settled.sent)

    @cached_property
    def unmatched(self) -> DataFrame:
        return unmatched_of(self._job.settled.sent)

    @cached_property
    def counts(self) -> DataFrame:
        return _counts(self._job.settled.counted)

    @property
    def run(self) -> RunSchedule:
        """The first and last time-point and the query times of the run."""
        return self._job.run

    @property
    def unreadable(self) -> tuple[Unreadable, ...]:
        return tuple(self._job.input.unreadable)

    @cached_property
    def one_bucket(self) -> tuple[Diagnostic, ...]:
        """The stages that one task evaluates, with the reason."""
        return tuple(one_bucket_warnings(self._job.stages))

    @cached_property
    def reports(self) -> Reports:
        """The known results and the changes of each query time, as lazy DataFrames.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> wins = spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string")
        >>> found = hf.spark.recognise(wins, rules, start=0, end=30, window=10)
        >>> [(row.query_time, row.start) for row in found.reports.intervals.orderBy("query_time").collect()]
        [(20, 14), (30, 14)]
        """
        return self._job.reports()

    def __enter__(self) -> Recognition:
        return self

    def __exit__(self, *error: object) -> None:
        self.unpersist()

    def unpersist(self) -> None:
        """Free the memory and disk of the cached results.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> wins = spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string")
        >>> found = hf.spark.recognise(wins, rules, start=0, end=30)
        >>> found.intervals.count()
        1
        >>> found.unpersist()
        """
        for frame in self._job.input.kept:
            frame.unpersist()


def recognise(
    data: Given | Iterable[Given] | Compiled,
    rules: Compiled | Given | Iterable[Given],
    *,
    start: int | None = None,
    end: int | None = None,
    tick: int = 1,
    window: int | None = None,
    step: int | None = None,
    allen_memory: int | None = None,
    buckets: int | None = None,
    goals: Iterable[Term] = (),
    columns: Columns | None = None,
    time_unit: Unit | None = None,
    tz: str | None = None,
) -> Recognition:
    """The results of the rules on DataFrames, files and prepared history, settled over all query times.

    Rules and data may be given in either order. In a `with` statement, the cached results are freed at its end.

    `columns` describes the columns of the DataFrame, as `happensAt(speed(vessel, knots), ts)` or as a dictionary of the
    columns of records; pass several DataFrames as pairs with their columns.

    Without a `window`, the whole history is one window. Without `start` and `end`, the first use of a result
    reads all records to find both. An interval that ended longer ago than `allen_memory`, by default the window, is not
    `before` another one. `buckets` is the number of partitions of the keys. `time_unit` is the length of a time-point,
    by default a second; rules with durations or dates need it if all times are integers.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> wins = spark.createDataFrame([(13, "chris")], "ts long, who string")
    >>> found = hf.spark.recognise(wins, rules, columns="happensAt(win(who), ts)")
    >>> found.intervals.select("fvp", "start", "end").collect()
    [Row(fvp='rich(chris)=true', start=14, end=None)]
    """
    data, rules = _in_order(data, rules)
    check_windows(tick, window, step, allen_memory)
    check_bounds(start, end)
    if start is not None and end is not None:
        _check_order(start, end)
    check_buckets(buckets)
    check_time_zone(tz)
    rules = with_clock(rules, time_unit or "s", tz)
    goals = list(goals)
    planned = EngineSession(rules, start=0, tick=tick, window=window, goals=goals)
    stages = plan_stages(rules, planned.rules.program, has_start_up_goals=bool(goals))
    for each in one_bucket_warnings(stages):
        warnings.warn(each.render(), ParallelismWarning, stacklevel=2)
    job_input = read_job_input(data, rules, Rules.of(rules, goals), tick, columns, time_unit)
    job_input.ingestion.has_windows = window is not None
    n_buckets = job_input.n_buckets if buckets is None else buckets
    windows = (tick, window, step, allen_memory)
    return Recognition(_Job(job_input, stages, (start, end), windows, n_buckets, planned.rules.uses_query_time))


def _in_order(data: Any, rules: Any) -> tuple[Given | Iterable[Given], Compiled]:
    """Data and rules, given in either order."""
    data, rules = (rules, data) if isinstance(data, Compiled) else (data, rules)
    if not isinstance(rules, Compiled):
        hint = "`hf.load` reads the rules of files, `hf.load_text` those of a text"
        raise UsageProblem(Diagnostic("HF704", f"expected rules, found `{type(rules).__name__}`", hint=hint))
    return data, rules


def _check_order(start: int, end: int) -> None:
    if end < start:
        raise UsageProblem(Diagnostic("HF702", f"the run ends at {end}, before its start {start}"))


@dataclass(frozen=True)
class _StageResults:
    """The shuffle blocks sent to the stages, and those that each stage returned; stages may also count records."""

    sent: DataFrame
    found: list[DataFrame]
    counts_in_stages: bool

    @property
    def answers(self) -> DataFrame:
        return union(self.found or [self.sent]).where(f"stage = {NO_STAGE}")

    @property
    def counted(self) -> DataFrame:
        sources = [self.sent, *(self.found if self.counts_in_stages else [])]
        return union(sources).where(f"stage = {NO_STAGE} and kind not in ('event', 'fluent', 'lines')")


@dataclass(frozen=True)
class _Job:
    """The stages of the rules over the input, at the query times of a run.

    `bounds` are the first and last time-point as far as they are given, `windows` are the tick, the window, the step
    and the memory of Allen's relations.
    """

    input: JobInput
    stages: Stages
    bounds: tuple[int | None, int | None]
    windows: tuple[int, int | None, int | None, int | None]
    n_buckets: int
    uses_query_time: bool

    @cached_property
    def run(self) -> RunSchedule:
        """The query times of the run; if a bound is not given, this reads all records."""
        start, end = self.bounds
        if start is None or end is None:
            first, last = self.input.bounds(self.n_buckets)
            start = (0 if first is None else first) if start is None else start
            end = (start if last is None else last) if end is None else end
        _check_order(start, end)
        run = RunSchedule(start, end, *self.windows)
        if self.uses_query_time:
            check_query_times(run.queries, run.last)
        return run

    @cached_property
    def settled(self) -> _StageResults:
        """The results that are settled over all query times."""
        return self._results(JobAdmission)

    def reports(self) -> Reports:
        """The results known at each query time."""
        check_query_times(self.run.queries, self.run.last)
        dated = self._results(DatedAdmission)
        return reports_of(dated.answers, dated.counted, self.run)

    def _results(self, kind: type[JobAdmission]) -> _StageResults:
        """The results of all stages, one stage after another."""
        admission = kind(self.input.rules, self.run, self.stages.ranges_over_sorts)
        destinations = destinations_of(self.stages, self.input.rules, self.n_buckets)
        sent, colocated = self.input.sent(admission, destinations, self.n_buckets)
        found: list[DataFrame] = []
        for bucket in buckets_of(self.stages, destinations, admission):
            task = BucketTask(bucket, colocated.get(bucket.destination.stage))
            found.append(keep(_evaluated(task, [sent, *found], self.input), self.input.kept))
        return _StageResults(sent, found, bool(colocated))


def _evaluated(task: BucketTask, known: list[DataFrame], job_input: JobInput) -> DataFrame:
    """The results of one stage from the input and the earlier stages; empty buckets are evaluated too."""
    destination = task.bucket.destination
    number, n = destination.stage, destination.n_buckets
    n_tasks = job_input.n_tasks(n)
    arriving = [frame.where(f"stage = {number}") for frame in known]
    if destination.guards:
        semijoined = union([frame.where(f"stage = {-number}") for frame in known]).repartition(n_tasks, "place")
        arriving.append(frame_of(semijoined, partial(semijoin_rows, destination)))
    arriving += job_input.through_spark(number, task.colocated)
    every_bucket = ShuffleBlock(number, tuple(range(n)), n, Facts("nothing", "", 0, 0))
    arriving.append(rows_frame(job_input.ingestion.spark, [every_bucket]))
    return frame_of(union(arriving).repartition(n_tasks, "place"), task)


def _counts(counted: DataFrame) -> DataFrame:
    """The number of records by outcome (read, unused, set aside, unmatched, outside, late, dropped, cut), and of
    unreadable files."""
    from pyspark.sql import functions as F

    return counted.groupBy(F.col("kind").alias("what"), "name").agg(F.sum("n").alias("n"))
