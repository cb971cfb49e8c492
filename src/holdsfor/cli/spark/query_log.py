"""The execution log of a run on Spark: the figures of `holdsfor run --log`, computed from the reports.

`seconds` is the evaluation of a query time, summed over the buckets of all stages: buckets are evaluated in parallel,
each over all query times. `records` are the admitted records with a time-point in the window, including records that
are retracted later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdsfor.cli.outcome.run_log import Figures, RunLog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from holdsfor.spark.job.recognition import Recognition

__all__ = ["log_query_times"]

_RESULTS = ("fvps", "intervals", "time_points", "events")


def log_query_times(found: Recognition, log: RunLog) -> None:
    """Log the query times of the run in order, up to the last one that admits a record."""
    evaluated = {(row.what, row.query_time): int(row.n) for row in found.reports.in_integers().evaluations.collect()}
    results = {row.query_time: row for row in _results(found).collect()}
    last = max([found.run.queries.at_or_after(found.run.end), *(at for what, at in evaluated if what == "entered")])
    n_records = 0
    for at in found.run.queries.up_to(last):
        n_records += evaluated.get(("entered", at), 0) - evaluated.get(("left", at), 0)
        row = results.get(at)
        counts = [0 if row is None else int(row[name] or 0) for name in _RESULTS]
        log.add(at, Figures(evaluated.get(("seconds", at), 0) / 1e6, n_records, *counts))


def _results(found: Recognition) -> DataFrame:
    """The numbers of results in the report of each query time."""
    from pyspark.sql import functions as F

    tick, run = found.run.tick, found.run
    before = F.lit(run.start - 1)
    if run.window is not None:
        is_later = F.col("query_time") > run.queries.up_to(run.last)[0]
        before = F.when(is_later, F.greatest(before, F.col("query_time") - run.window)).otherwise(before)
    first = (F.floor(before / tick) + 1) * tick
    end = (F.floor(F.col("query_time") / tick) + 1) * tick
    held = F.least(F.coalesce("end", end), end) - F.greatest("start", first)
    results = found.reports.in_integers().results
    intervals = (
        results.where("kind = 'fluent'")
        .groupBy("query_time")
        .agg(
            F.count_distinct("fvp").alias("fvps"),
            F.count("fvp").alias("intervals"),
            F.sum(F.floor(F.greatest(held, F.lit(0)) / tick)).alias("time_points"),
        )
    )
    events = results.where("kind = 'event'").groupBy("query_time").agg(F.count("fvp").alias("events"))
    return intervals.join(events, "query_time", "full")
