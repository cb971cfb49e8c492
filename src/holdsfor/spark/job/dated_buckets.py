"""A bucket told query time by query time: what each knows and changes, not only what all of them settle.

Records keep their arrivals, and the engine goes from query time to query time as it does embedded. What a stage finds
goes to the next ones with the query times between which it is known, so that each sees what was known then. For people
it also says what it replaces when it comes (`old_start`, `old_end`), whether it goes for nothing (`is_retracted`), and
the last report that has it (`last_report`), which is before `known_from` if none has.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from holdsfor.columns.records import Judged, Records
from holdsfor.columns.retractions import Retractions, apply_retractions
from holdsfor.columns.tables import FluentTable, Key, PointTable
from holdsfor.kernels.keys import Int64
from holdsfor.runtime.reports.revisions import Versions, revisions
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.upstream_results import ALWAYS
from holdsfor.sources.text_records import SetAside
from holdsfor.spark.exchange.facts import Facts, Texts
from holdsfor.spark.input.retractions import unmatched_facts
from holdsfor.spark.job.admission import JobAdmission
from holdsfor.spark.job.buckets import Bucket

__all__ = ["NOTHING", "DatedAdmission", "DatedBucket"]

NOTHING = ALWAYS
"""The old start of what replaces nothing."""


@dataclass(frozen=True)
class DatedAdmission(JobAdmission):
    """Judges records for query times that are told apart: they keep their arrivals, and each counts its own."""

    def judge(self, records: Records) -> dict[tuple[str, int], int]:
        counts = dict(self._judged_at(records))
        self.admit(records)
        return counts

    def counted(self, counts: Mapping[tuple[str, int], int]) -> Iterator[Facts]:
        for kind in ("late", "dropped", "cut"):
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
        """Records and retractions as they arrive: a bucket applies them query time by query time."""
        run = self.run
        done = apply_retractions(records, retractions.records, run.queries, run.tick)
        counts.update(self.fates(done.judged))
        yield replace(each, texts={})
        yield from unmatched_facts(retractions, done.unmatched)

    def fates(self, judged: Judged) -> dict[tuple[str, int], int]:
        return dict(_by_query_time(judged))

    def _judged_at(self, records: Records) -> Iterator[tuple[tuple[str, int], int]]:
        """How many records had which fate at the query times that see them first."""
        yield from _by_query_time(records.judged(self.run.queries, self.run.end))


def _by_query_time(judged: Judged) -> Iterator[tuple[tuple[str, int], int]]:
    for what, mask in (("late", judged.late), ("dropped", judged.dropped), ("cut", judged.cut)):
        query_times, counts = np.unique(judged.seen_at[mask], return_counts=True)
        yield from (((what, at), n) for at, n in zip(query_times.tolist(), counts.tolist(), strict=True))


@dataclass(frozen=True)
class DatedBucket(Bucket):
    """Evaluates one stage for one bucket after another, over all query times."""

    def results(self, session: EngineSession, bucket: int, texts: Texts) -> Iterator[Facts]:
        """Everything that some query time knows, with the query times between which it is known."""
        found = revisions(session, self.run.query_times)
        for key, intervals in found.fluents.items():
            yield _intervals(key, intervals, self.owned(("fluent", key), intervals.table, bucket, texts))
        for key, points in found.events.items():
            yield _points(key, points, self.owned(("event", key), points.table, bucket, texts))


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
    """When some of the rows are known, and told."""
    return {
        "known_from": found.known_from[rows],
        "known_until": found.known_until[rows],
        "is_retracted": found.is_retracted[rows].astype(np.int64),
        "last_report": found.last_report[rows],
    }
