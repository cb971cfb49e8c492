"""Overlapping pairs against a nested loop."""

from __future__ import annotations

from hypothesis import example, given

from holdsfor.kernels.overlaps import overlapping_pairs
from tests.unit.kernels.lists import KeyedList, as_columns, keyed_intervals, law, times

some_intervals = keyed_intervals(times, 1).map(lambda rows: [row for row in rows if row[1] < row[2]])


@law
@given(some_intervals, some_intervals)
@example([(0, 1, 3)], [(0, 3, 5)])
@example([(0, 1, 3)], [(0, 1, 3)])
@example([(0, 1, 9)], [(0, 2, 3), (0, 1, 2), (0, 8, 12), (0, 9, 12), (0, 0, 1)])
def test_pairs_overlap_if_they_share_a_time_point(left: KeyedList, right: KeyedList) -> None:
    _, starts, ends = as_columns(left, 3)
    _, other_starts, other_ends = as_columns(right, 3)
    found = overlapping_pairs(starts, ends, other_starts, other_ends)
    expected = [
        (i, j) for i, (_, s, e) in enumerate(left) for j, (_, t, f) in enumerate(right) if max(s, t) < min(e, f)
    ]
    assert sorted(zip(*(column.tolist() for column in found), strict=True)) == expected
