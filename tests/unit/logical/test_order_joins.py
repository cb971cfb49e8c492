"""The written order of conditions does not matter for speed: no rows that another condition would have excluded."""

from __future__ import annotations

from itertools import permutations

import pytest

from holdsfor.physical.operators.operator import all_operators
from holdsfor.physical.profile import Profile
from holdsfor.runtime.session import EngineSession
from tests.unit.runtime.cases import Example

N = 6
FLUENTS = """
initiatedAt(s(X)=true, T) :- happensAt(on(X), T).
initiatedAt(near(A,B)=true, T) :- happensAt(meet(A,B), T).
"""
JOINS = ("happensAt(start(s(A)=true), T)", "holdsAt(s(B)=true, T)", "holdsAt(near(A,B)=true, T)", "team(A, K)")
RECORDS = [*(f"on|{1 + i}|v{i}" for i in range(N)), *(f"meet|1|v{i}|v{(i + 1) % N}" for i in range(N))]
TEAMS = "".join(f"team(v{i}, t{i % 2}). " for i in range(N))


@pytest.mark.parametrize("body", list(permutations(JOINS)))
def test_every_order_makes_as_few_rows(body: tuple[str, ...]) -> None:
    rule = f"initiatedAt(pair(A,B,K)=true, T) :- {', '.join(body)}."
    example = Example(FLUENTS + TEAMS + rule, tuple(RECORDS))
    assert example.batch() == example.reference()
    assert 0 < most_rows(example, "pair") <= N


def most_rows(example: Example, name: str) -> int:
    """The largest number of rows after an operator of the rules of a fluent."""
    session = EngineSession(example.given.compiled, start=example.start)
    session.profile = Profile()
    session.insert((example.end, fact) for fact in example.given.facts)
    session.query(example.end)
    fluents = [
        fluent for each in session.rules.program.components for key, fluent in each.fluents.items() if key[0] == name
    ]
    operators = [o for fluent in fluents for rule in fluent.initiations for o in all_operators(rule.operators)]
    return max(session.profile.of(id(operator)).rows_out for operator in operators)


def test_predicates_that_joins_of_facts_define_are_joins() -> None:
    facts = "".join(f"info(v{i}, k{i % 2}, {i}). " for i in range(N)) + "limit(k0, 3). limit(k1, 5). "
    rule = "initiatedAt(fast(V)=true, T) :- happensAt(on(V), T), kind(V, K), limit(K, L), L > 2."
    clauses = "kind(V, K) :- info(V, K, _). grounding(fast(V)=true) :- info(V, _, _). "
    example = Example(facts + clauses + rule, tuple(RECORDS))
    assert example.batch() == example.reference()
    assert most_rows(example, "fast") <= N


def test_predicates_with_cuts_stay_behind_joins() -> None:
    facts = "info(v1, k0). info(v1, k1). limit(k1, 5). "
    rule = "initiatedAt(fast(V)=true, T) :- happensAt(on(V), T), kind(V, K), limit(K, L), L > 2."
    example = Example(facts + "kind(V, K) :- info(V, K), !. " + rule, tuple(RECORDS))
    assert example.batch() == example.reference()
