"""Defects of RTEC that its own tests and examples do not show, each demonstrated by the smallest program.

A demonstration holds what both answer: if RTEC is corrected, or holdsfor changes, a test fails.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.rtec.examples import Example, compile_by_rtec, run, run_by_rtec
from tests.rtec.peer import Intervals

SWITCH = """
initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(off(X), T).
grounding(on(X)) :- id(X).
grounding(off(X)) :- id(X).
grounding(lit(X)=true) :- id(X).
"""
LEVEL = """
initially(level(_)=low).
initiatedAt(level(X)=high, T) :- happensAt(on(X), T).
grounding(on(X)) :- id(X).
grounding(level(X)=low) :- id(X).
grounding(level(X)=high) :- id(X).
"""
DURATIONS = """
id(a).
intDurGreater(If, V, I) :-
    findall((S,E), (member((S,E), If), (E \\= inf -> D is E-S ; queryTime(Q), D is Q-S), D > V), I).
"""


@dataclass(frozen=True)
class Defect:
    """A program, and the intervals of one FVP at each query time: RTEC's and ours. RTEC fails where it has none."""

    rules: str
    records: str
    asked: str
    theirs: dict[int, Intervals]
    ours: dict[int, Intervals]
    end: int = 20
    step: int = 20
    tick: int = 1
    background: str = "id(a).\nid(b).\n"


DEFECTS = {
    # A record that arrives at the start of the run is not read: RTEC's loader asks for `start < arrival`.
    "a record at the start": Defect(SWITCH, "on|0|0|a off|5|5|a", "lit(a)=true", {20: []}, {20: [(1, 6)]}),
    # The interval of `low` begins at the first time-point. RTEC splits it there, and interval operations see the rest.
    "the first time-point": Defect(
        LEVEL
        + """
        holdsFor(calm(X)=true, I) :-
            holdsFor(level(X)=low, I1), holdsFor(level(X)=high, I2), relative_complement_all(I1, [I2], I).
        grounding(calm(X)=true) :- id(X).
        """,
        "on|4|4|a",
        "calm(a)=true",
        {20: [(1, 5)]},
        {20: [(0, 5)]},
    ),
    # `initially` values are set up in the first window only: an entity that appears later never has them.
    "an entity that appears in a later window": Defect(
        LEVEL + "dynamicDomain(id(_)).\n",
        "on|4|4|a on|15|15|b",
        "level(b)=low",
        {10: [], 20: []},
        {10: [(0, None)], 20: [(0, 16)]},
        step=10,
        background="unused.\n",
    ),
    # Intervals of input fluents are collected as they are: one that begins where another ends starts there once more.
    "input intervals that touch": Defect(
        """
        initiatedAt(seen(X)=true, T) :- happensAt(start(near(X)=true), T).
        terminatedAt(seen(X)=true, T) :- happensAt(end(near(X)=true), T).
        collectIntervals(near(_)=true).
        grounding(near(X)=true) :- id(X).
        grounding(seen(X)=true) :- id(X).
        """,
        "near|3|3|6|true|a near|6|6|9|true|a",
        "seen(a)=true",
        {20: [(3, 6)]},
        {20: [(3, 9)]},
    ),
    # Of several `holdsFor` rules of one FVP RTEC takes the first that succeeds.
    "two rules for a statically determined fluent": Defect(
        """
        collectIntervals(p(_)=true).
        collectIntervals(q(_)=true).
        holdsFor(either(X)=true, I) :- holdsFor(p(X)=true, I).
        holdsFor(either(X)=true, I) :- holdsFor(q(X)=true, I).
        grounding(p(X)=true) :- id(X).
        grounding(q(X)=true) :- id(X).
        grounding(either(X)=true) :- id(X).
        """,
        "p|2|2|4|true|a q|6|6|8|true|a",
        "either(a)=true",
        {20: [(2, 4)]},
        {20: [(2, 4), (6, 8)]},
    ),
    # RTEC frees the constants of a fluent's arguments, and computes one of the two fluents.
    "constants inside the arguments of a fluent": Defect(
        """
        initiatedAt(per(open(X,door))=true, T) :- happensAt(on(X), T).
        initiatedAt(per(open(X,window))=true, T) :- happensAt(off(X), T).
        grounding(on(X)) :- id(X).
        grounding(off(X)) :- id(X).
        grounding(per(open(X,door))=true) :- id(X).
        grounding(per(open(X,window))=true) :- id(X).
        """,
        "on|2|2|a off|5|5|a",
        "per(open(a,window))=true",
        {20: []},
        {20: [(6, None)]},
    ),
    # Output events that are defined from input events only are not computed if they differ in a constant argument.
    "output events that differ in a constant": Defect(
        """
        happensAt(beep(X,high), T) :- happensAt(on(X), T).
        happensAt(beep(X,low), T) :- happensAt(off(X), T).
        initiatedAt(alarm(X)=true, T) :- happensAt(beep(X,high), T).
        terminatedAt(alarm(X)=true, T) :- happensAt(beep(X,low), T).
        grounding(on(X)) :- id(X).
        grounding(off(X)) :- id(X).
        grounding(beep(X,high)) :- id(X).
        grounding(beep(X,low)) :- id(X).
        grounding(alarm(X)=true) :- id(X).
        """,
        "on|2|2|a off|5|5|a",
        "alarm(a)=true",
        {20: []},
        {20: [(3, 6)]},
    ),
    # The value is broken by a value that only the data mention; see `UNDECLARED_VALUE` among the differences.
    "a value that only the data mention": Defect(
        """
        initiatedAt(level(X)=Value, T) :- happensAt(set(X,Value), T).
        grounding(set(X,_)) :- id(X).
        grounding(level(X)=high) :- id(X).
        """,
        "set|2|2|a|high set|5|5|a|middle",
        "level(a)=high",
        {20: [(3, None)]},
        {20: [(3, 6)]},
    ),
    # A grounding that names the values by a variable: to RTEC no value differs from it, and nothing is broken.
    "values that a variable stands for": Defect(
        """
        initiatedAt(level(X)=Value, T) :- happensAt(set(X,Value), T).
        grounding(set(X,_)) :- id(X).
        grounding(level(X)=Value) :- id(X), value(Value).
        """,
        "set|2|2|a|high set|5|5|a|low",
        "level(a)=high",
        {20: [(3, None)]},
        {20: [(3, 6)]},
        background="id(a).\nvalue(high).\nvalue(low).\n",
    ),
    # `off` is initiated only while `on` does not hold. RTEC looks for breaks of `on` before it computes `on`.
    "a rule about another value of its own fluent": Defect(
        """
        initiatedAt(switch(X)=on, T) :- happensAt(on(X), T).
        initiatedAt(switch(X)=off, T) :- happensAt(off(X), T), \\+ holdsAt(switch(X)=on, T).
        grounding(on(X)) :- id(X).
        grounding(off(X)) :- id(X).
        grounding(switch(X)=on) :- id(X).
        grounding(switch(X)=off) :- id(X).
        """,
        "on|5|5|a off|8|8|a",
        "switch(a)=on",
        {20: [(6, 9)]},
        {20: [(6, None)]},
    ),
    # An open interval holds at the query time, so it is as long as if it ended right after it. RTEC's filter takes one
    # time-point less.
    "how long an open interval is": Defect(
        SWITCH
        + """
        holdsFor(long(X)=true, I) :- holdsFor(lit(X)=true, L), intDurGreater(L, 4, I).
        grounding(long(X)=true) :- id(X).
        """,
        "on|15|15|a",
        "long(a)=true",
        {20: []},
        {20: [(16, None)]},
        background=DURATIONS,
    ),
    # Two values are initiated at 7, one by an event and one by a delay: neither holds. RTEC computes `three` before the
    # delays of the other values are known.
    "a value beside a delay between two others": Defect(
        """
        initiatedAt(state(X)=one, T) :- happensAt(on(X), T).
        initiatedAt(state(X)=three, T) :- happensAt(off(X), T).
        fi(state(X)=one, state(X)=two, 5).
        grounding(on(X)) :- id(X).
        grounding(off(X)) :- id(X).
        grounding(state(X)=one) :- id(X).
        grounding(state(X)=two) :- id(X).
        grounding(state(X)=three) :- id(X).
        """,
        "on|2|2|a off|7|7|a",
        "state(a)=three",
        {20: [(8, None)]},
        {20: []},
    ),
    # A delay that is set up at the first time-point is lost: RTEC looks for initiations after it.
    "a delay from the first time-point": Defect(
        """
        initiatedAt(state(X)=one, T) :- happensAt(start(near(X)=true), T).
        fi(state(X)=one, state(X)=two, 5).
        collectIntervals(near(_)=true).
        grounding(near(X)=true) :- id(X).
        grounding(state(X)=one) :- id(X).
        grounding(state(X)=two) :- id(X).
        """,
        "near|1|1|3|true|a",
        "state(a)=one",
        {20: [(1, None)]},
        {20: [(1, 6)]},
    ),
    # The rest of the interval inside the second window is too short; see `CUT_DURATION` among the differences.
    "a duration across a window's edge": Defect(
        SWITCH
        + """
        holdsFor(long(X)=true, I) :- holdsFor(lit(X)=true, L), intDurGreater(L, 6, I).
        grounding(long(X)=true) :- id(X).
        """,
        "on|7|7|a off|14|14|a",
        "long(a)=true",
        {10: [], 20: []},
        {10: [], 20: [(8, 15)]},
        step=10,
        background=DURATIONS,
    ),
    # One event ends one interval and starts the other; see `TABLE_1` among the differences.
    "intervals that meet": Defect(
        SWITCH
        + """
        initiatedAt(dark(X)=true, T) :- happensAt(off(X), T).
        terminatedAt(dark(X)=true, T) :- happensAt(on(X), T).
        holdsFor(afterwards(X)=true, I) :- holdsFor(lit(X)=true, L), holdsFor(dark(X)=true, D), meets(L, D, target, I).
        grounding(dark(X)=true) :- id(X).
        grounding(afterwards(X)=true) :- id(X).
        """,
        "on|2|2|a off|5|5|a on|8|8|a",
        "afterwards(a)=true",
        {20: []},
        {20: [(6, 9)]},
    ),
    # RTEC's compiler does not terminate for a cycle of delays.
    "a cycle of delays": Defect(
        """
        initiatedAt(step(X)=one, T) :- happensAt(on(X), T).
        fi(step(X)=one, step(X)=two, 3).
        fi(step(X)=two, step(X)=three, 3).
        fi(step(X)=three, step(X)=one, 3).
        grounding(on(X)) :- id(X).
        grounding(step(X)=one) :- id(X).
        grounding(step(X)=two) :- id(X).
        grounding(step(X)=three) :- id(X).
        """,
        "on|1|1|a",
        "step(a)=one",
        {},
        {20: [(2, 5), (11, 14), (20, None)]},
    ),
}


@pytest.mark.parametrize("name", DEFECTS)
def test_holdsfor_and_rtec_answer_as_stated(name: str, tmp_path: Path) -> None:
    defect = DEFECTS[name]
    records, background = tmp_path / "records.csv", tmp_path / "background.prolog"
    records.write_text(defect.records.replace(" ", "\n") + "\n", encoding="utf-8")
    background.write_text(defect.background, encoding="utf-8")
    example = Example("toy", lambda _: [], 0, defect.end, defect.step, defect.step, defect.tick)
    (tmp_path / "source.prolog").write_text(defect.rules, encoding="utf-8")
    ours = run(example, [tmp_path / "source.prolog", background], [records], tmp_path)
    assert {time: ours.get(time, {}).get(defect.asked, []) for time in defect.ours} == defect.ours
    if not defect.theirs:
        with pytest.raises(AssertionError, match="Stack limit"):
            compile_by_rtec(defect.rules, tmp_path)
        return
    theirs = run_by_rtec(example, [background, compile_by_rtec(defect.rules, tmp_path)], [records], tmp_path)
    assert {time: theirs.get(time, {}).get(defect.asked, []) for time in defect.theirs} == defect.theirs
