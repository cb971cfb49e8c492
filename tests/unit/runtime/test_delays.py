"""Initiations that start nothing, because of a break at the same time-point, and the delays that they set up."""

from __future__ import annotations

import random

import pytest

from tests.unit.runtime.cases import Example

PLAIN = """
initiatedAt(f=a, T) :- happensAt(e, T).
terminatedAt(f=a, T) :- happensAt(x, T).
fi(f=a, g=b, 4).
terminatedAt(g=b, T) :- happensAt(y, T).
"""
CYCLE = """
initiatedAt(f=a, T) :- happensAt(e, T), \\+ holdsAt(h=on, T).
initiatedAt(f=c, T) :- happensAt(z, T).
terminatedAt(f=a, T) :- happensAt(x, T).
fi(f=a, g=b, 4).
terminatedAt(g=b, T) :- happensAt(y, T).
initiatedAt(h=on, T) :- happensAt(z, T), holdsAt(g=b, T).
terminatedAt(h=on, T) :- happensAt(x, T).
"""
CHAIN = """
initiatedAt(f=a, T) :- happensAt(e, T).
terminatedAt(f=a, T) :- happensAt(x, T).
initiatedAt(f=c, T) :- happensAt(z, T).
fi(f=a, f=b, 4).
fi(f=b, f=a, 3).
ft(f=c, 2).
fi(f=c, g=b, 5).
terminatedAt(g=b, T) :- happensAt(y, T).
"""
DECLARATIONS = {"plain": PLAIN, "cycle": CYCLE, "chain": CHAIN}


@pytest.mark.parametrize("rules", [PLAIN, CYCLE], ids=["plain", "cycle"])
def test_the_next_initiation_is_the_first_since_the_fvp_began_to_hold(rules: str) -> None:
    example = Example(rules, ("e|5", "x|5", "e|7", "y|10"))
    assert example.reference() == {"f=a": [(8, None)], "g=b": [(10, 11), (12, None)]}
    example.check(1, 3, 4)


@pytest.mark.parametrize("rules", [PLAIN, CYCLE], ids=["plain", "cycle"])
def test_one_after_it_is_a_reinitiation(rules: str) -> None:
    example = Example(rules, ("e|5", "x|5", "e|7", "e|8", "y|10", "y|11", "e|20"))
    assert example.reference() == {"f=a": [(8, None)], "g=b": [(10, 11)]}
    example.check(1, 3, 4)


def test_a_break_cancels_the_effects_of_both() -> None:
    example = Example(PLAIN, ("e|5", "x|5", "e|7", "x|8"))
    assert example.reference() == {"f=a": [(8, 9)]}
    example.check(1, 3, 4)


def test_the_next_initiation_moves_a_postponable_effect() -> None:
    example = Example(PLAIN + "p(f=a).", ("e|5", "x|5", "e|7", "y|10"))
    assert example.reference() == {"f=a": [(8, None)], "g=b": [(12, None)]}
    example.check(1, 3, 4)


def test_what_ends_at_a_time_point_still_decides_there_what_breaks_the_source_of_a_delay() -> None:
    rules = """
    initiatedAt(g(_)=true, T) :- happensAt(n(_), T).
    terminatedAt(g(_)=true, T) :- happensAt(e(X), T), aggregate_all(count, holdsAt(g(X)=true, T), N), N < 3,
        not holdsAt(g(X)=true, T).
    terminatedAt(g(X)=true, T) :- happensAt(e(X), T).
    initiatedAt(g(X)=true, T) :- initiatedAt(f(X)=true, T), happensAt(n(X), T).
    fi(g(X)=true, f(X)=true, 7).
    """
    example = Example(rules, ("n|0|k", "e|4|b"))
    assert example.reference() == {"g(b)=true": [(1, 5)], "g(k)=true": [(1, None)], "f(k)=true": [(8, None)]}
    example.check(1, 3, 4)


@pytest.mark.parametrize("equal", ["Y = X", "same(Y, X)", "same(X, Y)"])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_condition_when_due_binds_what_one_branch_of_a_disjunction_uses(equal: str, is_first: bool) -> None:
    choice = "(holdsAt(g(X)=true, T) ; happensAt(e(Y), T))"
    rules = f"""
    same(X, X).
    initiatedAt(f(X)=true, T) :- happensAt(e(X), T).
    initiatedAt(g(X)=true, T) :- happensAt(o(X), T).
    ft(f(X)=true, 3) :- {f"{equal}, {choice}" if is_first else f"{choice}, {equal}"}.
    """
    example = Example(rules, ("e|7|a", "e|10|b", "o|11|b"))
    assert example.reference() == {"f(a)=true": [(8, None)], "f(b)=true": [(11, 14)], "g(b)=true": [(12, None)]}
    example.check(1, 3, 4)


@pytest.mark.parametrize("name", DECLARATIONS)
@pytest.mark.parametrize("is_postponable", [False, True])
def test_all_evaluators_agree(name: str, is_postponable: bool) -> None:
    random_ = random.Random(f"{name} {is_postponable}")
    rules = DECLARATIONS[name] + ("p(f=a)." if is_postponable else "")
    for _ in range(8):
        points = {(random_.choice("eexyz"), random_.randint(0, 20)) for _ in range(random_.randint(2, 14))}
        records = tuple(f"{event}|{time}" for event, time in sorted(points, key=lambda point: point[1]))
        Example(rules, records).check(3)
