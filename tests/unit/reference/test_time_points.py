"""Neighbouring time-points, maximal intervals, complements and durations, at the edges where they go wrong."""

from __future__ import annotations

import pytest

from holdsfor.reference import INF, History, RunBounds
from holdsfor.reference.intervals import (
    Intervals,
    complement,
    contains,
    intersect,
    longer_than,
    maximal,
    next_point,
    previous_point,
    relative_complement,
    shorter_than,
    union,
)
from holdsfor.syntax.parser import parse_term

NEXT = [
    *[(0, 1, 1), (7, 1, 8), (-1, 1, 0), (-7, 1, -6)],
    *[(0, 5, 5), (5, 5, 10), (7, 5, 10), (-5, 5, 0), (-10, 5, -5), (-7, 5, -5), (-1, 5, 0)],
    *[(0, 40, 40), (80, 40, 120), (79, 40, 80), (-40, 40, 0), (-80, 40, -40), (-1, 40, 0), (-41, 40, -40)],
]
PREVIOUS = [
    *[(0, 1, -1), (7, 1, 6), (1, 1, 0), (-7, 1, -8)],
    *[(0, 5, -5), (5, 5, 0), (10, 5, 5), (7, 5, 5), (-5, 5, -10), (-7, 5, -10), (1, 5, 0)],
    *[(0, 40, -40), (80, 40, 40), (81, 40, 80), (-40, 40, -80), (-79, 40, -80), (1, 40, 0)],
]


@pytest.mark.parametrize(("time", "tick", "expected"), NEXT)
def test_next_is_the_first_time_point_after(time: int, tick: int, expected: int) -> None:
    assert next_point(time, tick) == expected


@pytest.mark.parametrize(("time", "tick", "expected"), PREVIOUS)
def test_previous_is_the_last_time_point_before(time: int, tick: int, expected: int) -> None:
    assert previous_point(time, tick) == expected


@pytest.mark.parametrize("tick", [1, 5, 40])
def test_next_and_previous_undo_each_other_on_time_points(tick: int) -> None:
    for point in range(-3 * tick, 4 * tick, tick):
        assert previous_point(next_point(point, tick), tick) == point
        assert next_point(previous_point(point, tick), tick) == point


@pytest.mark.parametrize("time", [2**62, -(2**62)])
def test_far_time_points_stay_exact(time: int) -> None:
    assert next_point(time, 1) - time == 1
    assert maximal([(time, time + 3), (time + 3, time + 5)]) == ((time, time + 5),)


MAXIMAL: list[tuple[list[tuple[int, float]], Intervals]] = [
    ([], ()),
    ([(3, 6), (6, 9)], ((3, 9),)),
    ([(3, 6), (5, 9)], ((3, 9),)),
    ([(3, 9), (4, 5)], ((3, 9),)),
    ([(3, 6), (7, 9)], ((3, 6), (7, 9))),
    ([(7, 9), (3, 6)], ((3, 6), (7, 9))),
    ([(3, 6), (3, 6)], ((3, 6),)),
    ([(5, 5)], ()),
    ([(3, 6), (5, INF)], ((3, INF),)),
    ([(3, INF), (5, 9), (20, 30)], ((3, INF),)),
    ([(-5, 0), (0, 2)], ((-5, 2),)),
]


@pytest.mark.parametrize(("given", "expected"), MAXIMAL)
def test_touching_and_overlapping_intervals_are_one(given: list[tuple[int, float]], expected: Intervals) -> None:
    assert maximal(given) == expected


def test_an_interval_has_its_start_and_not_its_end() -> None:
    assert contains([(3, 6)], 3)
    assert contains([(3, 6)], 5)
    assert not contains([(3, 6)], 6)
    assert not contains([(3, 6)], 2)
    assert contains([(3, INF)], 2**62)


def test_operations_on_open_intervals() -> None:
    assert union([[(3, 6)], [(5, INF)]]) == ((3, INF),)
    assert intersect([[(3, INF)], [(5, 9), (20, INF)]]) == ((5, 9), (20, INF))
    assert relative_complement([(3, INF)], [[(5, 9)]]) == ((3, 5), (9, INF))
    assert relative_complement([(3, INF)], [[(9, INF)]]) == ((3, 9),)


def test_operations_on_nothing() -> None:
    assert union([]) == ()
    assert union([(), ()]) == ()
    assert intersect([(), [(1, 5)]]) == ()
    assert relative_complement((), [[(1, 5)]]) == ()
    assert relative_complement([(1, 5)], []) == ((1, 5),)


def test_the_complement_begins_at_the_first_time_point_of_the_run() -> None:
    assert complement([[(2, 5)]], 0) == ((0, 2), (5, INF))
    assert complement([[(0, 5)]], 0) == ((5, INF),)
    assert complement([()], -20) == ((-20, INF),)
    assert complement([[(2, INF)]], 0) == ((0, 2),)
    assert complement([[(-9, 3)], [(3, 5)]], 0) == ((5, INF),)
    assert complement([], 7) == ((7, INF),)


def test_durations_compare_the_whole_interval() -> None:
    given: Intervals = ((0, 5), (10, 16), (20, INF))
    assert longer_than(given, 5, 31) == ((10, 16), (20, INF))
    assert shorter_than(given, 6, 31) == ((0, 5),)
    assert longer_than(given, 4.5, 31) == given
    assert shorter_than(given, 100, 31) == given


def test_the_first_time_point_is_on_the_grid_of_the_tick() -> None:
    assert [RunBounds(start, 100, 5).first_point for start in (-7, -5, 0, 3, 5)] == [-5, -5, 0, 5, 5]


def test_input_intervals_of_an_fvp_are_merged() -> None:
    history = History()
    for start, end in [(3, 6), (6, 9), (8, 12), (15, 18), (15, 18)]:
        history.add_interval(parse_term("moving(v1)"), parse_term("true"), start, end)
    assert history.intervals(RunBounds(0, 30), ()) == {parse_term("moving(v1)=true"): ((3, 12), (15, 18))}


def test_events_exactly_at_the_edges_belong_to_the_run() -> None:
    history = History()
    for time in (9, 10, 20, 21):
        history.add_event(parse_term("tick"), time)
    assert sorted(time for time, _ in history.happenings(RunBounds(10, 20))) == [10, 20]
