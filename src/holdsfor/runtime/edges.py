"""The events at the edges of intervals: `start` and `end` at the time-point before, `startI` and `endI` at the edge.

An edge in a time range is an event of the time range. The next time range begins at the settled time-point, where an
interval that ends there is no longer available: its `endI` is carried over with the state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import FluentTable, Key, PointTable
from holdsfor.kernels.packing import OPEN
from holdsfor.physical.patterns import join, linear
from holdsfor.physical.rows import one_row
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.physical.time_range import TimeRange

__all__ = ["CarriedEdges", "EdgeKind", "edge_points", "edges_at", "next_edge", "without_initial_values"]

EdgeKind = Literal["starts", "ends", "startI", "endI"]
CarriedEdges: TypeAlias = dict[tuple[EdgeKind, Key], PointTable]


def edge_points(kind: EdgeKind, table: FluentTable, time_range: TimeRange) -> PointTable:
    """The edges of one kind in the time range."""
    at = table.starts if kind in ("starts", "startI") else table.ends
    times = at if kind in ("startI", "endI") else time_range.previous(at)
    inside = (at != OPEN) & (times >= time_range.first) & (times <= time_range.last)
    rows = inside.nonzero()[0]
    return table.points(rows, times[rows])


def without_initial_values(
    points: PointTable, simple: Sequence[tuple[Term, ...]], first_of_run: int, symbols: Symbols
) -> PointTable:
    """The points without those of simple FVPs at the first time-point of the run: an initial value has no `startI`."""
    rows = (points.times == first_of_run).nonzero()[0]
    if len(rows) == 0:
        return points
    first = points.take(rows)
    is_event = np.ones(points.n, dtype=bool)
    for patterns in simple:
        is_event[rows[join(one_row(), first, linear(patterns), symbols)[1]]] = False
    return points.take(is_event.nonzero()[0])


def next_edge(kind: EdgeKind, table: FluentTable, after: int) -> int | None:
    """The first `startI` or `endI` after a time-point."""
    at = table.starts if kind == "startI" else table.ends
    later = at[(at > after) & (at != OPEN)]
    return int(later.min()) if len(later) else None


def edges_at(points: PointTable, time: int) -> PointTable:
    """The points at one time-point."""
    return points.take((points.times == time).nonzero()[0])
