"""What a query time changes in what was known before it.

A report says what is known; the changes say what is to be taken away from the report before and what is to be added.
Nothing that is settled changes. So whoever applies the changes of every query time, one after another, has at any time
all that is known, settled or not; and what of it overlaps the window is the report.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tables import Relation
from holdsfor.kernels.keys import rows_with_a_partner
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.session import EngineSession

__all__ = ["Changes", "changes_since", "each_change"]


@dataclass(frozen=True)
class Changes:
    """Intervals and time-points that were known at the query time before and are not now, and the other way round."""

    query_time: int
    gone: ReportColumns
    come: ReportColumns


def changes_since(previous: ReportColumns, current: ReportColumns, frontier: int) -> Changes:
    """How the current report, which is about the time from the frontier on, differs from the one before."""
    before = previous.since(frontier)
    return Changes(current.query_time, _difference(before, current), _difference(current, before))


def each_change(session: EngineSession, queries: Iterable[int]) -> Iterator[Changes]:
    """What each query time changes."""
    for at in queries:
        previous = session.last_report() or ReportColumns(session.start - 1, {}, {})
        yield changes_since(previous, session.query(at), session.frontier)


def _difference(left: ReportColumns, right: ReportColumns) -> ReportColumns:
    """What the left report says and the right one does not."""
    return left.where(
        {key: _is_absent(table, right.fluents.get(key)) for key, table in left.fluents.items()},
        {key: _is_absent(points, right.events.get(key)) for key, points in left.events.items()},
    )


def _is_absent(table: Relation, other: Relation | None) -> NDArray[np.bool_]:
    if other is None:
        return np.ones(table.n, dtype=bool)
    return ~rows_with_a_partner(table.columns, table.n, other.columns, other.n)
