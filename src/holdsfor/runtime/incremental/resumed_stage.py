"""A stage after a query time: its results, and the state from which the next query time resumes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.keys import Int64
from holdsfor.runtime.incremental.expected_changes import ExpectedChanges
from holdsfor.runtime.incremental.key_stages import Columns, Facts, Keys, KeyStage, TableName
from holdsfor.runtime.incremental.record_changes import Changed
from holdsfor.runtime.incremental.stage_results import StageResults
from holdsfor.runtime.state import State

__all__ = ["NO_KEYS", "ResumedStage", "empty_state", "united"]

NO_KEYS = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class ResumedStage:
    """The results of a stage at the last query time, and the state at its resumption point.

    The results up to that point are decided by the rows that begin by the `boundary`, which is later if the stage reads
    whole intervals. `undecided` are the keys whose results before the resumption point are not decided yet; the next
    query time evaluates them from the settled time-point again. `expected` has the keys that time alone may change.
    `added` are the results that the last query time computed, and `moved_at` is the last time-point of the query time
    that moved the resumption point.
    """

    stage: KeyStage
    results: StageResults
    state: State
    boundary: int
    undecided: Keys
    expected: ExpectedChanges
    added: StageResults
    moved_at: int

    @property
    def n_bytes(self) -> int:
        """The bytes of the results, and of the FVPs that hold."""
        return self.results.n_bytes + self.state.held_bytes

    @property
    def point(self) -> int:
        return self.state.settled

    def touched(self, changed: Changed, columns: Columns, facts: Facts) -> Keys:
        """The keys that rows changed up to the boundary touch, and undecided keys."""
        rows: dict[TableName, Sequence[Int64]] = {}
        for name, each in changed.items():
            early = (each.starts <= self.boundary).nonzero()[0]
            if len(early):
                rows[name] = each.take(early).words
        return united(self.stage.touched(rows, columns, facts), self.undecided)


def united(one: Keys, other: Keys) -> Keys:
    """The keys of two sets."""
    if one is None or other is None:
        return None
    return distinct_values(np.concatenate((one, other))) if len(other) else one


def empty_state(state: State, point: int) -> State:
    """A state at a time-point, with the instances that have had initial values and complements so far."""
    found = State(state.start, point, state.records, state.computed, horizons=state.horizons)
    found.initial = state.initial.copy()
    found.complements, found.ranges = dict(state.complements), dict(state.ranges)
    return found
