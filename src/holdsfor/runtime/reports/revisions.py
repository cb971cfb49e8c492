"""What a run knows, over all of its query times: every interval and time-point with the query times that bound it.

What one query time changes (`runtime/reports/changes.py`), put together for all of them. A row is known from the query
time at which it comes until the one at which it goes, so one that never changes is there once, however many reports
tell it. What each query time reports, and what it changes, can be read off the rows one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tables import FluentTable, Key, PointTable, concatenate_tables
from holdsfor.kernels.keys import Int64, dense_ids, pairs_of_equal_keys
from holdsfor.runtime.reports.changes import each_change
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.upstream_results import ALWAYS, NEVER

__all__ = ["Revisions", "Versions", "revisions"]

Table = TypeVar("Table", FluentTable, PointTable)


@dataclass(frozen=True)
class Versions(Generic[Table]):
    """Rows of one name, each as often as it comes to be known.

    A row is known from a query time on, until another one (or `NEVER`) does not know it any more. `revises` is the row
    that each replaces when it comes, or -1: one of the same FVP that begins or else ends together with it
    (`sinks/changes.py`). Up to `last_report` reports tell it; where that is before it is known, none does.
    """

    table: Table
    known_from: Int64
    known_until: Int64
    revises: Int64
    last_report: Int64

    @property
    def is_retracted(self) -> NDArray[np.bool_]:
        """Whether each row goes without being replaced."""
        is_gone: NDArray[np.bool_] = self.known_until != NEVER
        is_gone[self.revises[self.revises >= 0]] = False
        return is_gone


@dataclass(frozen=True)
class Revisions:
    """What all query times together know of FVPs and of output events."""

    fluents: dict[Key, Versions[FluentTable]]
    events: dict[Key, Versions[PointTable]]


def revisions(session: EngineSession, queries: Sequence[int]) -> Revisions:
    """Everything that a session knows at some of its query times; all input must be at hand."""
    fluents: dict[Key, list[_Change[FluentTable]]] = {}
    events: dict[Key, list[_Change[PointTable]]] = {}
    for changes in each_change(session, queries):
        for report, is_come in ((changes.come, True), (changes.gone, False)):
            for key, intervals in report.fluents.items():
                fluents.setdefault(key, []).append(_Change(changes.query_time, intervals, is_come))
            for key, points in report.events.items():
                events.setdefault(key, []).append(_Change(changes.query_time, points, is_come))
    windows = _Windows.of(session, queries)
    return Revisions(
        {key: windows.intervals(*_known(log)) for key, log in fluents.items()},
        {key: windows.points(*_known(log)) for key, log in events.items()},
    )


@dataclass(frozen=True)
class _Change(Generic[Table]):
    """Rows of one name that come or go at a query time."""

    query_time: int
    table: Table
    is_come: bool


def _known(log: Sequence[_Change[Table]]) -> tuple[Table, Int64, Int64]:
    """The rows that come, and the query times between which they are known. What comes again is there again."""
    table = concatenate_tables([change.table for change in log])
    counts = [change.table.n for change in log]
    query_times = np.repeat(np.array([change.query_time for change in log], dtype=np.int64), counts)
    is_come = np.repeat(np.array([change.is_come for change in log]), counts)
    ids = dense_ids(table.columns, table.n)[0]
    order = np.lexsort((query_times, ids))
    is_last = np.append(np.diff(ids[order]) != 0, True)
    following = np.where(is_last, NEVER, np.roll(query_times[order], -1))
    comes = is_come[order].nonzero()[0]
    return table.take(order[comes]), query_times[order[comes]], following[comes]


@dataclass(frozen=True)
class _Windows:
    """The query times, what lies before the window of each, and the first time-point in it."""

    queries: Int64
    before: Int64
    first: Int64

    @staticmethod
    def of(session: EngineSession, queries: Sequence[int]) -> _Windows:
        """The windows of query times as reports see them: without a window they tell everything."""
        if session.window is None:
            everything = np.full(len(queries), ALWAYS, dtype=np.int64)
            return _Windows(np.array(queries, dtype=np.int64), everything, everything)
        before = np.array([session.window_start(at) for at in queries], dtype=np.int64)
        return _Windows(np.array(queries, dtype=np.int64), before, (before // session.tick + 1) * session.tick)

    def intervals(self, table: FluentTable, known_from: Int64, known_until: Int64) -> Versions[FluentTable]:
        """Intervals with the last report that tells them: they have a time-point after the first of its window."""
        n_reports = self.first.searchsorted(table.ends)
        last = self._last(n_reports, known_until)
        return Versions(table, known_from, known_until, _revised(table, known_from, known_until), last)

    def points(self, table: PointTable, known_from: Int64, known_until: Int64) -> Versions[PointTable]:
        """Time-points with the last report that tells them: one right before the window is told when it is new."""
        last = self._last(self.before.searchsorted(table.times), known_until)
        is_told_once = self.before[self.queries.searchsorted(known_from)] == table.times
        last = np.where(is_told_once, known_from, last)
        return Versions(table, known_from, known_until, np.full(table.n, -1, dtype=np.int64), last)

    def _last(self, n_reports: Int64, known_until: Int64) -> Int64:
        """The last of the first few query times that is before another one."""
        n = np.minimum(n_reports, self.queries.searchsorted(known_until))
        return np.where(n > 0, self.queries[n - 1], ALWAYS)


def _revised(table: FluentTable, known_from: Int64, known_until: Int64) -> Int64:
    """For each row the one that it replaces when it comes, or -1: of the same start, else of the same end."""
    revises = np.full(table.n, -1, dtype=np.int64)
    fvps = dense_ids(table.keys, table.n)[0]
    for bound in (table.starts, table.ends):
        come = (revises < 0).nonzero()[0]
        gone = np.setdiff1d((known_until != NEVER).nonzero()[0], revises)
        new, old = pairs_of_equal_keys(
            [fvps[come], known_from[come], bound[come]],
            len(come),
            [fvps[gone], known_until[gone], bound[gone]],
            len(gone),
        )
        revises[come[new]] = gone[old]
    return revises
