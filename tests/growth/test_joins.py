"""Joins cost their output: ten times as many records take ten times the work, for rules of any shape.

The work is counted in rows, never in time. Every shape below once formed pairs that a later condition removed.
"""

from __future__ import annotations

import pytest

from tests.growth.work import growth

LINEAR = 11.0


def positions(n: int) -> list[str]:
    """Positions of four entities, every one different."""
    return [f"pos|{t}|{t}|v{t % 4}|{t * 7 % 1001}" for t in range(1, n + 1)]


def visits(n: int) -> list[str]:
    """Short visits, one at a time, with a probe during each."""
    return [
        line
        for t in range(0, 10 * n, 10)
        for line in (f"enter|{t}|{t}|v{t}", f"probe|{t + 2}|{t + 2}|p{t}", f"leave|{t + 4}|{t + 4}|v{t}")
    ]


PREVIOUS = """
initiatedAt(at(V)=p(X,T), T) :- happensAt(pos(V,X), T).
"""
INSIDE = """
initiatedAt(inside(V)=true, T) :- happensAt(enter(V), T).
terminatedAt(inside(V)=true, T) :- happensAt(leave(V), T).
"""


@pytest.mark.parametrize(
    "rules",
    [
        PREVIOUS + "happensAt(moved(V,D), T) :- happensAt(pos(V,X), T), holdsAt(at(V)=p(X0,_), T), D is X - X0.",
        PREVIOUS
        + "happensAt(moved(V), T) :- initiatedAt(at(V)=p(X,T), T), holdsAt(at(V)=p(X0,_), T), abs(X - X0) > 40.",
        PREVIOUS + "happensAt(known(V), T) :- happensAt(pos(V,_), T), holdsAt(at(V)=_, T).",
        PREVIOUS + "happensAt(new(V), T) :- happensAt(pos(V,_), T), \\+ holdsAt(at(V)=_, T).",
        PREVIOUS + "happensAt(broken(V,W), T) :- happensAt(pos(V,_), T), terminatedAt(at(V)=W, T).",
    ],
    ids=["after an event", "after an initiation", "any value", "no value", "broken value"],
)
def test_the_previous_value_is_one_value(rules: str) -> None:
    assert growth(rules, positions, 100) < LINEAR


@pytest.mark.parametrize(
    "rules",
    [
        "happensAt(seen(P,V), T) :- happensAt(probe(P), T), holdsAt(inside(V)=true, T).",
        "happensAt(seen(P), T) :- happensAt(probe(P), T), holdsAt(inside(_)=true, T).",
        "happensAt(unseen(P), T) :- happensAt(probe(P), T), \\+ holdsAt(inside(_)=true, T).",
        "happensAt(pair(A,B), T) :- happensAt(start(inside(A)=true), T), holdsAt(inside(B)=true, T).",
    ],
    ids=["pairs", "any", "none", "starts"],
)
def test_a_join_on_time_alone_follows_the_order_of_time(rules: str) -> None:
    assert growth(INSIDE + rules, visits, 50) < LINEAR


def test_conditions_that_bind_nothing_do_not_multiply_rows() -> None:
    def crowd(n: int) -> list[str]:
        return [f"{name}|{t}|{t}|x{i}" for t in range(3) for i in range(n) for name in ("one", "other")]

    rules = """
happensAt(both(X), T) :- happensAt(one(X), T), happensAt(other(_), T).
happensAt(alone(X), T) :- happensAt(one(X), T), \\+ happensAt(other(_), T).
"""
    assert growth(rules, crowd, 50) < LINEAR


@pytest.mark.parametrize("is_postponable", [False, True])
@pytest.mark.parametrize(
    "delay",
    [
        "ft(at(V)=_, 5).",
        "ft(at(V)=_, 5). terminatedAt(at(V)=_, T) :- happensAt(pos(V,X), T), X > 500.",
        "fi(at(V)=p(X,S), at(V)=old, 5).",
        "fi(at(V)=p(X,S), at(V)=old(X,S), 5).",
        "fi(at(V)=X, stale(V)=X, 5).",
    ],
    ids=["an end", "an end, or by an event", "a constant", "another value", "another fluent"],
)
def test_delays_of_many_values_compare_neighbouring_values(delay: str, is_postponable: bool) -> None:
    p = "\np(at(_)=_).\n" if is_postponable else "\n"
    assert growth(PREVIOUS + delay + p, positions, 200) < LINEAR
