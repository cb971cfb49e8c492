"""Set operations on keyed intervals against the reference evaluator's, key by key.

The reference cuts the time line at every end-point and decides piece by piece. Possible errors: running sums that leak
from one key into the next, touching intervals that are not joined, open ends taken for numbers, and times so large that
the packing replaces them by ranks.
"""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN
from holdsfor.kernels.sweep import intersect_intervals, merge_intervals, subtract_intervals, unite_intervals
from holdsfor.reference.intervals import INF, Intervals, intersect, maximal, relative_complement
from tests.unit.kernels.lists import KeyedList, as_columns, as_rows, keyed_intervals, law, small_times, times

N_KEYS = 3
Keyed = tuple[Int64, Int64, Int64]


def columns(rows: KeyedList) -> Keyed:
    keys, starts, ends = as_columns(rows, 3)
    return keys, starts, ends


def of_key(rows: KeyedList, key: int) -> Intervals:
    """The maximal intervals of one key, as the reference computes them."""
    return maximal([(start, INF if end == OPEN else end) for k, start, end in rows if k == key and start < end])


def as_keyed(by_key: list[Intervals]) -> list[tuple[int, ...]]:
    return [(key, start, OPEN if end == INF else int(end)) for key, own in enumerate(by_key) for start, end in own]


def is_representable(rows: KeyedList) -> bool:
    """The reference computes with floats for open ends only; everything else is exact."""
    return all(start < OPEN for _, start, _ in rows)


any_intervals = keyed_intervals(st.one_of(small_times, times), N_KEYS).filter(is_representable)
maximal_intervals = any_intervals.map(lambda rows: as_rows(merge_intervals(*columns(rows)))).map(
    lambda rows: [(int(key), int(start), int(end)) for key, start, end in rows]
)


@law
@given(any_intervals)
@example([])
@example([(0, 1, 3), (0, 3, 4), (1, 3, 4)])
@example([(0, 5, 5), (0, 5, OPEN), (0, -7, 5)])
@example([(0, 0, 100), (0, 1, 2), (0, 50, 60), (1, 0, 1)])
@example([(0, -(2**62), 2**62), (1, 2**62, OPEN), (2, 0, 1)])
def test_merging_gives_the_maximal_intervals(rows: KeyedList) -> None:
    expected = as_keyed([of_key(rows, key) for key in range(N_KEYS)])
    assert as_rows(merge_intervals(*columns(rows))) == expected


@law
@given(any_intervals)
def test_merging_twice_is_merging_once(rows: KeyedList) -> None:
    once = merge_intervals(*columns(rows))
    assert as_rows(merge_intervals(*once)) == as_rows(once)


@law
@given(st.lists(maximal_intervals, min_size=1, max_size=4))
def test_the_union_is_the_merge_of_all_lists(lists: list[KeyedList]) -> None:
    together = merge_intervals(*columns([row for rows in lists for row in rows]))
    assert as_rows(unite_intervals([columns(rows) for rows in lists])) == as_rows(together)


@law
@given(any_intervals)
def test_merging_does_not_modify_its_input(rows: KeyedList) -> None:
    given_columns = columns(rows)
    merge_intervals(*given_columns)
    assert as_rows(given_columns) == rows


@law
@given(st.lists(maximal_intervals, min_size=1, max_size=3))
def test_the_intersection_is_part_of_every_list(lists: list[KeyedList]) -> None:
    expected = as_keyed([intersect([of_key(rows, key) for rows in lists]) for key in range(N_KEYS)])
    assert as_rows(intersect_intervals([columns(rows) for rows in lists], len(lists))) == expected


@law
@given(maximal_intervals, st.lists(maximal_intervals, max_size=3))
@example([(0, 0, OPEN)], [[(0, 3, 5)], [(0, 4, 9)]])
@example([(1, 0, OPEN)], [[(0, -5, OPEN), (1, 2, 4)]])
@example([(0, 0, 4), (0, 6, 8)], [[(0, 4, 6)]])
def test_the_difference_is_part_of_the_base_and_of_no_other_list(base: KeyedList, others: list[KeyedList]) -> None:
    expected = as_keyed(
        [relative_complement(of_key(base, key), [of_key(rows, key) for rows in others]) for key in range(N_KEYS)]
    )
    assert as_rows(subtract_intervals(columns(base), [columns(rows) for rows in others])) == expected


@law
@given(maximal_intervals, maximal_intervals)
def test_union_difference_and_intersection_fit_together(one: KeyedList, two: KeyedList) -> None:
    a, b = columns(one), columns(two)
    parts = [subtract_intervals(a, [b]), intersect_intervals([a, b], 2), subtract_intervals(b, [a])]
    keys, starts, ends = (np.concatenate(column) for column in zip(*parts, strict=True))
    together = merge_intervals(*(np.concatenate(pair) for pair in zip(a, b, strict=True)))
    assert as_rows(merge_intervals(keys, starts, ends)) == as_rows(together)


def test_the_worked_example_of_the_paper() -> None:
    a = [(0, 10, 15), (0, 23, 30), (0, 40, 50), (0, 60, 70)]
    b = [(0, 17, 21), (0, 26, 35), (0, 43, 47), (0, 54, 65)]
    either = [(0, 10, 15), (0, 17, 21), (0, 23, 35), (0, 40, 50), (0, 54, 70)]
    assert as_rows(merge_intervals(*columns(a + b))) == either
    both = [(0, 26, 30), (0, 43, 47), (0, 60, 65)]
    assert as_rows(intersect_intervals([columns(a), columns(b)], 2)) == both
    without = [(0, 10, 15), (0, 23, 26), (0, 40, 43), (0, 47, 50), (0, 65, 70)]
    assert as_rows(subtract_intervals(columns(a), [columns(b)])) == without
