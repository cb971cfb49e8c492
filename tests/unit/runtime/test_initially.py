"""Initial values in both spellings: states of the run, not initiations."""

from __future__ import annotations

import pytest

import holdsfor as hf
from tests.unit.runtime.cases import Example

RULES = (
    "person(p). person(q). old(q). grounding(s(X)=V) :- person(X), (V = on ; V = off). "
    "initiatedAt(s(X)=off, T) :- happensAt(a(X), T). fi(s(X)=on, s(X)=off, 4). "
    "happensAt(starts(X, V), T) :- happensAt(start(s(X)=V), T). "
    "happensAt(first(X, V), T) :- happensAt(startI(s(X)=V), T). "
    "happensAt(initiated(X, V), T) :- initiatedAt(s(X)=V, T). "
)
SPELLINGS = (
    "initially(s(X)=on) :- \\+ old(X).",
    "initiatedAt(s(X)=on, T1, -1, T2) :- T1=<(-1), -1<T2, \\+ old(X).",
    "initiatedAt(s(X)=on, T1, -1, T2) :- \\+ old(X), -1 < T2, T1 =< -1.",
    "initiatedAt(s(X)=on, _, -1, _) :- \\+ old(X).",
    "initiatedAt(s(p)=on, T1, -1, T2) :- T1 =< -1, -1 < T2.",
)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_initial_value_is_a_state_and_no_initiation(spelling: str) -> None:
    example = Example(RULES + spelling, ("a|13|p",))
    expected = {"s(p)=on": [(0, 14)], "s(p)=off": [(14, None)]}
    expected |= {f"{name}(p,off)": [time] for name, time in (("starts", 13), ("first", 14), ("initiated", 13))}
    assert example.reference() == expected
    example.check(1, 2, 3, 5, 7, 10, 30)


def test_records_before_the_run_mention_no_members() -> None:
    rules = hf.load_text("initially(poor(_)=true).\nterminatedAt(poor(X)=true, T) :- happensAt(win(X), T).")
    session = hf.Session(rules, start=0, window=10, step=5)
    session.insert(["win|-3|-3|old", "win|-2|-2|older", "win|1|1|ann"])
    for _ in range(8):
        assert session.query().holds_for("poor(old)=true") == []
