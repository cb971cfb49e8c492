"""One evaluation for several query times.

When all records of a run are inserted, the query times to come are known. If no record arrives late, the results of
causal components (`runtime/causal_components.py`) at a query time are those of a later one, up to the time-point after
the query time: intervals that continue there are open. A *batch* of query times is therefore evaluated once, and the
report of each is a part of the results. Short windows then cost their reports, not the calls of all operators.

A batch ends before a query time that sees a late record or a retraction first, and at a query time after which an
interval of the input begins at once: conditions on its `start` look one time-point ahead. Fluents given by time-points
count as open if they hold at the query time, so a batch also ends where one of them ends at once.

If some rules are not causal, or some input is late at many query times, each query time is evaluated, but its early
components (`runtime/early_components.py`) that depend on other input are evaluated once for the batch.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.query_times import ALL_ARRIVED, ConsecutiveQueries, QueryTimes
from holdsfor.columns.records import Records
from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.concatenation import concatenate_column
from holdsfor.kernels.keys import Int64, rows_with_a_partner
from holdsfor.runtime.early_components import EarlyComponents, Name
from holdsfor.runtime.early_results import EarlyPart
from holdsfor.runtime.evaluation import Evaluation
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.state import State

__all__ = ["BatchStarts", "QueryBatch", "batch_starts", "edges_at_once", "last_of_batch"]

_MOST_RECORDS = 1 << 18  # of a batch with several query times
_FEW_RECORDS = 1 << 12
_OFTEN = 4  # the query times of a batch at least, on average, for early components
_MOST_WINDOWS = 64  # that have the records of a batch: the report of each query time reads the results of the batch


@dataclass(frozen=True)
class QueryBatch:
    """Query times up to `last`, and their evaluation, or that of their early components."""

    queries: QueryTimes
    last: int
    whole: Evaluation | None = None
    early: EarlyPart | None = None

    def has(self, at: int) -> bool:
        """Whether a query time belongs to the batch; query times ascend."""
        return at <= self.last and self.queries.at_or_after(at) == at


@dataclass(frozen=True)
class BatchStarts:
    """The query times that begin a batch, in order; and those of batches of the early components.

    `early` depend on no input that is late at many query times.
    """

    of_all: Int64
    of_early: Int64
    early: EarlyComponents


def batch_starts(rules: PreparedRules, state: State, queries: QueryTimes) -> BatchStarts:
    """The query times that begin a batch of the records inserted so far."""
    found = {name: distinct_values(starts) for name, starts in _starts(rules, state, queries).items()}
    n_query_times = queries.n_up_to(queries.at_or_after(queries.end))
    often = frozenset(name for name, starts in found.items() if _OFTEN * len(starts) > n_query_times)
    others = [starts for name, starts in found.items() if name not in often]
    return BatchStarts(_together([*found.values()]), _together(others), rules.early_without(often))


def _together(starts: list[Int64]) -> Int64:
    return distinct_values(concatenate_column([np.empty(0, np.int64), *starts]))


def last_of_batch(state: State, queries: QueryTimes, starts: Int64, at: int, known_until: int) -> int:
    """The last query time of the batch that begins with a query time; all records up to `known_until` are inserted.

    `starts` are the query times that begin a batch.
    """
    assert queries.step is not None
    position = int(starts.searchsorted(at, side="right"))
    bound = ALL_ARRIVED if position == len(starts) else int(starts[position]) - 1
    bound = queries.at_or_before(min(bound, known_until, queries.at_or_after(max(queries.end, at))))
    most = max(_FEW_RECORDS, _MOST_WINDOWS * state.records.n_between(at - queries.step + 1, at))
    last, n_steps = at, 1
    while last < bound:
        following = min(bound, last + n_steps * queries.step)
        if state.records.n_between(at + 1, following) > min(most, _MOST_RECORDS):
            break
        last, n_steps = following, 2 * n_steps
    return last


def _starts(rules: PreparedRules, state: State, queries: QueryTimes) -> dict[Name, Int64]:
    """By name of the input, the query times that begin a batch because of its records."""
    found: dict[Name, list[Int64]] = {}
    for is_event, store in ((True, state.records.events), (False, state.records.fluents)):
        for key, records in store.items():
            records.sort()
            if not records.is_prompt:
                seen_at = queries.seen_at(records.arrivals)
                found.setdefault((is_event, key), []).append(seen_at[seen_at > queries.seen_at(records.starts)])
            if key in rules.read_fluents and not is_event:
                edges = edges_at_once(
                    records,
                    queries,
                    queries.tick,
                    is_given_by_points=key in rules.point_fluents,
                    has_retractions=(is_event, key) in state.records.retractions,
                )
                found.setdefault((is_event, key), []).extend(at for _, at in edges)
    for name, each in state.records.retractions.items():
        found.setdefault(name, []).append(queries.seen_at(each.records.arrivals))
    return {name: concatenate_column(starts) for name, starts in found.items()}


def edges_at_once(
    records: Records,
    queries: QueryTimes | ConsecutiveQueries,
    tick: int,
    *,
    is_given_by_points: bool,
    has_retractions: bool = False,
) -> Iterator[tuple[Int64, Int64]]:
    """The rows with an edge at the time-point after a query time, and the query times after these.

    A fluent given by time-points is open if it holds at the query time, so it has such an edge too if it does not hold
    at the time-point after. Records that the following query time does not see begin a batch themselves. Without
    `has_retractions`, none of the records is retracted later.
    """
    assert records.ends is not None
    starts = _after_query_times(records.starts, queries, tick)
    if not is_given_by_points:
        yield starts
        return
    points = (records.ends - records.starts == tick).nonzero()[0]
    rows, seen_at = _after_query_times(records.ends[points], queries, tick)
    edges = starts, (points[rows], seen_at)
    if has_retractions:
        yield from edges
        return
    begun, ended = (_seen_in_time(records, *each) for each in edges)
    for (rows, at), (others, others_at) in ((begun, ended), (ended, begun)):
        own, other = ([*(column[each] for column in records.columns)] for each in (rows, others))
        are_alone = ~rows_with_a_partner([*own, at], len(rows), [*other, others_at], len(others))
        yield rows[are_alone], at[are_alone]


def _after_query_times(times: Int64, queries: QueryTimes | ConsecutiveQueries, tick: int) -> tuple[Int64, Int64]:
    """The rows with a time at the time-point after a query time, and the query times after these."""
    first, last = (queries.start, queries.end) if isinstance(queries, QueryTimes) else queries.range
    assert queries.step is not None
    rows = ((times > first) & (times <= last)).nonzero()[0]
    seen_at = queries.seen_at(times[rows])
    at_once = seen_at - times[rows] >= queries.step - tick
    return rows[at_once], seen_at[at_once]


def _seen_in_time(records: Records, rows: Int64, seen_at: Int64) -> tuple[Int64, Int64]:
    is_seen = records.arrivals[rows] <= seen_at
    return rows[is_seen], seen_at[is_seen]
