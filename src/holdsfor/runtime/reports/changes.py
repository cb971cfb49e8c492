"""The changes of a query time relative to the report before it.

A report contains the current results; the changes are the rows to remove from the previous report and the rows to add.
Settled results do not change. So a consumer that applies the changes of every query time has all current results,
settled or not, and those that overlap the window are the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tables import Key, Relation
from holdsfor.kernels.keys import Int64, pairs_of_equal_keys
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.session import EngineSession

__all__ = ["Changes", "changes_since", "each_change", "following_changes"]


@dataclass(frozen=True)
class Changes:
    """Intervals and time-points of the previous query time that are gone, and those that are new."""

    query_time: int
    gone: ReportColumns
    come: ReportColumns


def changes_since(previous: ReportColumns, current: ReportColumns, frontier: int) -> Changes:
    """The differences between the current report, which covers the time from the frontier on, and the previous one."""
    if current.replaced is not None and current.replaced.previous is previous.identity:
        previous, current = current.replaced.removed, current.replaced.added
    elif current.same_before is not None and current.same_before.previous is previous.identity:
        boundary = current.same_before.boundary
        previous, current = previous.since(boundary), current.since(boundary)
    before = replace(previous.since(frontier), query_time=current.query_time)
    fluents = {key: _absent_rows(*each) for key, each in _pairs(before.fluents, current.fluents)}
    events = {key: _absent_rows(*each) for key, each in _pairs(before.events, current.events)}
    gone, come = (
        report.where(
            {key: fluents[key][side] for key in report.fluents}, {key: events[key][side] for key in report.events}
        )
        for side, report in enumerate((before, current))
    )
    return Changes(current.query_time, gone, come)


def each_change(session: EngineSession, queries: Iterable[int]) -> Iterator[Changes]:
    """The changes of each query time."""
    for at in queries:
        previous = session.last_report() or ReportColumns(session.start - 1, {}, {})
        yield changes_since(previous, session.query(at), session.frontier)


def following_changes(
    session: EngineSession, queries: Iterable[int], write: Callable[[Changes], None]
) -> Iterator[int]:
    """The query times, whose changes are written when the next one is requested."""
    for at in queries:
        previous = session.last_report() or ReportColumns(session.start - 1, {}, {})
        yield at
        current = session.last_report()
        assert current is not None
        write(changes_since(previous, current, session.frontier))


_Table = TypeVar("_Table", bound=Relation)


def _pairs(
    before: Mapping[Key, _Table], current: Mapping[Key, _Table]
) -> Iterator[tuple[Key, tuple[_Table | None, _Table | None]]]:
    """The tables of two reports by name."""
    return ((key, (before.get(key), current.get(key))) for key in {**before, **current})


def _absent_rows(left: Relation | None, right: Relation | None) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether each row of two tables is missing in the other one.

    Most rows do not change, and keep their order: only the rows between the first and the last difference are compared
    as sets. No table has a row twice, so a row between them has no partner outside them, and one partner at most.
    """
    if left is None or right is None:
        return np.ones(0 if left is None else left.n, bool), np.ones(0 if right is None else right.n, bool)
    first, last = _differing_rows(left, right)
    last_right = right.n - (left.n - last)
    pairs = pairs_of_equal_keys(
        [column[first:last] for column in left.columns],
        last - first,
        [column[first:last_right] for column in right.columns],
        last_right - first,
    )
    absent = np.zeros(left.n, dtype=bool), np.zeros(right.n, dtype=bool)
    for mask, end, rows in zip(absent, (last, last_right), pairs, strict=True):
        mask[first:end] = True
        mask[first + rows] = False
    return absent


def _differing_rows(table: Relation, other: Relation) -> tuple[int, int]:
    """The rows of a table without those that both tables have at their beginning and at their end."""
    n = min(table.n, other.n)
    pairs = [(left, right) for left, right in zip(table.columns, other.columns, strict=True) if left is not right]
    if not pairs:
        return table.n, table.n
    first = min(_n_equal(left[:n], right[:n]) for left, right in pairs)
    ends = ((left[first:][::-1], right[first:][::-1]) for left, right in pairs)
    rest = n - first
    return first, table.n - min(_n_equal(left[:rest], right[:rest]) for left, right in ends)


def _n_equal(left: Int64, right: Int64) -> int:
    """The number of equal values before the first different one."""
    different = left != right
    first = int(different.argmax()) if len(different) else 0
    return first if len(different) and different[first] else len(different)
