"""Keys of several columns: joins and numbering against nested loops, and rows that mix to the same key.

Two different rows mix to one key about once in 2**64, so no random test would find a case; here such rows are computed
by running the mixing backwards.
"""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.keys import (
    _FOLD,
    _MULTIPLIERS,
    Int64,
    _exact_ids,
    dense_ids,
    expand_ranges,
    index_of,
    mixed,
    pairs_of_equal_keys,
    positions_of_pairs,
    rows_with_a_partner,
)
from tests.unit.kernels.lists import as_columns, law

_MASK = 2**64 - 1
_int64 = st.one_of(st.integers(-2, 2), st.sampled_from([-(2**63), 2**63 - 1]), st.integers(-(2**63), 2**63 - 1))
Row = tuple[int, ...]


def _folded(bits: int) -> int:
    return bits ^ (bits >> 29)


def _unfolded(folded: int) -> int:
    return folded ^ (folded >> 29) ^ (folded >> 58)


def colliding(row: tuple[int, int], first: int) -> tuple[int, int]:
    """A row that begins with `first` and mixes to the same key as another row."""
    one, two = int(_MULTIPLIERS[0]), int(_MULTIPLIERS[1])

    def after_first(value: int) -> int:
        return _folded((value * one) & _MASK) * one & _MASK

    wanted = after_first(row[0]) ^ _folded((row[1] * two) & _MASK) ^ after_first(first)
    second = _unfolded(wanted) * pow(two, -1, 2**64) & _MASK
    return first, second - 2**64 if second >= 2**63 else second


def columns_of(rows: list[Row], width: int) -> tuple[list[Int64], int]:
    return list(as_columns(rows, width)), len(rows)


@st.composite
def two_tables(draw: st.DrawFn) -> tuple[int, list[Row], list[Row]]:
    """Two lists of rows of the same width that often agree."""
    width = draw(st.integers(0, 3))
    values = st.one_of(st.integers(0, 2), _int64)
    rows = st.lists(st.tuples(*[values] * width), max_size=8)
    return width, draw(rows), draw(rows)


# -- mixing ------------------------------------------------------------------------------------------------------------


@law
@given(st.tuples(_int64, _int64), _int64)
def test_rows_can_be_made_to_mix_to_one_key(row: tuple[int, int], first: int) -> None:
    columns, n = columns_of([row, colliding(row, first)], 2)
    one, other = mixed(columns, n).tolist()
    assert one == other


def test_a_single_column_is_its_own_key() -> None:
    column = np.array([3, -1, 3], dtype=np.int64)
    assert mixed([column], 3) is column


def test_without_columns_all_rows_are_equal() -> None:
    assert mixed([], 3).tolist() == [0, 0, 0]


# -- ranges ------------------------------------------------------------------------------------------------------------


@law
@given(st.lists(st.tuples(st.integers(-5, 20), st.integers(0, 4)), max_size=8))
def test_ranges_are_expanded_in_order(ranges: list[tuple[int, int]]) -> None:
    first, count = as_columns(ranges, 2)
    owner, position = expand_ranges(first, count)
    expected = [(i, p) for i, (begin, n) in enumerate(ranges) for p in range(begin, begin + n)]
    assert list(zip(owner.tolist(), position.tolist(), strict=True)) == expected


# -- joins -------------------------------------------------------------------------------------------------------------


def naive_pairs(left: list[Row], right: list[Row]) -> list[tuple[int, int]]:
    return [(i, j) for i, a in enumerate(left) for j, b in enumerate(right) if a == b]


few_rows_are = pytest.mark.parametrize("worth_sorting", [0, 256], ids=["sorted", "compared"])


@few_rows_are
@law
@given(tables=two_tables())
def test_pairs_are_those_of_a_nested_loop(worth_sorting: int, tables: tuple[int, list[Row], list[Row]]) -> None:
    width, left, right = tables
    with patch("holdsfor.kernels.keys._WORTH_SORTING", worth_sorting):
        owner, partner = pairs_of_equal_keys(*columns_of(left, width), *columns_of(right, width))
    assert sorted(zip(owner.tolist(), partner.tolist(), strict=True)) == naive_pairs(left, right)
    assert (owner[1:] >= owner[:-1]).all(), "left positions ascend"


@few_rows_are
@law
@given(tables=two_tables())
def test_a_row_has_a_partner_if_some_pair_has_it(worth_sorting: int, tables: tuple[int, list[Row], list[Row]]) -> None:
    width, left, right = tables
    with patch("holdsfor.kernels.keys._WORTH_SORTING", worth_sorting):
        found = rows_with_a_partner(*columns_of(left, width), *columns_of(right, width))
    assert found.tolist() == [row in right for row in left]


@law
@given(st.tuples(_int64, _int64), st.lists(_int64, min_size=1, max_size=4, unique=True))
def test_rows_with_equal_mixed_keys_only_are_not_partners(row: tuple[int, int], firsts: list[int]) -> None:
    rows: list[Row] = [row, *(colliding(row, first) for first in firsts)]
    columns, n = columns_of(rows, 2)
    with patch("holdsfor.kernels.keys._WORTH_SORTING", 0):
        owner, partner = pairs_of_equal_keys(columns, n, columns, n)
        has_partner = rows_with_a_partner(columns, n, *columns_of([(1, 2)], 2))
    assert sorted(zip(owner.tolist(), partner.tolist(), strict=True)) == naive_pairs(rows, rows)
    assert has_partner.tolist() == [each == (1, 2) for each in rows]


# -- numbering ---------------------------------------------------------------------------------------------------------


def check_numbering(rows: list[Row], ids: Int64, first: Int64) -> None:
    """Equal numbers for equal rows, all of them used, each with a row that has it."""
    assert sorted(set(ids.tolist())) == list(range(len(first)))
    numbers: dict[Row, int] = dict(zip(rows, ids.tolist(), strict=True))
    assert [numbers[row] for row in rows] == ids.tolist()
    assert len(numbers) == len(first)
    assert [numbers[rows[row]] for row in first.tolist()] == list(range(len(first)))


@law
@given(two_tables())
def test_equal_rows_get_equal_numbers(tables: tuple[int, list[Row], list[Row]]) -> None:
    width, left, right = tables
    rows = left + right + left
    check_numbering(rows, *dense_ids(*columns_of(rows, width)))


@law
@given(st.lists(_int64, min_size=1))
def test_a_single_column_is_numbered_in_its_order(values: list[int]) -> None:
    ids, _ = dense_ids([np.array(values, dtype=np.int64)], len(values))
    ranks = {value: rank for rank, value in enumerate(sorted(set(values)))}
    assert ids.tolist() == [ranks[value] for value in values]


@law
@given(
    st.tuples(_int64, _int64),
    st.lists(_int64, min_size=1, max_size=4),
    st.lists(st.integers(0, 4), min_size=1, max_size=12),
)
def test_rows_with_equal_mixed_keys_get_different_numbers(
    row: tuple[int, int], firsts: list[int], order: list[int]
) -> None:
    choices: list[Row] = [row, *(colliding(row, first) for first in firsts)]
    rows = [choices[i % len(choices)] for i in order]
    check_numbering(rows, *dense_ids(*columns_of(rows, 2)))


@law
@given(st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[_int64] * width), min_size=1, max_size=10)))
def test_numbering_by_the_columns_themselves_follows_their_order(rows: list[Row]) -> None:
    columns, n = columns_of(rows, len(rows[0]))
    ids, first = _exact_ids(columns, n)
    check_numbering(rows, ids, first)
    assert [rows[i] for i in first.tolist()] == sorted(set(rows))


@pytest.mark.parametrize("width", [0, 1, 2])
def test_numbering_no_rows_returns_empty_arrays(width: int) -> None:
    ids, first = dense_ids([np.empty(0, dtype=np.int64)] * width, 0)
    assert len(ids) == len(first) == 0


_small = st.tuples(st.integers(0, 3), st.integers(-2, 2))


@law
@given(st.lists(_small, max_size=12), st.lists(_small, max_size=8, unique=True))
def test_positions_of_known_pairs_are_found(asked: list[tuple[int, int]], known: list[tuple[int, int]]) -> None:
    own, others = as_columns(asked, 2)
    found = positions_of_pairs(own, others, as_columns(known, 2)).tolist()  # type: ignore[arg-type]
    assert found == [known.index(pair) if pair in known else -1 for pair in asked]


def test_pairs_that_fold_to_one_number_are_distinguished() -> None:
    known = np.array([0, 1, 2], dtype=np.int64), np.array([int(_FOLD) + 7, 7, 5], dtype=np.int64)
    asked = np.array([1, 0, 2, 0], dtype=np.int64), np.array([7, int(_FOLD) + 7, 6, 7], dtype=np.int64)
    assert positions_of_pairs(*asked, known).tolist() == [1, 0, -1, -1]
    unknown = np.array([0], dtype=np.int64), np.array([int(_FOLD) + 7], dtype=np.int64)
    assert positions_of_pairs(*unknown, (known[0][1:], known[1][1:])).tolist() == [-1]


@pytest.mark.parametrize("n_known", [3, 399, 10_000])
@pytest.mark.parametrize("n", [1, 399, 400, 5_000, 20_000])
def test_a_lookup_is_exact_and_its_hash_table_is_smaller_than_its_keys(n: int, n_known: int) -> None:
    built: list[int] = []
    index_in = pc.index_in

    def counting(keys: Any, known: Any) -> Any:
        built.append(len(known))
        return index_in(keys, known)

    keys = np.arange(n, dtype=np.int64) * 7 % (2 * n_known)
    with patch.object(pc, "index_in", counting):
        found = index_of(np.arange(n_known, dtype=np.int64) * 2).numbers(keys)
    assert found.tolist() == [key // 2 if key % 2 == 0 else -1 for key in keys.tolist()]
    assert sum(built) <= n / 2
