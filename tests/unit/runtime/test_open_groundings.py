"""Grounding rules whose goals leave variables of the entity open, or need values: these range over their sorts."""

from __future__ import annotations

import pytest

from tests.unit.runtime.cases import Example

BACKGROUND = """
m(a, _).
m(b, 1).
far(X) :- X > 3.
double(X, Y) :- Y is 2 * X.
not_seven(X) :- X \\= 7.
same(X, X).
num(1).
num(7).
"""
RECORDS = ("in|1|7", "in|3|2", "s|5|a", "s|7|b", "s|8|c")
ONE = {
    "comparison": ("X > 3", {"7"}),
    "comparison in a clause": ("far(X)", {"7"}),
    "comparison of a bound variable": ("far(X), num(X)", {"7"}),
    "test in a clause": ("not_seven(X)", {"2"}),
    "negation": ("\\+ far(X)", {"2"}),
    "negation of a bound variable": ("\\+ far(X), num(X)", {"1"}),
}
TWO = {
    "fact with a variable": ("m(X, Y)", {"a,1", "a,2", "a,7", "b,1"}),
    "joined": ("m(X, Y), same(Y, Z), num(Z)", {"a,1", "a,7", "b,1"}),
    "linked": ("num(X), same(X, Y)", {"1,1", "7,7"}),
    "computed": ("double(X, Y), num(X)", {"1,2", "7,14"}),
    "computed from the sort": ("Y is 2 * X", {"2,4", "7,14"}),
    "computed in a clause from the sort": ("double(X, Y)", {"2,4", "7,14"}),
    "no goal about one": ("num(X)", {"1,2", "1,7", "7,2", "7,7"}),
}
CASES = {f"{name} of one": ("X", *case) for name, case in ONE.items()}
CASES |= {f"{name} of two": ("X, Y", *case) for name, case in TWO.items()}
RULES = {
    "initially": "initially(d({0})=true).\n{1}",
    "initiated": "initiatedAt(d({0})=true, T) :- happensAt(s(_), T).\n{1}",
    "complement": "holdsFor(d({0})=true, J) :- holdsFor(q({2})=true, I), complement_all([I], J).\n"
    "initiatedAt(q(X)=true, T) :- happensAt(in(X), T).",
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("case", CASES)
def test_variables_that_a_grounding_leaves_open_range_over_their_sorts(case: str, rule: str) -> None:
    names, goals, expected = CASES[case]
    last = "Y" if case.startswith(("fact", "joined", "no goal")) else "X"
    end = f"terminatedAt(d({names})=true, T) :- happensAt(in({last}), T)."
    rules = RULES[rule].format(names, end, last)
    example = Example(f"grounding(d({names})=true) :- {goals}.\n{rules}\n{BACKGROUND}", RECORDS)
    example.check(4)
    found = example.batch()
    assert {name for name in found if name.startswith("d(")} == {f"d({each})=true" for each in expected}


@pytest.mark.parametrize("goal", ["V > 3", "far(V)", "m(a, V)", "not_seven(V)"])
def test_an_open_value_ranges_over_its_sort(goal: str) -> None:
    rules = f"grounding(d(X)=V) :- num(X), {goal}.\ninitiatedAt(d(X)=V, T) :- happensAt(in(V), T).\n"
    Example(rules + BACKGROUND, RECORDS).check(4)


def test_events_with_an_open_grounding() -> None:
    rules = "grounding(h(X, Y)) :- m(X, Y).\nhappensAt(h(X, Y), T) :- happensAt(s(X), T).\n"
    seen = (
        "initiatedAt(d(X, Y)=true, T) :- happensAt(h(X, Y), T).\ninitiatedAt(d(q, Y)=true, T) :- happensAt(in(Y), T).\n"
    )
    example = Example(rules + seen + BACKGROUND, RECORDS)
    example.check(4)
    found = example.batch()
    assert {name for name in found if name.startswith("h(")} == {"h(a,1)", "h(a,2)", "h(a,7)", "h(b,1)"}


@pytest.mark.parametrize("case", CASES)
def test_stages_give_open_groundings_in_one_place(case: str) -> None:
    names, goals, _ = CASES[case]
    end = f"terminatedAt(d({names})=true, T) :- happensAt(in(X), T)."
    rules = RULES["initiated"].format(names, end)
    Example(f"grounding(d({names})=true) :- {goals}.\n{rules}\n{BACKGROUND}", RECORDS).check_stages(1, 3)
