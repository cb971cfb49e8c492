"""Which interval of a key contains a time-point, and how many intervals of a key do.

Intervals are sorted by (key, start), packed into one int64. The only interval that may contain a time-point is the last
one that begins at or before it. If intervals may overlap, the number that contain a time-point is the number of starts
up to it less the number of ends up to it.

Many time-points of few keys are looked up in a table with an entry for every key and time-point.

All pairs of a time-point and an interval that contains it are found from the intervals: the time-points inside an
interval are consecutive among the time-points of its key, so the work grows with the pairs that exist.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.compact import ascending_order
from holdsfor.kernels.keys import Int64, expand_ranges
from holdsfor.kernels.packing import packing_for
from holdsfor.kernels.searching import search_sorted

__all__ = ["Depths", "Stabbing", "containing_pairs"]


def containing_pairs(keys: Int64, times: Int64, own: Int64, starts: Int64, ends: Int64) -> tuple[Int64, Int64]:
    """The positions (of a time-point, of an interval) of every pair with one key whose interval contains the time.

    Contract: keys are dense numbers; a time-point with key -1 is in no interval. Intervals may overlap and are not
    empty. O((n + m) log n + pairs) for n time-points and m intervals.

    >>> keys, times = np.array([0, 0, 1]), np.array([3, 8, 3])
    >>> point, interval = containing_pairs(keys, times, np.array([0, 1]), np.array([2, 1]), np.array([9, 3]))
    >>> point.tolist(), interval.tolist()
    ([0, 1], [0, 0])
    """
    known = (keys >= 0).nonzero()[0]
    if len(known) == 0 or len(own) == 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    keys, times = keys[known], times[known]
    low, beyond = int(times.min()), int(times.max()) + 1
    packing = packing_for(max(int(keys.max()), int(own.max())) + 1, times, np.array([beyond]))
    packed = packing.pack_finite(keys, times)
    order = ascending_order(packed)
    packed = packed[order]
    first, last = (
        search_sorted(packed, packing.pack_finite(own, np.clip(bound, low, beyond))) for bound in (starts, ends)
    )
    interval, position = expand_ranges(first, last - first)
    return known[order[position]], interval


class Stabbing:
    """At least one interval; keys are dense numbers, and the intervals of a key are disjoint."""

    def __init__(self, keys: Int64, starts: Int64, ends: Int64) -> None:
        self.n_keys = int(keys.max()) + 1
        self.packing = packing_for(self.n_keys + 1, starts)
        packed = self.packing.pack_finite(keys, starts)
        self.order = ascending_order(packed)
        self.packed = packed[self.order]
        self.ends = ends[self.order]
        self.low, self.high = int(starts.min()), int(starts.max())
        self.intervals = keys, starts, ends

    def find(self, keys: Int64, times: Int64) -> Int64:
        """For each key and time: the position of the interval of that key that contains the time, or -1.

        A key without intervals, such as -1, has the result -1. O(n log n + n log m).
        """
        wanted = self.packing.pack_preceding(np.minimum(keys, self.n_keys), np.clip(times, self.low, self.high))
        position = search_sorted(self.packed, wanted, side="right") - 1
        hit = (position >= 0) & (self.packing.keys(self.packed[position]) == keys)
        hit &= (times >= self.low) & (times < self.ends[position])
        return np.where(hit, self.order[position], -1)

    def contains(self, keys: Int64, times: Int64) -> NDArray[np.bool_]:
        """Whether an interval of each key contains the time. Keys are not negative.

        O(n) if there are more time-points than table entries, else O(n log n + n log m).
        """
        if len(times) == 0:
            return np.zeros(0, dtype=bool)
        first, last = int(times.min()), int(times.max())
        n_times = last - first + 2
        if (self.n_keys + 1) * n_times > len(times):
            return self.find(keys, times) >= 0
        return self._table(first, last)[np.minimum(keys, self.n_keys) * n_times + (times - first)]

    def _table(self, first: int, last: int) -> NDArray[np.bool_]:
        """Whether each time-point from `first` to `last + 1` is contained, key after key.

        The last key of the table has no interval.
        """
        keys, starts, ends = self.intervals
        n_times = last - first + 2
        begun, over = (
            np.bincount(keys * n_times + (np.clip(at, first, last + 1) - first), minlength=(self.n_keys + 1) * n_times)
            for at in (starts, ends)
        )
        is_inside: NDArray[np.bool_] = (begun - over).cumsum() > 0
        return is_inside


class Depths:
    """At least one interval; keys are dense numbers, and the intervals of a key may overlap."""

    def __init__(self, keys: Int64, starts: Int64, ends: Int64) -> None:
        self.packing = packing_for(int(keys.max()) + 1, starts, ends)
        self.begins = self.packing.pack_finite(keys, starts)
        self.stops = self.packing.pack(keys, ends)
        self.begins.sort()
        self.stops.sort()
        self.low = int(starts.min())

    def count(self, keys: Int64, times: Int64) -> Int64:
        """The number of intervals of each key that contain the time; key -1 has no interval. O(n log n + n log m)."""
        wanted = self.packing.pack_preceding(np.maximum(keys, 0), np.clip(times, self.low, self.packing.latest))
        depth = search_sorted(self.begins, wanted, side="right") - search_sorted(self.stops, wanted, side="right")
        depth[(keys < 0) | (times < self.low)] = 0
        return depth
