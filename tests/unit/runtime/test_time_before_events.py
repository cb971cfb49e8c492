"""Conditions may use the time-point before the condition that binds it: their order never changes the meaning."""

from __future__ import annotations

import pytest

from tests.unit.runtime.cases import Example

BACKGROUND = """
limit(5).
good(3).
good(6).
late(T) :- T > 4.
shift(T, N) :- N is T + 1.
thing(a).
thing(b).
initiatedAt(g=true, T) :- happensAt(e(b), T).
terminatedAt(g=true, T) :- happensAt(e(a), T).
"""
RECORDS = ("e|1|a", "e|2|b", "e|3|a", "n|4|4", "n|5|3", "e|6|b", "k|7|2", "k|7|9", "e|9|c")
BODIES = {
    "arithmetic": "T mod 3 =\\= 0, happensAt(e(X),T)",
    "a value computed from it": "N is T mod 3, happensAt(e(X),T), N > 0",
    "a value of a value": "N is T mod 3, M is N+1, happensAt(e(X),T), M > 1",
    "a fact": "good(T), happensAt(e(X),T)",
    "a negated fact": "\\+ good(T), happensAt(e(X),T)",
    "a goal": "late(T), happensAt(e(X),T)",
    "a goal that binds": "shift(T,N), N > 4, happensAt(e(X),T)",
    "unification": "T = N, N > 2, happensAt(e(X),T)",
    "unification, turned round": "N = T, N > 2, happensAt(e(X),T)",
    "a structure": "N = p(T), happensAt(e(X),T), N = p(Q), Q > 2",
    "a negation": "\\+ (T > 2, happensAt(e(b),T)), happensAt(e(X),T)",
    "a collection": "findall(Y, (happensAt(e(Y),T), T > 2), L), length(L,N), N > 0, happensAt(e(X),T)",
    "a template before the event": "findall(T, happensAt(e(Y),T), L), length(L,N), N > 0, happensAt(e(X),T)",
    "a template": "happensAt(e(X),T), findall(T, happensAt(e(_),T), L), L = [Q], Q > 2",
    "a sum": "happensAt(e(X),T), aggregate_all(sum(T), happensAt(e(Y),T), N), N > 2",
    "a choice": "(T > 4 ; T < 3), happensAt(e(X),T)",
    "a choice that says when": "(T > 4, happensAt(e(X),T) ; happensAt(e(X),T), T < 3)",
    "a choice that says when, behind a fact": "limit(L), (T > L, happensAt(e(X),T) ; happensAt(e(X),T), T < 3)",
    "a choice of computed values": "N is T mod 3, (happensAt(e(X),T), N > 1 ; happensAt(k(X),T), X > N)",
    "a choice before a fact": "(happensAt(e(X),T), T > 3 ; happensAt(k(X),T), X > L), limit(L)",
    "one branch of a choice": "(happensAt(e(X),T), T > 3 ; happensAt(k(X),T))",
    "what holds, first in a branch": "(T < 4, holdsAt(g=true,T), happensAt(e(X),T) ; happensAt(k(X),T))",
    "an argument that is the time-point": "happensAt(n(T),T), happensAt(n(X),T)",
    "an argument that is the time-point, bound twice": "X = T, happensAt(n(T),T)",
    "a computed value that is the time-point": "happensAt(k(X),T), N is X + 5, N = T",
    "a double negation": "\\+ (\\+ (T > 2)), happensAt(e(X),T)",
    "a member of a list": "member(T,[1,3,7]), happensAt(e(X),T)",
    "an argument of the head": "X = T, happensAt(e(_),T)",
    "a computed argument of the head": "X is T + 1, happensAt(e(_),T)",
    "if-then-else": "(T > 2 -> X = late ; X = early), happensAt(e(_),T)",
    "for all": "forall(happensAt(e(Y),T), T > 2), happensAt(e(X),T)",
    "the own fluent": "T mod 3 =\\= 0, \\+ holdsAt(f(X)=true,T), happensAt(e(X),T)",
    "the own fluent in a choice": "(T > 2 ; \\+ holdsAt(f(X)=true,T)), happensAt(e(X),T)",
    "the own fluent in a negation": "\\+ (T > 3, holdsAt(f(X)=true,T)), happensAt(e(X),T)",
    "a termination": "T > 2, terminatedAt(g=true,T), happensAt(e(X),T)",
    "a choice that needs the grounding of the head": "T > 2, (happensAt(e(Z),T), Z \\= X ; happensAt(k(Z),T))",
    "the same behind what holds": "T > 2, \\+ holdsAt(g=true,T), "
    "(happensAt(e(Z),T), Z \\= X ; happensAt(k(Z),T), T > 5)",
    "a variable of a later event": "findall(X-Y, happensAt(e(Y),T), L), length(L,N), N > 0, happensAt(e(X),T)",
}
HEADS = {
    "event": "happensAt(o(X), T) :- BODY.",
    "initiation": "initiatedAt(f(X)=true, T) :- BODY. "
    "terminatedAt(f(X)=true, T) :- happensAt(k(_), T), happensAt(e(X), T).",
    "cycle": "initiatedAt(f(X)=true, T) :- BODY. "
    "initiatedAt(f(X)=off, T) :- happensAt(e(X), T), holdsAt(f(X)=true, T), T > 1.",
    "termination": "initially(f(a)=true). initially(f(b)=true). grounding(f(X)=true) :- thing(X). "
    "terminatedAt(f(X)=true, T) :- BODY.",
}


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("body", BODIES)
def test_the_time_point_may_be_used_before_it_is_bound(head: str, body: str) -> None:
    rules = HEADS[head].replace("BODY", BODIES[body])
    Example(rules + BACKGROUND, RECORDS, end=12).check(4)


def test_a_fact_of_the_time_point_is_a_test() -> None:
    rules = "good(3). happensAt(o(X), T) :- good(T), happensAt(e(X), T)."
    assert Example(rules, ("e|1|a", "e|3|b")).batch() == {"o(b)": [3]}


def test_a_disjunction_that_binds_the_time_point_may_use_it_in_its_branches() -> None:
    rules = "happensAt(o(X), T) :- (T > 4, happensAt(e(X), T) ; happensAt(k(X), T), T < 3)."
    assert Example(rules, ("e|3|a", "e|5|b", "k|2|c", "k|4|d")).batch() == {"o(b)": [5], "o(c)": [2]}
