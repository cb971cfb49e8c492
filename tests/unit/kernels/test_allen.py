"""Ranges of related targets against the reference's pairs, and the output modes against the reference's lists.

Possible errors: a neighbour of another key taken for a partner, a range that is one too long where an end
coincides, touching and unit intervals, open ends, the time-points before 0 and at the edges of int64, and lists whose
times do not fit beside the keys.
"""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdsfor.kernels.allen import INVERSES, Mode, Relation, compare_intervals, in_some_range, relate_intervals
from holdsfor.kernels.keys import Int64, expand_ranges
from holdsfor.kernels.packing import OPEN
from holdsfor.kernels.sweep import Keyed, merge_intervals
from holdsfor.reference.intervals import INF, Interval, allen, allen_pairs
from holdsfor.syntax.rules import AllenRelation
from tests.unit.kernels.lists import KeyedList, as_columns, as_rows, keyed_intervals, law, small_times, times

N_KEYS = 3
RELATIONS: tuple[Relation, ...] = get_args(Relation)
DIRECT: tuple[AllenRelation, ...] = get_args(AllenRelation)
MODES: tuple[Mode, ...] = get_args(Mode)

any_times = st.one_of(small_times, small_times, times, st.just(-(2**63)))
any_intervals = keyed_intervals(any_times, N_KEYS).map(lambda rows: [row for row in rows if row[1] < row[2]])
maximal_intervals = any_intervals.map(lambda rows: rows_of(merge_intervals(*columns(rows))))


def columns(rows: KeyedList) -> Keyed:
    keys, starts, ends = as_columns(rows, 3)
    return keys, starts, ends


def rows_of(keyed: Keyed) -> KeyedList:
    return [(key, start, end) for key, start, end in as_rows(keyed)]


def interval(row: tuple[int, int, int]) -> Interval:
    return row[1], INF if row[2] == OPEN else row[2]


def is_related(relation: Relation, i: Interval, j: Interval) -> bool:
    if relation in DIRECT:
        return bool(allen_pairs(relation, [i], [j]))
    inverse = INVERSES[relation]
    assert inverse in DIRECT
    return bool(allen_pairs(inverse, [j], [i]))


def slow_pairs(relation: Relation, sources: KeyedList, targets: KeyedList) -> list[tuple[int, int]]:
    """Every related pair of positions, by comparing all pairs."""
    return [
        (n, m)
        for n, i in enumerate(sources)
        for m, j in enumerate(targets)
        if i[0] == j[0] and is_related(relation, interval(i), interval(j))
    ]


def fast_pairs(ranges: tuple[Int64, Int64]) -> list[tuple[int, int]]:
    owner, position = expand_ranges(ranges[0], np.maximum(ranges[1] - ranges[0], 0))
    return list(zip(owner.tolist(), position.tolist(), strict=True))


@law
@given(any_intervals, maximal_intervals)
@example([(0, 5, 10)], [(0, 9, 10)])
@example([(0, 5, 10), (1, 0, 1)], [(0, 9, 11), (1, 0, OPEN)])
@example([(0, -(2**63), 3)], [(0, -(2**63), 3), (1, -5, OPEN)])
@example([(0, 0, 7)], [(0, 5, 6), (0, 7, 9)])
@example([(1, 4, 6)], [(0, 0, 6), (2, 4, 6)])
def test_the_ranges_are_the_related_pairs(sources: KeyedList, targets: KeyedList) -> None:
    found = compare_intervals(columns(sources), columns(targets))
    for relation in RELATIONS:
        expected = slow_pairs(relation, sources, targets)
        assert fast_pairs(found.ranges(relation)) == expected, relation
        rows, lo, hi = found.matched(relation)
        assert rows.tolist() == sorted({n for n, _ in expected})
        assert [(rows[n], m) for n, m in fast_pairs((lo, hi))] == expected


@law
@given(any_intervals, maximal_intervals, st.one_of(st.integers(0, 8), st.just(2**62)))
@example([(0, 0, 3)], [(0, 5, 6), (0, 8, 9)], 4)
@example([(0, OPEN - 3, OPEN - 2)], [(0, OPEN - 1, OPEN)], 1)
@example([(0, -(2**63) + 4, 0)], [(0, -(2**63), -(2**63) + 2)], 2)
def test_a_reach_limits_the_gap_between_two_intervals(sources: KeyedList, targets: KeyedList, reach: int) -> None:
    found = compare_intervals(columns(sources), columns(targets))
    near = [(n, m) for n, m in slow_pairs("before", sources, targets) if targets[m][1] - sources[n][2] <= reach]
    assert fast_pairs(found.ranges("before", reach)) == near
    near = [(n, m) for n, m in slow_pairs("after", sources, targets) if sources[n][1] - targets[m][2] <= reach]
    assert fast_pairs(found.ranges("after", reach)) == near


@law
@given(maximal_intervals, maximal_intervals, st.sampled_from(DIRECT), st.sampled_from(MODES))
@example([(0, 0, 4)], [(1, 0, 4)], "equal", "union")
def test_the_output_modes_are_those_of_the_reference(
    sources: KeyedList, targets: KeyedList, relation: AllenRelation, mode: Mode
) -> None:
    expected = [
        (key, start, OPEN if end == INF else end)
        for key in range(N_KEYS)
        for start, end in allen(
            relation,
            [interval(row) for row in sources if row[0] == key],
            [interval(row) for row in targets if row[0] == key],
            mode,
        )
    ]
    assert as_rows(relate_intervals(relation, columns(sources), columns(targets), mode)) == expected


@law
@given(maximal_intervals, maximal_intervals, st.sampled_from(RELATIONS))
def test_an_inverse_is_the_relation_seen_from_the_other_side(
    sources: KeyedList, targets: KeyedList, relation: Relation
) -> None:
    direct = compare_intervals(columns(sources), columns(targets)).ranges(relation)
    inverse = compare_intervals(columns(targets), columns(sources)).ranges(INVERSES[relation])
    assert fast_pairs(direct) == sorted((n, m) for m, n in fast_pairs(inverse))


@law
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6))), st.integers(6, 8))
def test_in_some_range_marks_the_positions_of_every_range(ranges: list[tuple[int, int]], n: int) -> None:
    lo, hi = as_columns(ranges, 2)
    assert in_some_range((lo, hi), n).tolist() == [any(a <= i < b for a, b in ranges) for i in range(n)]


@law
@given(any_intervals, any_intervals)
@example([(0, 5, 10)], [(0, 10, 15)])
@example([(0, 5, 10)], [(0, 9, 10)])
def test_any_two_intervals_of_a_key_are_in_exactly_one_relation(one: KeyedList, other: KeyedList) -> None:
    for i in one:
        for j in other:
            found = compare_intervals(columns([i]), columns([j]))
            pairs = [relation for relation in RELATIONS if fast_pairs(found.ranges(relation))]
            assert len(pairs) == (i[0] == j[0]), (i, j, pairs)


@pytest.mark.parametrize("relation", RELATIONS)
def test_empty_lists_have_no_related_pairs(relation: Relation) -> None:
    nothing, something = columns([]), columns([(0, 1, 5), (2, 0, OPEN)])
    for sources, targets in ((nothing, something), (something, nothing), (nothing, nothing)):
        assert fast_pairs(compare_intervals(sources, targets).ranges(relation)) == []
        assert as_rows(relate_intervals(relation, sources, targets, "union")) == []
