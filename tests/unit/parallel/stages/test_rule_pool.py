"""The buckets of a process share one plan of the rules, and nothing of the input of earlier buckets."""

from __future__ import annotations

import numpy as np
import pytest

import holdsfor as hf
from holdsfor.columns.records import Records
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.stages import rule_pool
from holdsfor.parallel.stages.rule_pool import borrowed_rules
from holdsfor.runtime.prepared_rules import PreparedRules
from holdsfor.runtime.session import EngineSession
from holdsfor.syntax.terms import Atom

RULES = """
dynamicDomain(person(X)).
collectGrounds([seen(X)], person(X)).
grounding(idle(X)=true) :- person(X).
initially(idle(X)=true) :- person(X).
terminatedAt(idle(X)=true, T) :- happensAt(seen(X), T).
"""


@pytest.fixture
def rules() -> Rules:
    rule_pool._POOLED.clear()
    return Rules.of(hf.load_text(RULES))


def instances(prepared: PreparedRules, *names: str) -> int:
    """The number of intervals of a run in which some persons are seen."""
    session = EngineSession(prepared.compiled, start=0, end=10, prepared=prepared)
    words = prepared.symbols.words(map(Atom, names))
    times = np.full(len(names), 5, dtype=np.int64)
    session.insert_columns(("seen", 1), Records([words], times, times, None))
    return sum(table.n for table in session.query(10).fluents.values())


def test_a_bucket_uses_the_plan_of_the_bucket_before(rules: Rules) -> None:
    with borrowed_rules(rules, (0,)) as first:
        pass
    with borrowed_rules(rules, (0,)) as second:
        assert second is first


def test_members_of_an_earlier_bucket_are_dropped(rules: Rules) -> None:
    with borrowed_rules(rules, (0,)) as prepared:
        assert instances(prepared, "ann", "bob") == 2
    with borrowed_rules(rules, (0,)) as prepared:
        assert instances(prepared, "cid") == 1


def test_rules_with_many_symbols_are_not_kept(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule_pool, "_MANY_SYMBOLS", 3)
    with borrowed_rules(rules, (0,)) as first:
        first.symbols.words(Atom(f"v{i}") for i in range(3))
    with borrowed_rules(rules, (0,)) as second:
        assert second is not first


def test_rules_of_a_failed_bucket_are_not_kept(rules: Rules) -> None:
    with pytest.raises(ZeroDivisionError), borrowed_rules(rules, (0,)):
        _ = 1 // 0
    assert not rule_pool._POOLED
