"""Records as Python objects have the meaning of the same records as text."""

from __future__ import annotations

import math

import numpy as np
import pytest

import holdsfor as hf
from holdsfor.errors import DataProblem
from holdsfor.sources.python_objects import Constant, table_of

RULES = hf.load_text("""
collectIntervals(near(_,_)=_). points(speed(_)=_).
initiatedAt(s(X, A)=true, T) :- happensAt(e(X, A), T).
initiatedAt(n(X)=V, T) :- happensAt(start(speed(X)=V), T).
happensAt(met(X, Y, V), T) :- happensAt(start(near(X, Y)=V), T).
""")


def test_objects_and_lines_of_text_give_one_answer() -> None:
    objects: list[hf.Event | hf.Fluent] = [
        hf.Event("e", "v1", 2.5, at=3),
        hf.Event("e", "003", -4, at=4),
        hf.Event("e", hf.term("per(v1)"), True, at=5, arrival=9),
        hf.Fluent("speed", "v1", value=42, at=6),
        hf.Fluent("near", "v1", "V 2", start=2, end=9),
    ]
    lines = ["e|3|3|v1|2.5", "e|4|4|003|-4", "e|9|5|per(v1)|true", "speed|6|6|42|v1", "near|2|2|9|true|v1|V 2"]
    expected = hf.recognise(RULES, lines)
    assert hf.recognise(RULES, objects).intervals == expected.intervals
    assert hf.recognise(RULES, objects).times == expected.times
    assert expected.holds_for("s('003',-4)=true") == [(5, None)]


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e22, "1e+22"), (0.1, "0.1"), (np.int64(3), "3"), (np.float32(0.5), "0.5"), (False, "false"), (-0.0, "-0.0")],
)
def test_numbers_are_read_as_in_a_file(value: Constant, text: str) -> None:
    assert table_of([hf.Event("e", value, at=0)])["arg1"].to_pylist() == [text]


@pytest.mark.parametrize("value", [None, math.nan, math.inf, b"v1", ("v1",)])
def test_a_value_that_is_not_a_constant_is_refused(value: Constant) -> None:
    with pytest.raises(DataProblem, match="expected text or a finite number in a record of `e`"):
        table_of([hf.Event("e", value, at=0)])


@pytest.mark.parametrize("time", [None, 1.0, b"1", True, 2**63])
def test_a_value_that_is_not_a_time_is_refused(time: int) -> None:
    with pytest.raises(DataProblem, match="expected a 64-bit integer, a datetime or text as a time of `e`"):
        table_of([hf.Event("e", at=time)])


def test_a_fluent_holds_at_a_time_point_or_over_an_interval() -> None:
    for times in ({}, {"at": 1, "end": 3}, {"end": 3}, {"at": 1, "start": 1, "end": 3}):
        with pytest.raises(DataProblem, match="expected `at`, or `start` and `end`"):
            hf.Fluent("near", "v1", "v2", **times)


def test_a_mix_of_objects_and_lines_is_refused() -> None:
    with pytest.raises(DataProblem, match="found `str`"):
        hf.recognise(RULES, [hf.Event("e", "v1", 1, at=3), "e|3|3|v1|1"])
    with pytest.raises(DataProblem, match="found `dict`"):
        hf.recognise(RULES, [{"name": "e"}])  # type: ignore[list-item]
    with pytest.raises(DataProblem, match="HF502"):
        hf.recognise(RULES, b"e|3|3|v1|1")  # type: ignore[arg-type]
