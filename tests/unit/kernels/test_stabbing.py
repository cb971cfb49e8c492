"""Intervals that contain time-points: binary searches and tables against a loop over all intervals."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.kernels.packing import OPEN
from holdsfor.kernels.searching import search_sorted
from holdsfor.kernels.stabbing import Depths, Stabbing, containing_pairs
from holdsfor.kernels.sweep import merge_intervals
from tests.unit.kernels.lists import KeyedList, as_columns, as_rows, keyed_intervals, law, small_times, times

Asked = list[tuple[int, int]]

_near = st.lists(st.tuples(st.integers(0, 4), small_times), max_size=12)
_asked = st.one_of(_near, st.lists(st.tuples(st.integers(0, 4), st.one_of(times, st.just(OPEN - 1))), max_size=12))


def non_empty(start: st.SearchStrategy[int]) -> st.SearchStrategy[KeyedList]:
    return keyed_intervals(start).map(lambda rows: [row for row in rows if row[1] < row[2]]).filter(bool)


def maximal(rows: KeyedList) -> KeyedList:
    key, start, end = merge_intervals(*as_columns(rows, 3))
    return [(k, s, e) for k, s, e in as_rows([key, start, end])]


@law
@given(non_empty(times), _asked)
def test_a_time_point_is_found_in_the_interval_that_contains_it(rows: KeyedList, asked: Asked) -> None:
    rows = maximal(rows)
    found = Stabbing(*as_columns(rows, 3)).find(*as_columns(asked, 2)).tolist()
    inside = [[i for i, (k, s, e) in enumerate(rows) if k == key and s <= time < e] for key, time in asked]
    assert found == [positions[0] if positions else -1 for positions in inside]


@law
@given(non_empty(times), _near, st.integers(1, 40))
def test_table_lookup_agrees_with_binary_search(rows: KeyedList, asked: Asked, n_times: int) -> None:
    stabbing = Stabbing(*as_columns(maximal(rows), 3))
    keys, at = as_columns(asked * n_times, 2)
    assert stabbing.contains(keys, at).tolist() == (stabbing.find(keys, at) >= 0).tolist()


def test_a_key_without_intervals_contains_no_time_point() -> None:
    stabbing = Stabbing(np.array([0, 2]), np.array([0, 5]), np.array([9, OPEN]))
    keys, at = np.repeat(np.arange(5), 50), np.tile(np.arange(3, 8), 50)
    expected = [(key == 0) or (key == 2 and time >= 5) for key, time in zip(keys.tolist(), at.tolist(), strict=True)]
    assert stabbing.contains(keys, at).tolist() == expected


@law
@given(non_empty(times), _asked)
def test_overlapping_intervals_are_counted(rows: KeyedList, asked: Asked) -> None:
    keys, at = as_columns(asked, 2)
    keys[keys > max(key for key, _, _ in rows)] = -1
    found = Depths(*as_columns(rows, 3)).count(keys, at).tolist()
    pairs = zip(keys.tolist(), at.tolist(), strict=True)
    assert found == [sum(k == key and s <= time < e for k, s, e in rows) for key, time in pairs]


@law
@given(st.lists(times, max_size=8), st.lists(times, min_size=1, max_size=8), st.sampled_from([1, 400]))
def test_search_sorted_accepts_numbers_in_any_order(known: list[int], asked: list[int], n: int) -> None:
    ordered, numbers = np.array(sorted(known), dtype=np.int64), np.array(asked * n, dtype=np.int64)
    assert search_sorted(ordered, numbers).tolist() == ordered.searchsorted(numbers).tolist()
    assert search_sorted(ordered, numbers, "right").tolist() == ordered.searchsorted(numbers, "right").tolist()


@law
@given(non_empty(times), _asked)
def test_all_pairs_of_a_time_point_and_an_interval_around_it_are_found(rows: KeyedList, asked: Asked) -> None:
    asked = [*asked, (-1, 5)]
    point, interval = containing_pairs(*as_columns(asked, 2), *as_columns(rows, 3))
    inside = {
        (i, j) for i, (key, time) in enumerate(asked) for j, (k, s, e) in enumerate(rows) if k == key and s <= time < e
    }
    assert sorted(zip(point.tolist(), interval.tolist(), strict=True)) == sorted(inside)
