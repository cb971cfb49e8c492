"""Join orders of interval rules: never a product of instances that another operand would have cut down."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import pytest

from holdsfor.physical.profile import Profile
from holdsfor.runtime.session import EngineSession
from tests.unit.runtime.cases import Example

N = 12
DECLARED = """
collectIntervals(slow(_)=true). collectIntervals(near(_,_)=true). collectIntervals(known(_)=true).
dynamicDomain(id(_)). collectGrounds([slow(A)=true, near(A,_)=true, near(_,A)=true, known(A)=true], id(A)).
grounding(slow(A)=true) :- id(A).
grounding(known(A)=true) :- id(A).
grounding(near(A,B)=true) :- id(A), id(B).
grounding(pair(A,B)=true) :- id(A), id(B).
"""
READ = "holdsFor(slow(A)=true, I), holdsFor(slow(B)=true, J), holdsFor(near(A,B)=true, K)"
RULES = {
    "intersect": f"holdsFor(pair(A,B)=true, L) :- {READ}, intersect_all([{{lists}}], L).",
    "union": f"holdsFor(pair(A,B)=true, L) :- {READ}, union_all([I, J], U), intersect_all([K, U], L).",
    "subtract": f"holdsFor(pair(A,B)=true, L) :- {READ}, union_all([I, J], U), relative_complement_all(K, [U], L).",
    "both": f"holdsFor(pair(A,B)=true, L) :- {READ}, holdsFor(known(A)=true, M), relative_complement_all(I, [J], N), "
    "union_all([N, M], U), intersect_all([U, K], L).",
}


def records() -> Iterator[str]:
    for i in range(N):
        yield f"slow|{i % 5}|{8 + i % 7}|true|v{i}"
        yield f"known|{i % 3}|{5 + i % 9}|true|v{i}"
        yield f"near|{i % 4}|{9 + i % 6}|true|v{i}|v{(i + 1) % N}"


def programs() -> Iterator[tuple[str, str]]:
    for name, rule in RULES.items():
        for lists in permutations("IJK") if "{lists}" in rule else ["IJK"]:
            yield f"{name} {''.join(lists)}", DECLARED + rule.replace("{lists}", ", ".join(lists))


@pytest.mark.parametrize(("name", "rules"), list(programs()), ids=[name for name, _ in programs()])
def test_no_more_instances_than_the_restricting_list_has(name: str, rules: str) -> None:
    example = Example(rules, tuple(records()))
    example.check(4)
    given = example.given
    session = EngineSession(given.compiled, start=example.start, tick=example.tick)
    session.profile = Profile()
    session.insert((example.end, fact) for fact in given.facts)
    session.query(example.end)
    (rule,) = (rule for component in session.rules.program.components for rule in component.interval_rules)
    most = max(session.profile.of(id(operator)).rows_out for operator in rule.operators)
    assert 0 < most <= 2 * N


def test_a_list_that_is_compared_as_a_whole_keeps_all_instances() -> None:
    steps = "union_all([I, J], U), intDurGreater(U, 3, D), intersect_all([K, D], L)"
    rule = f"holdsFor(pair(A,B)=true, L) :- {READ}, {steps}."
    Example(DECLARED + rule, tuple(records())).check(4)
