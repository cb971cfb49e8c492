"""(key, time) pairs in one int64, so that one sort orders both.

Keys are dense numbers from 0. `OPEN` sorts behind every other time. When keys and times together do not fit 63 bits,
the times are replaced by their ranks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdsfor.kernels.keys import Int64

__all__ = ["OPEN", "Packing", "packing_for"]

OPEN = int(np.iinfo(np.int64).max)


@dataclass(frozen=True)
class Packing:
    """How times between `low` and `low + span` are packed beside keys; `ranks` replaces them if it is given."""

    low: int
    span: int
    ranks: Int64 | None = None

    def pack(self, keys: Int64, times: Int64) -> Int64:
        """Keys and times as one column that sorts by key, then time. Times must lie within the packing."""
        if self.ranks is not None:
            return keys * self.span + np.searchsorted(self.ranks, times).astype(np.int64, copy=False)
        offsets: Int64 = np.minimum(times, self.low + self.span - 1) - self.low
        return keys * self.span + offsets

    def unpack(self, packed: Int64) -> tuple[Int64, Int64]:
        """The keys and times that were packed."""
        keys, offsets = np.divmod(packed, self.span)
        if self.ranks is not None:
            return keys, self.ranks[offsets]
        return keys, np.where(offsets == self.span - 1, OPEN, offsets + self.low)


def packing_for(n_keys: int, *times: Int64) -> Packing:
    """A packing for `n_keys` keys and all of the times."""
    present = [column for column in times if len(column)]
    if not present:
        return Packing(0, 1)
    low = min(OPEN - 1, *(int(column.min()) for column in present))
    high = max(_latest(column) for column in present)
    span = max(high, low) - low + 2
    if max(n_keys, 1) * span < 2**63:
        return Packing(low, span)
    ranks = np.unique(np.concatenate(present))
    return Packing(0, len(ranks) + 1, ranks)


def _latest(times: Int64) -> int:
    """The latest time that is not `OPEN`, or the earliest int64 if there is none."""
    high = int(times.max())
    if high < OPEN:
        return high
    finite = times[times < OPEN]
    return int(finite.max()) if len(finite) else -OPEN
