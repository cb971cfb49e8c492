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
    session = EngineSession(example.given.compiled, start=example.start)
    session.profile = Profile()
    session.insert((example.end, fact) for fact in example.given.facts)
    session.query(example.end)
    fluents = [
        fluent for each in session.rules.program.components for key, fluent in each.fluents.items() if key[0] == "pair"
    ]
    operators = [o for fluent in fluents for rule in fluent.initiations for o in all_operators(rule.operators)]
    assert 0 < max(session.profile.of(id(operator)).rows_out for operator in operators) <= N
