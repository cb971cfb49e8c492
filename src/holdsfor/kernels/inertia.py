"""The law of inertia: initiations and terminations to maximal intervals, for all fluents of one kind at once.

A *fluent* is a dense number, a *value* any int64. At one time-point of one fluent: a single initiated value that is not
terminated there sets the fluent; two initiated values, or one that is terminated at once, leave it without a value;
terminations alone take the value away if it is one of theirs. What a point does is thus known from the point itself,
except for terminations alone, which look at the last value set before them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN, packing_for

__all__ = ["ANY_VALUE", "BEFORE_EVERYTHING", "NO_VALUE", "Changes", "inertial_intervals"]

NO_VALUE = int(np.iinfo(np.int64).max)
ANY_VALUE = int(np.iinfo(np.int64).max) - 1
BEFORE_EVERYTHING = int(np.iinfo(np.int64).min) + 1


@dataclass(frozen=True)
class Changes:
    """Maximal stretches of one value: set at `begins` (exclusive), broken at `stops`, both time-points of effects.

    `stops` is `OPEN` where nothing breaks the value. A stretch that was given as state begins before everything.
    """

    fluents: Int64
    values: Int64
    begins: Int64
    stops: Int64


def inertial_intervals(
    fluents: Int64, values: Int64, times: Int64, is_initiation: NDArray[np.bool_], state: tuple[Int64, Int64]
) -> Changes:
    """The stretches in which fluents keep their values.

    `fluents, values, times` are initiations and terminations in any order; the value of a termination may be
    `ANY_VALUE`. `state` has the fluents that have a value to begin with, each once, and these values.

    Contract: fluents are dense numbers, values are less than `ANY_VALUE`. O(n log n).
    """
    n_state = len(state[0])
    fluents = np.concatenate((state[0], fluents))
    values = np.concatenate((state[1], values))
    is_initiation = np.concatenate((np.ones(n_state, dtype=bool), is_initiation))
    if len(fluents) == 0:
        return Changes(fluents, values, fluents, fluents)
    first = int(times.min()) - 1 if len(times) else 0
    times = np.concatenate((np.full(n_state, first, dtype=np.int64), times))
    packed = packing_for(int(fluents.max()) + 1, times).pack(fluents, times)
    order = np.argsort(packed)
    packed, fluents, values = packed[order], fluents[order], values[order]
    times, is_initiation = times[order], is_initiation[order]
    group = np.cumsum(np.append(True, packed[1:] != packed[:-1])) - 1
    at = np.flatnonzero(np.append(True, packed[1:] != packed[:-1]))
    result = _set_values(group, len(at), values, is_initiation)
    matters = _matters(result, group, fluents[at], values, is_initiation)
    at, result = at[matters], np.where(result == _UNDECIDED, NO_VALUE, result)[matters]
    return _stretches(fluents[at], times[at], result, first if n_state else None)


_UNDECIDED = int(np.iinfo(np.int64).max) - 2


def _set_values(group: Int64, n_groups: int, values: Int64, is_initiation: NDArray[np.bool_]) -> Int64:
    """What each point sets: a value, `NO_VALUE`, or `_UNDECIDED` where there are only terminations."""
    initiated = np.flatnonzero(is_initiation)
    result = np.full(n_groups, _UNDECIDED, dtype=np.int64)
    result[group[initiated]] = values[initiated]
    differs = values[initiated] != result[group[initiated]]
    result[group[initiated[differs]]] = NO_VALUE
    terminated = np.flatnonzero(~is_initiation)
    here = result[group[terminated]]
    broken = (here != _UNDECIDED) & ((values[terminated] == here) | (values[terminated] == ANY_VALUE))
    result[group[terminated[broken]]] = NO_VALUE
    return result


def _matters(
    result: Int64, group: Int64, fluents: Int64, values: Int64, is_initiation: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Whether a point changes anything: one with terminations only does if it hits the last value set before it."""
    undecided: NDArray[np.bool_] = result == _UNDECIDED
    if not undecided.any():
        return ~undecided
    positions = np.arange(len(result), dtype=np.int64)
    last_set = np.maximum(np.maximum.accumulate(np.where(undecided, -1, positions)), 0)
    is_known = ~undecided[last_set] & (fluents[last_set] == fluents)
    before = np.where(is_known, result[last_set], NO_VALUE)
    terminated = np.flatnonzero(~is_initiation & undecided[group])
    where = group[terminated]
    is_hit = (values[terminated] == before[where]) | ((values[terminated] == ANY_VALUE) & is_known[where])
    matters: NDArray[np.bool_] = ~undecided
    matters[where[is_hit]] = True
    return matters


def _stretches(fluents: Int64, times: Int64, values: Int64, first: int | None) -> Changes:
    """Runs of points with the same value of the same fluent, from the point that begins one to the one that ends it."""
    if len(fluents) == 0:
        return Changes(fluents, values, times, times)
    same_fluent = fluents[1:] == fluents[:-1]
    is_new = np.append(True, ~(same_fluent & (values[1:] == values[:-1])))
    runs = np.flatnonzero(is_new)
    stops = np.full(len(runs), OPEN, dtype=np.int64)
    followed = fluents[runs[1:]] == fluents[runs[:-1]]
    stops[:-1][followed] = times[runs[1:][followed]]
    keep = values[runs] != NO_VALUE
    runs, stops = runs[keep], stops[keep]
    begins = times[runs]
    if first is not None:
        begins = np.where(begins == first, BEFORE_EVERYTHING, begins)
    return Changes(fluents[runs], values[runs], begins, stops)
