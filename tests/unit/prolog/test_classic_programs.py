"""Well-known programs, and depths that would overflow a recursive interpreter."""

from __future__ import annotations

import pytest

from holdsfor.prolog.machine import Machine
from holdsfor.syntax.parser import parse_term
from tests.unit.prolog.programs import answers, engine, holds, values

pytestmark = pytest.mark.in_turn(2)

QUEENS = """
queens(N, Qs) :- numlist(1, N, Ns), permutation(Ns, Qs), safe(Qs).
safe([]).
safe([Q|Qs]) :- no_attack(Q, Qs, 1), safe(Qs).
no_attack(_, [], _).
no_attack(Q, [Q1|Qs], D) :- Q =\\= Q1 + D, Q =\\= Q1 - D, D1 is D + 1, no_attack(Q, Qs, D1).
"""


def test_six_queens_have_four_solutions() -> None:
    assert values(QUEENS, "queens(6, X)") == ["[2,4,6,1,3,5]", "[3,6,2,5,1,4]", "[4,1,5,2,6,3]", "[5,3,1,6,4,2]"]


REVERSE = """
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
nrev([], []).
nrev([H|T], R) :- nrev(T, RT), app(RT, [H], R).
"""


def test_naive_reverse_reverses() -> None:
    assert holds("numlist(1, 300, L), nrev(L, R), reverse(L, R)", REVERSE)


def test_ackermann() -> None:
    program = """
    ack(0, N, R) :- !, R is N + 1.
    ack(M, 0, R) :- !, M1 is M - 1, ack(M1, 1, R).
    ack(M, N, R) :- N1 is N - 1, ack(M, N1, R1), M1 is M - 1, ack(M1, R1, R).
    """
    assert values(program, "ack(2, 9, X)") == ["21"]


def test_quicksort() -> None:
    program = """
    qsort([], []).
    qsort([P|Xs], Sorted) :- split(Xs, P, Small, Big), qsort(Small, S), qsort(Big, B), append(S, [P|B], Sorted).
    split([], _, [], []).
    split([X|Xs], P, [X|S], B) :- X =< P, !, split(Xs, P, S, B).
    split([X|Xs], P, S, [X|B]) :- split(Xs, P, S, B).
    """
    assert values(program, "qsort([3, 1, 4, 1, 5, 9, 2, 6], X)") == ["[1,1,2,3,4,5,6,9]"]


GRAPH = """
edge(a, b). edge(b, c). edge(c, a). edge(c, d). edge(d, e).
path(X, Y, P) :- walk(X, Y, [X], Q), reverse(Q, P).
walk(X, X, Seen, Seen).
walk(X, Y, Seen, P) :- edge(X, Z), \\+ memberchk(Z, Seen), walk(Z, Y, [Z|Seen], P).
"""


def test_reachability_in_a_graph_with_a_cycle() -> None:
    assert values(GRAPH, "path(a, e, X)") == ["[a,b,c,d,e]"]
    assert answers(GRAPH, "setof(Y, P^path(b, Y, P), Ys)") == ["Y=Y P=P Ys=[a,b,c,d,e]"]


def test_hanoi_counts_its_moves() -> None:
    program = "hanoi(0, 0) :- !. hanoi(N, M) :- K is N - 1, hanoi(K, L), M is 2 * L + 1."
    assert values(program, "hanoi(100, X)") == [str(2**100 - 1)]


def test_family() -> None:
    program = """
    parent(tom, bob). parent(tom, liz). parent(bob, ann). parent(bob, pat). parent(pat, jim).
    ancestor(X, Y) :- parent(X, Y).
    ancestor(X, Y) :- parent(X, Z), ancestor(Z, Y).
    sibling(X, Y) :- parent(P, X), parent(P, Y), X \\== Y.
    """
    assert values(program, "ancestor(tom, X)") == ["bob", "liz", "ann", "pat", "jim"]
    assert values(program, "ancestor(X, jim)") == ["pat", "tom", "bob"]
    assert values(program, "sibling(X, pat)") == ["ann"]


DEEP = """
len([], 0).
len([_|T], N) :- len(T, M), N is M + 1.
loop(0) :- !.
loop(N) :- M is N - 1, loop(M).
build(0, z) :- !.
build(N, s(T)) :- M is N - 1, build(M, T).
double_not(0) :- !.
double_not(N) :- M is N - 1, \\+ \\+ double_not(M).
collect(0, []) :- !.
collect(N, L) :- M is N - 1, findall(X, (collect(M, K), X = N), L).
count(N, N) :- !.
count(I, N) :- J is I + 1, count(J, N).
"""


@pytest.mark.parametrize(
    "goal",
    [
        "numlist(1, 200000, L), len(L, 200000)",
        "loop(200000)",
        "member(_, [1, 2]), loop(100000)",
        "build(100000, T), copy_term(T, U), T == U, T = U, ground(T), build(100000, T)",
        "double_not(50000)",
        "collect(20000, [20000])",
        "numlist(1, 200000, L), length(L, N), sum_list(L, S), last(L, N), S =:= N * (N + 1) // 2",
        "length(L, 50000), maplist(=(a), L), msort(L, M), L == M",
        "findall(X, between(1, 50000, X), L), foldl(plus, L, 0, S), S > 0",
    ],
)
def test_depth_and_length_are_not_bounded_by_python_s_stack(goal: str) -> None:
    assert holds(goal, engine(DEEP, max_steps=3_000_000))


def test_a_deterministic_loop_leaves_no_choice_points() -> None:
    asked = engine(
        "count(N, N) :- !. count(I, N) :- member(X, [1, 2]), X > 1, !, J is I + X - 1, count(J, N).", max_depth=10
    )
    assert asked.holds(parse_term("count(0, 20000)"))
    assert asked.holds(parse_term("member(_, [1, 2]), count(0, 20000)"))


def test_the_trail_of_a_long_loop_stays_short() -> None:
    asked = engine("loop(0). loop(N) :- N > 0, member(X, [a, b]), X == b, !, M is N - 1, loop(M).")
    machine = Machine(asked.database, 1_000_000, 1_000)
    next(machine.solutions(parse_term("member(a, [a, a]), loop(5000)"), {}))
    assert len(machine.trail.entries) < 100
