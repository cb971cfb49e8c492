"""The conditions of rules with a time-point; spelling makes no difference."""

from __future__ import annotations

import pytest

from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.rules import (
    Collect,
    Condition,
    Either,
    Ends,
    Happens,
    Holds,
    Initiated,
    Not,
    Starts,
    Terminated,
)
from holdsfor.syntax.rules import Test as Goal
from holdsfor.syntax.terms import Var
from tests.unit.syntax.reading import described, errors, refused


def body(goals: str) -> tuple[Condition, ...]:
    """The conditions of a rule with these goals."""
    (rule,) = described(f"initiatedAt(f=true, T) :- {goals}.").point_rules
    return rule.body


def codes(goals: str) -> list[str]:
    return [d.code for d in refused(f"initiatedAt(f=true, T) :- {goals}.")]


@pytest.mark.parametrize(
    ("goal", "kind"),
    [
        ("happensAt(e(X), T)", Happens),
        ("happensAt(e, T)", Happens),
        ("happensAt(start(g(X)=V), T)", Starts),
        ("happensAt(end(g=true), T)", Ends),
        ("happensAt(start(x), T)", Happens),
        ("happensAt(end(x, y), T)", Happens),
        ("holdsAt(g=true, T)", Holds),
        ("initiatedAt(g=true, T)", Initiated),
        ("terminatedAt(g=true, T)", Terminated),
        ("X = 3", Goal),
        ("X is Y + 1", Goal),
        ("person(X)", Goal),
        ("fail", Goal),
        ("(a ; b)", Goal),
        ("findall(X, p(X), L)", Goal),
        ("forall(p(X), q(X))", Goal),
        ("setof(X, p(X), L)", Goal),
        ("not p(X)", Not),
        ("\\+ happensAt(e, T)", Not),
        ("(happensAt(e, T) ; p(X))", Either),
        ("findall(X, holdsAt(g(X)=true, T), L)", Collect),
        ("aggregate_all(count, happensAt(e(_), T), N)", Collect),
    ],
)
def test_each_goal_is_one_condition(goal: str, kind: type[Condition]) -> None:
    (condition,) = body(goal)
    assert type(condition) is kind
    assert condition.span is not None


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("not happensAt(e, T)", "\\+ happensAt(e, T)"),
        ("not(happensAt(e, T))", "\\+(happensAt(e, T))"),
        ("initiatedAt(g=1, T1, T, T2)", "initiatedAt(g=1, T)"),
        ("terminatedAt(g=1, _, T, _)", "terminatedAt(g=1, T)"),
        ("initiates(e, g=1, T)", "happensAt(e, T), initiatedAt(g=1, T)"),
        ("terminates(e, g=1, T)", "happensAt(e, T), terminatedAt(g=1, T)"),
        ("initiates(start(h=1), g=1, T)", "happensAt(start(h=1), T), initiatedAt(g=1, T)"),
        ("(a, (b, c)), d", "a, b, c, d"),
        ("a, true, b", "a, b"),
        ("(happensAt(a, T) | happensAt(b, T))", "(happensAt(a, T) ; happensAt(b, T))"),
        ("forall(happensAt(a, T), holdsAt(g=1, T))", "\\+ (happensAt(a, T), \\+ holdsAt(g=1, T))"),
        (
            "(happensAt(a, T) -> b ; c)",
            "(happensAt(a, T), b ; \\+ happensAt(a, T), c)",
        ),
    ],
)
def test_older_and_other_spellings_mean_the_same(older: str, newer: str) -> None:
    assert body(older) == body(newer)


def test_four_argument_heads_and_initiates_are_rules_like_others() -> None:
    newer = described("initiatedAt(f=true, T) :- happensAt(e, T), p.").point_rules
    assert described("initiatedAt(f=true, _, T, _) :- happensAt(e, T), p.").point_rules == newer
    assert described("initiates(e, f=true, T) :- p.").point_rules == newer
    ending = described("terminatedAt(f=true, T) :- happensAt(end(g=1), T).").point_rules
    assert described("terminatedAt(f=true, T1, T, T2) :- happensAt(end(g=1), T).").point_rules == ending
    assert described("terminates(end(g=1), f=true, T).").point_rules == ending


def test_the_time_of_a_rule_is_its_variable() -> None:
    (rule,) = described("initiatedAt(f=true, From, Now, To) :- happensAt(e, Now).").point_rules
    assert rule.time == Var("Now")


@pytest.mark.parametrize(
    ("spelling", "kind"),
    [
        ("count", "count"),
        ("count(X)", "count"),
        ("sum(X)", "sum"),
        ("max(X)", "max"),
        ("min(X)", "min"),
        ("bag(X)", "bag"),
    ],
)
def test_aggregates_over_conditions(spelling: str, kind: str) -> None:
    (collect,) = body(f"aggregate_all({spelling}, holdsAt(g=X, T), N)")
    assert isinstance(collect, Collect)
    assert (collect.aggregate, collect.result) == (kind, Var("N"))


def test_the_branches_of_a_disjunction_are_side_by_side() -> None:
    (either,) = body("(happensAt(a, T) ; happensAt(b, T) ; p, q)")
    assert isinstance(either, Either)
    assert [len(branch) for branch in either.branches] == [1, 1, 2]


@pytest.mark.parametrize(
    ("goals", "code"),
    [
        ("happensAt(e, T1)", "HF203"),
        ("happensAt(e, 5)", "HF203"),
        ("holdsAt(f=true, T+1)", "HF203"),
        ("initiatedAt(g=1, T, T1, T2)", "HF203"),
        ("happensAt(e, T), holdsFor(g=true, I)", "HF204"),
        ("happensAt(e, T), !", "HF218"),
        ("happensAt(e, T), X", "HF204"),
        ("happensAt(e, T), 3", "HF204"),
        ("happensAt(e, T), 1.5", "HF204"),
        ("happensAt(e, T), \\+ 3", "HF204"),
        ("happensAt(e, T), (3 ; happensAt(e, T))", "HF204"),
        ("happensAt(X, T)", "HF202"),
        ("happensAt(3, T)", "HF202"),
        ("happensAt(f=true, T)", "HF202"),
        ("happensAt(start(X=true), T)", "HF202"),
        ("holdsAt(g, T)", "HF202"),
        ("holdsAt(X, T)", "HF202"),
        ("holdsAt(3=true, T)", "HF202"),
        ("happensAt(e, T), holdsAt(g=true)", "HF202"),
        ("happensAt(e)", "HF202"),
        ("happensAt(e, T), call(holdsAt(g=true, T))", "HF204"),
        ("happensAt(e, T), setof(X, holdsAt(g=X, T), L)", "HF204"),
        ("happensAt(e, T), aggregate_all(cuont(X), holdsAt(g=X, T), N)", "HF204"),
    ],
)
def test_invalid_conditions_are_refused(goals: str, code: str) -> None:
    assert codes(goals) == [code]


def test_several_wrong_conditions_of_one_rule_are_all_reported() -> None:
    assert codes("happensAt(e, T1), holdsAt(g, T), !, X") == ["HF203", "HF202", "HF218", "HF204"]


def test_a_misspelt_aggregate_has_a_hint() -> None:
    (error,) = refused("initiatedAt(f=true, T) :- happensAt(e, T), aggregate_all(summ(X), holdsAt(g=X, T), N).")
    assert error.hint == "did you mean `sum`?"


def test_a_fluent_without_its_value_has_a_hint() -> None:
    (error,) = refused("initiatedAt(f=true, T) :- happensAt(e, T), holdsAt(g(X), T).")
    assert error.hint == "write `g(X)=true`"
    assert error.span
    assert error.span.text == "g(X)"


@pytest.mark.parametrize("negation", ["\\+ ", "not "])
def test_a_long_chain_of_negations_is_read_or_refused(negation: str) -> None:
    text = f"initiatedAt(f=true, T) :- happensAt(e, T), {negation * 3_000} happensAt(e, T)."
    assert errors(text) or is_described_without_recursion(text)


def is_described_without_recursion(text: str) -> bool:
    """Pytest itself would take minutes over the traceback of a `RecursionError`."""
    try:
        refused(text)
    except RecursionError:
        return False
    return True


def test_terms_keep_their_nesting() -> None:
    (happens,) = body("happensAt(per(close_ballot(C, 'M 1')), T)")
    assert happens == Happens(parse_term("per(close_ballot(C, 'M 1'))"))
