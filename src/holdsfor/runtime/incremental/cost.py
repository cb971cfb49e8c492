"""Whether a query time is cheaper if it evaluates only what changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdsfor.columns.records import Records
from holdsfor.distribution.keys import HashRoute
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.membership import is_member
from holdsfor.runtime.incremental.key_stages import Facts, Keys, KeyStage, TableName
from holdsfor.runtime.incremental.resumption import Changed, Resumption
from holdsfor.runtime.state import State

__all__ = ["is_worth_a_resumption", "pays"]

_FEW_RECORDS = 4_000  # in the window: a whole evaluation then costs little more than the calls of its operators
_SAMPLE = 2_000
_MOST_SHARE = 0.6  # of the rows of a window, above which a whole evaluation is cheaper


def is_worth_a_resumption(state: State) -> bool:
    """Whether the window has enough records."""
    return sum(map(len, state.records.all)) >= _FEW_RECORDS


def pays(resumption: Resumption, state: State, changed: Changed, last: int, facts: Facts) -> bool:
    """Whether recent rows and rows of touched keys are a small part of the window."""
    if not is_worth_a_resumption(state):
        return False
    stored = list(state.records.all)
    n_rows = sum(len(records) for records in stored)
    cost = n_components = 0.0
    for each in resumption.stages:
        n_recent = sum(_n_after(records, each.point, last) for records in stored)
        again = _share(each.stage, each.touched(changed, _no_columns, facts), state)
        cost += (n_recent / max(n_rows, 1) + again) * len(each.stage.components)
        n_components += len(each.stage.components)
    return cost < _MOST_SHARE * n_components


def _no_columns(name: TableName) -> Sequence[Int64]:
    """No rows: keys that a semijoin touches are not estimated."""
    return ()


def _n_after(records: Records, point: int, last: int) -> int:
    records.sort()
    low, high = records.starts.searchsorted((point, last), side="right").tolist()
    return int(high - low)


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
