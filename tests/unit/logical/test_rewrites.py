"""The list of rewrites: names, order, and what happens if one is switched off."""

from __future__ import annotations

import importlib

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.errors import UsageProblem
from holdsfor.logical.rewrites import OPTIONAL_REWRITES, REWRITES, chosen_rewrites
from holdsfor.physical.operators.operator import all_operators
from holdsfor.physical.operators.prove import Prove
from holdsfor.physical.operators.union_clauses import UnionClauses
from holdsfor.runtime.session import EngineSession

RULES = """
initiatedAt(fast(X)=true, T) :- happensAt(speed(X, S), T), limit(L), S > L, heavy(X).
terminatedAt(fast(X)=true, T) :- happensAt(stop(X), T).
initiatedAt(on(X)=true, T) :- holdsAt(on(Y)=true, T), happensAt(touch(Y, X), T).
limit(5).
heavy(X) :- weight(X, W), W > 10.
weight(a, 12).
weight(b, 3).
"""


def session(*without: str) -> EngineSession:
    return EngineSession(compile_text(RULES), start=0, without=without)


def test_a_rewrite_is_named_after_its_module_and_function() -> None:
    for rewrite in REWRITES:
        assert callable(getattr(importlib.import_module(f"holdsfor.logical.{rewrite.name}"), rewrite.name))


def test_the_order_is_that_of_the_list() -> None:
    assert [each.name for each in chosen_rewrites()] == [each.name for each in REWRITES]
    assert [each.name for each in chosen_rewrites(["fold_facts"])] == [
        each.name for each in REWRITES if each.name != "fold_facts"
    ]


def test_optional_rewrites_are_those_without_a_reason() -> None:
    assert OPTIONAL_REWRITES == ("fold_facts", "count_lists", "order_joins", "hoist_external", "unfold")


def test_facts_are_not_folded_without_fold_facts() -> None:
    def folded(session: EngineSession) -> list[int]:
        return [len(each.facts) for component in session.rules.program.logical.components for each in component.rules]

    assert sum(folded(session())) == 1
    assert sum(folded(session("fold_facts"))) == 0


def test_conditions_are_not_moved_without_hoist_external() -> None:
    def moved(session: EngineSession) -> list[int]:
        return [len(each.first) for component in session.rules.program.logical.components for each in component.rules]

    assert sum(moved(session("order_joins"))) == 1
    assert sum(moved(session("order_joins", "hoist_external"))) == 0


def test_goals_are_proved_without_unfold() -> None:
    def kinds(session: EngineSession) -> set[type]:
        rules = [r for c in session.rules.program.components for f in c.fluents.values() for r in f.initiations]
        return {type(operator) for rule in rules for operator in all_operators(rule.operators)}

    assert UnionClauses in kinds(session())
    assert Prove not in kinds(session())
    assert Prove in kinds(session("unfold"))
    assert UnionClauses not in kinds(session("unfold"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fold_fact", "did you mean `fold_facts`"),
        ("sideways", "`fold_facts`, `count_lists`, `order_joins`, `hoist_external`, `unfold`"),
        ("time_first", "rows have no time-points"),
    ],
)
def test_a_required_rewrite_cannot_be_switched_off(name: str, expected: str) -> None:
    with pytest.raises(UsageProblem) as problem:
        session(name)
    assert expected in problem.value.diagnostics.render()
