"""The outcome of a run on Spark, in the form of the embedded engine."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from holdsfor.cli.outcome.counts import Counts
from holdsfor.sinks.time_formats import ShowTime, shown_as
from holdsfor.sources.set_aside_reasons import ReasonCounts
from holdsfor.sources.text_records import SetAside

if TYPE_CHECKING:
    from holdsfor.spark.job.recognition import Recognition

__all__ = ["SparkOutcome", "outcome_of"]

_SHOWN_MISFITS = 10


@dataclass
class ShownMisfits:
    """How many records were set aside, the first of them, and the reasons."""

    n: int = 0
    first: list[SetAside] = field(default_factory=list)
    first_unmatched: list[SetAside] = field(default_factory=list)
    reasons: ReasonCounts = field(default_factory=ReasonCounts)


@dataclass
class SparkOutcome:
    """The counts of a run, its seconds by phase, and further numbers of runs on Spark."""

    counts: Counts
    set_aside: ShownMisfits
    seconds: dict[str, float]
    more: dict[str, int]
    shown: ShowTime


def outcome_of(found: Recognition, seconds: dict[str, float]) -> SparkOutcome:
    """Count the records by outcome, and the results."""
    from pyspark.sql import functions as F

    from holdsfor.distribution.one_bucket import one_bucket_warnings

    rows = [(row.what, row.name, row.n) for row in found.counts.collect()]
    of = Counter[str]()
    for what, _, n in rows:
        of[what] += n
    fvp = F.when(F.col("kind") == "fluent", F.col("fvp"))
    first = found.results.agg(F.count_distinct(fvp), F.count(fvp), F.count("*")).first()
    assert first is not None
    n_fvps, n_intervals, n_all = first
    counts = Counts(
        n_records=of["read"],
        n_late=of["late"],
        n_dropped=of["dropped"],
        n_cut=of["cut"],
        n_unmatched=of["unmatched"],
        n_outside=of["outside"],
        n_unreadable=len(found.unreadable),
        n_query_times=found.run.queries.n_up_to(found.run.queries.at_or_after(found.run.end)),
        n_fvps=n_fvps,
        n_intervals=n_intervals,
        one_bucket=one_bucket_warnings(found.stages),
        faults=found.faults,
        pending=found.pending,
        unused=Counter({name: n for what, name, n in rows if what == "unused"}),
    )
    records = found.set_aside.where("line > 0 or text != ''")
    misfits = [SetAside(*row) for row in records.limit(_SHOWN_MISFITS).collect()] if of["set aside"] else []
    unmatched = [SetAside(*r) for r in found.unmatched.limit(_SHOWN_MISFITS).collect()] if of["unmatched"] else []
    more = {"events": n_all - n_intervals, "start": found.run.start, "end": found.run.end}
    set_aside = ShownMisfits(of["set aside"], misfits, unmatched, found.reasons)
    return SparkOutcome(counts, set_aside, seconds, more, shown_as(found.time_type))
