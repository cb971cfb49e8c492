"""Control constructs: order of answers, and how far a cut reaches."""

from __future__ import annotations

import pytest

from tests.unit.prolog.programs import answers, holds, values

FACTS = "a(1). a(2). a(3). b(2). b(3)."


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("a(X)", ["1", "2", "3"]),
        ("a(X), b(X)", ["2", "3"]),
        ("a(X) ; b(X)", ["1", "2", "3", "2", "3"]),
        ("a(X), \\+ b(X)", ["1"]),
        ("a(X), not(b(X))", ["1"]),
        ("a(X), X > 1 -> true ; X = none", ["2"]),
        ("fail -> X = 1 ; X = 2", ["2"]),
        ("true -> X = 1", ["1"]),
        ("a(X) *-> true ; X = none", ["1", "2", "3"]),
        ("(a(X), X > 5) *-> true ; X = none", ["none"]),
        ("a(X) *-> X > 1", ["2", "3"]),
        ("once(a(X))", ["1"]),
        ("ignore(a(X))", ["1"]),
        ("ignore(fail), X = 1", ["1"]),
        ("forall(b(Y), a(Y)), X = yes", ["yes"]),
        ("call(a, X)", ["1", "2", "3"]),
        ("G = a(X), call(G)", ["1", "2", "3"]),
        ("G = a(X), G", ["1", "2", "3"]),
        ("G = (a(X), b(X)), call(G)", ["2", "3"]),
        ("F = b, call((a(X), call(F, X)))", ["2", "3"]),
        ("(X = 1 ; X = 2 ; X = 3), X >= 2", ["2", "3"]),
        ("(true ; X = 1), (X = 2 ; true), X == 1", ["1"]),
        ("false", []),
        ("Y^a(X)", ["1", "2", "3"]),
    ],
)
def test_constructs_give_their_answers_in_order(goal: str, expected: list[str]) -> None:
    assert values(FACTS, goal) == expected


CUTS = r"""
a(1). a(2). a(3).
first(X) :- a(X), !.
branch(X) :- ( a(X), ! ; X = 4 ).
branch(5).
then(X) :- ( true -> a(X), ! ; true ).
then(5).
otherwise(X) :- ( fail -> true ; a(X), ! ).
otherwise(5).
condition(X) :- ( ( a(X), ! ; X = 9 ) -> true ; true ).
condition(5).
negated(X) :- \+ ( !, fail ), a(X).
negated(5).
called(X) :- a(X), call(!).
called(5).
called_pair(X) :- call(( a(X), ! )).
called_pair(5).
found(L) :- findall(X, ( a(X), ! ), L).
found([5]).
variable(X) :- G = !, a(X), G.
variable(5).
soft(X) :- ( a(X) *-> ! ; true ).
soft(5).
late(X) :- a(X), b, !.
late(5).
b :- fail.
b.
outer(X) :- first(X).
outer(5).
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("first", ["1"]),
        ("branch", ["1"]),
        ("then", ["1"]),
        ("otherwise", ["1"]),
        ("condition", ["1", "5"]),
        ("negated", ["1", "2", "3", "5"]),
        ("called", ["1", "2", "3", "5"]),
        ("called_pair", ["1", "5"]),
        ("found", ["[1]", "[5]"]),
        ("variable", ["1", "2", "3", "5"]),
        ("soft", ["1"]),
        ("late", ["1"]),
        ("outer", ["1", "5"]),
    ],
)
def test_a_cut_reaches_the_clause_or_the_opaque_goal_it_stands_in(name: str, expected: list[str]) -> None:
    assert values(CUTS, f"{name}(X)") == expected


def test_a_cut_in_a_query_ends_its_answers() -> None:
    assert values(FACTS, "a(X), !") == ["1"]


def test_negation_binds_nothing() -> None:
    assert answers(FACTS, "\\+ \\+ a(X)") == ["X=X"]


def test_bindings_of_a_failed_branch_are_undone() -> None:
    assert answers("p(X, Y) :- ( X = 1, fail ; Y = 2 ).", "p(X, Y)") == ["X=X Y=2"]


def test_bindings_of_a_failed_clause_head_are_undone() -> None:
    assert answers("p(1, f(a)). p(Y, f(Y)). p(X, X).", "p(X, f(b))") == ["X=b", "X=f(b)"]


def test_unified_variables_have_one_name_in_the_answer() -> None:
    assert answers("", "X = Y, Z = f(X, W)") == ["X=X Y=X Z=f(X,W) W=W"]


def test_a_disjunction_of_thousands_of_branches_runs() -> None:
    goal = " ; ".join(f"X = {n}" for n in range(5000))
    assert len(values("", goal, limit=10_000)) == 5000


def test_a_chain_of_conditions_takes_the_first_that_holds() -> None:
    program = "size(X, S) :- ( X < 1 -> S = none ; X < 10 -> S = few ; X < 100 -> S = some ; S = many )."
    goal = "member(X, [0, 5, 50, 500]), size(X, S)"
    assert values(program, goal, "S") == ["none", "few", "some", "many"]


def test_a_soft_cut_keeps_the_answers_of_its_condition_and_of_goals_before() -> None:
    assert answers(FACTS, "b(X), ( a(Y), Y >= X *-> true ; Y = none )") == ["X=2 Y=2", "X=2 Y=3", "X=3 Y=3"]


def test_goals_that_use_a_variable_before_and_after_a_construct_share_it() -> None:
    program = "p(X, Y) :- ( X = 1 ; X = 2 ), Y is X * 10."
    assert answers(program, "p(X, Y)") == ["X=1 Y=10", "X=2 Y=20"]


def test_findall_is_opaque_and_copies() -> None:
    assert answers("", "findall(X-Y, member(X, [1, 2]), L)") == ["X=X Y=Y L=[1-_G1,2-_G2]"]
    assert holds("findall(X, fail, [])")
    assert holds("findall(X, member(X, [1, 2]), L, [3]), L == [1, 2, 3]")


def test_findall_inside_findall_gathers_for_itself() -> None:
    goal = "findall(X-L, (member(X, [1, 2]), findall(Y, (member(Y, [1, 2, 3]), Y > X), L)), R)"
    assert values("", goal, "R") == ["[1-[2,3],2-[3]]"]
