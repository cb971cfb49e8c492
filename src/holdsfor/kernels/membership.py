"""Which numbers of an array are in a set."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.keys import Int64

__all__ = ["is_member"]

_FEW = 2  # members with which values are compared one by one
_ROOM = 1 << 16  # entries of a table that are allowed for any number of values


def is_member(values: Int64, members: Int64) -> NDArray[np.bool_]:
    """Whether each value is a member.

    Contract: `members` is sorted and without duplicates. O(n) if the members span a small range, which then is a table;
    otherwise O(n log m).
    """
    if len(members) == 0 or len(values) == 0:
        return np.zeros(len(values), dtype=bool)
    if len(members) <= _FEW:
        one: NDArray[np.bool_] = values == members[0]
        return one if len(members) == 1 else one | (values == members[1])
    low, high = int(members[0]), int(members[-1])
    if high - low < 4 * len(values) + _ROOM:
        table = np.zeros(high - low + 2, dtype=bool)
        table[members - low] = True
        inside = (values >= low) & (values <= high)
        found: NDArray[np.bool_] = table[np.where(inside, values - low, high - low + 1)]
        return found
    positions = np.minimum(members.searchsorted(values), len(members) - 1)
    is_equal: NDArray[np.bool_] = members[positions] == values
    return is_equal
