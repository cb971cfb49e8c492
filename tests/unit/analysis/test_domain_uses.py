"""Which rules need the members of a dynamic domain for ever."""

from __future__ import annotations

import pytest

from holdsfor.analysis.pipeline import compile_text

BASE = """
dynamicDomain(thing(_)).
grounding(on(X)) :- thing(X). grounding(off(X)) :- thing(X). grounding(f(X)=V) :- thing(X), member(V, [true, false]).
known(X) :- thing(X), X \\= a.
any :- thing(_).
first(X) :- thing(X), !.
proved(G) :- call(G).
linked(X, Y) :- thing(X), thing(Y).
linked(X, Z) :- linked(X, Y), linked(Y, Z).
initiatedAt(f(X)=true, T) :- happensAt(on(X), T).
"""

EVICTABLE = {
    "an event that fills the domain": "initiatedAt(g(X)=true, T) :- happensAt(on(X), T), thing(X).",
    "a clause over the domain": "initiatedAt(g(X)=true, T) :- happensAt(on(X), T), known(X).",
    "a fluent with a grounding": "initiatedAt(g(X)=true, T) :- happensAt(ping, T), holdsAt(f(X)=true, T), known(X).",
    "both branches": "initiatedAt(g(X)=true, T) :- (happensAt(on(X), T) ; happensAt(off(X), T)), thing(X).",
    "inside a negation": "initiatedAt(g=true, T) :- happensAt(ping, T), not (happensAt(on(X), T), thing(X)).",
    "an open termination": "terminatedAt(f(_)=_, T) :- happensAt(ping, T).",
    "a termination of members": "terminatedAt(f(X)=true, T) :- happensAt(ping, T), thing(X).",
    "a delay": "fi(f(X)=true, f(X)=false, 5) :- thing(X).\np(f(X)=true) :- thing(X).",
    "a duration": "holdsFor(g(X)=true, J) :- holdsFor(f(X)=true, I), thing(X), intDurGreater(I, 4, J).",
    "an intersection": (
        "holdsFor(g(X)=true, J) :- holdsFor(f(X)=true, I), holdsFor(h(X)=true, K), thing(X), intersect_all([I, K], J)."
    ),
    "an Allen relation": (
        "grounding(g(X)=true) :- thing(X).\n"
        "holdsFor(g(X)=true, J) :- holdsFor(f(X)=true, I), holdsFor(h=true, K), allen(before, I, K, source, J)."
    ),
    "a grounding with a clause": (
        "grounding(g(X)=true) :- known(X).\n"
        "initiatedAt(g(X)=true, T) :- happensAt(on(X), T).\n"
        "initiatedAt(h(X)=true, T) :- happensAt(start(g(X)=true), T), thing(X)."
    ),
}
LASTING = {
    "another event": "initiatedAt(g(X)=true, T) :- happensAt(ping(X), T), thing(X).",
    "another event and a grounding": "initiatedAt(f(X)=false, T) :- happensAt(ping(X), T).",
    "one branch": "initiatedAt(g(X)=true, T) :- (happensAt(on(X), T) ; happensAt(ping(X), T)), thing(X).",
    "under a negation": "initiatedAt(g(X)=true, T) :- happensAt(ping(X), T), not thing(X).",
    "all members": "initiatedAt(g=true, T) :- happensAt(on(_), T), findall(X, thing(X), L), length(L, N), N > 3.",
    "some member": "initiatedAt(g(X)=true, T) :- happensAt(on(X), T), any.",
    "a cut": "initiatedAt(g(X)=true, T) :- happensAt(on(X), T), first(X).",
    "a recursive clause": "initiatedAt(g(X)=true, T) :- happensAt(on(X), T), linked(X, X).",
    "a called term": "initiatedAt(g(X)=true, T) :- happensAt(on(X), T), proved(known(X)).",
    "an open initiation": "initiatedAt(f(_)=false, T) :- happensAt(ping, T).",
    "an open output event": "grounding(e(X)) :- thing(X).\nhappensAt(e(_), T) :- happensAt(ping, T).",
    "a condition on breaks": (
        "terminatedAt(f(_)=_, T) :- happensAt(ping, T).\n"
        "initiatedAt(g(X)=true, T) :- happensAt(ping, T), terminatedAt(f(X)=true, T)."
    ),
    "an initial value": "initially(f(_)=false).",
    "a complement": (
        "grounding(g(X)=true) :- thing(X).\nholdsFor(g(X)=true, J) :- holdsFor(f(X)=true, I), complement_all([I], J)."
    ),
    "a union with a list of something else": (
        "holdsFor(g(X)=true, J) :- holdsFor(f(X)=true, I), holdsFor(h=true, K), thing(X), union_all([I, K], J)."
    ),
    "a delay to another fluent": "fi(g(X)=true, f(X)=true, 5).\ninitiatedAt(g(X)=true, T) :- happensAt(ping(X), T).",
    "a grounding of other input": "grounding(in(X)=true) :- known(X).\ncollectIntervals(in(_)=true).",
}


@pytest.mark.parametrize("rules", EVICTABLE.values(), ids=EVICTABLE)
def test_members_are_evictable_where_conditions_imply_them(rules: str) -> None:
    assert compile_text(BASE + rules).domain_uses.lasting == frozenset()


@pytest.mark.parametrize("rules", LASTING.values(), ids=LASTING)
def test_members_are_kept_where_rules_range_over_them_or_test_other_constants(rules: str) -> None:
    assert compile_text(BASE + rules).domain_uses.lasting == {("thing", 1)}


def test_each_domain_is_judged_by_its_own_uses() -> None:
    text = """
    dynamicDomain(thing(_)). dynamicDomain(pair(_, _)).
    grounding(on(X)) :- thing(X). grounding(meet(X, Y)) :- thing(X), thing(Y), pair(X, Y).
    initiatedAt(f(X, Y)=true, T) :- happensAt(meet(X, Y), T), pair(X, Y).
    initiatedAt(f(X, Y)=true, T) :- happensAt(meet(X, Y), T), pair(Y, X).
    """
    assert compile_text(text).domain_uses.lasting == {("pair", 2)}


def test_only_the_records_that_match_a_grounding_fill_its_domain() -> None:
    text = "dynamicDomain(thing(_)). grounding(set(X, on)) :- thing(X).\n"
    rule = "initiatedAt(f(X)=true, T) :- happensAt(set(X, {}), T), thing(X)."
    assert compile_text(text + rule.format("on")).domain_uses.lasting == frozenset()
    assert compile_text(text + rule.format("_")).domain_uses.lasting == {("thing", 1)}
