"""Tables find the rows that a nested loop finds: partners by equal columns, and intervals by a time-point in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdsfor.columns.tables import (
    FluentTable,
    Relation,
    concatenate_tables,
    empty_fluents,
    empty_points,
    point_table,
)
from holdsfor.columns.tuple_ids import TupleIds
from holdsfor.kernels.packing import OPEN
from tests.unit.columns.merging import fluent_table
from tests.unit.kernels.lists import as_columns, as_rows, law, times
from tests.unit.kernels.test_keys import colliding

Row = tuple[int, ...]
_words = st.integers(0, 2)


# -- partners ----------------------------------------------------------------------------------------------------------


@law
@given(
    st.lists(st.tuples(_words, _words, _words), max_size=8),
    st.lists(st.tuples(_words, _words, _words), max_size=6),
    st.sampled_from([(), (0,), (2,), (0, 1), (2, 0), (0, 1, 2)]),
)
def test_partners_are_those_of_a_nested_loop(rows: list[Row], keys: list[Row], positions: tuple[int, ...]) -> None:
    relation = Relation(as_columns(rows, 3), len(rows))
    wanted = [tuple(key[: len(positions)]) for key in keys]
    found = relation.partners(as_columns(wanted, len(positions)), positions, len(keys))
    expected = [
        (i, j) for i, key in enumerate(wanted) for j, row in enumerate(rows) if key == tuple(row[p] for p in positions)
    ]
    assert sorted(as_rows(found)) == expected
    again = relation.partners(as_columns(wanted, len(positions)), positions, len(keys))
    assert as_rows(again) == as_rows(found), "an index that is kept finds the same"


def test_rows_with_equal_mixed_keys_only_are_not_partners() -> None:
    rows = [(4, 5), colliding((4, 5), 6)]
    relation = Relation(as_columns(rows, 2), 2)
    assert as_rows(relation.partners(as_columns(rows, 2), (0, 1), 2)) == [(0, 0), (1, 1)]


# -- points and intervals ----------------------------------------------------------------------------------------------


@law
@given(st.lists(st.tuples(_words, _words, st.integers(-3, 3)), max_size=10))
def test_a_table_of_points_has_no_duplicates(rows: list[Row]) -> None:
    table = point_table(as_columns(rows, 3))
    assert sorted(as_rows(table.columns)) == sorted(set(rows))
    assert table.n == len(set(rows))
    assert table.times.tolist() == table.columns[2].tolist()


@st.composite
def fluents(draw: st.DrawFn) -> list[Row]:
    """Rows (argument, value, start, end) of any intervals."""
    rows: list[Row] = []
    for _ in range(draw(st.integers(0, 10))):
        start = draw(times.filter(lambda time: time < OPEN - 1))
        length = draw(st.one_of(st.integers(1, 6), st.none()))
        end = OPEN if length is None else min(start + length, OPEN)
        rows.append((draw(_words), draw(_words), start, end))
    return rows


def table_of(rows: Sequence[Row]) -> FluentTable:
    first, second, starts, ends = as_columns(rows, 4)
    return fluent_table([first, second], starts, ends)


@law
@given(fluents(), st.lists(st.tuples(_words, _words, st.one_of(times, st.just(OPEN))), max_size=8))
@example([(0, 0, 0, OPEN)], [(0, 0, -1), (0, 0, 0), (0, 0, 2**62)])
@example([(0, 0, 1, 3), (0, 0, 5, 7), (1, 0, 3, 5)], [(0, 0, t) for t in range(9)])
@example([(0, 0, -(2**62), 2**62), (1, 1, 2**62, OPEN)], [(0, 0, 2**62), (1, 1, 2**62), (1, 1, OPEN - 1)])
def test_an_fvp_holds_if_an_interval_contains_the_time(rows: list[Row], asked: list[Row]) -> None:
    table = table_of(rows)
    first, second, at = as_columns(asked, 3)
    found = table.holding([first, second], at).tolist()
    for (a, b, time), row in zip(asked, found, strict=True):
        containing = [r for r in rows if r[:2] == (a, b) and r[2] <= time < r[3]]
        assert (row >= 0) == bool(containing)
        if row >= 0:
            assert (table.keys[0][row], table.keys[1][row]) == (a, b)
            assert table.starts[row] <= time < table.ends[row]


@law
@given(fluents())
def test_a_table_of_fluents_is_maximal(rows: list[Row]) -> None:
    table = table_of(rows)
    found = as_rows(table.columns)
    assert table.n == len(found)
    for a, b, start, end in found:
        assert start < end
        assert not [r for r in found if r != (a, b, start, end) and r[:2] == (a, b) and r[2] <= end and start <= r[3]]
    for a, b, start, end in rows:
        assert any(r[:2] == (a, b) and r[2] <= start and end <= r[3] for r in found)


def test_a_fluent_without_arguments_is_looked_up_by_value() -> None:
    table = fluent_table([np.array([7, 7, 8])], np.array([0, 5, 3]), np.array([2, 9, 5]))
    found = table.holding([np.array([7, 7, 8, 8])], np.array([1, 3, 4, 1]))
    assert [row >= 0 for row in found.tolist()] == [True, False, True, False]


def test_keys_with_equal_mixed_keys_are_distinguished() -> None:
    rows = [(4, 5, 0, 9), (*colliding((4, 5), 6), 0, 9)]
    first, second, _, _ = as_columns(rows, 4)
    assert (table_of(rows).holding([first, second], np.array([3, 3])) >= 0).all()


@pytest.mark.parametrize("arity", [0, 1, 2])
def test_empty_tables_have_all_columns_and_find_nothing(arity: int) -> None:
    points, nothing = empty_points(arity), empty_fluents(arity)
    assert (len(points.columns), points.n) == (arity + 1, 0)
    assert (len(nothing.keys), nothing.n) == (arity + 1, 0)
    key = [np.zeros(2, dtype=np.int64)] * (arity + 1)
    assert nothing.holding(key, np.zeros(2, dtype=np.int64)).tolist() == [-1, -1]


# -- tables of numbers -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_asked_early", [False, True])
def test_a_table_of_numbers_is_the_table_of_its_words(is_asked_early: bool) -> None:
    rows: list[Row] = [(5, 6, 1, 0, 4), (5, 7, 2, 1, 3), (5, 6, 1, 9, OPEN), (8, 6, 2, 2, 5)]
    instances = TupleIds()
    words = FluentTable(as_columns(rows, 5), 4)
    numbers = FluentTable.numbered(instances, 2, words.arguments(instances), words.columns[2:])
    if is_asked_early:
        assert len(numbers.columns) == 5
    some = np.array([2, 0])
    moved = numbers.with_starts(words.starts + 1)
    assert as_rows(moved.columns) == [(*row[:3], row[3] + 1, row[4]) for row in rows]
    assert as_rows(numbers.take(some).columns) == [rows[2], rows[0]]
    assert numbers.take(some).arguments(instances).tolist() == [0, 0]
    assert as_rows(concatenate_tables([numbers, words, numbers.take(some)]).columns) == [*rows, *rows, rows[2], rows[0]]
    assert as_rows(numbers.of_value(2, instances)) == [(1, 1, 3), (2, 2, 5)]
    assert as_rows(numbers.columns) == rows


@law
@given(fluents(), st.lists(st.tuples(_words, _words, st.one_of(times, st.just(OPEN))), max_size=8))
def test_lookups_by_tuple_id_and_by_words_agree(rows: list[Row], asked: list[Row]) -> None:
    table = table_of(rows)
    argument, _, at = as_columns(asked, 3)
    instances = TupleIds()
    numbers = instances.numbers([argument], len(asked))
    for value in range(3):
        expected = table.holding([argument, np.full(len(asked), value, dtype=np.int64)], at) >= 0
        assert table.holds(value, instances, numbers, at).tolist() == expected.tolist()


@law
@given(
    fluents(),
    st.lists(st.tuples(_words, _words, st.one_of(times, st.just(OPEN - 1))), max_size=8),
    st.sampled_from([(), (0,), (1,), (0, 1)]),
)
def test_n_holding_counts_intervals_that_contain_the_time(
    rows: list[Row], asked: list[Row], positions: tuple[int, ...]
) -> None:
    table = table_of(rows)
    argument, value, at = as_columns(asked, 3)
    keys = [(argument, value)[position] for position in positions]
    expected = [
        sum(
            start <= time < end and all(row[p] == key[p] for p in positions)
            for *row, start, end in as_rows(table.columns)
        )
        for *key, time in asked
    ]
    for _ in range(2):
        assert table.n_holding(keys, positions, at).tolist() == expected
