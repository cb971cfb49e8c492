"""The results of other sessions, as of one query time after another.

A session that computes some components of a program reads the results of the others. At a query time it needs the
results as of then, not later revisions: every interval and time-point is valid from a query time on, until another
query time may retract it. Changes may reach back before the window of a session (an interval that has only now become
long enough counts from its start), and the session must not settle beyond that time-point. In a job, all results are
loaded from the beginning, so the earliest time-point of future changes can be computed. In a stream, future changes are
unknown: the settled time-points of the other sessions bound them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tables import FluentTable, Key, PointTable, concatenate_tables
from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.inertia import BEFORE_EVERYTHING
from holdsfor.kernels.keys import Int64, dense_ids, distinct_rows
from holdsfor.kernels.packing import OPEN

__all__ = ["ALWAYS", "NEVER", "UpstreamResults", "changed_rows"]

ALWAYS = BEFORE_EVERYTHING
"""The start of validity of a row that is valid at every query time."""

NEVER = OPEN
"""The end of validity of a row that is not retracted."""

Table = TypeVar("Table", FluentTable, PointTable)


class UpstreamResults:
    """Events and FVPs of other components. Query times must ascend, and so must the settled time-points."""

    def __init__(self, instances: TupleIds) -> None:
        self._instances = instances
        self._events: dict[Key, _Versions[PointTable]] = {}
        self._fluents: dict[Key, _Versions[FluentTable]] = {}
        self._reach: tuple[Int64, Int64] | None = None
        self._settled: tuple[Int64, Int64] | None = None

    @property
    def is_empty(self) -> bool:
        return not self._events and not self._fluents

    def add_events(self, key: Key, table: PointTable, known_from: Int64, known_until: Int64) -> None:
        """Add time-points of one name with the query times between which they are valid; duplicates are allowed."""
        self._reach = None
        self._events[key] = _added(self._events.get(key), table, known_from, known_until)

    def add_fluents(self, key: Key, table: FluentTable, known_from: Int64, known_until: Int64) -> None:
        """Add maximal intervals of one name in the same way."""
        self._reach = None
        table.arguments(self._instances)
        self._fluents[key] = _added(self._fluents.get(key), table, known_from, known_until)

    def change_events(self, key: Key, table: PointTable, query_times: Int64, is_gone: Int64) -> None:
        """Add and remove time-points of one name at query times after those of all earlier changes."""
        self._reach = None
        known = self._events.get(key)
        dated = None if known is None else (known.table, known.known_from, known.known_until)
        self._events[key] = _Versions(*changed_rows(dated, table, query_times, is_gone))

    def change_fluents(self, key: Key, table: FluentTable, query_times: Int64, is_gone: Int64) -> None:
        """Add and remove maximal intervals of one name in the same way."""
        self._reach = None
        known = self._fluents.get(key)
        dated = None if known is None else (known.table, known.known_from, known.known_until)
        versions = _Versions(*changed_rows(dated, table, query_times, is_gone))
        versions.table.arguments(self._instances)
        self._fluents[key] = versions

    def bound(self, query_times: Int64, settled: Int64) -> None:
        """Set the settled time-points of the other sessions at ascending query times.

        Neither such a query time nor a later one changes results up to its settled time-point.
        """
        self._settled = query_times, settled

    def drop(self, query_time: int, settled: int) -> None:
        """Drop the rows that are removed by a query time, and those before a settled time-point."""
        self._reach = None
        events = {key: each.kept(query_time, each.table.times >= settled) for key, each in self._events.items()}
        fluents = {key: each.kept(query_time, each.table.ends > settled) for key, each in self._fluents.items()}
        self._events = {key: each for key, each in events.items() if each.table.n}
        self._fluents = {key: each for key, each in fluents.items() if each.table.n}

    def all_events(self) -> Iterator[tuple[Key, PointTable, Int64, Int64]]:
        """The time-points of each name, and the query times from which and until which each is valid."""
        yield from ((key, each.table, each.known_from, each.known_until) for key, each in self._events.items())

    def all_fluents(self) -> Iterator[tuple[Key, FluentTable, Int64, Int64]]:
        """The intervals of each name in the same way."""
        yield from ((key, each.table, each.known_from, each.known_until) for key, each in self._fluents.items())

    def events(self, query_time: int, first: int) -> dict[Key, PointTable]:
        """The events at `first` or later, as of a query time."""
        return {
            key: versions.known_at(query_time, first, versions.table.times) for key, versions in self._events.items()
        }

    def fluents(self, query_time: int, first: int) -> dict[Key, FluentTable]:
        """The intervals that end after `first`, as of a query time."""
        return {
            key: versions.known_at(query_time, first + 1, versions.table.ends)
            for key, versions in self._fluents.items()
        }

    def next_query_time(self, query_time: int) -> int | None:
        """The first query time after a query time with a change."""
        if self._reach is None:
            self._reach = self._changing()
        position = int(self._reach[0].searchsorted(query_time, side="right"))
        return None if position == len(self._reach[0]) else int(self._reach[0][position])

    def unchanged_until(self, query_time: int) -> int:
        """The last moment up to which neither this query time nor a later one has a change."""
        if self._reach is None:
            self._reach = self._changing()
        return min(_at(self._reach, query_time), OPEN if self._settled is None else _at(self._settled, query_time))

    def _changing(self) -> tuple[Int64, Int64]:
        """The query times with changes, and the moment up to which they and all later ones change nothing."""
        found = [_changed_points(each) for each in self._events.values()]
        found += [_changed_intervals(each) for each in self._fluents.values()]
        query_times, times = concatenate_columns(found, width=2)
        order = query_times.argsort(kind="stable")
        earliest = np.minimum.accumulate(times[order][::-1])[::-1]
        return query_times[order], earliest - 1


class _Versions(Generic[Table]):
    """Rows of one name in the order of their validity."""

    def __init__(self, table: Table, known_from: Int64, known_until: Int64) -> None:
        order = known_from.argsort(kind="stable")
        self.table: Table = table.take(order)
        self.known_from, self.known_until = known_from[order], known_until[order]
        self._n_met = 0
        self._current = np.empty(0, dtype=np.int64)

    def known_at(self, query_time: int, first: int, lasts: Int64) -> Table:
        """The rows that are valid then and last until `first` or longer; the other rows are skipped in later calls."""
        n = int(self.known_from.searchsorted(query_time, side="right"))
        rows = np.concatenate((self._current, np.arange(self._n_met, n, dtype=np.int64)))
        is_known = (self.known_until[rows] > query_time) & (lasts[rows] >= first)
        self._n_met, self._current = n, rows[is_known]
        return self.table.take(self._current)

    def kept(self, query_time: int, is_needed: NDArray[np.bool_]) -> _Versions[Table]:
        """The rows that are needed, without those that a query time has removed."""
        rows = (is_needed & (self.known_until > query_time)).nonzero()[0]
        return _Versions(self.table.take(rows), self.known_from[rows], self.known_until[rows])


def changed_rows(
    known: tuple[Table, Int64, Int64] | None, table: Table, query_times: Int64, is_gone: Int64
) -> tuple[Table, Int64, Int64]:
    """Dated rows after changes: the rows, and the query times from which and until which each is valid.

    A change may occur twice, if it arrives on two routes. A row that is removed and added again occurs again.
    """
    if known is not None:
        before, since, until = known
        ended = (until != NEVER).nonzero()[0]
        table = concatenate_tables([before, before.take(ended), table])
        query_times = np.concatenate((since, until[ended], query_times))
        is_gone = np.concatenate((np.zeros(before.n, np.int64), np.ones(len(ended), np.int64), is_gone))
    rows = distinct_rows((*table.columns, query_times, is_gone), table.n)
    if rows is not None:
        table, query_times, is_gone = table.take(rows), query_times[rows], is_gone[rows]
    ids = dense_ids(table.columns, table.n)[0]
    order = np.lexsort((query_times, ids))
    is_last = np.append(np.diff(ids[order]) != 0, True)[: table.n]
    following = np.where(is_last, NEVER, np.roll(query_times[order], -1))
    comes = (is_gone[order] == 0).nonzero()[0]
    return table.take(order[comes]), query_times[order[comes]], following[comes]


def _at(limits: tuple[Int64, Int64], query_time: int) -> int:
    """The limit at the first of ascending query times that is not before a query time."""
    query_times, values = limits
    position = int(query_times.searchsorted(query_time))
    return OPEN if position == len(query_times) else int(values[position])


def _added(versions: _Versions[Table] | None, table: Table, known_from: Int64, known_until: Int64) -> _Versions[Table]:
    """The versions of a name with more rows, each once: rows that arrive on two routes are duplicates."""
    if versions is not None:
        table = concatenate_tables([versions.table, table])
        known_from = np.concatenate((versions.known_from, known_from))
        known_until = np.concatenate((versions.known_until, known_until))
    rows = distinct_rows((*table.columns, known_from, known_until), table.n)
    if rows is None:
        return _Versions(table, known_from, known_until)
    return _Versions(table.take(rows), known_from[rows], known_until[rows])


def _changed_points(versions: _Versions[PointTable]) -> tuple[Int64, Int64]:
    """The query times at which time-points are added or removed, and the time-points."""
    gone = (versions.known_until != NEVER).nonzero()[0]
    times = versions.table.times
    return np.concatenate((versions.known_from, versions.known_until[gone])), np.concatenate((times, times[gone]))


def _changed_intervals(versions: _Versions[FluentTable]) -> tuple[Int64, Int64]:
    """The query times at which intervals of an FVP are added or removed, and the first changed time-point.

    The removed and the added rows are maximal intervals, so comparing the first of each is enough: their bounds differ.
    """
    table, gone = versions.table, (versions.known_until != NEVER).nonzero()[0]
    rows = np.concatenate((np.arange(table.n, dtype=np.int64), gone))
    query_times = np.concatenate((versions.known_from, versions.known_until[gone]))
    is_gone = np.arange(len(rows)) >= table.n
    fvps, starts, ends = dense_ids(table.keys, table.n)[0][rows], table.starts[rows], table.ends[rows]
    order = np.lexsort((starts, is_gone, fvps, query_times))
    query_times, fvps, is_gone, starts, ends = (each[order] for each in (query_times, fvps, is_gone, starts, ends))
    is_next = np.append(True, (query_times[1:] != query_times[:-1]) | (fvps[1:] != fvps[:-1]))
    firsts = (is_next | np.append(True, is_gone[1:] != is_gone[:-1])).nonzero()[0]
    alone = starts[firsts]
    both = (~is_next[firsts]).nonzero()[0]
    one, other = firsts[both - 1], firsts[both]
    alone[both] = np.where(
        starts[one] == starts[other], np.minimum(ends[one], ends[other]), np.minimum(starts[one], starts[other])
    )
    alone[both - 1] = alone[both]
    return query_times[firsts], alone
