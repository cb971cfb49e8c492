"""Set operations on keyed lists of intervals, as one sweep along the time-points of every key.

Along the time line, each start adds one to the *depth* and each end subtracts one, ends first where both meet. With
all starts sorted, and all ends sorted separately, the depth after the start at position i is i + 1 less the number of
ends at or before that start. If k is the greatest possible depth, it is reached at that start exactly if the end at
position i + 1 - k is later, and lasts until that end. The sweep does not need the pairing of starts and ends.

- Intersection of k lists: each list adds at most one, so k is the greatest depth.
- Relative complement: being outside the union of the excluded lists counts as one, which their ends begin and their
  starts end. Every key begins with depth one, and its depth is at most two.
- Union: a maximal interval begins where all earlier intervals have ended, that is, where the end at position i - 1
  precedes the start at position i.

Key and time are packed into one int64, so that a sweep is two sorts of numbers for all keys.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN, Packing, packing_for

__all__ = ["OPEN", "Keyed", "intersect_intervals", "merge_intervals", "subtract_intervals", "unite_intervals"]

Keyed = tuple[Int64, Int64, Int64]
"""Keys, starts and ends of a list of intervals for every key."""


def merge_intervals(keys: Int64, starts: Int64, ends: Int64) -> Keyed:
    """The maximal intervals of any intervals, by key, then start; touching intervals are joined, empty ones dropped.

    Contract: keys are dense numbers. O(n log n), O(n) if the intervals are maximal and sorted already.

    >>> k, s, e = merge_intervals(np.array([0, 0, 0]), np.array([5, 1, 3]), np.array([9, 3, 4]))
    >>> list(zip(s.tolist(), e.tolist()))
    [(1, 4), (5, 9)]
    """
    rows = (starts < ends).nonzero()[0]
    if len(rows) < len(keys):
        keys, starts, ends = keys[rows], starts[rows], ends[rows]
    if _is_merged(keys, starts, ends):
        return keys, starts, ends
    return unite_intervals([(keys, starts, ends)])


def unite_intervals(lists: Sequence[Keyed]) -> Keyed:
    """The time-points that are in some list, by key and start.

    Contract: keys are dense numbers, no interval is empty. O(n log n).
    """
    keys, starts, ends = concatenate_columns(lists)
    if len(keys) == 0:
        return keys, starts, ends
    packing = _packing_of(keys, starts, ends)
    return _unpacked(*_united(packing.pack_finite(keys, starts), packing.pack(keys, ends)), packing)


def _is_merged(keys: Int64, starts: Int64, ends: Int64) -> bool:
    if len(keys) < 2:
        return True
    following: NDArray[np.bool_] = starts[1:] > ends[:-1]
    following &= keys[1:] == keys[:-1]
    following |= keys[1:] > keys[:-1]
    return bool(np.count_nonzero(following) == len(following))


def intersect_intervals(lists: Sequence[Keyed], n_lists: int) -> Keyed:
    """The time-points that are in all `n_lists` lists, by key and start.

    Contract: keys are dense numbers, each list is maximal within its keys. O(n log n).
    """
    if not all(len(each[0]) for each in lists):
        return (np.empty(0, dtype=np.int64),) * 3
    keys, starts, ends = concatenate_columns(lists)
    if len(keys) < n_lists:
        return (np.empty(0, dtype=np.int64),) * 3
    packing = _packing_of(keys, starts, ends)
    begins, stops = packing.pack_finite(keys, starts), packing.pack(keys, ends)
    begins.sort()
    stops.sort()
    return _unpacked(*_deepest(begins[n_lists - 1 :], stops[: len(stops) - n_lists + 1]), packing)


def subtract_intervals(base: Keyed, others: Sequence[Keyed]) -> Keyed:
    """The time-points of the base that are in none of the other lists, by key and start.

    Contract: keys are dense numbers; the base is maximal within its keys, no other interval is empty. O(n log n).
    """
    others = [other for other in others if len(other[0])]
    if not others or not len(base[0]):
        return merge_intervals(*base)
    keys, starts, ends = concatenate_columns([base, *others])
    packing = _packing_of(keys, starts, ends)
    begins, stops = packing.pack_finite(keys, starts), packing.pack(keys, ends)
    n = len(base[0])
    outside, inside = _united(begins[n:], stops[n:])
    begins, stops = np.concatenate((begins[:n], inside)), np.concatenate((stops[:n], outside))
    begins.sort()
    stops.sort()
    return _unpacked(*_deepest(begins, stops), packing)


def _packing_of(keys: Int64, starts: Int64, ends: Int64) -> Packing:
    return packing_for(int(np.maximum.reduce(keys)) + 1, starts, ends)


def _united(begins: Int64, stops: Int64) -> tuple[Int64, Int64]:
    """The maximal packed intervals of at least one. Both arguments are sorted in place."""
    begins.sort()
    stops.sort()
    gaps = (begins[1:] > stops[:-1]).nonzero()[0]
    first, last = np.zeros(len(gaps) + 1, dtype=np.int64), np.empty(len(gaps) + 1, dtype=np.int64)
    last[:-1] = gaps
    last[-1] = len(begins) - 1
    gaps += 1
    first[1:] = gaps
    return begins[first], stops[last]


def _deepest(begins: Int64, stops: Int64) -> tuple[Int64, Int64]:
    """The intervals of greatest depth: from a start to the end at the same position, if that end is later."""
    rows = (begins < stops).nonzero()[0]
    return begins[rows], stops[rows]


def _unpacked(begins: Int64, stops: Int64, packing: Packing) -> Keyed:
    return packing.keys(begins), packing.finite_times(begins), packing.times(stops)
