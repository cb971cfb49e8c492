"""Pairs of intervals that share a time-point."""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.keys import Int64, expand_ranges

__all__ = ["overlapping_pairs"]


def overlapping_pairs(starts: Int64, ends: Int64, other_starts: Int64, other_ends: Int64) -> tuple[Int64, Int64]:
    """The positions of every pair, one of each side, that overlaps.

    Of two overlapping intervals the later one begins within the earlier one. Pairs are collected from both sides, and
    pairs with equal starts only from the first side.

    Contract: intervals are not empty. O((n + m) log(n + m) + pairs).

    >>> left, right = overlapping_pairs(np.array([0, 9]), np.array([5, 12]), np.array([4, 5]), np.array([6, 9]))
    >>> left.tolist(), right.tolist()
    ([0], [0])
    """
    left, right = _beginning_within(starts, ends, other_starts, side="left")
    back, forth = _beginning_within(other_starts, other_ends, starts, side="right")
    return np.concatenate((left, forth)), np.concatenate((right, back))


def _beginning_within(starts: Int64, ends: Int64, others: Int64, side: str) -> tuple[Int64, Int64]:
    """Pairs (interval, other) with the other's start in the interval; with `right`, after the interval's start."""
    order = np.argsort(others)
    ordered = others[order]
    first = np.searchsorted(ordered, starts, side="left" if side == "left" else "right")
    last = np.maximum(np.searchsorted(ordered, ends, side="left"), first)
    owner, position = expand_ranges(first, last - first)
    return owner, order[position]
