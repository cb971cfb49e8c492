"""Keyed intervals and points as plain Python values, for the slow twins of the kernels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN

__all__ = ["KeyedList", "as_columns", "as_rows", "huge_times", "keyed_intervals", "law", "small_times", "times"]

law = settings()
"""As many examples as the run of the tests has by default."""

KeyedList = list[tuple[int, int, int]]
"""(key, start, end) rows; `OPEN` is an end like any other."""

small_times = st.integers(-12, 12)
huge_times = st.one_of(
    small_times,
    st.sampled_from([-(2**62), -(2**62) + 1, -1, 0, 1, 2**40, 2**62, 2**62 + 1, OPEN - 1]),
    st.integers(-(2**62), 2**62),
)
times = st.one_of(small_times, huge_times)


def as_columns(rows: Sequence[tuple[int, ...]], width: int) -> tuple[Int64, ...]:
    """The columns of the rows."""
    table = np.array(rows, dtype=np.int64).reshape(len(rows), width)
    return tuple(table[:, i].copy() for i in range(width))


def as_rows(columns: Sequence[Int64]) -> list[tuple[int, ...]]:
    """The rows of the columns."""
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _interval(key: int, start: int, length: int | None) -> tuple[int, int, int]:
    return key, start, OPEN if length is None else min(start + length, OPEN)


def keyed_intervals(start: st.SearchStrategy[int], n_keys: int = 3) -> st.SearchStrategy[KeyedList]:
    """Any intervals: overlapping, touching, empty, open, of several keys, in any order."""
    length = st.one_of(st.integers(0, 6), st.none(), st.integers(0, 2**62))
    return st.lists(st.builds(_interval, st.integers(0, n_keys - 1), start, length), max_size=12)
