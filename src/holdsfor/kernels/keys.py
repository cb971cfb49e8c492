"""Keys of several columns as one column, and joins on them.

A key is a row of int64 columns. `mixed` folds a row into one int64 that is equal for equal rows and almost always
different for different ones; every join verifies the columns themselves, so the answers are exact.

Keys are looked up by hashing (Arrow's hash tables) where they are many more than the known keys, because a hash table
is built for each lookup. Otherwise they are looked up by binary search.
Rows that are only compared with each other are numbered without either if their columns are small (`compact.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
from numpy.typing import NDArray

from holdsfor.kernels.compact import Int64, compact, compact_ids, first_of_each
from holdsfor.kernels.searching import search_sorted

__all__ = [
    "Int64",
    "KeyIndex",
    "dense_ids",
    "distinct_rows",
    "expand_ranges",
    "index_of",
    "is_worth_an_index",
    "mixed",
    "pairs_of_equal_keys",
    "positions_of_pairs",
    "rows_with_a_partner",
]

_MULTIPLIERS = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93)))
_UINT_29, _UINT_32 = np.uint64(29), np.uint64(32)
_FOLD = np.int64(0x1E3779B97F4A7C15)
_WORTH_HASHING = 400
_WORTH_SORTING = 256  # pairs of rows, of which fewer are compared with each other


def mixed(columns: Sequence[Int64], n: int) -> Int64:
    """One int64 per row, equal for equal rows. A single column is returned unchanged, and then the key is exact.

    Contract: all columns have length `n`; with no column all rows are equal. O(n) per column.
    """
    if not columns:
        return np.zeros(n, dtype=np.int64)
    if len(columns) == 1:
        return columns[0]
    total = _scrambled(columns[0], 0)
    for i, column in enumerate(columns[1:], 1):
        total *= _MULTIPLIERS[0]
        total ^= _scrambled(column, i)
    total *= _MULTIPLIERS[0]
    total ^= total >> _UINT_32
    return total.view(np.int64)


def _scrambled(column: Int64, place: int) -> NDArray[np.uint64]:
    """The bits of a column, mixed differently at different places of a key."""
    bits = column.view(np.uint64) * _MULTIPLIERS[place % len(_MULTIPLIERS)]
    bits ^= bits >> _UINT_29
    return bits


def expand_ranges(first: Int64, count: Int64) -> tuple[Int64, Int64]:
    """For ranges `[first, first + count)`: the number of the range and the position, for every position in order.

    >>> owner, position = expand_ranges(np.array([5, 9]), np.array([2, 1]))
    >>> owner.tolist(), position.tolist()
    ([0, 0, 1], [5, 6, 9])
    """
    owner = np.arange(len(first), dtype=np.int64).repeat(count)
    offsets = count.cumsum() - count
    offsets -= first
    position = np.arange(len(owner), dtype=np.int64)
    position -= offsets.repeat(count)
    return owner, position


@dataclass(frozen=True)
class KeyIndex:
    """The positions of rows by mixed key.

    `known` are the distinct keys, sorted; the rows of key `i` are `order[bounds[i]:bounds[i+1]]`.
    """

    order: Int64
    known: Int64
    bounds: Int64

    @property
    def is_unique(self) -> bool:
        """Whether no two rows share a key."""
        return len(self.known) == len(self.order)

    def numbers(self, keys: Int64) -> Int64:
        """The number of each key among the known keys, or -1.

        Cost for n keys and k known keys: O(n log n + n log k) by binary search, or O(n) by hashing where n is at least
        twice k.
        """
        if len(self.known) == 0:
            return np.full(len(keys), -1, dtype=np.int64)
        if len(keys) >= max(_WORTH_HASHING, 2 * len(self.known)):
            found = pc.index_in(pa.array(keys), pa.array(self.known)).fill_null(-1)
            return np.asarray(found, dtype=np.int64)
        at = np.minimum(search_sorted(self.known, keys), len(self.known) - 1)
        return np.where(self.known[at] == keys, at, -1)

    def pairs(self, keys: Int64) -> tuple[Int64, Int64]:
        """The positions (in the keys, in the index) of every pair with the same key. O(n + pairs)."""
        numbers = self.numbers(keys)
        owner = (numbers >= 0).nonzero()[0]
        numbers = numbers if len(owner) == len(numbers) else numbers[owner]
        if self.is_unique:
            return owner, self.order[numbers]
        first = self.bounds[numbers]
        which, position = expand_ranges(first, self.bounds[numbers + 1] - first)
        return owner[which], self.order[position]


def index_of(keys: Int64) -> KeyIndex:
    """The index of mixed keys. O(n log n)."""
    order = keys.argsort()
    ordered = keys[order]
    is_first = np.ones(len(keys), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    at = is_first.nonzero()[0]
    bounds = np.full(len(at) + 1, len(keys), dtype=np.int64)
    bounds[:-1] = at
    return KeyIndex(order, ordered[at], bounds)


def pairs_of_equal_keys(
    left: Sequence[Int64], n_left: int, right: Sequence[Int64], n_right: int, index: KeyIndex | None = None
) -> tuple[Int64, Int64]:
    """The positions (in left, in right) of every pair of equal rows; left positions ascend.

    Contract: both sides have the same number of columns; `index` is an index of the right. O(n + m log m + pairs).
    """
    if n_left == 0 or n_right == 0:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    if n_left * n_right < _WORTH_SORTING and left:
        owner, partner = _are_equal(left, right).nonzero()
        return owner, partner
    if index is None:
        index = index_of(mixed(right, n_right))
    owner, partner = index.pairs(mixed(left, n_left))
    if len(left) > 1:
        same = np.ones(len(owner), dtype=bool)
        for a, b in zip(left, right, strict=True):
            same &= a[owner] == b[partner]
        if not same.all():
            owner, partner = owner[same], partner[same]
    return owner, partner


def is_worth_an_index(n_left: int, n_right: int) -> bool:
    """Whether `pairs_of_equal_keys` uses an index of the right."""
    return n_left * n_right >= _WORTH_SORTING


def _are_equal(left: Sequence[Int64], right: Sequence[Int64]) -> NDArray[np.bool_]:
    """Whether each row of the left equals each row of the right."""
    found: NDArray[np.bool_] = left[0][:, None] == right[0]
    for a, b in zip(left[1:], right[1:], strict=True):
        found &= a[:, None] == b
    return found


def positions_of_pairs(one: Int64, other: Int64, known: tuple[Int64, Int64]) -> Int64:
    """For each pair of numbers its position among the known pairs, or -1.

    Contract: no pair is known twice. O((n + m) log m).

    >>> positions_of_pairs(np.array([1, 2]), np.array([7, 7]), (np.array([3, 2]), np.array([7, 7]))).tolist()
    [-1, 1]
    """
    if len(known[0]) == 0:
        return np.full(len(one), -1, dtype=np.int64)
    folded = _folded(*known)
    order = folded.argsort()
    folded = folded[order]
    if np.count_nonzero(folded[1:] == folded[:-1]):
        position = np.full(len(one), -1, dtype=np.int64)
        row, partner = pairs_of_equal_keys((one, other), len(one), known, len(known[0]))
        position[row] = partner
        return position
    position = order.take(folded.searchsorted(_folded(one, other)), mode="clip")
    return np.where((known[0][position] == one) & (known[1][position] == other), position, -1)


def _folded(one: Int64, other: Int64) -> Int64:
    """One number for two, cheaper than `mixed`; different pairs of small numbers rarely have the same."""
    return one * _FOLD + other


def rows_with_a_partner(left: Sequence[Int64], n_left: int, right: Sequence[Int64], n_right: int) -> NDArray[np.bool_]:
    """Whether each row of the left has an equal row on the right."""
    if 0 < n_left * n_right < _WORTH_SORTING and left:
        has_partner: NDArray[np.bool_] = np.logical_or.reduce(_are_equal(left, right), axis=1)
        return has_partner
    found = np.zeros(n_left, dtype=bool)
    found[pairs_of_equal_keys(left, n_left, right, n_right)[0]] = True
    return found


def dense_ids(columns: Sequence[Int64], n: int) -> tuple[Int64, Int64]:
    """A number from 0 for every row, equal for equal rows, and for every number a row with it. O(n log n)."""
    if n <= 1:
        return np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    small = compact(columns, n) if n >= _WORTH_HASHING else None
    found = None if small is None else compact_ids(*small)
    if found is not None:
        return found
    keys = mixed(columns, n)
    ids, first = _hashed_ids(keys) if n >= _WORTH_HASHING else _sorted_ids(keys)
    if len(columns) > 1 and any(bool((column != column[first][ids]).any()) for column in columns):
        return _exact_ids(columns, n)
    return ids, first


def _hashed_ids(keys: Int64) -> tuple[Int64, Int64]:
    encoded = pa.array(keys).dictionary_encode()
    ids = encoded.indices.to_numpy().astype(np.int64)
    first = np.empty(len(encoded.dictionary), dtype=np.int64)
    first[ids] = np.arange(len(keys), dtype=np.int64)
    return ids, first


def _sorted_ids(keys: Int64) -> tuple[Int64, Int64]:
    order = keys.argsort()
    ordered = keys[order]
    new = np.ones(len(keys), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    ids = np.empty(len(keys), dtype=np.int64)
    ids[order] = new.cumsum() - 1
    return ids, order[new]


def _exact_ids(columns: Sequence[Int64], n: int) -> tuple[Int64, Int64]:
    """`dense_ids` by sorting the columns themselves, for the case that two different rows mix to one key."""
    order = np.lexsort(tuple(reversed(list(columns))))
    new = np.zeros(n, dtype=bool)
    new[0] = True
    for column in columns:
        ordered = column[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    ids = np.empty(n, dtype=np.int64)
    ids[order] = np.cumsum(new) - 1
    return ids, order[new]


def distinct_rows(columns: Sequence[Int64], n: int, *, are_nearly_sorted: bool = False) -> Int64 | None:
    """The first row of each group of equal rows, in order, or None if no two rows are equal. O(n log n).

    Rows that `are_nearly_sorted` by their columns, the first column first, cost O(n).
    """
    if n <= 1:
        return None
    small = compact(columns, n)
    first = None if small is None else first_of_each(*small, are_nearly_sorted=are_nearly_sorted)
    if first is None:
        keys = np.sort(mixed(columns, n))
        if not (keys[1:] == keys[:-1]).any():
            return None
        ids, first = dense_ids(columns, n)
        first[ids[::-1]] = np.arange(n - 1, -1, -1, dtype=np.int64)
        first.sort()
    return None if len(first) == n else first
