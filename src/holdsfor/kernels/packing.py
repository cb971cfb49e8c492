"""(key, time) pairs in one int64, so that one sort orders both.

Keys are dense numbers from 0. `OPEN` sorts after every other time. A time takes the low bits and a key the bits above
them, so packing and unpacking are shifts. When keys and times together do not fit 63 bits, the times are replaced by
their ranks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.kernels.compact import distinct_values
from holdsfor.kernels.keys import Int64

__all__ = ["OPEN", "Packing", "packing_for"]

OPEN = int(np.iinfo(np.int64).max)


@dataclass(frozen=True)
class Packing:
    """A layout: times from `low` on, or their ranks in `ranks` if given, in the lowest `bits` bits; keys above them."""

    low: int
    bits: int
    ranks: Int64 | None = None

    @property
    def _open(self) -> int:
        """The offset of `OPEN`: the largest offset that fits, at most the distance from `low` to `OPEN`."""
        return min((1 << self.bits) - 1, OPEN - self.low)

    @property
    def latest(self) -> int:
        """The last time that can be searched for; a later time has the same packed pairs before it."""
        return OPEN - 1 if self.ranks is not None else self.low + self._open - 1

    def pack(self, keys: Int64, times: Int64) -> Int64:
        """Keys and times as one column that sorts by key, then time. Times must be within the packing."""
        return self.pack_onto(keys.copy(), times)

    def pack_onto(self, keys: Int64, times: Int64) -> Int64:
        """`pack` in place: the result overwrites the keys."""
        keys <<= self.bits
        if self.ranks is not None:
            keys += self.ranks.searchsorted(times)
            return keys
        keys += np.minimum(times, self.low + self._open)
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
        offsets: Int64 = packed & ((1 << self.bits) - 1)
        if self.ranks is not None:
            return self.ranks[offsets]
        is_open = (offsets == self._open).nonzero()[0]
        offsets += self.low
        offsets[is_open] = OPEN
        return offsets


def packing_for(n_keys: int, *times: Int64) -> Packing:
    """A packing for `n_keys` keys and all of the times."""
    present = [column for column in times if len(column)]
    if not present:
        return Packing(0, 1)
    low = min(OPEN - 1, *(int(column.min()) for column in present))
    high = max(_latest(column) for column in present)
    bits = (max(high, low) - low + 1).bit_length()
    if (max(n_keys, 1) - 1).bit_length() + bits <= 63:
        return Packing(low, bits)
    ranks = distinct_values(np.concatenate(present))
    return Packing(0, len(ranks).bit_length(), ranks)


def _latest(times: Int64) -> int:
    """The latest time that is not `OPEN`, or the earliest int64 if there is none."""
    high = int(times.max())
    if high < OPEN:
        return high
    finite = times[(times < OPEN).nonzero()[0]]
    return int(finite.max()) if len(finite) else -OPEN
