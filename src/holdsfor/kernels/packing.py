"""(key, time) pairs in one int64, so that one sort orders both.

Keys are dense numbers from 0. `OPEN` sorts after every other time. A time takes the low bits and a key the bits above
them, so packing and unpacking are shifts. When keys and times together do not fit 63 bits, the times are replaced by
their ranks.
"""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.keys import Int64

__all__ = ["OPEN", "Packing", "packing_for"]

OPEN = int(np.iinfo(np.int64).max)


class Packing:
    """A layout: times from `low` on, or their ranks in `ranks` if given, in the lowest `bits` bits; keys above them.

    `OPEN` has the largest offset that fits, at most the distance from `low` to `OPEN`.
    """

    __slots__ = ("_end", "_mask", "bits", "low", "ranks")

    def __init__(self, low: int, bits: int, ranks: Int64 | None = None) -> None:
        self.low = low
        self.bits = bits
        self.ranks = ranks
        self._mask = (1 << bits) - 1
        self._end = low + min(self._mask, OPEN - low)

    @property
    def latest(self) -> int:
        """The last time that can be searched for; a later time has the same packed pairs before it."""
        return OPEN - 1 if self.ranks is not None else self._end - 1

    def pack(self, keys: Int64, times: Int64) -> Int64:
        """Keys and times as one column that sorts by key, then time. Times must be within the packing."""
        return self.pack_onto(keys.copy(), times)

    def pack_onto(self, keys: Int64, times: Int64) -> Int64:
        """`pack` in place: the result overwrites the keys."""
        keys <<= self.bits
        if self.ranks is not None:
            keys += self.ranks.searchsorted(times)
            return keys
        keys += np.minimum(times, self._end)
        keys -= self.low
        return keys

    def pack_finite(self, keys: Int64, times: Int64) -> Int64:
        """`pack` for times none of which is `OPEN`."""
        if self.ranks is not None:
            return self.pack(keys, times)
        packed: Int64 = keys << self.bits
        packed += times
        packed -= self.low
        return packed

    def pack_preceding(self, keys: Int64, times: Int64) -> Int64:
        """`pack` for times from the first one packed to `latest`: they sort after packed earlier times."""
        if self.ranks is None:
            return self.pack_finite(keys, times)
        return (keys << self.bits) + self.ranks.searchsorted(times, side="right") - 1

    def keys(self, packed: Int64) -> Int64:
        """The keys that were packed."""
        return packed >> self.bits

    def times(self, packed: Int64) -> Int64:
        """The times that were packed."""
        times = self.finite_times(packed)
        if self.ranks is None:
            np.putmask(times, times == self._end, OPEN)
        return times

    def finite_times(self, packed: Int64) -> Int64:
        """`times` if none of them is `OPEN`."""
        offsets: Int64 = packed & self._mask
        if self.ranks is not None:
            return self.ranks[offsets]
        offsets += self.low
        return offsets


def packing_for(n_keys: int, *times: Int64) -> Packing:
    """A packing for `n_keys` keys and all of the times."""
    present = [column for column in times if len(column)]
    if not present:
        return Packing(0, 1)
    low = min(OPEN - 1, *(int(np.minimum.reduce(column)) for column in present))
    high = max(low, *(_latest(column) for column in present))
    bits = (high - low + 1).bit_length()
    if (max(n_keys, 1) - 1).bit_length() + bits <= 63:
        return Packing(low, bits)
    ranks = distinct_values(np.concatenate(present))
    return Packing(0, len(ranks).bit_length(), ranks)


def _latest(times: Int64) -> int:
    """The latest time that is not `OPEN`, or the earliest int64 if there is none."""
    high = int(np.maximum.reduce(times))
    return high if high < OPEN else int(np.maximum.reduce(times, where=times < OPEN, initial=-OPEN))
