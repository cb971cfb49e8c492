"""Set operations on keyed lists of intervals, as one sweep along the time-points of every key.

Each interval contributes +1 at its start and -1 at its end; the running sum over the sorted end-points of a key says
how many intervals cover a stretch. Union: at least one. Intersection of k lists: k. Relative complement: one of the
base and none of the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN, packing_for

__all__ = ["OPEN", "Keyed", "covered", "intersect_intervals", "merge_intervals", "subtract_intervals"]

Keyed = tuple[Int64, Int64, Int64]
"""Keys, starts and ends of a list of intervals for every key."""


def merge_intervals(keys: Int64, starts: Int64, ends: Int64) -> Keyed:
    """The maximal intervals of any intervals, by key, then start; touching ones are joined, empty ones dropped.

    Contract: keys are dense numbers. O(n log n), O(n) when already in order.

    >>> k, s, e = merge_intervals(np.array([0, 0, 0]), np.array([5, 1, 3]), np.array([9, 3, 4]))
    >>> list(zip(s.tolist(), e.tolist()))
    [(1, 4), (5, 9)]
    """
    real = starts < ends
    if not real.all():
        keys, starts, ends = keys[real], starts[real], ends[real]
    if len(keys) == 0:
        return keys, starts, ends
    packing = packing_for(int(keys.max()) + 1, starts)
    packed = packing.pack(keys, starts)
    if (packed[1:] < packed[:-1]).any():
        order = np.argsort(packed)
        keys, starts, ends = keys[order], starts[order], ends[order]
    reach = _running_end(keys, ends)
    new = np.ones(len(keys), dtype=bool)
    new[1:] = (keys[1:] != keys[:-1]) | (starts[1:] > reach[:-1])
    last = np.append(np.flatnonzero(new)[1:] - 1, len(keys) - 1)
    return keys[new], starts[new], reach[last]


def _running_end(keys: Int64, ends: Int64) -> Int64:
    """The largest end so far within each key; keys ascend."""
    if (ends[1:] >= ends[:-1]).all() or len(ends) == 1:
        return ends
    ranks = np.unique(ends, return_inverse=True)
    combined = keys * (len(ranks[0]) + 1) + ranks[1].reshape(-1)
    best = np.maximum.accumulate(combined)
    return ranks[0][best - keys * (len(ranks[0]) + 1)]


def covered(keys: Int64, times: Int64, weights: Int64, wanted: NDArray[np.int64] | int) -> Keyed:
    """The stretches in which the running sum of the weights is at least `wanted` (per key, or one number for all).

    Contract: keys are dense numbers; weights of one (key, time) add up. O(n log n).
    """
    if len(keys) == 0:
        return keys, times, times
    packing = packing_for(int(keys.max()) + 1, times)
    packed = packing.pack(keys, times)
    order = np.argsort(packed)
    ordered = packed[order]
    last = np.append(ordered[1:] != ordered[:-1], True)
    total = np.cumsum(weights[order])[last]
    at_key, at_time = keys[order][last], times[order][last]
    needed = wanted if isinstance(wanted, int) else wanted[at_key]
    is_in = total >= needed
    begins = is_in.copy()
    begins[1:] &= ~(is_in[:-1] & (at_key[1:] == at_key[:-1]))
    stops = ~is_in
    stops[1:] &= is_in[:-1]
    stops[0] = False
    return at_key[begins], at_time[begins], at_time[stops]


def _edges(keys: Int64, starts: Int64, ends: Int64, weight: int) -> tuple[Int64, Int64, Int64]:
    n = len(keys)
    weights = np.full(2 * n, weight, dtype=np.int64)
    weights[n:] = -weight
    return np.concatenate((keys, keys)), np.concatenate((starts, ends)), weights


def intersect_intervals(lists: list[Keyed], n_lists: int) -> Keyed:
    """The time-points that lie in all `n_lists` lists.

    Contract: each list is maximal within its keys. O(n log n).
    """
    keys, times, weights = _stacked([_edges(*each, 1) for each in lists])
    return covered(keys, times, weights, n_lists)


def subtract_intervals(base: Keyed, others: list[Keyed]) -> Keyed:
    """The time-points of the base that lie in none of the other lists.

    Contract: each list is maximal within its keys. O(n log n).
    """
    keys, times, weights = _stacked([_edges(*base, 1)] + [_edges(*each, -(len(others) + 1)) for each in others])
    return covered(keys, times, weights, 1)


def _stacked(parts: list[Keyed]) -> Keyed:
    keys, times, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    return keys, times, weights
