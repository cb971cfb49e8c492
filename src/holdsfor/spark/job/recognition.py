"""Recognition over DataFrames: the stages of the rules as shuffles, the engine in the workers.

Each stage routes rows to buckets (`routing`), runs the engine once per bucket (`buckets`) and returns results as rows.
The driver collects no rows. Results are computed lazily; only the first and last time-point, if they are not given, are
computed at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from holdsfor.analysis.pipeline import Compiled
from holdsfor.distribution.stages import Stages, plan_stages
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.windows import check_bounds, check_query_times, check_windows
from holdsfor.sources.times import Unit
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.exchange.facts import Facts
from holdsfor.spark.exchange.shipped_rules import Rules
from holdsfor.spark.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.spark.input.ingestion import check_buckets, frame_of, keep, rows_frame, union
from holdsfor.spark.input.inputs import Columns, Given
from holdsfor.spark.input.set_aside import set_aside_of, unmatched_of
from holdsfor.spark.job.admission import JobAdmission, RunSchedule
from holdsfor.spark.job.buckets import Bucket
from holdsfor.spark.job.dated_buckets import DatedAdmission
from holdsfor.spark.job.job_input import JobInput, read_job_input
from holdsfor.spark.job.stage_functions import buckets_of, destinations_of
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
    and `counts` the number of records by fate. These are settled over all query times; `reports` has the known results
    of each query time. `unreadable` are the files that cannot be read; in `set_aside` they have line 0. Results are
    cached until `unpersist()`.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> wins = spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string")
    >>> found = hf.spark.recognise(wins, rules, start=0, end=30)
    >>> found.intervals.select("fvp", "start", "end").collect()
    [Row(fvp='rich(chris)=true', start=14, end=None)]
    >>> found.counts.where("what = 'read'").first().n
    1
    """

    intervals: DataFrame
    events: DataFrame
    set_aside: DataFrame
    unmatched: DataFrame
    counts: DataFrame
    run: RunSchedule
    kept: list[DataFrame] = field(repr=False)
    make_reports: Callable[[], Reports] = field(repr=False)
    unreadable: tuple[Unreadable, ...] = ()

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
        return self.make_reports()

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
        for frame in self.kept:
            frame.unpersist()


def recognise(
    data: Given | Iterable[Given],
    rules: Compiled,
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
    time_unit: Unit = "s",
) -> Recognition:
    """The results of the rules on DataFrames, files and prepared history, settled over all query times.

    `columns` describes the columns of the DataFrame, as `happensAt(speed(vessel, knots), ts)` or as a dictionary of the
    columns of records; pass several DataFrames as pairs with their columns.

    Without a `window`, the whole history is one window. Without `start` and `end`, a pass over the records finds the
    first and last time-point. An interval that ended longer ago than `allen_memory`, by default the window, is not
    `before` another one. `buckets` is the number of partitions of the keys.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> wins = spark.createDataFrame([(13, "chris")], "ts long, who string")
    >>> found = hf.spark.recognise(wins, rules, columns="happensAt(win(who), ts)")
    >>> found.intervals.select("fvp", "start", "end").collect()
    [Row(fvp='rich(chris)=true', start=14, end=None)]
    """
    check_windows(tick, window, step, allen_memory)
    check_bounds(start, end)
    check_buckets(buckets)
    goals = list(goals)
    planned = EngineSession(rules, start=0, tick=tick, window=window, goals=goals)
    stages = plan_stages(rules, planned.rules.program)
    job_input = read_job_input(data, rules, Rules.of(rules, goals), tick, columns, time_unit)
    job_input.ingestion.has_windows = window is not None
    n_buckets = job_input.n_buckets if buckets is None else buckets
    bounds = _bounds(job_input, start, end, n_buckets)
    run = RunSchedule(*bounds, tick, window, step, allen_memory)
    if planned.rules.uses_query_time:
        check_query_times(run.queries, run.last)
    known = _known(job_input, stages, JobAdmission(job_input.rules, run, stages.ranges_over_sorts), n_buckets)

    def make_reports() -> Reports:
        check_query_times(run.queries, run.last)
        dated = _known(job_input, stages, DatedAdmission(job_input.rules, run, stages.ranges_over_sorts), n_buckets)
        return reports_of(dated.answers, dated.counted, run)

    return Recognition(
        frame_of(known.answers.where("kind = 'fluent'"), interval_rows, INTERVALS),
        frame_of(known.answers.where("kind = 'event'"), event_rows, EVENTS),
        set_aside_of(known.sent),
        unmatched_of(known.sent),
        _counts(known.counted),
        run,
        job_input.kept,
        make_reports,
        tuple(job_input.unreadable),
    )


def _bounds(job_input: JobInput, start: int | None, end: int | None, n_buckets: int) -> tuple[int, int]:
    """The first and last time-point of the run, by default those of the records."""
    if start is None or end is None:
        first, last = job_input.bounds(n_buckets)
        start = (0 if first is None else first) if start is None else start
        end = (start if last is None else last) if end is None else end
    if end < start:
        raise UsageProblem(Diagnostic("HF702", f"the run ends at {end}, before its start {start}"))
    return start, end


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


def _known(job_input: JobInput, stages: Stages, admission: JobAdmission, n_buckets: int) -> _StageResults:
    """The results of all stages, one stage after another."""
    destinations = destinations_of(stages, job_input.compiled, n_buckets)
    sent, colocated = job_input.sent(admission, destinations, n_buckets)
    found: list[DataFrame] = []
    for bucket in buckets_of(stages, destinations, admission, colocated):
        found.append(keep(_evaluated(bucket, [sent, *found], job_input), job_input.kept))
    return _StageResults(sent, found, bool(colocated))


def _evaluated(bucket: Bucket, known: list[DataFrame], job_input: JobInput) -> DataFrame:
    """The results of one stage from the input and the earlier stages; empty buckets are evaluated too."""
    destination = bucket.destination
    number, n = destination.stage, destination.n_buckets
    arriving = [frame.where(f"stage = {number}") for frame in known]
    if destination.guards:
        semijoined = union([frame.where(f"stage = {-number}") for frame in known]).repartition(n, "place")
        arriving.append(frame_of(semijoined, destination.routed))
    arriving += job_input.through_spark(number, bucket.colocated)
    every_bucket = ShuffleBlock(number, tuple(range(n)), n, Facts("nothing", "", 0, 0))
    arriving.append(rows_frame(job_input.ingestion.spark, [every_bucket]))
    return frame_of(union(arriving).repartition(n, "place"), bucket)


def _counts(counted: DataFrame) -> DataFrame:
    """The number of records by fate (read, unused, set aside, unmatched, outside, late, dropped, cut), and of
    unreadable files."""
    from pyspark.sql import functions as F

    return counted.groupBy(F.col("kind").alias("what"), "name").agg(F.sum("n").alias("n"))
