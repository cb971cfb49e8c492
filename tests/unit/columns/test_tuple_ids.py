"""Each tuple has one number, for every form and order of the lookups."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.tuple_ids import TupleIds
from tests.unit.kernels.lists import as_columns, as_rows, law
from tests.unit.kernels.test_keys import colliding

Row = tuple[int, ...]


def numbered(instances: TupleIds, rows: list[Row], width: int) -> list[int]:
    return [int(number) for number in instances.numbers(as_columns(rows, width), len(rows))]


def of_first_meeting(rows: list[Row]) -> list[int]:
    return [list(dict.fromkeys(rows)).index(row) for row in rows]


@law
@given(
    st.integers(1, 3).flatmap(lambda width: st.lists(st.lists(st.tuples(*[st.integers(-2, 2)] * width)), max_size=4))
)
def test_numbers_are_dense_and_decoded_to_words(portions: list[list[Row]]) -> None:
    instances = TupleIds()
    width = len(next((row for rows in portions for row in rows), (0,)))
    numbers = [number for rows in portions for number in numbered(instances, rows, width)]
    rows = [row for portion in portions for row in portion]
    assert sorted(set(numbers)) == list(range(len(set(rows))))
    assert instances.count(width) == len(set(rows))
    assert as_rows(instances.words(width, np.array(numbers, dtype=np.int64))) == rows


@law
@given(st.lists(st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2))), max_size=4))
def test_a_tuple_keeps_its_number(portions: list[list[Row]]) -> None:
    instances = TupleIds()
    seen: dict[Row, int] = {}
    for rows in portions:
        for row, number in zip(rows, numbered(instances, rows, 2), strict=True):
            assert seen.setdefault(row, number) == number


def test_many_rows_are_numbered_like_few() -> None:
    rows: list[Row] = [(i * i % 97, i % 5) for i in range(3000)]
    instances = TupleIds()
    few = [number for i in range(0, 3000, 100) for number in numbered(instances, rows[i : i + 100], 2)]
    assert numbered(instances, rows, 2) == few
    again = TupleIds()
    assert as_rows(again.words(2, again.numbers(as_columns(rows, 2), 3000))) == rows


@pytest.mark.parametrize("portion", [1, 2, 3, 1000])
def test_tuples_with_equal_mixed_keys_have_different_numbers(portion: int) -> None:
    choices: list[Row] = [(4, 5), colliding((4, 5), 6), colliding((4, 5), 7), (1, 1)]
    rows = [choices[i % 4] for i in (0, 1, 2, 3, 1, 0, 2, 2, 3)]
    instances = TupleIds()
    numbers = [n for i in range(0, len(rows), portion) for n in numbered(instances, rows[i : i + portion], 2)]
    assert of_first_meeting([(n,) for n in numbers]) == of_first_meeting(rows)
    assert as_rows(instances.words(2, np.array(numbers, dtype=np.int64))) == rows


@law
@given(st.lists(st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2))), max_size=4))
def test_tuples_one_at_a_time_have_the_numbers_of_columns(portions: list[list[Row]]) -> None:
    instances, others = TupleIds(), TupleIds()
    for rows in portions:
        assert instances.numbers_of(rows, 2) == numbered(others, rows, 2)
        assert [instances.find(row) for row in rows] == numbered(others, rows, 2)
        assert instances.listed(2) == as_rows(others.words(2, np.arange(others.count(2))))
    assert instances.find((3, 3)) is None


_CLASHING: list[Row] = [(4, 5), colliding((4, 5), 6), colliding((4, 5), 7), (1, 1), (2, 1)]


@law
@given(st.lists(st.tuples(st.booleans(), st.lists(st.sampled_from(_CLASHING))), max_size=6))
def test_tuples_one_at_a_time_and_in_columns_have_the_same_numbers(portions: list[tuple[bool, list[Row]]]) -> None:
    """In any order, also tuples with equal mixed keys."""
    instances = TupleIds()
    seen: dict[Row, int] = {}
    for in_columns, rows in portions:
        numbers = numbered(instances, rows, 2) if in_columns else instances.numbers_of(rows, 2)
        assert all(seen.setdefault(row, number) == number for row, number in zip(rows, numbers, strict=True))
        assert sorted(seen.values()) == list(range(instances.count(2)))
        if in_columns:
            known = instances.known(as_columns(_CLASHING, 2), len(_CLASHING)).tolist()
            assert known == [seen.get(row, -1) for row in _CLASHING]
    assert instances.listed(2) == sorted(seen, key=lambda row: seen[row])


def test_known_finds_the_tuples_with_numbers() -> None:
    """Also tuples with equal mixed keys: first one of them has a number, then all but one."""
    choices: list[Row] = [(4, 5), colliding((4, 5), 6), colliding((4, 5), 7), (1, 1)]
    instances = TupleIds()
    asked = [*choices, (2, 2)]
    assert instances.known(as_columns(asked, 2), 5).tolist() == [-1] * 5
    met: dict[Row, int] = {}
    for row in [choices[0], *choices[2:]]:
        met[row] = numbered(instances, [row], 2)[0]
        assert instances.known(as_columns(asked, 2), 5).tolist() == [met.get(each, -1) for each in asked]


def test_the_empty_tuple_is_found_after_it_was_numbered() -> None:
    instances = TupleIds()
    assert instances.find(()) is None
    assert instances.known([], 2).tolist() == [-1, -1]
    assert instances.numbers_of([(), ()], 0) == [0, 0]
    assert instances.find(()) == 0
    assert instances.known([], 2).tolist() == [0, 0]
    assert instances.listed(0) == [()]


def test_the_empty_tuple_is_one_instance() -> None:
    instances = TupleIds()
    assert instances.numbers([], 3).tolist() == [0, 0, 0]
    assert instances.words(0, np.zeros(3, dtype=np.int64)) == ()
    assert instances.count(0) == 1
