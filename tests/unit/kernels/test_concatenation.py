"""Concatenation keeps the order of the parts, and the number of columns without parts."""

from __future__ import annotations

import numpy as np

from holdsfor.kernels.concatenation import concatenate_column, concatenate_columns, concatenate_times


def test_columns_of_all_parts_follow_each_other() -> None:
    one, two = (np.array([1, 2]), np.array([3, 4])), (np.array([5]), np.array([6]))
    assert [column.tolist() for column in concatenate_columns([one, two])] == [[1, 2, 5], [3, 4, 6]]
    assert concatenate_column([one[0], two[0]]).tolist() == [1, 2, 5]


def test_no_parts_are_empty_columns_of_integers() -> None:
    assert [(len(column), column.dtype) for column in concatenate_columns([], width=2)] == [(0, np.dtype(np.int64))] * 2
    assert (len(concatenate_column([])), concatenate_column([]).dtype) == (0, np.dtype(np.int64))


def test_one_number_for_all_rows_is_not_copied() -> None:
    three, two, other = (np.broadcast_to(np.int64(n), m) for n, m in ((7, 3), (7, 2), (8, 1)))
    assert concatenate_times([three, two]).tolist() == [7] * 5
    assert concatenate_times([three, two]).strides == (0,)
    assert concatenate_times([three, other]).tolist() == [7, 7, 7, 8]
    assert concatenate_times([three, np.array([1]), three[:0]]).tolist() == [7, 7, 7, 1]
