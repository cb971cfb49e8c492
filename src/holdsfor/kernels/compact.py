"""Rows of small columns as one exact number each.

The columns of a key usually have few distinct values: tuple ids are dense, and symbols, integers and the time-points of
a window are close together. The differences from the least value of each column, side by side in the bits of one int64,
are a key that needs neither mixing nor verification. A key of few bits is an index into an array. A longer key usually
leaves room for the row's position in its low bits, so that one sort of numbers orders both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Int64", "ascending_order", "compact", "compact_ids", "distinct_values", "first_of_each"]

Int64: TypeAlias = NDArray[np.int64]

_BITS = 63
_WORTH_PACKING = 1_000


def compact(columns: Sequence[Int64], n: int) -> tuple[Int64, int] | None:
    """A number from 0 for every row, the same for equal rows only, and its size in bits; None if the size is above 63.

    Contract: all columns have length `n`, which is not 0. The numbers ascend as the rows do. O(n) per column.

    >>> keys, bits = compact([np.array([7, 8, 7]), np.array([-1, 1, 1])], 3)
    >>> keys.tolist(), bits
    ([0, 6, 2], 3)
    """
    lows, widths = [], []
    for column in columns:
        low, high = int(column.min()), int(column.max())
        lows.append(low)
        widths.append((high - low).bit_length())
    if sum(widths) > _BITS:
        return None
    keys = np.zeros(n, dtype=np.int64) if not columns else columns[0] - lows[0]
    for column, low, width in list(zip(columns, lows, widths, strict=True))[1:]:
        if width:
            keys <<= width
            keys += column
            keys -= low
    return keys, sum(widths)


def compact_ids(keys: Int64, bits: int) -> tuple[Int64, Int64] | None:
    """A number for every key, ascending as the keys do, and for every number a row; None if keys are too long to sort.

    Contract: there is at least one key, and keys are from 0 to 2**bits - 1. O(n) if 2**bits <= 4 n, else O(n log n).
    """
    if 1 << bits <= 4 * len(keys):
        return _ids_by_place(keys, 1 << bits)
    sorted_rows = _sorted_rows(keys, bits)
    if sorted_rows is None:
        return None
    rows, is_first = sorted_rows
    ids = np.empty(len(keys), dtype=np.int64)
    ids[rows] = is_first.cumsum() - 1
    return ids, rows[is_first.nonzero()[0]]


def first_of_each(keys: Int64, bits: int, *, are_nearly_sorted: bool = False) -> Int64 | None:
    """The first row of every key, in order, all rows if all keys differ; None if keys are too long to sort.

    Keys that `are_nearly_sorted` are close to their place: a merge sort then costs a fifth of the usual sort.
    """
    sorted_rows = _sorted_rows(keys, bits, "stable" if are_nearly_sorted else None)
    if sorted_rows is None:
        return None
    rows, is_first = sorted_rows
    if np.count_nonzero(is_first) == len(keys):
        return np.arange(len(keys), dtype=np.int64)
    is_kept = np.empty(len(keys), dtype=bool)
    is_kept[rows] = is_first
    return is_kept.nonzero()[0]


def ascending_order(keys: Int64) -> Int64:
    """The rows in the order of their keys; rows of equal keys are in any order.

    Contract: keys are any numbers. O(n log n); for small keys in half the time of `argsort`.

    >>> ascending_order(np.array([5, -2, 9])).tolist()
    [1, 0, 2]
    """
    small = compact([keys], len(keys)) if len(keys) >= _WORTH_PACKING else None
    together = None if small is None else _with_positions(*small)
    if together is None:
        return keys.argsort()
    together.sort()
    together &= (1 << _position_bits(keys)) - 1
    return together


def distinct_values(values: Int64) -> Int64:
    """The distinct numbers, ascending. O(n log n); many times as fast as `np.unique` on large random numbers.

    >>> distinct_values(np.array([5, -2, 5])).tolist()
    [-2, 5]
    """
    if len(values) <= 1:
        return values
    ordered = np.sort(values)
    is_first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def _ids_by_place(keys: Int64, n_places: int) -> tuple[Int64, Int64]:
    is_taken = np.zeros(n_places, dtype=bool)
    is_taken[keys] = True
    places = is_taken.nonzero()[0]
    number_of = np.empty(n_places, dtype=np.int64)
    number_of[places] = np.arange(len(places), dtype=np.int64)
    ids = number_of[keys]
    first = np.empty(len(places), dtype=np.int64)
    first[ids] = np.arange(len(keys), dtype=np.int64)
    return ids, first


def _sorted_rows(
    keys: Int64, bits: int, kind: Literal["stable"] | None = None
) -> tuple[Int64, NDArray[np.bool_]] | None:
    """The rows in the order of their keys, then of their positions, and which are the first of their key."""
    together = _with_positions(keys, bits)
    if together is None:
        return None
    together.sort(kind=kind)
    is_first = np.ones(len(keys), dtype=bool)
    ordered = together >> _position_bits(keys)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    together &= (1 << _position_bits(keys)) - 1
    return together, is_first


def _with_positions(keys: Int64, bits: int) -> Int64 | None:
    """The keys with their positions in the low bits, or None if 63 bits are too few."""
    if bits + _position_bits(keys) > _BITS:
        return None
    together = keys << _position_bits(keys)
    together += np.arange(len(keys), dtype=np.int64)
    return together


def _position_bits(keys: Int64) -> int:
    return (len(keys) - 1).bit_length()
