"""Recognition over DataFrames: the stages of the rules as shuffles, the engine in the workers.

Each stage routes rows to buckets (`routing`), runs the engine once per bucket (`buckets`) and returns results as rows.
The driver collects no rows. Results are computed lazily; if the first and last time-point are not given, the first use
of a result computes them.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal

from holdsfor.analysis.pipeline import Compiled, check_clock, refuse_unknown_unit, with_clock, with_output
from holdsfor.analysis.result_columns import ResultColumns, TableColumns, find_table, result_columns
from holdsfor.columns.pending import Pending, merged_pending
from holdsfor.columns.time_type import TimeType
from holdsfor.distribution.one_bucket import one_bucket_warnings
from holdsfor.distribution.stages import OneBucketCause, Stages, Table, plan_stages
from holdsfor.errors import Diagnostic, Hint, ParallelismWarning, UsageProblem
from holdsfor.parallel.exchange.facts import FAULT, PENDING, Facts
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.parallel.stages.admission import JobAdmission, RunSchedule
from holdsfor.parallel.stages.dated_buckets import DatedAdmission
from holdsfor.parallel.stages.stage_functions import buckets_of, destinations_of
from holdsfor.prolog.faults import Faults, fault_diagnostics
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.windows import check_bounds, check_query_times, check_windows
from holdsfor.sources.number_checks import refuse_conflicts
from holdsfor.sources.set_aside_reasons import ReasonCounts, SetAsideLimit
from holdsfor.sources.time_arguments import DurationArgument, TimeArgument, duration_of, time_point_of
from holdsfor.sources.times import Clock, Unit
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.input.ingestion import check_buckets, frame_of, keep, rows_frame, union
from holdsfor.spark.input.inputs import Columns, Given
from holdsfor.spark.input.set_aside import faults_of, kinds_of, set_aside_of, unmatched_of
from holdsfor.spark.job.bucket_tasks import BucketTask, semijoin_rows
from holdsfor.spark.job.job_input import JobInput, in_order, read_job_input
from holdsfor.spark.job.set_aside_check import SetAsideCheck
from holdsfor.spark.output.reports import Reports
from holdsfor.spark.output.result_rows import AllRows, TypedRows
from holdsfor.spark.output.time_columns import with_times
from holdsfor.spark.output.typed_frames import spark_schema, typed_frame
from holdsfor.syntax.output_selectors import Selectors
from holdsfor.syntax.program import Program
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

__all__ = ["Recognition", "check_buckets", "recognise"]


@dataclass(frozen=True, repr=False)
class Recognition:
    """The results of the rules as lazy DataFrames.

    `found["rich"]` is the table of one fluent or event, with a typed column for each argument; `tables()` has all of
    them. Their columns follow from the rules and the columns of the input, before a job runs. `results` is one table
    of all fluents and events: `kind, name, arguments, value, fvp, start, end`; `intervals` has its fluents and
    `events` its events. An open end is null, and times are timestamps if those of the input are.

    `set_aside` has a row for every record that does not fit, `unmatched` for every retraction without a record, and
    `counts` the number of records by outcome. Results are settled over all query times; `reports` has the known
    results of each query time. `unreadable` are the files that cannot be read; in `set_aside` they have line 0.
    `one_bucket` are the names that one task computes because of their own rules, with the reasons. `without_result` are
    the warnings about conditions that had no result for some values, such as a text where a number is needed; they need
    the results.

    Results are cached until `unpersist()`, or the end of a `with` statement.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> wins = spark.createDataFrame([(13, "chris")], "ts long, person string")
    >>> with hf.spark.recognise(rules, (wins, "happensAt(win(person), ts)")) as found:
    ...     found["rich"].collect()
    ...     found.counts.where("what = 'read'").first().n
    [Row(person='chris', value='true', start=14, end=None)]
    1
    """

    _job: _Job

    @property
    def columns(self) -> ResultColumns:
        """The tables of all output fluents and events, with the names and types of their columns."""
        return self._job.columns

    @property
    def time_type(self) -> TimeType | None:
        """The type of the times of results, None for integers."""
        return self._job.time_type

    @property
    def time_unit(self) -> Unit:
        """The unit of time-points."""
        return self._job.input.ingestion.setting.clock().unit

    @property
    def spark(self) -> SparkSession:
        """The session of the run."""
        return self._job.input.ingestion.spark

    def __getitem__(self, name: str) -> DataFrame:
        """The table of one output fluent or event.

        It has a column for each argument, then `value`, `start` and `end`, or `time` for an event. The arity
        distinguishes fluents of one name: `found["gap/2"]`.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("happensAt(alarm(X), T) :- happensAt(smoke(X), T), happensAt(heat(X), T).")
        >>> lines = spark.createDataFrame([("smoke|3|3|b1",), ("heat|3|3|b1",)], "value string")
        >>> hf.spark.recognise(rules, lines)["alarm"].collect()
        [Row(arg1='b1', time=3)]
        """
        return self.table_of(find_table(self.columns, self._job.input.compiled.names, name))

    def tables(self) -> dict[str, DataFrame]:
        """The tables of all output fluents and events, by name.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> wins = spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string")
        >>> {name: table.columns for name, table in hf.spark.recognise(rules, wins).tables().items()}
        {'rich': ['arg1', 'value', 'start', 'end']}
        """
        return {layout.table: self.table_of(layout) for layout in self.columns}

    def schemas(self) -> dict[str, StructType]:
        """The columns and types of the tables of `tables()`; no job runs.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> wins = spark.createDataFrame([], "ts timestamp, person string")
        >>> found = hf.spark.recognise(rules, (wins, "happensAt(win(person), ts)"))
        >>> found.schemas()["rich"].simpleString()
        'struct<person:string,value:string,start:timestamp,end:timestamp>'
        """
        return {layout.table: spark_schema(layout, self.time_type) for layout in self.columns}

    def table_of(self, layout: TableColumns) -> DataFrame:
        """The table of a fluent or event by its columns."""
        rows = TypedRows(layout)
        found = frame_of(self._job.settled.rows_of(layout), rows, rows.schema)
        return typed_frame(found, layout, self.time_type)

    @cached_property
    def results(self) -> DataFrame:
        return self._all("kind in ('fluent', 'event')")

    @cached_property
    def intervals(self) -> DataFrame:
        return self._all("kind = 'fluent'")

    @cached_property
    def events(self) -> DataFrame:
        return self._all("kind = 'event'")

    def _all(self, condition: str) -> DataFrame:
        rows = AllRows()
        found = frame_of(self._job.settled.answers.where(condition), rows, rows.schema)
        return with_times(found, ("start", "end"), self.time_type)

    @cached_property
    def set_aside(self) -> DataFrame:
        return set_aside_of(self._job.unchecked.sent)

    @cached_property
    def unmatched(self) -> DataFrame:
        return unmatched_of(self._job.unchecked.sent)

    @cached_property
    def counts(self) -> DataFrame:
        return _counts(self._job.unchecked.counted)

    @property
    def reasons(self) -> ReasonCounts:
        """The reasons for setting records aside, counted; the records are read now, if they have not been."""
        return self._job.set_aside.count(self._job.unchecked.sent)[1]

    @cached_property
    def faults(self) -> Faults:
        """The conditions without a result; the results are computed now, if they have not been."""
        found = self._job.unchecked.found
        return faults_of(union(found)) if found else Faults()

    @cached_property
    def pending(self) -> tuple[Pending, ...]:
        """The delayed effects that are due after the end, if none is given; computes the results, if need be.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T). ft(rich(_)=true, 10).")
        >>> wins = spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string")
        >>> hf.spark.recognise(rules, wins).pending
        (Pending(fluent='rich/1', n=1, first_due=23),)
        """
        found = self._job.unchecked.found if self._job.bounds[1] is None else []
        rows = union(found).where(f"kind = '{PENDING}'").select("name", "n", "first").collect() if found else []
        return merged_pending(Pending(*row) for row in rows)

    @property
    def programs(self) -> tuple[Program, ...]:
        """The texts of the rules."""
        return tuple(self._job.input.compiled.programs)

    @property
    def without_result(self) -> tuple[Diagnostic, ...]:
        """Warnings about conditions that had no result for some values; the results are computed now, if need be."""
        return tuple(fault_diagnostics(self.faults, self.programs))

    @property
    def run(self) -> RunSchedule:
        """The first and last time-point and the query times of the run."""
        return self._job.run

    @property
    def unreadable(self) -> tuple[Unreadable, ...]:
        return tuple(self._job.input.unreadable)

    @property
    def stages(self) -> Stages:
        """The stages of the job; as text, they are the plan that `holdsfor plan --stage spark` shows."""
        return self._job.stages

    @property
    def one_bucket(self) -> tuple[OneBucketCause, ...]:
        """The events and FVPs that one task computes because of their own rules, each with the reason and a place."""
        return self.stages.one_bucket

    @cached_property
    def mismatches(self) -> tuple[Diagnostic, ...]:
        """A warning for each join of records, or of records and facts, whose constants have no type in common.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("happensAt(both(X), T) :- happensAt(a(X), T), happensAt(b(X), T).")
        >>> rows = [("a", 13, "7"), ("b", 13, "x")]
        >>> hf.spark.recognise(rules, spark.createDataFrame(rows, "name string, start long, arg1 string")).mismatches
        ()
        """
        return tuple(kinds_of(self._job.unchecked.sent).mismatches(self._job.input.compiled.names.joins))

    @cached_property
    def reports(self) -> Reports:
        """The known results and the changes of each query time, as lazy DataFrames.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> wins = spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string")
        >>> found = hf.spark.recognise(rules, wins, start=0, end=30, window=10)
        >>> found.reports["rich"].orderBy("query_time").first()
        Row(query_time=20, arg1='chris', value='true', start=14, end=None)
        """
        return self._job.reports()

    def __repr__(self) -> str:
        tables = [f"  {name}: {', '.join(schema.names)}" for name, schema in self.schemas().items()]
        return "\n".join([f"Recognition on Spark of {len(tables)} tables", *tables])

    def __enter__(self) -> Recognition:
        return self

    def __exit__(self, *error: object) -> None:
        self.unpersist()

    def unpersist(self) -> None:
        """Free the memory and disk of the cached results.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> wins = spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string")
        >>> found = hf.spark.recognise(rules, wins, start=0, end=30)
        >>> found.intervals.count()
        1
        >>> found.unpersist()
        """
        for frame in self._job.input.kept:
            frame.unpersist()


def recognise(
    rules: Compiled | Given | Iterable[Given],
    *data: Given | Iterable[Given] | Compiled,
    start: TimeArgument | None = None,
    end: TimeArgument | None = None,
    tick: int = 1,
    window: DurationArgument | None = None,
    step: DurationArgument | None = None,
    allen_memory: DurationArgument | None = None,
    buckets: int | None = None,
    goals: Iterable[Term] = (),
    columns: Columns | None = None,
    time_unit: Unit | None = None,
    tz: str | None = None,
    times: Literal["integer", "iso"] | None = None,
    max_set_aside: str | float | None = None,
    show: Selectors | None = None,
) -> Recognition:
    """The results of the rules on DataFrames, files and prepared history, settled over all query times.

    Rules and data may be given in either order. In a `with` statement, the cached results are freed at its end.

    A DataFrame with columns of its own is given with a description of its rows:
    `(frame, "happensAt(speed(vessel, knots), ts)")`, or with a dictionary of the columns of records. `columns`
    describes a single DataFrame.

    No job runs before a result is used. The first use reads all records if `start` or `end` is not given, and counts
    the records that are set aside: a `SetAsideWarning` has their number and the reasons, and more than
    `max_set_aside` (`"5%"`, or a number of records; by default all of them) are an error.

    Times, durations, `time_unit`, `tz` and `times` are those of `hf.recognise`; `times="iso"` gives timestamps for
    integers too. The time zone of the Spark session makes no difference. Without a `window`, the whole history is one
    window. An interval that ended longer ago than `allen_memory`, by default the window, is not `before` another one.
    `buckets` is the number of partitions of the keys. `show` are the fluents and events of the results, as in
    `hf.recognise`; stages that they do not need do not run.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> wins = spark.createDataFrame([(13, "chris")], "ts long, person string")
    >>> found = hf.spark.recognise(rules, wins, columns="happensAt(win(person), ts)")
    >>> found["rich"].select("person", "start").collect()
    [Row(person='chris', start=14)]
    """
    compiled, given = in_order(rules, data)
    check_clock(time_unit, tz)
    unit = time_unit or "s"
    bounds = (time_point_of(start, "start", unit, tz), time_point_of(end, "end", unit, tz))
    windows = _Windows(
        tick,
        duration_of(window, "window", unit),
        duration_of(step, "step", unit),
        duration_of(allen_memory, "allen_memory", unit),
    )
    windows.check(*bounds)
    check_buckets(buckets)
    limit = SetAsideLimit.of(max_set_aside)
    compiled = with_clock(with_output(compiled, show), unit, tz)
    goals = list(goals)
    planned = EngineSession(compiled, start=0, tick=tick, window=windows.window, goals=goals)
    stages = plan_stages(compiled, planned.rules.program, has_start_up_goals=bool(goals))
    for each in one_bucket_warnings(stages):
        warnings.warn(each.render(), ParallelismWarning, stacklevel=2)
    clock = Clock(time_unit, zone=tz)
    job_input = read_job_input(given, compiled, Rules.of(compiled, goals), tick, columns, clock)
    refuse_conflicts(compiled.names, job_input.columns)
    if time_unit is None and job_input.time_type is None and not job_input.histories:
        hint = Hint(
            'give `time_unit`, such as `time_unit="s"`',
            on_command_line="write `--time-unit s`, `--time-unit ms` or `--time-unit us`",
        )
        refuse_unknown_unit(compiled, hint)
    job_input.ingestion.has_windows = windows.window is not None
    n_buckets = job_input.n_buckets if buckets is None else buckets
    time_type = TimeType(unit, tz or "UTC") if times == "iso" and job_input.time_type is None else job_input.time_type
    time_type = None if times == "integer" else time_type
    uses_query_time, check = planned.rules.uses_query_time, SetAsideCheck(job_input.ingestion, limit)
    return Recognition(_Job(job_input, stages, bounds, windows, n_buckets, uses_query_time, check, time_type))


@dataclass(frozen=True)
class _Windows:
    """The tick, the window, the step and the memory of Allen's relations, as numbers of time-points."""

    tick: int
    window: int | None
    step: int | None
    allen_memory: int | None

    def check(self, start: int | None, end: int | None) -> None:
        """Refuse windows and bounds without a meaning."""
        check_windows(self.tick, self.window, self.step, self.allen_memory)
        check_bounds(start, end)
        if start is not None and end is not None:
            _check_order(start, end)

    def schedule(self, start: int, end: int) -> RunSchedule:
        return RunSchedule(start, end, self.tick, self.window, self.step, self.allen_memory)


def _check_order(start: int, end: int) -> None:
    if end < start:
        raise UsageProblem(Diagnostic("HF702", f"the run ends at {end}, before its start {start}"))


@dataclass(frozen=True)
class _StageResults:
    """The shuffle blocks sent to the stages, and those that each stage returned; stages may also count records."""

    sent: DataFrame
    found: list[DataFrame]
    counts_in_stages: bool
    stages: Stages

    @property
    def answers(self) -> DataFrame:
        return union(self.found or [self.sent]).where(f"stage = {NO_STAGE}")

    def rows_of(self, layout: TableColumns) -> DataFrame:
        """The results of one fluent or event, from the stages that compute it."""
        from pyspark.sql import functions as F

        name, arity = layout.key
        table: Table = (TypedRows(layout).kind, name, arity)
        stages = zip(self.stages.stages, self.found, strict=True)
        computed = [frame for stage, frame in stages if table in stage.tables]
        is_of_table = (F.col("kind") == table[0]) & (F.col("name") == name) & (F.col("arity") == arity)
        return union(computed or [self.sent]).where((F.col("stage") == NO_STAGE) & is_of_table)

    @property
    def counted(self) -> DataFrame:
        sources = [self.sent, *(self.found if self.counts_in_stages else [])]
        others = f"'event', 'fluent', 'lines', '{FAULT}', '{PENDING}'"
        return union(sources).where(f"stage = {NO_STAGE} and kind not in ({others})")


@dataclass(frozen=True)
class _Job:
    """The stages of the rules over the input, at the query times of a run.

    `bounds` are the first and last time-point as far as they are given.
    """

    input: JobInput
    stages: Stages
    bounds: tuple[int | None, int | None]
    windows: _Windows
    n_buckets: int
    uses_query_time: bool
    set_aside: SetAsideCheck
    time_type: TimeType | None

    @cached_property
    def columns(self) -> ResultColumns:
        compiled = self.input.compiled
        return result_columns(compiled, self.input.columns)

    @cached_property
    def run(self) -> RunSchedule:
        """The query times of the run; if a bound is not given, this reads all records."""
        start, end = self.bounds
        if start is None or end is None:
            first, last = self.input.bounds(self.n_buckets)
            start = (0 if first is None else first) if start is None else start
            end = (start if last is None else last) if end is None else end
        _check_order(start, end)
        run = self.windows.schedule(start, end)
        if self.uses_query_time:
            check_query_times(run.queries, run.last)
        return run

    @cached_property
    def unchecked(self) -> _StageResults:
        """The results that are settled over all query times."""
        return self._results(JobAdmission)

    @property
    def settled(self) -> _StageResults:
        """The same results, after the check of the records that are set aside."""
        self.set_aside.check(self.unchecked.sent)
        return self.unchecked

    def reports(self) -> Reports:
        """The results known at each query time."""
        check_query_times(self.run.queries, self.run.last)
        dated = self._results(DatedAdmission)
        self.set_aside.check(dated.sent)
        names = self.input.compiled.names
        return Reports(dated.answers, dated.counted, dated.rows_of, self.run, self.columns, names, self.time_type)

    def _results(self, kind: type[JobAdmission]) -> _StageResults:
        """The results of all stages, one stage after another."""
        admission = kind(self.input.rules, self.run, self.stages.ranges_over_sorts)
        destinations = destinations_of(self.stages, self.input.rules, self.n_buckets)
        sent, colocated = self.input.sent(admission, destinations, self.n_buckets)
        found: list[DataFrame] = []
        for bucket in buckets_of(self.stages, destinations, admission):
            task = BucketTask(bucket, colocated.get(bucket.destination.stage))
            found.append(keep(_evaluated(task, [sent, *found], self.input), self.input.kept))
        return _StageResults(sent, found, bool(colocated), self.stages)


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
