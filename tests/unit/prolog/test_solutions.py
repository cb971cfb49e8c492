"""bagof/3, setof/3 and aggregate_all/3; the cases with `^` are from the ISO standard, 8.10."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import list_items
from tests.unit.prolog.programs import answers, engine, problem

ISO = """
a(1, f(_)). a(2, f(_)).
b(1, 1). b(1, 1). b(1, 2). b(2, 1). b(2, 2). b(2, 2).
"""

CASES: list[tuple[str, list[str]]] = [
    ("bagof(X, (X = 1 ; X = 2), S)", ["X=X S=[1,2]"]),
    ("bagof(X, (X = 1 ; X = 2), X)", ["X=[1,2]"]),
    ("bagof(X, (X = Y ; X = Z), S)", ["X=X Y=Y Z=Z S=[Y,Z]"]),
    ("bagof(X, fail, S)", []),
    ("bagof(1, (Y = 1 ; Y = 2), L)", ["Y=1 L=[1]", "Y=2 L=[1]"]),
    ("bagof(f(X, Y), (X = a ; Y = b), L)", ["X=X Y=Y L=[f(a,_G1),f(_G2,b)]"]),
    ("bagof(X, Y^((X = 1, Y = 1) ; (X = 2, Y = 2)), S)", ["X=X Y=Y S=[1,2]"]),
    ("bagof(X, Y^((X = 1 ; Y = 1) ; (X = 2, Y = 2)), S)", ["X=X Y=Y S=[1,_G1,2]"]),
    ("bagof(X, (X = Y ; X = Z ; Y = 1), L)", ["X=X Y=Y Z=Z L=[Y,Z]", "X=X Y=1 Z=Z L=[_G1]"]),
    ("bagof(X, a(X, Y), L)", ["X=X Y=f(_G1) L=[1,2]"]),
    ("bagof(X, b(X, Y), L)", ["X=X Y=1 L=[1,1,2]", "X=X Y=2 L=[1,2,2]"]),
    ("setof(X, (X = 1 ; X = 2), S)", ["X=X S=[1,2]"]),
    ("setof(X, (X = 2 ; X = 1), S)", ["X=X S=[1,2]"]),
    ("setof(X, (X = 2 ; X = 2), S)", ["X=X S=[2]"]),
    ("setof(X, fail, S)", []),
    ("setof(1, (Y = 2 ; Y = 1), L)", ["Y=1 L=[1]", "Y=2 L=[1]"]),
    ("setof(X, b(X, Y), L)", ["X=X Y=1 L=[1,2]", "X=X Y=2 L=[1,2]"]),
    ("setof(X, Y^b(X, Y), L)", ["X=X Y=Y L=[1,2]"]),
    ("setof(X, A^B^(b(X, A), b(B, A)), L)", ["X=X A=A B=B L=[1,2]"]),
    ("aggregate_all(count, b(_, _), N)", ["N=6"]),
    ("aggregate_all(count, fail, N)", ["N=0"]),
    ("aggregate_all(sum(X), b(X, _), N)", ["X=X N=9"]),
    ("aggregate_all(sum(X * Y), b(X, Y), N)", ["X=X Y=Y N=14"]),
    ("aggregate_all(max(X), member(X, [1, 3, 2]), N)", ["X=X N=3"]),
    ("aggregate_all(min(X), member(X, [2, 1.5, 3]), N)", ["X=X N=1.5"]),
    ("aggregate_all(max(X), member(X, [a, c, b]), N)", ["X=X N=c"]),
    ("aggregate_all(max(X), fail, N)", []),
    ("aggregate_all(max(X, Y), member(X-Y, [1-a, 3-b, 3-c]), N)", ["X=X Y=Y N=max(3,b)"]),
    ("aggregate_all(min(X, Y), member(X-Y, [2-a, 1-b]), N)", ["X=X Y=Y N=min(1,b)"]),
    ("aggregate_all(bag(X), member(X, [c, a, c]), L)", ["X=X L=[c,a,c]"]),
    ("aggregate_all(set(X), member(X, [c, a, c]), L)", ["X=X L=[a,c]"]),
]


@pytest.mark.parametrize(("goal", "expected"), CASES)
def test_collecting_solutions(goal: str, expected: list[str]) -> None:
    assert answers(ISO, goal) == expected


def test_groups_are_left_one_by_one_without_a_choice_point_behind_the_last() -> None:
    assert answers(ISO, "bagof(X, b(X, Y), L), ! ; L = none") == ["X=X Y=1 L=[1,1,2]"]


def test_an_unknown_aggregate_is_a_problem() -> None:
    assert problem("", "aggregate_all(mean(X), member(X, [1]), M)")[0] == "HF603"


def test_an_unbound_goal_is_a_problem() -> None:
    assert problem("", "bagof(X, G, L)")[0] == "HF602"


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8))
def test_findall_is_the_list_of_solutions(pairs: list[tuple[int, int]]) -> None:
    asked = engine(" ".join(f"p({a}, {b})." for a, b in pairs))
    found = asked.once(parse_term("findall(X-Y, p(X, Y), L)"))
    assert found is not None
    expected = [parse_term(f"{a}-{b}") for a, b in pairs]
    assert list_items(found["L"])[0] == expected


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8))
def test_bagof_groups_the_answers_of_findall(pairs: list[tuple[int, int]]) -> None:
    asked = engine(" ".join(f"p({a}, {b})." for a, b in pairs))
    groups = [(s["Y"], list_items(s["L"])[0]) for s in asked.solve(parse_term("bagof(X, p(X, Y), L)"))]
    expected = [
        (parse_term(str(y)), [parse_term(str(a)) for a, b in pairs if b == y]) for y in sorted({b for _, b in pairs})
    ]
    assert groups == expected
