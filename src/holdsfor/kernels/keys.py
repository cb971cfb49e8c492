"""Keys of several columns as one column, and joins on them.

A key is a row of int64 columns. `mixed` folds a row into one int64 that is equal for equal rows and almost always
different for different ones; every join verifies the columns themselves, so the answers are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Int64",
    "dense_ids",
    "expand_ranges",
    "indexed_pairs",
    "mixed",
    "pairs_of_equal_keys",
    "rows_with_a_partner",
]

Int64: TypeAlias = NDArray[np.int64]

_MULTIPLIERS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)


def mixed(columns: Sequence[Int64], n: int) -> Int64:
    """One int64 per row, equal for equal rows. A single column is returned as it is: then it is exact.

    Contract: all columns have length `n`; with no column all rows are equal. O(n) per column.
    """
    if not columns:
        return np.zeros(n, dtype=np.int64)
    if len(columns) == 1:
        return columns[0]
    total = np.zeros(n, dtype=np.uint64)
    for i, column in enumerate(columns):
        bits = column.view(np.uint64) * np.uint64(_MULTIPLIERS[i % len(_MULTIPLIERS)])
        total = (total ^ bits ^ (bits >> np.uint64(29))) * np.uint64(_MULTIPLIERS[0])
    return (total ^ (total >> np.uint64(32))).view(np.int64)


def expand_ranges(first: Int64, count: Int64) -> tuple[Int64, Int64]:
    """For ranges `[first, first + count)`: the number of the range and the position, for every position in turn.

    >>> owner, position = expand_ranges(np.array([5, 9]), np.array([2, 1]))
    >>> owner.tolist(), position.tolist()
    ([0, 0, 1], [5, 6, 9])
    """
    owner = np.repeat(np.arange(len(first), dtype=np.int64), count)
    before = np.cumsum(count) - count
    position = np.arange(len(owner), dtype=np.int64) - np.repeat(before - first, count)
    return owner, position


def pairs_of_equal_keys(
    left: Sequence[Int64], n_left: int, right: Sequence[Int64], n_right: int
) -> tuple[Int64, Int64]:
    """The positions (in left, in right) of every pair of equal rows; left positions ascend.

    Contract: the same number of columns on both sides. O((n + m) log m + pairs).
    """
    if n_left == 0 or n_right == 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    left_keys, right_keys = mixed(left, n_left), mixed(right, n_right)
    order = np.argsort(right_keys)
    return indexed_pairs(left, left_keys, right, order, right_keys[order])


def indexed_pairs(
    left: Sequence[Int64], left_keys: Int64, right: Sequence[Int64], order: Int64, ordered: Int64
) -> tuple[Int64, Int64]:
    """The pairs of equal rows, given the mixed keys of the left and an index of the right.

    Contract: `order` sorts the mixed keys of the right, `ordered` are these keys in that order. O(n log m + pairs).
    """
    first = np.searchsorted(ordered, left_keys, side="left")
    last = np.searchsorted(ordered, left_keys, side="right")
    owner, position = expand_ranges(first, last - first)
    partner = order[position]
    if len(left) > 1:
        same = np.ones(len(owner), dtype=bool)
        for a, b in zip(left, right, strict=True):
            same &= a[owner] == b[partner]
        if not same.all():
            owner, partner = owner[same], partner[same]
    return owner, partner


def rows_with_a_partner(left: Sequence[Int64], n_left: int, right: Sequence[Int64], n_right: int) -> NDArray[np.bool_]:
    """Whether each row of the left has an equal row on the right."""
    found = np.zeros(n_left, dtype=bool)
    if len(left) == 1 and n_left and n_right:
        ordered = np.sort(right[0])
        at = np.searchsorted(ordered, left[0])
        inside = at < n_right
        found[inside] = ordered[at[inside]] == left[0][inside]
        return found
    found[pairs_of_equal_keys(left, n_left, right, n_right)[0]] = True
    return found


def dense_ids(columns: Sequence[Int64], n: int) -> tuple[Int64, Int64]:
    """A number from 0 for every row, equal for equal rows, and for every number a row that has it.

    Contract: numbers follow the order of the mixed keys, which is the order of the values for a single column.
    O(n log n).
    """
    if n == 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    keys = mixed(columns, n)
    order = np.argsort(keys)
    new = np.ones(n, dtype=bool)
    new[1:] = keys[order[1:]] != keys[order[:-1]]
    if len(columns) > 1 and _collide(columns, order, new):
        return _exact_ids(columns, n)
    ids = np.empty(n, dtype=np.int64)
    ids[order] = np.cumsum(new) - 1
    return ids, order[new]


def _collide(columns: Sequence[Int64], order: Int64, new: NDArray[np.bool_]) -> bool:
    """Whether two different rows have the same mixed key."""
    same = ~new[1:]
    return any(bool((same & (column[order[1:]] != column[order[:-1]])).any()) for column in columns)


def _exact_ids(columns: Sequence[Int64], n: int) -> tuple[Int64, Int64]:
    """The same by sorting the columns themselves, for the case that two different rows mix to one key."""
    order = np.lexsort(tuple(reversed(list(columns))))
    new = np.zeros(n, dtype=bool)
    new[0] = True
    for column in columns:
        ordered = column[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    ids = np.empty(n, dtype=np.int64)
    ids[order] = np.cumsum(new) - 1
    return ids, order[new]
