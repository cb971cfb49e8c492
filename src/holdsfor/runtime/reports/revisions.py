"""The results of a run over all of its query times: every interval and time-point with the query times that bound it.

The rows combine the changes (`runtime/reports/changes.py`) of all query times. A row is valid from the query time that
adds it until the one that removes it, so a row that never changes occurs once, however many reports contain it. The
report and the changes of each query time can be computed from the rows one by one.
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
    """Rows of one name, once for each time that they are added.

    A row is valid from a query time on, until another one (or `NEVER`) removes it. `revises` is the row that each
    replaces when it is added, or -1: a row of the same FVP with the same start, or else the same end
    (`sinks/changes.py`). The reports up to `last_report` contain the row; if this is before the row is valid, no report
    does.
    """

    table: Table
    known_from: Int64
    known_until: Int64
    revises: Int64
    last_report: Int64

    @property
    def is_retracted(self) -> NDArray[np.bool_]:
        """Whether each row is removed without being replaced."""
        is_gone: NDArray[np.bool_] = self.known_until != NEVER
        is_gone[self.revises[self.revises >= 0]] = False
        return is_gone


@dataclass(frozen=True)
class Revisions:
    """The results of all query times for FVPs and for output events, and the seconds of each evaluation."""

    fluents: dict[Key, Versions[FluentTable]]
    events: dict[Key, Versions[PointTable]]
    seconds: dict[int, float]


def revisions(session: EngineSession, queries: Sequence[int]) -> Revisions:
    """All results of a session at some of its query times; all input must be loaded."""
    fluents: dict[Key, list[_Change[FluentTable]]] = {}
    events: dict[Key, list[_Change[PointTable]]] = {}
    seconds: dict[int, float] = {}
    before = session.seconds
    for changes in each_change(session, queries):
        seconds[changes.query_time], before = session.seconds - before, session.seconds
        for report, is_come in ((changes.come, True), (changes.gone, False)):
            for key, intervals in report.fluents.items():
                fluents.setdefault(key, []).append(_Change(changes.query_time, intervals, is_come))
            for key, points in report.events.items():
                events.setdefault(key, []).append(_Change(changes.query_time, points, is_come))
    windows = _Windows.of(session, queries)
    return Revisions(
        {key: windows.intervals(*_known(log)) for key, log in fluents.items()},
        {key: windows.points(*_known(log)) for key, log in events.items()},
        seconds,
    )


@dataclass(frozen=True)
class _Change(Generic[Table]):
    """Rows of one name that a query time adds or removes."""

    query_time: int
    table: Table
    is_come: bool


def _known(log: Sequence[_Change[Table]]) -> tuple[Table, Int64, Int64]:
    """The added rows, and the query times between which they are valid. A row that is added again occurs again."""
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
    """The query times, the time before the window of each, and the first time-point in it."""

    queries: Int64
    before: Int64
    first: Int64

    @staticmethod
    def of(session: EngineSession, queries: Sequence[int]) -> _Windows:
        """The windows of query times for reports: without a window, reports contain all results."""
        if session.window is None:
            everything = np.full(len(queries), ALWAYS, dtype=np.int64)
            return _Windows(np.array(queries, dtype=np.int64), everything, everything)
        before = np.array([session.window_start(at) for at in queries], dtype=np.int64)
        return _Windows(np.array(queries, dtype=np.int64), before, (before // session.tick + 1) * session.tick)

    def intervals(self, table: FluentTable, known_from: Int64, known_until: Int64) -> Versions[FluentTable]:
        """Intervals with the last report that contains them: they have a time-point after the first of its window."""
        n_reports = self.first.searchsorted(table.ends)
        last = self._last(n_reports, known_until)
        return Versions(table, known_from, known_until, _revised(table, known_from, known_until), last)

    def points(self, table: PointTable, known_from: Int64, known_until: Int64) -> Versions[PointTable]:
        """Time-points with the last report that contains them: a new one right before the window is included."""
        last = self._last(self.before.searchsorted(table.times), known_until)
        is_reported_once = self.before[self.queries.searchsorted(known_from)] == table.times
        last = np.where(is_reported_once, known_from, last)
        return Versions(table, known_from, known_until, np.full(table.n, -1, dtype=np.int64), last)

    def _last(self, n_reports: Int64, known_until: Int64) -> Int64:
        """The last of the first `n_reports` query times that is before `known_until`."""
        n = np.minimum(n_reports, self.queries.searchsorted(known_until))
        return np.where(n > 0, self.queries[n - 1], ALWAYS)


def _revised(table: FluentTable, known_from: Int64, known_until: Int64) -> Int64:
    """For each row the row that it replaces, or -1: one with the same start, else one with the same end."""
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
