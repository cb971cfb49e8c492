"""Whether a query time is cheaper if it evaluates only what changed.

Shares of rows give a first estimate, and the processor time of both ways the decision: where two resumed query times in
a row took longer than the last whole evaluation, some query times are evaluated whole before the next attempt.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.query_times import ConsecutiveQueries
from holdsfor.distribution.keys import HashRoute
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.membership import is_member
from holdsfor.physical.time_range import TimeRange
from holdsfor.runtime.incremental.key_spans import MOST_QUERY_TIMES
from holdsfor.runtime.incremental.key_stages import Facts, Keys, KeyStage, TableName
from holdsfor.runtime.incremental.record_changes import Changed
from holdsfor.runtime.incremental.resumption import Resumption
from holdsfor.runtime.state import State

__all__ = ["MeasuredCost", "is_worth_a_batch", "is_worth_a_resumption", "pays"]

_FEW_RECORDS = 4_000  # in the window: a whole evaluation then costs little more than the calls of its operators
_SAMPLE = 2_000
_SHARE_OF_STRETCHES = 0.5  # of the rows of touched keys: an inertial stage evaluates some stretches of the window
_MOST_SHARE = 0.5  # of the rows of a window, above which a whole evaluation is cheaper


LEAST_SHARE = 0.125
"""The least share of new records among those that an evaluation for several query times evaluates."""

_ATTEMPTS = 2  # resumed query times in a row that must take longer, since other processes may be the reason for one
_GROWTH = 1.5  # of the records of a window, from which a whole evaluation is measured again
_ATTEMPTS_APART = 16  # whole evaluations after attempts that did not pay


@dataclass
class MeasuredCost:
    """The processor seconds of the last whole evaluation by record, and how many follow before the next attempt.

    The evaluation had `n_measured` records; one with many more is cheaper by record, and is measured again. `n_slow`
    resumed query times in a row took longer.
    """

    seconds_by_record: float = math.inf
    n_measured: int = 0
    n_whole_left: int = 0
    n_slow: int = 0

    def allows_resumption(self, n_records: int) -> bool:
        """Whether a query time with some records may be resumed; to be asked once at every query time."""
        self.n_whole_left = max(0, self.n_whole_left - 1)
        return self.n_whole_left == 0 and n_records <= _GROWTH * self.n_measured

    def note_whole(self, seconds: float, n_records: int) -> None:
        """Record the processor seconds of a whole evaluation of some records."""
        self.seconds_by_record, self.n_measured = seconds / max(n_records, 1), n_records

    def note_resumed(self, seconds: float, n_records: int) -> None:
        """Record the processor seconds of a resumed query time with some records in its time range."""
        self.n_slow = self.n_slow + 1 if seconds > self.seconds_by_record * n_records else 0
        if self.n_slow == _ATTEMPTS:
            self.postpone()

    def postpone(self) -> None:
        """Evaluate some query times whole before the next attempt: the preparation of an attempt has a cost, too."""
        self.n_whole_left, self.n_slow = _ATTEMPTS_APART, _ATTEMPTS - 1


def is_worth_a_resumption(state: State, time_range: TimeRange, n_rows: int) -> bool:
    """Whether a time range has enough records, and few of them are new since the last query time."""
    previous = time_range.first if state.previous is None else min(state.previous, time_range.last)
    return n_rows >= _FEW_RECORDS and state.records.n_between(previous + 1, time_range.last) < _MOST_SHARE * n_rows


def is_worth_a_batch(state: State, first: int, queries: ConsecutiveQueries) -> bool:
    """Whether one evaluation from a time-point on is cheaper than an evaluation of what changed at each query time."""
    n_new = state.records.n_between(queries.previous + 1, queries.last)
    n_rows = state.records.n_between(first, queries.last)
    return 2 <= queries.n <= MOST_QUERY_TIMES and n_new >= LEAST_SHARE * n_rows


def pays(resumption: Resumption, state: State, changed: Changed, time_range: TimeRange, facts: Facts) -> bool:
    """Whether recent rows and rows of touched keys are a small part of a time range."""
    last = time_range.last
    n_rows = max(state.records.n_between(time_range.first, last), 1)
    n_since = {point: state.records.n_between(point + 1, last) for point in {each.point for each in resumption.stages}}
    cost = n_components = 0.0
    for each in resumption.stages:
        n_recent = n_since[each.point]
        again = _share(each.stage, each.touched(changed, _no_columns, facts), state)
        again *= _SHARE_OF_STRETCHES if each.stage.is_inertial else 1
        cost += (n_recent / n_rows + again) * len(each.stage.components)
        n_components += len(each.stage.components)
    return cost < _MOST_SHARE * n_components


def _no_columns(name: TableName) -> Sequence[Int64]:
    """No rows: keys that a semijoin touches are not estimated."""
    return ()


def _share(stage: KeyStage, keys: Keys, state: State) -> float:
    """The estimated share of the rows that some keys need, from a sample of the records."""
    if keys is None:
        return 1.0
    if len(keys) == 0 or stage.routes is None:
        return 0.0
    n_needed = n_tried = 0.0
    for (is_fvp, key), routes in stage.routes.items():
        records = (state.records.fluents if is_fvp else state.records.events).get(key)
        if records is None or not len(records) or not isinstance(routes[0], HashRoute):
            continue
        sample = records.columns[routes[0].argument][:: max(1, len(records) // _SAMPLE)]
        n_needed += float(np.mean(is_member(sample, keys))) * len(records)
        n_tried += len(records)
    return n_needed / n_tried if n_tried else 0.5
