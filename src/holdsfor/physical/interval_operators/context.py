"""The interface through which interval operators read data and keep their state; `runtime/` implements it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.tables import FluentTable, Key
from holdsfor.kernels.keys import Int64
from holdsfor.logical.nodes import NodeId
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.operators.context import Context
from holdsfor.physical.rows import Rows
from holdsfor.physical.time_range import TimeRange
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.physical.interval_operators.map_intervals import MapIntervals
    from holdsfor.physical.interval_operators.relate_intervals import RelateIntervals

__all__ = ["IntervalContext"]


class IntervalContext(Context, Protocol):
    """The intervals of the window in which operators run, and the state that they keep between windows."""

    time_range: TimeRange
    input_cuts: dict[Key, FluentTable]
    """The input intervals that are cut at a window's edge: FVP, seen start, and the true start instead of the end."""

    def condition_fluents(self, key: Key) -> FluentTable:
        """The intervals of a fluent for conditions of interval rules."""

    def instances_of(self, head: Term, names: tuple[str, ...]) -> Rows:
        """The instances of a grounded FVP, as rows of some of its variables."""

    def inside_grounding(self, key: Key, numbers: Int64, values: Int64 | int) -> Int64 | None:
        """The rows of fluents, by number of their arguments, that are in the grounding, or None if all are."""

    def with_true_starts(self, found: Lists, node: NodeId) -> Lists:
        """The list with true starts for intervals that hold at the first time-point of the window."""

    def complemented_instances(self, keys: Rows, node: NodeId, *, is_grounded: bool) -> tuple[Rows, Int64]:
        """The instances of a complement, and the first time-point of each."""

    def expect_crossings(self, node: NodeId, found: Lists, limits: NDArray[np.float64] | Int64) -> None:
        """Record the bounds of durations, and when the first open interval becomes as long as its bound."""

    def relate(self, operator: RelateIntervals, sources: Lists, targets: Lists, wanted: Rows | None) -> Lists:
        """The result of an Allen construct, including the intervals kept from earlier time ranges."""

    def map_intervals(self, operator: MapIntervals, whole: Lists) -> Lists:
        """The results of an interval-wise predicate, including the results kept from earlier time ranges."""
