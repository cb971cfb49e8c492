"""Goals that need the values of variables: a proof without them is an error, and the goal does not bind them.

Other conditions bind such a variable, in any order; without such a condition, it ranges over its grounding or sort.
"""

from __future__ import annotations

from itertools import permutations

import pytest

from tests.unit.runtime.cases import Example

BACKGROUND = """
far(X) :- X > 3.
double(X, Y) :- Y is 2 * X.
big(X) :- double(X, Y), Y > 5.
three_steps(X) :- X > 3, Y is X - 3, three_steps(Y).
three_steps(X) :- X =< 3.
short(X) :- atom_length(X, 1).
named(X) :- X =.. [Name|_], Name > 3.
upto(High, X) :- between(1, High, X).
same(X, X).
num(1).
num(7).
odd(X) :- num(X).
odd(9).
"""
FLUENTS = """
initiatedAt(in(X)=true, T) :- happensAt(in0(X), T).
"""
RECORDS = ("in0|1|7", "in0|3|2", "e|1|7", "e|4|2", "s|5|a", "s|7|b")

INTERVAL_GOALS = {
    "comparison in a clause": (["far(X)"], {7}),
    "computed and compared": (["big(X)"], {7}),
    "recursion": (["three_steps(X)"], {2, 7}),
    "text": (["short(X)"], {2, 7}),
    "structure": (["named(X)"], {7}),
    "once": (["once(far(X))"], {7}),
    "negated": (["\\+ far(X)"], {2}),
    "linked": (["far(Y)", "same(X, Y)"], {7}),
    "computed by another goal": (["far(Y)", "double(X, Y)"], {2, 7}),
    "computed by another goal, then negated": (["\\+ Y > 10", "double(X, Y)"], {2}),
    "bound by another goal": (["far(X)", "odd(X)"], {7, 9}),
    "bound by facts": (["far(X)", "num(X)"], {7}),
}


def members(answer: object) -> set[int]:
    assert isinstance(answer, dict), answer
    return {int(name[2:-6]) for name in answer if name.startswith("d(")}


@pytest.mark.parametrize("goals", INTERVAL_GOALS)
def test_a_needed_variable_of_an_interval_rule_ranges_over_its_sort(goals: str) -> None:
    conditions, expected = INTERVAL_GOALS[goals]
    for order in permutations([*conditions, "holdsFor(in(X)=true, I)"]):
        body = ", ".join([*order, "complement_all([I], J)"])
        example = Example(f"holdsFor(d(X)=true, J) :- {body}.\n{FLUENTS}{BACKGROUND}", RECORDS)
        assert example.batch() == example.reference(), body
        assert members(example.batch()) == expected, body


@pytest.mark.parametrize("head", ["d(X, Y)", "d(Y, X)"])
@pytest.mark.parametrize("goal", ["double(X, Y)", "Y is 2 * X", "far(Y), double(X, Y)", "Y > 1, Y is 2 * X"])
def test_a_goal_binds_the_others_once_needed_variables_have_values(goal: str, head: str) -> None:
    rule = f"holdsFor({head}=true, J) :- {goal}, holdsFor(in(X)=true, I), complement_all([I], J)."
    example = Example(f"{rule}\n{FLUENTS}{BACKGROUND}", RECORDS)
    found = example.batch()
    assert found == example.reference()
    expected = {head.replace("X", x).replace("Y", y) + "=true" for x, y in [("7", "14"), ("2", "4")]}
    assert {name.replace(",", ", ") for name in found if name.startswith("d(")} == expected


POINT_GOALS = {
    "comparison in a clause": ["far(X)"],
    "and a negation": ["far(X)", "\\+ happensAt(e(X), T)"],
    "and a count": ["far(X)", "aggregate_all(count, holdsAt(in(X)=true, T), N)", "N > 0"],
    "bound by the event": ["far(X)", "happensAt(in0(X), T)"],
    "bound by a goal": ["far(X)", "odd(X)"],
    "bound by linked goals": ["far(X)", "odd(Y)", "same(X, Y)"],
    "linked": ["far(Y)", "same(X, Y)"],
    "in a branch": ["(far(X) ; num(X))"],
    "in a temporal branch": ["(far(X), happensAt(s(a), T) ; num(X))"],
    "under a negation": ["\\+ (far(X), num(X))"],
    "recursion": ["three_steps(X)"],
    "built in": ["upto(X, 2)"],
}


@pytest.mark.parametrize("goals", POINT_GOALS)
def test_a_needed_variable_of_a_point_rule_ranges_over_its_sort(goals: str) -> None:
    answers = []
    for order in permutations(["happensAt(s(_), T)", *POINT_GOALS[goals]]):
        rule = f"initiatedAt(d(X)=true, T) :- {', '.join(order)}.\n"
        false = "initiatedAt(d(X)=false, T) :- happensAt(in0(X), T).\n"
        example = Example(rule + false + FLUENTS + BACKGROUND, RECORDS)
        answers.append(example.reference())
        assert isinstance(answers[-1], dict)
        assert example.batch() == answers[-1], order
    assert all(answer == answers[0] for answer in answers)


RULES = {
    "initially": "initially(d(X)=true) :- far(X).\nterminatedAt(d(X)=true, T) :- happensAt(in0(X), T).",
    "initially, linked": "initially(d(X)=true) :- far(Y), same(X, Y).\n"
    "terminatedAt(d(X)=true, T) :- happensAt(in0(X), T).",
    "delay": "fi(in(X)=true, in(X)=false, R) :- far(Y), double(Y, R), same(X, Y).",
    "delay of some": "fi(in(X)=true, in(X)=false, 3) :- far(X), double(X, _).",
    "grounding of the head": "grounding(d(X)=true) :- num(X).\n"
    "holdsFor(d(X)=true, J) :- far(X), holdsFor(in(X)=true, I), complement_all([I], J).",
}


@pytest.mark.parametrize("rule", RULES)
def test_both_evaluators_bind_needed_variables(rule: str) -> None:
    example = Example(f"{RULES[rule]}\n{FLUENTS}{BACKGROUND}", RECORDS)
    assert isinstance(example.reference(), dict)
    example.check(10)
