"""A bucket for reports: evaluate every query time, and return its known results and its changes.

Records keep their arrivals, and the engine runs from query time to query time as it does embedded. A result goes to the
later stages with the query times between which it is known, so that each query time of a later stage reads the results
known then. For reports a result also has the interval that it replaces (`old_start`, `old_end`), whether it is removed
without a replacement (`is_retracted`), and the last report that includes it (`last_report`), which is before
`known_from` if no report does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from holdsfor.columns.records import AdmissionOutcome, Records
from holdsfor.columns.retractions import Retractions
from holdsfor.columns.tables import FluentTable, Key, PointTable
from holdsfor.kernels.keys import Int64
from holdsfor.parallel.exchange.facts import Facts, Texts
from holdsfor.parallel.exchange.retractions import unmatched_facts
from holdsfor.parallel.stages.admission import JobAdmission
from holdsfor.parallel.stages.buckets import Bucket
from holdsfor.runtime.reports.revisions import Versions, revisions
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.upstream_results import ALWAYS
from holdsfor.sources.text_records import SetAside

__all__ = ["NOTHING", "DatedAdmission", "DatedBucket"]

NOTHING = ALWAYS
"""The old start of a result that replaces nothing."""


@dataclass(frozen=True)
class DatedAdmission(JobAdmission):
    """Admits records for separate query times: records keep their arrivals, and each query time has its own counts."""

    def admit_and_count(self, records: Records) -> dict[tuple[str, int], int]:
        counts = dict(self._counts_at(records))
        self.admit(records)
        return counts | dict(self._in_windows(records))

    def _in_windows(self, records: Records) -> Iterator[tuple[tuple[str, int], int]]:
        """The number of records that are in the window of a query time but not of the previous one, or vice versa."""
        queries = self.run.queries
        entered = np.maximum(queries.seen_at(records.arrivals), queries.seen_at(records.starts))
        yield from ((("entered", at), n) for at, n in _numbers(entered))
        if queries.step is not None and queries.window is not None:
            # The first window without a record ends at least one window after the last time-point of the record.
            left = np.maximum(entered, queries.seen_at(records.lasts + queries.window))
            yield from ((("left", at), n) for at, n in _numbers(left))

    def counted(self, counts: Mapping[tuple[str, int], int]) -> Iterator[Facts]:
        for kind in ("late", "dropped", "cut", "entered", "left"):
            found = sorted((at, n) for (what, at), n in counts.items() if what == kind and n)
            if found:
                query_times, numbers = np.array(found, dtype=np.int64).T
                yield Facts(kind, "", 0, len(found), times={"query_time": query_times, "n": numbers})

    def retracted(
        self,
        each: Facts,
        records: Records,
        retractions: Retractions[SetAside],
        counts: Counter[tuple[str, int]],
    ) -> Iterator[Facts]:
        """Records and retractions with their arrivals: the bucket applies them query time by query time."""
        done = self.applied(records, retractions, counts)
        yield replace(each, texts={})
        yield from unmatched_facts(retractions, done.unmatched)

    def retraction_counts(self, outcome: AdmissionOutcome) -> dict[tuple[str, int], int]:
        return dict(_by_query_time(outcome))

    def _counts_at(self, records: Records) -> Iterator[tuple[tuple[str, int], int]]:
        """The number of records by outcome and by the query time that first sees them."""
        yield from _by_query_time(records.admission_outcome(self.run.queries, self.run.end))


def _by_query_time(outcome: AdmissionOutcome) -> Iterator[tuple[tuple[str, int], int]]:
    for what, mask in (("late", outcome.late), ("dropped", outcome.dropped), ("cut", outcome.cut)):
        yield from (((what, at), n) for at, n in _numbers(outcome.seen_at[mask]))


def _numbers(query_times: Int64) -> Iterator[tuple[int, int]]:
    """The distinct query times, and how often each occurs."""
    distinct, counts = np.unique(query_times, return_counts=True)
    return zip(distinct.tolist(), counts.tolist(), strict=True)


@dataclass(frozen=True)
class DatedBucket(Bucket):
    """Evaluates one stage for one bucket after another, over all query times."""

    def results(self, session: EngineSession, bucket: int, texts: Texts) -> Iterator[Facts]:
        """All results known at some query time, with the query times that bound each, and the microseconds of each."""
        found = revisions(session, self.run.query_times)
        yield _durations(found.seconds)
        for key, intervals in found.fluents.items():
            yield _intervals(key, intervals, self.owned(("fluent", key), intervals.table, bucket, texts))
        for key, points in found.events.items():
            yield _points(key, points, self.owned(("event", key), points.table, bucket, texts))


def _durations(seconds: dict[int, float]) -> Facts:
    """The microseconds of the evaluation of each query time."""
    times = np.array(list(seconds), dtype=np.int64)
    microseconds = np.array([round(each * 1e6) for each in seconds.values()], dtype=np.int64)
    return Facts("seconds", "", 0, len(times), times={"query_time": times, "n": microseconds})


def _intervals(key: Key, found: Versions[FluentTable], rows: Int64) -> Facts:
    table, old = found.table, found.revises[rows]
    times = {
        "start": table.starts[rows],
        "end": table.ends[rows],
        "old_start": np.where(old < 0, NOTHING, table.starts[old]),
        "old_end": np.where(old < 0, NOTHING, table.ends[old]),
    }
    return Facts("fluent", *key, len(rows), [column[rows] for column in table.keys], times | _dates(found, rows))


def _points(key: Key, found: Versions[PointTable], rows: Int64) -> Facts:
    times = {"start": found.table.times[rows]}
    columns = [column[rows] for column in found.table.columns[:-1]]
    return Facts("event", *key, len(rows), columns, times | _dates(found, rows))


def _dates(found: Versions[FluentTable] | Versions[PointTable], rows: Int64) -> dict[str, Int64]:
    """The query times of rows: when they are known, and when they are reported."""
    return {
        "known_from": found.known_from[rows],
        "known_until": found.known_until[rows],
        "is_retracted": found.is_retracted[rows].astype(np.int64),
        "last_report": found.last_report[rows],
    }
