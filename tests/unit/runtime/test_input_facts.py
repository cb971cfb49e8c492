"""Ground facts of events and FVPs in an event description are input."""

from __future__ import annotations

from dataclasses import replace

import pytest

import holdsfor as hf
from holdsfor.analysis.pipeline import compile_text
from holdsfor.errors import AnalysisProblem, UsageProblem
from holdsfor.syntax.printer import show_program
from tests.unit.runtime.cases import Example

RULES = (
    "initiatedAt(s(X)=on, T) :- happensAt(a(X), T). terminatedAt(s(X)=on, T) :- happensAt(b(X), T). "
    "holdsFor(both(X)=true, J) :- holdsFor(f(X)=up, I), holdsFor(s(X)=on, K), intersect_all([I, K], J). "
    "happensAt(seen(X, V), T) :- happensAt(startI(g(X)=V), T). "
)
FACTS = (
    "happensAt(a(p), 3). happensAt(b(p), 9). happensAt(a(q), 30). happensAt(unused(q), 4). happensAt(a(early), -5). "
    "holdsFor(f(p)=up, [(1,5),(7,12)]). holdsAt(g(p)=on, 4). holdsAt(g(p)=on, 5). holdsAt(g(p)=off, 30). "
)
ANSWER = {
    "s(p)=on": [(4, 10)],
    "s(q)=on": [(31, None)],
    "both(p)=true": [(4, 5), (7, 10)],
    "seen(p,on)": [4],
    "seen(p,off)": [30],
}


def test_facts_are_input() -> None:
    example = Example(RULES + FACTS)
    assert example.reference() == ANSWER
    example.check(1, 3, 7, 30)
    example.check_stages(1, 3)


def test_facts_and_records_add_up() -> None:
    records = ("a|12|p", "a|3|p", "f|12|14|up|p", "g|6|on|p")
    example = Example(RULES + FACTS, records)
    assert example.reference() == ANSWER | {
        "s(p)=on": [(4, 10), (13, None)],
        "both(p)=true": [(4, 5), (7, 10), (13, 14)],
    }
    example.check(1, 3, 7, 30)
    example.check_stages(1, 3)


def test_facts_fill_domains_and_give_values_beside_rules() -> None:
    example = Example(
        "dynamicDomain(d(_)). grounding(a(X)) :- d(X). grounding(c(X)=V) :- d(X), (V = given ; V = on). "
        "initially(c(X)=on). terminatedAt(c(X)=on, T) :- happensAt(start(c(X)=given), T), holdsAt(c(X)=on, T). "
        "happensAt(a(p), 3). holdsFor(c(p)=given, [(6,8)]). holdsFor(c(q)=given, [(2,4)]).",
        ("a|7|q",),
    )
    assert example.reference() == {"c(p)=on": [(0, 6)], "c(q)=on": [(0, 2)]}
    example.check(1, 3, 30)
    example.check_stages(1, 3)


def test_facts_set_the_run_where_nothing_else_does() -> None:
    result = hf.recognise(hf.load_text(RULES + FACTS), [])
    assert result.holds_for("both(p)=true") == [(4, 5), (7, 10)]
    session = hf.Session(hf.load_text(RULES + FACTS), start=0, window=10)
    assert session.query(10).holds_for("s(p)=on") == [(4, 10)]


@pytest.mark.parametrize(
    "text", ["happensAt(a(X), 3).", "happensAt(a(p), T).", "holdsFor(f(p)=up, [(5,3)]).", "holdsFor(f(p)=up, [3])."]
)
def test_facts_that_are_no_records_are_refused(text: str) -> None:
    with pytest.raises(AnalysisProblem, match="HF215"):
        compile_text(RULES + text)


def test_a_fact_between_time_points_is_refused() -> None:
    example = replace(Example(RULES + FACTS), tick=2)
    with pytest.raises(UsageProblem, match="HF215"):
        example.batch()


def test_facts_for_computed_fvps_are_refused() -> None:
    with pytest.raises(AnalysisProblem, match="HF214"):
        compile_text(RULES + "holdsFor(s(p)=on, [(3,5)]).")
    with pytest.raises(AnalysisProblem, match="HF214"):
        compile_text(RULES + "happensAt(seen(p, on), 3).")


def test_a_long_run_of_facts_is_read_as_single_facts_are() -> None:
    facts = [f"happensAt(a('v {i % 7}', {i % 3}), {i})." for i in range(80)]
    facts += [f"holdsAt(g(x{i})=on, {i})." for i in range(70)] + ["happensAt(e, 7)."]
    facts += [f"holdsFor(f=v{i},[({i}, {i + 5})])." for i in range(70)]
    rules = "happensAt(o(X), T) :- happensAt(a(X, _), T), holdsAt(g(_)=on, T), holdsAt(f=_, T), not happensAt(e, T). "
    single = [fact.replace("(", "(/* single */", 1) for fact in facts]
    together, apart = compile_text(rules + "\n".join(facts)), compile_text(rules + "\n".join(single))
    assert len(together.programs[0].items) == 2
    assert len(apart.programs[0].items) == len(facts) + 1
    assert together.description.given == apart.description.given
    shown = compile_text(show_program(together.programs[0]))
    assert shown.description.given == together.description.given


def test_a_time_beyond_all_time_points_is_refused() -> None:
    with pytest.raises(AnalysisProblem, match="HF215"):
        compile_text(f"happensAt(a(p), {10**19}).")
