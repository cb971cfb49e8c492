"""Binary search for many numbers at once.

The searches of random numbers take unrelated paths through memory and unpredictable branches; the searches of sorted
numbers follow nearly the same path. Sorting the numbers first and reordering the results takes a third of the time.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from holdsfor.kernels.compact import Int64, ascending_order

__all__ = ["search_sorted"]

_WORTH_SORTING = 1_000


def search_sorted(known: Int64, asked: Int64, side: Literal["left", "right"] = "left") -> Int64:
    """The insertion position of each number asked for among the known numbers, as `np.searchsorted` returns it.

    Contract: the known numbers ascend. O(n log n + n log m) for m known numbers.

    >>> search_sorted(np.array([1, 3, 5]), np.array([5, 0, 4])).tolist()
    [2, 0, 2]
    """
    if len(asked) < _WORTH_SORTING or not np.count_nonzero(asked[1:] < asked[:-1]):
        return known.searchsorted(asked, side=side)
    order = ascending_order(asked)
    places = np.empty(len(asked), dtype=np.int64)
    places[order] = known.searchsorted(asked[order], side=side)
    return places
