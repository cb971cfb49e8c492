"""The instances that a plan carries as numbers, and the words that it drops."""

from __future__ import annotations

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.physical.operators.anti_join import AntiJoin
from holdsfor.physical.operators.join_fluents import JoinFluents
from holdsfor.physical.operators.join_points import JoinPoints
from holdsfor.physical.patterns import ANYTHING
from holdsfor.physical.plan import PlannedRule
from holdsfor.runtime.session import EngineSession
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term

STATE = "initiatedAt(s(X, Y)=on, T) :- happensAt(set(X, Y), T).\n"


def planned(rule: str, name: str = "f") -> PlannedRule:
    """The plan of a rule for a fluent, besides one for `s(X, Y)`."""
    session = EngineSession(compile_text(STATE + rule), start=0)
    fluents = [f for c in session.rules.program.components for key, f in c.fluents.items() if key[0] == name]
    (found,) = [rule for fluent in fluents for rule in (*fluent.initiations, *fluent.terminations)]
    return found


def scanned(rule: PlannedRule) -> JoinPoints:
    first = rule.operators[0]
    assert isinstance(first, JoinPoints)
    return first


def shown(patterns: tuple[Term, ...]) -> list[str]:
    return ["_" if pattern is ANYTHING else show(pattern) for pattern in patterns]


def test_the_arguments_of_the_head_come_as_numbers_instead_of_words() -> None:
    rule = planned("initiatedAt(f(Y, X)=V, T) :- happensAt(e(X, V, Y, Z), T), Z > 1.")
    assert rule.numbered == "#Y,X"
    assert scanned(rule).numbered == (("#Y,X", (2, 0)),)
    assert shown(scanned(rule).patterns) == ["_", "V", "_", "Z"]


def test_words_that_other_conditions_use_are_kept() -> None:
    rule = planned("initiatedAt(f(X, Y)=X, T) :- happensAt(e(X, Y), T), Y > 1.")
    assert rule.numbered == "#X,Y"
    assert shown(scanned(rule).patterns) == ["X", "Y"]


@pytest.mark.parametrize("negated", [False, True])
def test_fluents_are_looked_up_by_number(negated: bool) -> None:
    literal = "not holdsAt(s(X, Y)=on, T)" if negated else "holdsAt(s(X, Y)=on, T)"
    rule = planned(f"initiatedAt(f(X)=on, T) :- happensAt(e(X, Y), T), {literal}.")
    assert scanned(rule).numbered == (("#X", (0,)), ("#X,Y", (0, 1)))
    assert shown(scanned(rule).patterns) == ["_", "_"]
    inner = [each for step in rule.operators if isinstance(step, AntiJoin) for each in step.plan]
    assert [step.numbered for step in (inner if negated else rule.operators) if isinstance(step, JoinFluents)] == [
        "#X,Y"
    ]


@pytest.mark.parametrize(
    "rule",
    [
        "initiatedAt(f(X, X)=on, T) :- happensAt(e(X), T).",
        "initiatedAt(f(k(X))=on, T) :- happensAt(e(X), T).",
        "initiatedAt(f(X, Y)=on, T) :- happensAt(e(X), T), happensAt(e(Y), T).",
        "grounding(f(X)=V) :- d(X, V). d(1, 2).\ninitiatedAt(f(X)=V, T) :- happensAt(e(X), T).",
    ],
    ids=["twice the same", "inside a term", "of two conditions", "with a value to be grounded"],
)
def test_arguments_without_a_numbering_condition_are_columns_of_words(rule: str) -> None:
    assert planned(rule).numbered is None


def test_fluents_before_their_instance_is_numbered_are_looked_up_by_words() -> None:
    rule = planned(
        "initiatedAt(f(X)=on, T) :- happensAt(e(X), T), holdsAt(s(X, Y)=on, T), 1 < 2, happensAt(g(X, Y), T)."
    )
    assert [step.numbered for step in rule.operators if isinstance(step, JoinFluents)] == [None]
    assert rule.numbered == "#X"
