"""Input that only a dynamic domain uses is read: its records are members of the domain."""

from __future__ import annotations

import pytest

from tests.unit.runtime.cases import Example

RULES = """
initiatedAt(s0(X)=on, T) :- happensAt(e1(X), T).
initially(s0(X)=2).
grounding(s0(X)=on) :- dom(X).
grounding(s0(X)=2) :- dom(X).
"""
NAMED = {
    "events by collectGrounds": ("collectGrounds([e1(X), e2(X)], dom(X)).", "e2|28|b"),
    "an event by its grounding": (
        "dynamicDomain(dom(_)). grounding(e1(X)) :- dom(X). grounding(n1(X, _)) :- dom(X).",
        "n1|28|b|z",
    ),
    "a declared fluent": ("collectIntervals(jf(_)=_). collectGrounds([e1(X), jf(X)=_], dom(X)).", "jf|28|29|true|b"),
    "a declared fluent with one value": (
        "points(pf(_)=_). collectGrounds([e1(X), pf(X)=true], dom(X)).",
        "pf|28|true|b",
    ),
    "a fluent, as points": ("collectGrounds([e1(X), jf(X)=_], dom(X)).", "jf|28|true|b"),
    "a fluent, as intervals": ("collectGrounds([e1(X), jf(X)=_], dom(X)).", "jf|28|29|true|b"),
}


@pytest.mark.parametrize("name", NAMED)
def test_records_of_an_entity_that_no_rule_uses_give_members(name: str) -> None:
    declarations, record = NAMED[name]
    example = Example(RULES + declarations, ("e1|5|a", record))
    expected = {"s0(a)=2": [(0, 6)], "s0(a)=on": [(6, None)], "s0(b)=2": [(0, None)]}
    assert example.reference() == example.batch() == expected
    example.check(15)
    example.check_stages(1, 2)


def test_computed_entities_are_no_members() -> None:
    rules = RULES + "happensAt(out(X), T) :- happensAt(e2(X), T). collectGrounds([e1(X), out(X)], dom(X))."
    example = Example(rules, ("e1|5|a", "e2|28|b"))
    assert example.reference() == example.batch()
    assert "s0(b)=2" not in example.batch()


def test_variables_range_over_the_input_of_a_connected_domain() -> None:
    """`collectGrounds` connects the places of its entities with the domain, as the `grounding` of an entity does."""
    rules = """
    happensAt(o(G), T) :- happensAt(e0, T).
    initiatedAt(s(X)=k, T) :- happensAt(o(X), T).
    collectGrounds([e1(X), n1(X, _)], dom(X)).
    grounding(s(X)=k) :- dom(X).
    """
    example = Example(rules, ("e1|2|a", "n1|3|b|1", "e0|5"))
    expected = {"o(a)": [5], "o(b)": [5], "s(a)=k": [(6, None)], "s(b)=k": [(6, None)]}
    assert example.reference() == example.batch() == expected
    example.check(4)
