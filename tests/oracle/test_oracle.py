"""The oracle gives the answers written in the specification."""

from __future__ import annotations

from math import inf

import pytest

from tests.oracle.answer import oracle_answer
from tests.oracle.intervals import Interval, Line, allen
from tests.oracle.terms import Refused

LINE = Line(0, 200, 1)
A = [(10, 15), (23, 30), (40, 50), (60, 70)]
B = [(17, 21), (26, 35), (43, 47), (54, 65)]


def _list(pairs: list[tuple[int, int]]) -> list[Interval]:
    return [Interval(start, end, start) for start, end in pairs]


def _pairs(intervals: list[Interval]) -> list[tuple[int, float]]:
    return [(one.start, one.end) for one in intervals]


def test_operations_of_the_worked_example() -> None:
    a, b = _list(A), _list(B)
    assert _pairs(LINE.union([a, b])) == [(10, 15), (17, 21), (23, 35), (40, 50), (54, 70)]
    assert _pairs(LINE.intersection([a, b])) == [(26, 30), (43, 47), (60, 65)]
    assert _pairs(LINE.difference(a, [b])) == [(10, 15), (23, 26), (40, 43), (47, 50), (65, 70)]
    assert _pairs(LINE.complement([a]))[-1] == (70, inf)


def test_relations_exclude_each_other() -> None:
    relations = ["before", "meets", "overlaps", "starts", "finishes", "during", "equal", "after", "met_by"]
    relations += ["started_by", "finished_by", "contains", "overlapped_by"]
    spans = [Interval(start, end, start) for start in range(4) for end in range(start + 1, 6)]
    for i in spans:
        for j in spans:
            held = [one for one in relations if allen(LINE, one, [i], [j], "source", None)]
            assert len(held) == 1, (i, j, held)


def _ask(text: str, *lines: str, end: int = 30) -> object:
    return oracle_answer(text, list(lines), Line(0, end, 1))


EFFECTS = """
initiatedAt(f=true, T) :- happensAt(up, T).
terminatedAt(f=true, T) :- happensAt(down, T).
"""


def test_the_first_break_ends_an_interval() -> None:
    lines = ["up|10|10", "up|20|20", "down|25|25", "down|30|30"]
    assert _ask(EFFECTS, *lines) == {"f=true": [(11, 26)]}


def test_a_break_wins_over_an_initiation() -> None:
    assert _ask(EFFECTS, "up|10|10", "down|10|10") == {}


def test_a_cycle_that_does_not_advance_time_is_refused() -> None:
    text = "initiatedAt(f=true, T) :- happensAt(up, T), \\+ initiatedAt(f=true, T)."
    with pytest.raises(Refused, match="does not advance time"):
        _ask(text, "up|10|10")


def test_conditions_are_solved_in_any_order() -> None:
    text = "big(N) :- N > 3.\ninitiatedAt(f(X)=true, T) :- \\+ big(N), M > 1, M is N * 2, happensAt(n(X, N), T)."
    assert _ask(text, "n|5|5|a|3", "n|5|6|b|4") == {"f(a)=true": [(6, None)]}
