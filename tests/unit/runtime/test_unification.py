"""Unifications of structures: each argument may bind variables that the next one needs, from either side."""

from __future__ import annotations

import pytest

from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import equations
from tests.unit.runtime.cases import Example

RECORDS = ("e|1|a", "e|2|b")
BODIES = {
    "f(X, Y) = f(Y, b)": {"s(b,b)=true": [(3, None)]},
    "f(Y, b) = f(X, Y)": {"s(b,b)=true": [(3, None)]},
    "f(Y, Z) = f(Z, X)": {"s(a,a)=true": [(2, None)], "s(b,b)=true": [(3, None)]},
    "k(X, g(Y, c)) = k(a, g(Z, Z))": {"s(a,c)=true": [(2, None)]},
    "[X, Y | R] = [Z, Z, W | V], V = [], W = c": {"s(a,a)=true": [(2, None)], "s(b,b)=true": [(3, None)]},
    "Y = c, \\+ f(X, Z) = f(Z, b)": {"s(a,c)=true": [(2, None)]},
    "Y = c, (f(X, Z) = f(Z, b) ; f(Z, X) = f(d, Z))": {"s(b,c)=true": [(3, None)]},
    "Y = c, f(X, Z, Y) = f(Z, a, Y)": {"s(a,c)=true": [(2, None)]},
    "Y = c, f(X, Z) = f(a, g(X)), g(X) = Z": {"s(a,c)=true": [(2, None)]},
    "Y = c, f(X, a) = f(Y, b)": {},
}


@pytest.mark.parametrize("body", BODIES)
def test_structures_are_unified_argument_by_argument(body: str) -> None:
    for goals in (f"happensAt(e(X), T), {body}", f"{body}, happensAt(e(X), T)"):
        example = Example(f"initiatedAt(s(X, Y)=true, T) :- {goals}.", RECORDS)
        assert example.reference() == BODIES[body]
        example.check(1)


def test_structures_in_a_rule_over_intervals() -> None:
    rules = """
    initiatedAt(s(X)=true, T) :- happensAt(e(X), T).
    holdsFor(r(X, Y)=true, I) :- holdsFor(s(X)=true, J), f(X, Y) = f(Y, b), union_all([J], I).
    """
    example = Example(rules, RECORDS)
    found = example.reference()
    assert isinstance(found, dict)
    assert found["r(b,b)=true"] == [(3, None)]
    assert "r(a,b)=true" not in found
    example.check(1)


def test_only_unifications_of_structures_are_split() -> None:
    def split(text: str) -> list[str]:
        return [show(goal) for goal in equations(parse_term(text, "test"))]

    assert split("f(X, Y) = f(Y, b)") == ["X=Y", "Y=b"]
    assert split("f(X, a, Y) = f(X, a, g(Z))") == ["Y=g(Z)"]
    assert split("f(X) = g(Y)") == ["f(X)=g(Y)"]
    assert split("f(X, Y) = f(a, b)") == ["f(X,Y)=f(a,b)"]
    assert split("f(X) = f(X)") == ["f(X)=f(X)"]
    assert split("p(X, Y)") == ["p(X,Y)"]
