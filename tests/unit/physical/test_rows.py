"""Rows of bindings: choosing, extending, distinct ones, and putting parts together."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.physical.rows import Rows, concatenate_rows, one_row
from tests.unit.kernels.lists import as_columns, as_rows, law

Row = tuple[int, ...]
_rows = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), max_size=8)


def rows_of(table: list[Row]) -> Rows:
    x, y, times = as_columns(table, 3)
    return Rows(len(table), {"X": x, "Y": y}, times)


def table_of(rows: Rows) -> list[Row]:
    assert rows.times is not None
    return as_rows([*rows.columns.values(), rows.times])


@law
@given(_rows, st.data())
def test_rows_are_taken_by_mask_and_by_position(table: list[Row], data: st.DataObject) -> None:
    mask = data.draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table)))
    kept = [row for row, keep in zip(table, mask, strict=True) if keep]
    by_mask = rows_of(table).take(np.array(mask, dtype=bool))
    by_position = rows_of(table).take(np.flatnonzero(mask))
    assert table_of(by_mask) == table_of(by_position) == kept
    assert by_mask.n == by_position.n == len(kept)


@law
@given(_rows)
def test_rows_with_different_time_points_are_distinct(table: list[Row]) -> None:
    assert sorted(table_of(rows_of(table).distinct())) == sorted(set(table))


@law
@given(_rows, _rows)
def test_concatenated_rows_have_the_shared_columns(one: list[Row], other: list[Row]) -> None:
    right = rows_of(other)
    swapped = Rows(right.n, {"Y": right.columns["Y"], "W": right.columns["X"], "X": right.columns["X"]}, right.times)
    together = concatenate_rows([rows_of(one), swapped])
    assert list(together.columns) == ["X", "Y"]
    assert table_of(together) == one + other


def test_parts_without_time_points_have_none_together() -> None:
    assert concatenate_rows([one_row(), rows_of([(1, 1, 1)])]).times is None


def test_every_rule_begins_with_the_empty_binding() -> None:
    assert (one_row().n, one_row().columns, one_row().times) == (1, {}, None)


@law
@given(_rows)
def test_groups_are_the_distinct_rows(table: list[Row]) -> None:
    groups, first = rows_of(table).groups()
    assert table_of(rows_of(table).take(first[groups])) == table
    assert len(first) == len(set(table))
    assert Rows(len(table), {}).groups()[0].tolist() == [0] * len(table)
