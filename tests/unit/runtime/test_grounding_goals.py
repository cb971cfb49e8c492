"""`grounding/1` as a goal: in delays, rules, initial values, other groundings and clauses."""

from __future__ import annotations

import pytest

from tests.unit.runtime.cases import Example

RECORDS = ("e|1|a", "e|3|b", "e|4|c", "e|12|a")
DECLARED = """
grounding(e(X)) :- m(X).
grounding(f(X)=on) :- m(X).
grounding(f(X)=off) :- m(X).
initiatedAt(f(X)=on, T) :- happensAt(e(X), T).
"""
MEMBERS = {"facts": "m(a). m(b).", "clauses": "m(X) :- member(X, [a, b]).", "dynamic": "dynamicDomain(m(_))."}
RULES = {
    "fi": "fi(f(X)=on, f(X)=off, 5) :- grounding(f(X)=on).",
    "ft": "ft(f(X)=on, 5) :- grounding(f(X)=on).",
    "p": "fi(f(X)=on, f(X)=off, 10). p(f(X)=on) :- grounding(f(X)=on).",
    "condition": "initiatedAt(g(X)=true, T) :- happensAt(e(X), T), grounding(f(X)=off).",
    "negation": "initiatedAt(g(X)=true, T) :- happensAt(e(X), T), \\+ grounding(f(X)=missing).",
    "event": "happensAt(h(X, Y), T) :- happensAt(e(X), T), grounding(f(Y)=on), X \\= Y.",
    "initially": "initially(g(X)=true) :- grounding(f(X)=on).",
    "intervals": "holdsFor(g(X)=true, J) :- grounding(f(X)=on), holdsFor(f(X)=on, I), complement_all([I], J).",
    "grounding": "grounding(g(X)=true) :- X \\= a, grounding(f(X)=on).\n"
    "initiatedAt(g(X)=true, T) :- happensAt(e(X), T).",
    "clause": "twin(X, Y) :- grounding(f(X)=on), grounding(f(Y)=off), X @< Y.\n"
    "happensAt(h(X, Y), T) :- happensAt(e(X), T), twin(X, Y).",
}


@pytest.mark.parametrize("members", MEMBERS)
@pytest.mark.parametrize("rule", RULES)
def test_both_evaluators_have_the_declared_grounding(rule: str, members: str) -> None:
    Example(DECLARED + MEMBERS[members] + "\n" + RULES[rule], RECORDS).check()


def test_a_delay_with_the_usual_spelling_fires() -> None:
    example = Example(DECLARED + MEMBERS["facts"] + "\n" + RULES["fi"], RECORDS[:1])
    assert example.batch() == example.reference()
    assert example.batch() == {"f(a)=on": [(2, 7)], "f(a)=off": [(7, None)]}


def test_an_event_or_fluent_without_declaration_has_no_grounding() -> None:
    example = Example("initiatedAt(f(X)=on, T) :- happensAt(e(X), T), \\+ grounding(f(X)=on).", ("e|1|a",))
    example.check(5)
    assert example.batch() == {"f(a)=on": [(2, None)]}
