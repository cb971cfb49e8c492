"""A list of which only the length is used is counted, and never formed."""

from __future__ import annotations

import pytest

from holdsfor.physical.operators.aggregate import Aggregate
from holdsfor.physical.operators.count_fluents import CountFluents
from holdsfor.runtime.session import EngineSession
from tests.unit.runtime.cases import Example

VOTES = """
initiatedAt(voted(V,M)=X, T) :- happensAt(vote(V,M,X), T).
happensAt(decided(M,N), T) :- happensAt(close(M), T), {body}.
"""
RECORDS = ("vote|1|a|m|aye", "vote|2|b|m|aye", "vote|3|c|m|nay", "close|5|m", "close|6|n")


def collections(body: str) -> tuple[Example, list[Aggregate]]:
    example = Example(VOTES.format(body=body), RECORDS)
    program = EngineSession(example.given.compiled, start=0).rules.program
    rules = [rule for component in program.components for rule in component.events]
    return example, [o for rule in rules for o in rule.operators if isinstance(o, Aggregate)]


@pytest.mark.parametrize(
    "body",
    [
        "findall(V, holdsAt(voted(V,M)=aye, T), L), length(L, N)",
        "findall(V, holdsAt(voted(V,M)=aye, T), L), happensAt(close(M), T), length(L, N), N >= 0",
    ],
)
def test_a_length_is_a_count(body: str) -> None:
    example, (collection,) = collections(body)
    assert example.batch() == example.reference()
    assert isinstance(collection, CountFluents)


@pytest.mark.parametrize(
    "body",
    [
        "findall(V, holdsAt(voted(V,M)=aye, T), L), length(L, N), member(a, L)",
        "N = 2, findall(V, holdsAt(voted(V,M)=aye, T), L), length(L, N)",
        "findall(V, holdsAt(voted(V,M)=aye, T), L), length(L, 2), N = 2",
    ],
)
def test_a_list_that_is_used_otherwise_is_formed(body: str) -> None:
    example, (collection,) = collections(body)
    assert example.batch() == example.reference()
    assert collection.aggregate == "list"
