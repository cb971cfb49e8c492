"""Rows of small columns as one number: exact, in the order of the rows, and refused where the bits do not suffice."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.compact import compact, compact_ids, first_of_each
from holdsfor.kernels.keys import dense_ids, distinct_rows
from tests.unit.kernels.lists import as_columns, law

Row = tuple[int, ...]

_near = st.integers(-3, 3)
_far = st.one_of(_near, st.sampled_from([-(2**63), 2**63 - 1, 2**40, -(2**51)]), st.integers(-(2**63), 2**63 - 1))


@st.composite
def rows_of(draw: st.DrawFn, values: st.SearchStrategy[int]) -> list[Row]:
    width = draw(st.integers(1, 3))
    return draw(st.lists(st.tuples(*[values] * width), min_size=1, max_size=12))


@law
@given(rows_of(_far))
def test_keys_are_ordered_as_their_rows_or_refused(rows: list[Row]) -> None:
    columns = as_columns(rows, len(rows[0]))
    found = compact(columns, len(rows))
    needed = sum((int(column.max()) - int(column.min())).bit_length() for column in columns)
    assert (found is None) == (needed > 63)
    if found is not None:
        keys, bits = found
        assert bits == needed
        assert all(0 <= key < 1 << bits for key in keys.tolist())
        in_order = {row: rank for rank, row in enumerate(sorted(set(rows)))}
        ranks = {key: rank for rank, key in enumerate(sorted(set(keys.tolist())))}
        assert [ranks[key] for key in keys.tolist()] == [in_order[row] for row in rows]


@law
@given(st.lists(st.integers(0, 2**20), min_size=1, max_size=30), st.sampled_from([21, 40, 58, 63]))
def test_numbering_by_sorting_and_by_array_index_agree(values: list[int], bits: int) -> None:
    by_place = compact_ids(np.array([value % 8 for value in values], dtype=np.int64), 3)
    by_sort = compact_ids(np.array([value % 8 for value in values], dtype=np.int64), bits)
    assert by_place is not None
    assert (by_sort is None) == (bits + (len(values) - 1).bit_length() > 63)
    if by_sort is not None:
        assert by_place[0].tolist() == by_sort[0].tolist()
        for ids, first in (by_place, by_sort):
            assert ids[first].tolist() == list(range(len(first)))


def test_the_first_row_of_each_key_is_returned_in_order() -> None:
    keys = np.array([5, 2, 5, 9, 2, 0], dtype=np.int64)
    first = first_of_each(keys, 4)
    assert first is not None
    assert first.tolist() == [0, 1, 3, 5]
    assert first_of_each(keys, 61) is None


@law
@given(rows_of(_far), st.integers(1, 60))
def test_distinct_rows_are_the_first_of_equal_rows(rows: list[Row], n_times: int) -> None:
    rows = rows * n_times
    found = distinct_rows(as_columns(rows, len(rows[0])), len(rows))
    expected = sorted(rows.index(row) for row in set(rows))
    assert (list(range(len(rows))) if found is None else found.tolist()) == expected


@law
@given(rows_of(_near), st.integers(40, 60))
def test_many_rows_are_numbered_like_few_rows(rows: list[Row], n_times: int) -> None:
    columns = as_columns(rows * n_times, len(rows[0]))
    ids, first = dense_ids(columns, len(columns[0]))
    number_of = dict(zip(rows * n_times, ids.tolist(), strict=True))
    assert [number_of[row] for row in rows * n_times] == ids.tolist()
    assert ids[first].tolist() == list(range(len(number_of)))
