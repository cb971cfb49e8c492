"""Recognition over DataFrames: the stages of the rules as shuffles, the engine in the workers.

Every stage is: rows to buckets (`sending`), one engine call per bucket (`buckets`), results as rows again. Nothing is
collected on the driver, and nothing is computed before somebody asks, unless the first and last time-point have to be
found out from the records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

from holdsfor.analysis.compiled import Compiled
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.physical.stages import Stage, Stages, plan_stages
from holdsfor.runtime.session import Session
from holdsfor.runtime.windows import check_windows
from holdsfor.spark.exchange import Layout
from holdsfor.spark.flow import Flow, spark_schema
from holdsfor.spark.inputs import Given, Source, sources_of
from holdsfor.spark.planning import bucket_of, layout_of, sender_of
from holdsfor.spark.query_times import DatedLayout
from holdsfor.spark.reading import Reader, Settler
from holdsfor.spark.reports import Reports, events_of, intervals_of, reports_of
from holdsfor.spark.rules import Rules
from holdsfor.spark.run import COUNTS, COUNTS_AT, Admission, Run
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Recognition", "check_buckets", "recognise"]


@dataclass(frozen=True)
class Recognition:
    """What the rules recognise, as DataFrames that are computed when they are asked for.

    `intervals` has a row for every maximal interval (`end` is null while it is open), `events` one for every time-point
    of an output event, `set_aside` one for every record that does not fit, `counts` what became of the records. That is
    what all query times settle; `reports` has what each of them knows. Results are kept until `unpersist`, so that
    asking twice does not compute twice.
    """

    intervals: DataFrame
    events: DataFrame
    set_aside: DataFrame
    counts: DataFrame
    run: Run
    kept: list[DataFrame] = field(repr=False)
    tell: Callable[[], Reports] = field(repr=False)

    @cached_property
    def reports(self) -> Reports:
        """What each query time knows and changes, as DataFrames that are computed when they are asked for."""
        return self.tell()

    def unpersist(self) -> None:
        """Give the memory and disk of what was computed back."""
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
) -> Recognition:
    """What the rules recognise in DataFrames, settled over all query times.

    Without a window the whole history is one. `start` and `end` are found out from the records, which is a pass over
    them, if they are not given. An interval that is over for longer than `allen_memory`, by default the window, is not
    `before` another one. `buckets` is in how many parts entities are divided.
    """
    check_windows(tick, window, step, allen_memory)
    check_buckets(buckets)
    goals = list(goals)
    stages = plan_stages(rules, Session(rules, start=0, tick=tick, window=window, goals=goals).program)
    sources = sources_of(data, rules.names, tick)
    layout = layout_of(rules)
    travelling = Rules.of(rules, goals)
    spark = sources[0].frame.sparkSession
    kept: list[DataFrame] = []
    read = _read(sources, travelling, tick, layout, kept, is_needed_now=start is None or end is None)
    run = Run(*_bounds(read, layout, start, end, tick), tick, window, step, allen_memory)
    admission = Admission(travelling, run, layout, stages.ranges_over_sorts)
    n_buckets = _n_buckets(spark) if buckets is None else buckets
    answers = _Stages(spark, stages, admission, n_buckets, kept).answers(read)

    def tell() -> Reports:
        dated = replace(admission, layout=DatedLayout(layout.width))
        known = _Stages(spark, stages, dated, n_buckets, kept).answers(read)
        return reports_of(known, read.then(admission.counts_at).frame(COUNTS_AT), run)

    return Recognition(
        intervals_of(answers),
        events_of(answers),
        read.frame(layout.schema).where("kind = 'set aside'").select("text", "reason"),
        _counts(read, admission),
        run,
        kept,
        tell,
    )


def check_buckets(buckets: int | None) -> None:
    """Refuse a number of buckets that nothing can be divided into."""
    if buckets is not None and buckets < 1:
        raise UsageProblem(Diagnostic("HF770", f"the number of buckets is {buckets}, expected at least 1"))


# -- reading -----------------------------------------------------------------------------------------------------------


def _read(
    sources: list[Source], rules: Rules, tick: int, layout: Layout, kept: list[DataFrame], *, is_needed_now: bool
) -> Flow:
    """The records as rows, without what was taken back; they are kept where that is a shuffle, or needed at once."""
    flows = [Flow.of(source.frame, Reader(rules, tick, layout, source.shape)) for source in sources]
    read = reduce(lambda one, other: one | other, flows)
    if any(source.may_take_back for source in sources):
        return Flow.of(_keep(_settled(read.frame(layout.schema), layout), kept))
    return Flow.of(_keep(read.frame(layout.schema), kept)) if is_needed_now else read


def _settled(rows: DataFrame, layout: Layout) -> DataFrame:
    """The rows without what was taken back; a record meets what takes it back by everything but its arrival."""
    from pyspark.sql import functions as F

    same = [name for name in layout.schema.names if name not in ("arrival", "takes_back", "text", "reason")]
    n = rows.sparkSession.conf.get("spark.sql.shuffle.partitions", "200")
    part = F.pmod(F.xxhash64(*same), F.lit(int(n or 200)))
    settler = Settler(layout)

    def settle(table: Any) -> Any:
        return settler(table.drop_columns(["part"]))

    return rows.withColumn("part", part).groupBy("part").applyInArrow(settle, spark_schema(layout.schema))


def _bounds(read: Flow, layout: Layout, start: int | None, end: int | None, tick: int) -> tuple[int, int]:
    """The first and last time-point of the run: as asked for, else of the first and the last record."""
    if start is None or end is None:
        from pyspark.sql import functions as F

        last = F.when(F.col("kind") == "event", F.col("start")).otherwise(
            F.floor((F.col("end") - 1) / F.lit(tick)).cast("long") * tick
        )
        records = read.frame(layout.schema).where("kind in ('event', 'fluent')")
        found = records.agg(F.min("start"), F.max(last)).first()
        assert found is not None
        first_record, last_record = found
        start = (0 if first_record is None else first_record) if start is None else start
        end = (start if last_record is None else last_record) if end is None else end
    if end < start:
        raise UsageProblem(Diagnostic("HF702", f"the run ends at {end}, before its start {start}"))
    return start, end


# -- stages ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Stages:
    """The stages of a program over rows."""

    spark: SparkSession
    stages: Stages
    admission: Admission
    n_buckets: int
    kept: list[DataFrame]

    def answers(self, read: Flow) -> DataFrame:
        """The results of all stages."""
        layout = self.admission.layout
        known = read.then(self.admission.rows)
        if len(self.stages.stages) > 1:
            known = Flow.of(_keep(known.frame(layout.schema), self.kept))
        answers = self.spark.createDataFrame([], spark_schema(layout.answer_schema))
        for stage in self.stages.stages:
            answer = _keep(self._evaluated(stage, known), self.kept)
            answers = answers.unionByName(answer)
            known = known | Flow.of(answer.select(*layout.schema.names))
        return answers

    def _evaluated(self, stage: Stage, known: Flow) -> DataFrame:
        """The results of one stage from what is known before it."""
        bucket = bucket_of(stage, self.stages, self.admission, self.n_buckets)
        sender = sender_of(stage, self.stages, self.admission, bucket.n_buckets)
        sent = known.then(sender.send).frame(sender.sent_schema)
        if sender.has_guards:
            waiting = known.then(sender.wait).frame(sender.waiting_schema)
            routes = known.then(sender.routes).frame(sender.route_schema).distinct()
            sent = sent.unionByName(waiting.join(routes, "route").drop("route"))
        everyone = self.spark.range(bucket.n_buckets).selectExpr("cast(id as int) as bucket")
        sent = sent.unionByName(everyone, allowMissingColumns=True)

        def evaluate(key: Any, table: Any) -> Any:
            return bucket(int(key[0].as_py()), table)

        return sent.groupBy("bucket").applyInArrow(evaluate, spark_schema(bucket.layout.answer_schema))


# -- results -----------------------------------------------------------------------------------------------------------


def _counts(read: Flow, admission: Admission) -> DataFrame:
    """How many records were read, of names that no rule uses, set aside, outside the run, late and too late."""
    from pyspark.sql import functions as F

    counted = read.then(admission.counts).frame(COUNTS)
    return counted.groupBy("what", "name").agg(F.sum("n").alias("n"))


# -- plumbing ----------------------------------------------------------------------------------------------------------


def _keep(frame: DataFrame, kept: list[DataFrame]) -> DataFrame:
    kept.append(frame.persist())
    return frame


def _n_buckets(spark: SparkSession) -> int:
    """Twice as many buckets as tasks can run at once: a small one does not leave a core idle."""
    return 2 * int(spark.sparkContext.defaultParallelism)
