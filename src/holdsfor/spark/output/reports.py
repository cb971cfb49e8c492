"""Results as DataFrames for people: what each query time knows and changes.

The workers say of every interval and time-point between which query times it is known, and up to which one reports tell
it (`dated_buckets`). So a report is those of its rows, repeated for the query times, and nothing is put together anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdsfor.spark.input.ingestion import frame_of
from holdsfor.spark.job.admission import RunSchedule
from holdsfor.spark.output.result_rows import COUNTS_AT, VERSIONS, count_rows, version_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Reports", "reports_of"]


@dataclass(frozen=True)
class Reports:
    """What each query time knows, as it knew it then: the reports of `holdsfor run`, for all query times.

    `intervals` and `events` have the columns of the settled results with the `query_time` before them. `changes` has
    what each query time changes in what was known before it, with the columns of `holdsfor run --report changes`, and
    `counts` how many records are late, dropped and cut at which of them.
    """

    intervals: DataFrame
    events: DataFrame
    changes: DataFrame
    counts: DataFrame


def reports_of(answers: DataFrame, counted: DataFrame, run: RunSchedule) -> Reports:
    """The reports of results, which are shuffle blocks with the query times that bound them, and of counts."""
    from pyspark.sql import functions as F

    fluents = frame_of(answers.where("kind = 'fluent'"), version_rows, VERSIONS)
    events = frame_of(answers.where("kind = 'event'"), version_rows, VERSIONS)
    counts = frame_of(counted.where("kind in ('late', 'dropped', 'cut')"), count_rows, COUNTS_AT)
    fluent, fvp, event, time = (
        F.col(column).alias(name)
        for column, name in (("name", "fluent"), ("shown", "fvp"), ("shown", "event"), ("start", "time"))
    )
    return Reports(
        _reported(fluents, run).select("query_time", fluent, "args", "value", fvp, "start", "end"),
        _reported(events, run).select("query_time", "name", "args", event, time),
        _changes(fluents, "fvp", "end").unionByName(_changes(events, "event", "start")),
        counts.groupBy("query_time", "what").agg(F.sum("n").alias("n")),
    )


def _reported(known: DataFrame, run: RunSchedule) -> DataFrame:
    """The rows of reports, once for each."""
    from pyspark.sql import functions as F

    step = F.lit(run.step or run.window or 1).cast("long")
    told = F.explode(F.sequence("known_from", "last_report", step)).alias("query_time")
    return known.where("last_report is not null").select(told, *known.columns)


def _changes(known: DataFrame, kind: str, last: str) -> DataFrame:
    """What comes, with what it replaces, and what goes without being replaced."""
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
