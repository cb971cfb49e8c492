"""Goals as people write them: cuts, choices, recursion, open lists, aggregates. Both evaluators agree, in any order."""

from __future__ import annotations

import pytest

from tests.unit.runtime.cases import Example

BACKGROUND = r"""
m(a,1). m(b,2). m(c,3). m(d,1).
same(X,X). pair(X,Y,X-Y).
first(X,Y) :- m(X,N), !, Y = N.
big(X) :- m(X,N), ( N > 2 -> true ; N =:= 2 -> true ; fail ).
cnt(0) :- !.
cnt(N) :- N > 0, M is N-1, cnt(M).
path(X,Y) :- l(X,Y). path(X,Y) :- l(X,Z), path(Z,Y).
l(a,b). l(b,c). l(c,d).
any(_). opt(X,Y) :- ( m(X,Y) ; Y = none ).
lst([a,b|_]). rep(X,X,_).
neg(X) :- \+ m(X,1).
"""
RECORDS = ("e|1|a", "e|3|b", "e|5|c", "e|7|d", "e|8|zz", "v|1|a|1", "v|3|b|5", "v|5|c|3")
BODIES = [
    "first(X,Y), Y > 1",
    r"\+ true",
    r"\+ (true, true)",
    "not(true)",
    r"\+ \+ true, m(X,_)",
    r"\+ (true, m(X,1))",
    "forall(m(X,_), true)",
    "forall(true, m(X,_))",
    r"(m(X,1) ; \+ true ; fail ; m(X,2), true)",
    r"\+ (Y = X, (m(Y,2) ; happensAt(v(Y,_),T)))",
    r"\+ (same(Y,X), (holdsAt(f(X)=true,T) ; happensAt(v(Y,5),T)))",
    "big(X)",
    "cnt(3), any(X)",
    "path(X,d)",
    r"path(X,Y), \+ l(X,Y)",
    "same(X,Y), m(Y,2)",
    "same(X,b)",
    "pair(X,Y,P), P = b-_ , any(Y)",
    "member(X,[a,c])",
    "between(1,3,N), m(X,N)",
    "m(X,N), between(2,inf,N)",
    "setof(Y,N^m(Y,N),L), member(X,L)",
    r"forall(m(Y,1), Y \= X)",
    "forall(member(Y,[X]), m(Y,_))",
    "findall(Y,m(Y,1),L), member(X,L)",
    "opt(X,none)",
    "opt(X,V), happensAt(v(X,V),T)",
    "happensAt(v(X,V),T), opt(X,V), V > 1",
    "rep(X,Y,Z), m(Y,_)",
    "neg(X)",
    r"\+ neg(X)",
    "any(Y), same(Y,X)",
    "aggregate_all(count, m(_,1), N), N =:= 2",
    "aggregate_all(max(V), m(_,V), M), m(X,M)",
    "(m(X,1) -> true ; X = b)",
    "(X = a ; X = c), m(X,_)",
    "length(L,2), L = [X|_]",
    "L = [X,Y], member(Y,[1]), any(L)",
    "nth0(0,[X,b],b)",
    "once(m(X,_))",
    "X = Y, m(Y,2)",
    "Y = X",
    "N is 1+1, m(X,N)",
    "m(X,N), M is N*2, M > 2",
    "not m(X,_)",
    r"\+ (m(X,N), N > 1)",
    "X @< c",
    "atom(X), m(X,_)",
    "copy_term(f(X,Y),f(Z,W)), m(X,1)",
    "call(m,X,1)",
    "G = m(X,1), call(G)",
    "msort([X,b],[b,_])",
    "last([a,X],c)",
    "sub_atom(X,0,1,_,z)",
    "atom_length(X,2)",
    "sum_list([1,2],S), m(X,S)",
    "ignore(m(X,9))",
    "var(Y), m(X,1)",
    "nonvar(X)",
    "ground(X)",
]


@pytest.mark.parametrize("body", BODIES)
def test_a_goal_means_the_same_before_and_behind_the_event(body: str) -> None:
    before = f"initiatedAt(f(X)=true, T) :- {body}, happensAt(e(X), T)."
    behind = f"initiatedAt(g(X)=true, T) :- happensAt(e(X), T), {body}."
    example = Example(f"{before}\n{behind}\n{BACKGROUND}", RECORDS)
    found = example.reference()
    assert isinstance(found, dict)
    assert example.batch() == found
    assert {name[1:] for name in found if name[0] == "f"} == {name[1:] for name in found if name[0] == "g"}


def test_a_negation_that_needs_a_value_which_a_goal_leaves_open_is_an_error() -> None:
    rule = "initiatedAt(f(X)=true, T) :- happensAt(e(X), T), any(Y), \\+ m(Y, 9)."
    example = Example(f"{rule}\n{BACKGROUND}", RECORDS)
    assert example.batch() == example.reference() == "fails with HF602"
