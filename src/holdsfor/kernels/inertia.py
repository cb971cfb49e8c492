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

ANY_VALUE = OPEN
NO_VALUE = OPEN - 1
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

    Contract: fluents are dense numbers, values are less than `NO_VALUE - 1`. O(n log n).
    """
    n_state = len(state[0])
    fluents = np.concatenate((state[0], fluents))
    values = np.concatenate((state[1], values))
    if len(fluents) == 0:
        return Changes(fluents, values, fluents, fluents)
    is_initiation = np.concatenate((np.ones(n_state, dtype=bool), is_initiation))
    first = int(times.min()) - 1 if len(times) else 0
    times = np.concatenate((np.full(n_state, first, dtype=np.int64), times))
    packing = packing_for(int(fluents.max()) + 1, times)
    packed, values, is_initiation = _in_order(packing.pack_finite(fluents, times), values, is_initiation)
    at, group = _groups(packed)
    fluents, times = packing.keys(packed[at]), packing.times(packed[at])
    result = _set_values(group, len(at), values, is_initiation)
    matters = _matters(result, group, fluents, values, is_initiation)
    if len(matters) < len(result):
        fluents, times, result = fluents[matters], times[matters], result[matters]
    return _stretches(fluents, times, result, first if n_state else None)


def _in_order(packed: Int64, values: Int64, is_initiation: NDArray[np.bool_]) -> tuple[Int64, Int64, NDArray[np.bool_]]:
    """The three sorted by the first, which is not negative.

    If all of them fit into one number, numbers are sorted, which is several times as fast as sorting positions.
    """
    packing = packing_for(2 * int(packed.max()) + 2, values)
    if packing.ranks is not None:
        order = packed.argsort()
        return packed[order], values[order], is_initiation[order]
    together = packing.pack((packed << 1) + is_initiation, values)
    together.sort()
    values = packing.times(together)
    packed = packing.keys(together)
    return packed >> 1, values, (packed & 1).astype(bool)


def _groups(packed: Int64) -> tuple[Int64, Int64]:
    """Where runs of equal numbers begin, and the number of the run at each position."""
    is_first = np.empty(len(packed), dtype=bool)
    is_first[:1] = True
    np.not_equal(packed[1:], packed[:-1], out=is_first[1:])
    at = is_first.nonzero()[0]
    return at, at if len(at) == len(packed) else is_first.cumsum() - 1


_UNDECIDED = OPEN - 2


def _set_values(group: Int64, n_groups: int, values: Int64, is_initiation: NDArray[np.bool_]) -> Int64:
    """What each point sets: a value, `NO_VALUE`, or `_UNDECIDED` where there are only terminations."""
    if n_groups == len(group):
        return np.where(is_initiation, values, _UNDECIDED)
    initiated = is_initiation.nonzero()[0]
    result = np.full(n_groups, _UNDECIDED, dtype=np.int64)
    where, given = group[initiated], values[initiated]
    result[where] = given
    result[where[given != result[where]]] = NO_VALUE
    terminated = (~is_initiation).nonzero()[0]
    where, given = group[terminated], values[terminated]
    here = result[where]
    result[where[(here != _UNDECIDED) & ((given == here) | (given == ANY_VALUE))]] = NO_VALUE
    return result


def _matters(result: Int64, group: Int64, fluents: Int64, values: Int64, is_initiation: NDArray[np.bool_]) -> Int64:
    """The points that change anything: one with terminations only does if it hits the last value set before it.

    What these set becomes `NO_VALUE`.
    """
    undecided = result == _UNDECIDED
    positions = np.arange(len(result), dtype=np.int64)
    if not np.count_nonzero(undecided):
        return positions
    last_set = np.maximum.accumulate(np.where(undecided, 0, positions))
    before = result[last_set]
    is_known = (before != _UNDECIDED) & (fluents[last_set] == fluents)
    result[undecided] = NO_VALUE
    terminated = (~is_initiation & undecided[group]).nonzero()[0]
    where, given = group[terminated], values[terminated]
    is_hit = is_known[where] & ((given == before[where]) | ((given == ANY_VALUE) & (before[where] != NO_VALUE)))
    matters: NDArray[np.bool_] = ~undecided
    matters[where[is_hit]] = True
    return matters.nonzero()[0]


def _stretches(fluents: Int64, times: Int64, values: Int64, first: int | None) -> Changes:
    """Runs of points with the same value of the same fluent, from the point that begins one to the one that ends it."""
    is_new = np.ones(len(fluents), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=is_new[1:])
    is_new[1:] |= fluents[1:] != fluents[:-1]
    runs = is_new.nonzero()[0]
    fluents, values, times = fluents[runs], values[runs], times[runs]
    stops = np.full(len(runs), OPEN, dtype=np.int64)
    np.copyto(stops[:-1], times[1:], where=fluents[1:] == fluents[:-1])
    keep = (values != NO_VALUE).nonzero()[0]
    begins = times[keep]
    if first is not None:
        begins[begins == first] = BEFORE_EVERYTHING
    return Changes(fluents[keep], values[keep], begins, stops[keep])
