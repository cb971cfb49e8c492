"""Concatenation keeps the order of the parts, and the number of columns without parts."""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.concatenation import concatenate_column, concatenate_columns


def test_columns_of_all_parts_follow_each_other() -> None:
    one, two = (np.array([1, 2]), np.array([3, 4])), (np.array([5]), np.array([6]))
    assert [column.tolist() for column in concatenate_columns([one, two])] == [[1, 2, 5], [3, 4, 6]]
    assert concatenate_column([one[0], two[0]]).tolist() == [1, 2, 5]


def test_no_parts_are_empty_columns_of_integers() -> None:
    assert [(len(column), column.dtype) for column in concatenate_columns([], width=2)] == [(0, np.dtype(np.int64))] * 2
    assert (len(concatenate_column([])), concatenate_column([]).dtype) == (0, np.dtype(np.int64))
