"""Reports as DataFrames: the known results and the changes of each query time.

The workers return every interval and time-point with the query times between which it is known, and the last report
that includes it (`dated_buckets`). A report repeats these rows for their query times; no join is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.spark.input.ingestion import frame_of
from holdsfor.spark.output.result_rows import COUNTS_AT, VERSIONS, count_rows, version_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Reports", "reports_of"]


@dataclass(frozen=True)
class Reports:
    """The reports of `holdsfor run` for all query times.

    `intervals` and `events` have the columns of the settled results after a column `query_time`. `changes` has the
    changes of each query time to the results known before, with the columns of `holdsfor run --report changes`.
    `counts` has the number of late, dropped and cut records at each query time. `evaluations` has for each query time
    the microseconds of its evaluation (`seconds`), summed over all buckets, and the numbers of records that its window
    has and the previous one does not (`entered`), and vice versa (`left`).
    """

    intervals: DataFrame
    events: DataFrame
    changes: DataFrame
    counts: DataFrame
    evaluations: DataFrame


def reports_of(answers: DataFrame, counted: DataFrame, run: RunSchedule) -> Reports:
    """The reports of dated results and counts, which are shuffle blocks."""
    from pyspark.sql import functions as F

    fluents = frame_of(answers.where("kind = 'fluent'"), version_rows, VERSIONS)
    events = frame_of(answers.where("kind = 'event'"), version_rows, VERSIONS)
    counts = frame_of(counted.where("kind in ('late', 'dropped', 'cut')"), count_rows, COUNTS_AT)
    figures = counted.where("kind in ('entered', 'left')").unionByName(answers.where("kind = 'seconds'"))
    evaluations = frame_of(figures, count_rows, COUNTS_AT)
    fluent, fvp, event, time = (
        F.col(column).alias(name)
        for column, name in (("name", "fluent"), ("shown", "fvp"), ("shown", "event"), ("start", "time"))
    )
    return Reports(
        _reported(fluents, run).select("query_time", fluent, "args", "value", fvp, "start", "end"),
        _reported(events, run).select("query_time", "name", "args", event, time),
        _changes(fluents, "fvp", "end").unionByName(_changes(events, "event", "start")),
        counts.groupBy("query_time", "what").agg(F.sum("n").alias("n")),
        evaluations.groupBy("query_time", "what").agg(F.sum("n").alias("n")),
    )


def _reported(known: DataFrame, run: RunSchedule) -> DataFrame:
    """The rows of all reports: each result once for every query time that reports it."""
    from pyspark.sql import functions as F

    step = F.lit(run.step or run.window or 1).cast("long")
    query_time = F.explode(F.sequence("known_from", "last_report", step)).alias("query_time")
    return known.where("last_report is not null").select(query_time, *known.columns)


def _changes(known: DataFrame, kind: str, last: str) -> DataFrame:
    """New results with the results that they replace, and results that are retracted."""
    from pyspark.sql import functions as F

    nothing = F.lit(None).cast("long")
    what = [F.lit(kind).alias("kind"), F.col("shown").alias("name")]
    come = known.select(
        F.col("known_from").alias("query_time"),
        "change",
        *what,
        "old_start",
        "old_end",
        "start",
        F.col(last).alias("end"),
    )
    gone = known.where("is_retracted").select(
        F.col("known_until").alias("query_time"),
        F.lit("retracted").alias("change"),
        *what,
        F.col("start").alias("old_start"),
        F.col(last).alias("old_end"),
        nothing.alias("start"),
        nothing.alias("end"),
    )
    return come.unionByName(gone)
