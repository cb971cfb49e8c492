"""`startI` and `endI`: the first time-point of an interval, and its end, wherever a window begins."""

from __future__ import annotations

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.errors import AnalysisProblem
from tests.properties.answers import Found
from tests.unit.runtime.cases import Example

RULES = "initiatedAt(s(X)=on, T) :- happensAt(a(X), T). terminatedAt(s(X)=on, T) :- happensAt(b(X), T). "
EDGES = (
    "happensAt(first(X, V), T) :- happensAt(startI(s(X)=V), T). "
    "happensAt(over(X, V), T) :- happensAt(endI(s(X)=V), T). "
)
INPUT = "collectIntervals(f(_)=_). "
OF_INPUT = EDGES.replace("s(X)=V", "f(X)=V")

EXAMPLES: dict[str, tuple[Example, dict[str, list[Found]] | None]] = {
    "a simple fluent": (
        Example(RULES + EDGES, ("a|3|p", "b|6|p", "a|9|p", "b|10|p", "a|12|p", "a|29|q")),
        {"first(p,on)": [4, 10, 13], "over(p,on)": [7, 11], "first(q,on)": [30]},
    ),
    "a value that follows another": (
        Example("initiatedAt(s(X)=V, T) :- happensAt(set(X, V), T). " + EDGES, ("set|2|p|1", "set|4|p|2")),
        {"first(p,1)": [3], "over(p,1)": [5], "first(p,2)": [5]},
    ),
    "an initial value has a beginning that is no event": (
        Example(RULES + EDGES + "initially(s(p)=on). initially(s(q)=off).", ("b|6|p", "a|9|q", "a|8|p")),
        {"over(p,on)": [7], "first(p,on)": [9], "over(q,off)": [10], "first(q,on)": [10]},
    ),
    "an input fluent": (
        Example(INPUT + OF_INPUT, ("f|-3|4|on|p", "f|0|9|on|q", "f|9|12|off|q", "f|30|31|on|p", "f|31|33|on|q")),
        {
            "over(p,on)": [4],
            "first(q,on)": [0],
            "over(q,on)": [9],
            "first(q,off)": [9],
            "over(q,off)": [12],
            "first(p,on)": [30],
        },
    ),
    "input points that touch": (
        Example("points(f(_)=_). " + OF_INPUT, ("f|3|on|p", "f|4|on|p", "f|7|on|p")),
        {"first(p,on)": [3, 7], "over(p,on)": [5, 8]},
    ),
    "a statically determined fluent": (
        Example(
            INPUT + EDGES + "holdsFor(s(X)=on, J) :- holdsFor(f(X)=u, I), holdsFor(f(X)=v, K), union_all([I, K], J).",
            ("f|2|7|u|p", "f|7|9|v|p", "f|12|13|u|p"),
        ),
        {"first(p,on)": [2, 12], "over(p,on)": [9, 13]},
    ),
    "a complement begins with the run": (
        Example(
            INPUT + EDGES + "holdsFor(s(X)=on, J) :- holdsFor(f(X)=u, I), complement_all([I], J).",
            ("f|2|7|u|p",),
        ),
        {"first(p,on)": [0, 7], "over(p,on)": [2]},
    ),
    "negated and in a collection": (
        Example(
            RULES + "happensAt(quiet(X), T) :- happensAt(a(X), T), not happensAt(endI(s(_)=on), T). "
            "happensAt(n(N), T) :- happensAt(c, T), aggregate_all(count, happensAt(startI(s(_)=on), T), N).",
            ("a|3|p", "b|5|p", "a|6|q", "a|7|r", "a|8|p", "c|8", "c|9", "c|10"),
        ),
        {"quiet(p)": [3, 8], "quiet(r)": [7], "n(1)": [8, 9], "n(0)": [10]},
    ),
    "a cycle that advances time": (
        Example(
            "initiatedAt(s(X)=on, T) :- happensAt(a(X), T). terminatedAt(s(X)=on, T) :- happensAt(startI(s(X)=on), T). "
            "initiatedAt(s(X)=on, T) :- happensAt(endI(s(X)=on), T), not happensAt(b, T). ",
            ("a|3|p", "b|11"),
        ),
        {"s(p)=on": [(4, 5), (6, 7), (8, 9), (10, 11)]},
    ),
    "a cycle through an event": (
        Example(
            "happensAt(e(X), T) :- happensAt(startI(s(X)=on), T). initiatedAt(s(X)=on, T) :- happensAt(a(X), T). "
            "initiatedAt(s(X)=off, T) :- happensAt(e(X), T). happensAt(g(X), T) :- happensAt(endI(s(X)=on), T). "
            "initiatedAt(s(X)=on, T) :- happensAt(g(X), T), happensAt(a(_), T). ",
            ("a|3|p", "a|5|q", "a|7|q", "a|9|r"),
        ),
        None,
    ),
    "an effect that a delay has": (
        Example(RULES + EDGES + "fi(s(X)=on, s(X)=off, 4). p(s(_)=on).", ("a|3|p", "a|5|p", "b|12|p", "a|14|q")),
        {
            "first(p,on)": [4],
            "over(p,on)": [10],
            "first(p,off)": [10],
            "first(q,on)": [15],
            "over(q,on)": [19],
            "first(q,off)": [19],
        },
    ),
    "a condition of a delay": (
        Example(
            RULES + "fi(s(X)=on, r(X)=on, 4) :- happensAt(endI(s(q)=on), T), not happensAt(startI(s(q)=on), T).",
            ("a|3|p", "a|2|q", "b|6|q"),
        ),
        {"s(p)=on": [(4, None)], "s(q)=on": [(3, 7)], "r(p)=on": [(8, None)]},
    ),
    "a tick of its own": (
        Example(RULES + EDGES, ("a|40|p", "b|120|p", "a|200|p"), start=0, end=400, tick=40),
        {"first(p,on)": [80, 240], "over(p,on)": [160]},
    ),
    "a value outside the grounding": (
        Example(
            "initiatedAt(s(X)=V, T) :- happensAt(set(X, V), T). grounding(s(X)=V) :- d(V). d(1). " + EDGES,
            ("set|2|p|1", "set|4|p|2", "set|6|p|1"),
        ),
        {"first(p,1)": [3, 7], "over(p,1)": [5]},
    ),
    "effects of edges at the edge of a window": (
        Example(
            RULES + "initiatedAt(r(X)=on, T) :- happensAt(endI(s(X)=on), T). "
            "terminatedAt(r(X)=on, T) :- happensAt(startI(s(X)=on), T), not happensAt(b(X), T).",
            tuple(f"{'a' if t % 4 else 'b'}|{t}|p" for t in range(0, 30, 2)),
        ),
        None,
    ),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_edges_are_events_at_the_edge_itself(name: str) -> None:
    example, expected = EXAMPLES[name]
    found = example.reference()
    assert isinstance(found, dict)
    if expected is not None:
        asks_for_fvps = any("=" in entity for entity in expected)
        assert {entity: each for entity, each in found.items() if ("=" in entity) == asks_for_fvps} == expected
    example.check(1, 2, 3, 5, 7, 10, 30)
    example.check_stages(1, 3)


def test_a_cycle_through_the_edge_of_a_static_fluent_is_refused() -> None:
    with pytest.raises(AnalysisProblem, match="HF212"):
        compile_text(
            "initiatedAt(s=on, T) :- happensAt(startI(r=on), T). "
            "holdsFor(r=on, J) :- holdsFor(s=on, I), union_all([I], J)."
        )


def test_edges_cannot_be_defined() -> None:
    with pytest.raises(AnalysisProblem, match="`startI` events cannot be defined"):
        compile_text("happensAt(startI(s=on), T) :- happensAt(a, T).")
