"""Everything that a session carries from one query time to the next.

A time-point is *settled* when no later query time can change the results at it. The edge of the window, query time
minus window length, is the watermark in the sense of Spark and Flink: records before it are dropped or cut. The settled
time-point is at or before the watermark: it is the last time-point up to which every duration filter, Allen construct
and interval-wise predicate has decided (`EngineSession.settled_at`).

A query time evaluates the time-points from the last settled one to itself. The next query time settles more time-points
first: it keeps the FVPs of the last evaluation that hold at the new settled time-point. The new settled time-point
depends on the window of the next query time, so the last evaluation is kept until then. That evaluation follows from
the state and the records: a session that is restored from a snapshot evaluates the last time range again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from holdsfor.columns.records import Mask
from holdsfor.columns.tables import FluentTable, Key
from holdsfor.kernels.inertia import BEFORE_EVERYTHING
from holdsfor.kernels.keys import Int64
from holdsfor.logical.nodes import NodeId
from holdsfor.physical.interval_lists import Lists
from holdsfor.physical.rows import Rows
from holdsfor.physical.time_range import TimeRange
from holdsfor.runtime.allen_constructs import KeptIntervals
from holdsfor.runtime.cuts import DatedCuts
from holdsfor.runtime.delays import SetUp
from holdsfor.runtime.edges import CarriedEdges, edges_at
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.initial_values import InitialValues
from holdsfor.runtime.record_store import RecordStore
from holdsfor.runtime.upstream_results import UpstreamResults
from holdsfor.sources.place_kinds import PlaceKinds

__all__ = ["State", "cuts_that", "holding"]


@dataclass
class State:
    """The settled results that later query times need, the records in the window, and counts.

    Time: the run begins at `start`. Results up to `settled` do not change; records that end by `watermark` have no
    effect. `previous` is the last query time. `time_range` is the range that the query time `evaluated_at` evaluated;
    later query times were skipped, because nothing changed. Results up to `reported_until` were reported as settled, if
    it is later than `settled`: a state that is restored by an evaluation may have settled less than before.

    At the settled time-point: `held` has the FVPs that hold, with their true starts; `edges` the `startI` and `endI`
    there; `pending` the delayed effects of components; `prefixes` the beginnings of lists under filters; `allen` the
    intervals that Allen constructs may still compare; `made` the results of interval-wise predicates for intervals that
    have ended; `complements` the instances of complements so far; `ranges` the values over which variables range;
    `initial` the fluents that have had their initial values; `settled_cuts` and `settled_input_cuts` the cut intervals
    with their true starts. `horizons` has the longest duration of each duration filter so far.

    `place_kinds` has the kinds of constants in all records so far, in the places that rules join.
    """

    start: int
    settled: int
    records: RecordStore
    computed: UpstreamResults
    watermark: int = BEFORE_EVERYTHING
    reported_until: int = BEFORE_EVERYTHING
    first_query_time: int | None = None
    previous: int | None = None
    evaluated_at: int | None = None
    time_range: TimeRange | None = None
    is_announced: bool = False
    n_new_members: int = 0
    place_kinds: PlaceKinds = field(default_factory=PlaceKinds)
    held: dict[Key, FluentTable] = field(default_factory=dict)
    edges: CarriedEdges = field(default_factory=dict)
    pending: dict[int, tuple[SetUp | None, ...]] = field(default_factory=dict)
    prefixes: dict[NodeId, Lists] = field(default_factory=dict)
    allen: dict[NodeId, KeptIntervals] = field(default_factory=dict)
    made: dict[NodeId, Lists] = field(default_factory=dict)
    complements: dict[NodeId, Rows] = field(default_factory=dict)
    ranges: dict[NodeId, Int64] = field(default_factory=dict)
    settled_cuts: dict[Key, FluentTable] = field(default_factory=dict)
    settled_input_cuts: dict[Key, FluentTable] = field(default_factory=dict)
    horizons: dict[NodeId, int] = field(default_factory=dict)
    initial: InitialValues = field(default_factory=InitialValues)
    computed_cuts: dict[Key, DatedCuts] = field(default_factory=dict)
    cuts: dict[Key, list[tuple[int, FluentTable]]] = field(default_factory=dict)
    """By query time, the computed intervals that began before the evaluated time range, with their true starts."""

    def settle(self, evaluation: Evaluation, settled: int) -> None:
        """Carry over the parts of an evaluation that time-points after the settled one depend on."""
        self.initial.settle()
        self.ranges.update(evaluation.ranges)
        self.complements.update(evaluation.complemented)
        self.held = holding(evaluation.known, settled)
        self.settled_cuts = cuts_that(evaluation.cuts, lambda starts: starts == settled)
        self.settled_input_cuts = cuts_that(evaluation.input_cuts, lambda starts: starts <= settled)
        self.prefixes = {
            place: lists.take((lists.starts <= settled) & (settled < lists.ends))
            for place, lists in evaluation.whole_lists.items()
        }
        self.made = {place: made.kept_at(settled) for place, made in evaluation.made.items()}
        self.allen = {place: construct.kept_at(settled) for place, construct in evaluation.constructs.items()}
        self.edges = {place: edges_at(evaluation.edges(*place), settled) for place in evaluation.rules.asked_edges}
        self.pending = {number: outcome.waiting(settled) for number, outcome in evaluation.recursions.items()}

    def note(self, evaluations: Iterable[Evaluation], time_range: TimeRange, at: int, settled: int) -> None:
        """Record the evaluations of a query time."""
        if self.previous is None:
            self.first_query_time = at
        self.note_horizons(evaluations)
        self.previous = self.evaluated_at = at
        self.time_range = time_range
        self.settled = settled

    @cached_property
    def held_bytes(self) -> int:
        """The bytes of the FVPs that hold, which must not change any more."""
        return sum(table.n_bytes for table in self.held.values())

    def note_horizons(self, evaluations: Iterable[Evaluation]) -> None:
        """Record the longest bounds of duration filters."""
        for evaluation in evaluations:
            for place, limit in evaluation.longest.items():
                self.horizons[place] = max(limit, self.horizons.get(place, 0))


def holding(known: Mapping[Key, FluentTable], at: int) -> dict[Key, FluentTable]:
    """The FVPs that hold at a time-point."""
    found: dict[Key, FluentTable] = {}
    for key, table in known.items():
        rows: Int64 = ((table.starts <= at) & (at < table.ends)).nonzero()[0]
        if len(rows):
            found[key] = table.take(rows)
    return found


def cuts_that(cuts: dict[Key, FluentTable], begin: Callable[[Int64], Mask]) -> dict[Key, FluentTable]:
    """The cut intervals whose starts satisfy a test; names without any are left out."""
    found = {key: table.take(begin(table.starts).nonzero()[0]) for key, table in cuts.items()}
    return {key: table for key, table in found.items() if table.n}
