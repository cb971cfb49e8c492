"""Results as DataFrames for people: what is settled, and what each query time knows and changes.

The workers say of every interval and time-point between which query times it is known, and up to which one reports tell
it (`query_times`). So a report is those of its rows, repeated for the query times, and nothing is put together anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdsfor.kernels.packing import OPEN
from holdsfor.spark.run import Run

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["Reports", "events_of", "intervals_of", "reports_of"]


@dataclass(frozen=True)
class Reports:
    """What each query time knows, as it knew it then: the reports of `holdsfor run`, for all query times.

    `intervals` and `events` have the columns of the settled results with the `query_time` before them. `changes` has
    what each query time changes in what was known before it, with the columns of `holdsfor run --report changes`, and
    `counts` how many records came late, and too late, for which of them.
    """

    intervals: DataFrame
    events: DataFrame
    changes: DataFrame
    counts: DataFrame


def reports_of(known: DataFrame, counts: DataFrame, run: Run) -> Reports:
    """The reports about rows that tell between which query times they are known."""
    from pyspark.sql import functions as F

    step = run.step or run.window or 1
    told = F.explode(F.sequence("known_from", "last_report", F.lit(step).cast("long"))).alias("query_time")
    reported = known.where("last_report is not null").select(told, *known.columns)
    return Reports(
        intervals_of(reported, "query_time"),
        events_of(reported, "query_time"),
        _changes(known),
        counts.groupBy("query_time", "what").agg(F.sum("n").alias("n")),
    )


def intervals_of(answers: DataFrame, *before: str) -> DataFrame:
    """The intervals among results; columns may come before theirs."""
    from pyspark.sql import functions as F

    columns = [F.col("name").alias("fluent"), F.col("args"), F.col("value"), F.col("shown").alias("fvp")]
    return answers.where("kind = 'fluent'").select(*before, *columns, F.col("start"), _end("end"))


def events_of(answers: DataFrame, *before: str) -> DataFrame:
    """The time-points of output events among results."""
    from pyspark.sql import functions as F

    shown, time = F.col("shown").alias("event"), F.col("start").alias("time")
    return answers.where("kind = 'event'").select(*before, "name", "args", shown, time)


def _changes(known: DataFrame) -> DataFrame:
    """What comes, with what it replaces, and what goes without being replaced."""
    from pyspark.sql import functions as F

    nothing = F.lit(None).cast("long")
    kind = F.when(F.col("kind") == "fluent", "fvp").otherwise("event").alias("kind")
    is_longer = (F.col("start") < F.col("old_start")) | (F.col("end") > F.col("old_end"))
    change = F.when(F.col("old_start").isNull(), "added").when(is_longer, "extended").otherwise("shortened")
    last = F.when(F.col("kind") == "fluent", _end("end")).otherwise(F.col("start"))
    come = known.select(
        F.col("known_from").alias("query_time"),
        change.alias("change"),
        kind,
        F.col("shown").alias("name"),
        F.col("old_start"),
        _end("old_end"),
        F.col("start"),
        last.alias("end"),
    )
    gone = known.where("is_retracted").select(
        F.col("known_until").alias("query_time"),
        F.lit("retracted").alias("change"),
        kind,
        F.col("shown").alias("name"),
        F.col("start").alias("old_start"),
        last.alias("old_end"),
        nothing.alias("start"),
        nothing.alias("end"),
    )
    return come.unionByName(gone)


def _end(name: str) -> Column:
    """A right-open end; null while it is open."""
    from pyspark.sql import functions as F

    return F.when(F.col(name) != F.lit(OPEN), F.col(name)).alias(name)
