"""The first time-point of a run: what lies before it, what crosses it, and runs that start between two time-points."""

from __future__ import annotations

import pytest

import holdsfor as hf
from tests.unit.runtime.cases import Example

WHOLE = "collectIntervals(f(_)=_). holdsFor(d(X)=true, J) :- holdsFor(f(X)=on, I), union_all([I], J)."
CROSSING = Example(WHOLE, ("f|-3|4|on|a", "f|-9|29|on|b"))


def test_an_interval_that_crosses_the_start_is_seen_whole() -> None:
    assert CROSSING.reference() == {"d(a)=true": [(-3, 4)], "d(b)=true": [(-9, 29)]}
    assert CROSSING.batch() == CROSSING.reference()


@pytest.mark.parametrize(("window", "step"), [(40, 30), (31, 30), (7, 3), (30, 30), (5, 5), (1, 1)])
def test_an_interval_that_crosses_the_start_is_seen_whole_in_windows(window: int, step: int) -> None:
    expected, found = CROSSING.windows(window, step)
    assert found == expected


def test_an_interval_without_a_time_point_of_the_run_is_not_of_the_run() -> None:
    """The run starts at 3, its first time-point is 40; a record over `[0, 40)` mentions nothing."""
    rules = "collectIntervals(f(_)=_). holdsFor(d(X)=true, J) :- holdsFor(f(X)=on, I), complement_all([I], J)."
    example = Example(rules, ("f|0|40|on|a", "f|80|120|on|b"), start=3, end=403, tick=40)
    assert example.reference() == {"d(b)=true": [(40, 80), (120, None)]}
    example.check(1, 3)


@pytest.mark.parametrize("merge_windows", [False, True])
def test_a_window_with_the_first_time_point_cuts_nothing(merge_windows: bool) -> None:
    """The run starts at 3, so its first time-point is 40 and the second window, (3, 83], has all of the run."""
    rules = hf.load_text(WHOLE)
    lines = ["f|60|0|200|on|a"]
    found = hf.recognise(rules, lines, start=3, end=403, tick=40, window=80, step=40, merge_windows=merge_windows)
    assert (found.late, found.dropped, found.cut) == (1, 0, 0)
    assert found.holds_for("d(a)=true") == [(0, 200)]
