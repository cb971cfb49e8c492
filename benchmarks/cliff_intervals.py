"""Shapes of rules over intervals: every operator of `physical/interval_operators`, and every Allen relation."""

from __future__ import annotations

from cliff_records import given_intervals, given_points, on_off, sparse_pairs
from cliff_shapes import Lines, Shape, rule_shape

__all__ = ["INTERVAL_SHAPES"]

GIVEN = "collectIntervals(a(_)=true).\ncollectIntervals(b(_)=true).\n"
PAIRS = """
initiatedAt(slow(X)=true, T) :- happensAt(slow_start(X), T).
terminatedAt(slow(X)=true, T) :- happensAt(slow_end(X), T).
initiatedAt(near(X,Y)=true, T) :- happensAt(near_start(X,Y), T).
terminatedAt(near(X,Y)=true, T) :- happensAt(near_end(X,Y), T).
"""
SWITCH = """
initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(off(X), T).
initiatedAt(lit(X)=dim, T) :- happensAt(probe(X), T), holdsAt(lit(X)=true, T).
"""
LONGER = """
:- intervalwise(longer/2).
longer([(S,E)], [(S,E)]) :- E - S > 4.
longer([(S,E)], []) :- E - S =< 4.
"""
LAST = """
last([X], [X]).
last([_|L], X) :- last(L, X).
"""


KINDS = "kind(k1). kind(k2).\n"
OF_KINDS = "holdsFor(d(K)=true, I) :- holdsFor(b(x1)=true, B), kind(K), union_all([B], I).\n"

Rules = tuple[str, str, Lines]


def _rule(head: str, body: str) -> str:
    return f"holdsFor({head}=true, I) :- {body}.\n"


def _both(name: str, body: str, knowledge: str = "") -> Rules:
    """A rule over two input fluents of an entity."""
    reads = "holdsFor(a(X)=true, A), holdsFor(b(X)=true, B)"
    return name, GIVEN + knowledge + _rule("c(X)", f"{reads}, {body}"), given_intervals


_READS = {"A": "holdsFor(slow(X)=true, A)", "B": "holdsFor(slow(Y)=true, B)", "N": "holdsFor(near(X,Y)=true, N)"}


def _pairs(name: str, order: str, operation: str) -> Rules:
    """A rule over pairs, few of which are near; `order` is the order in which the lists are read."""
    body = ", ".join(_READS[each] for each in order)
    return name, PAIRS + _rule("met(X,Y)", f"{body}, {operation}"), sparse_pairs


_RULES: tuple[Rules, ...] = (
    (
        "input at time-points",
        "points(a(_)=true).\n" + _rule("c(X)", "holdsFor(a(X)=true, A), union_all([A], I)"),
        given_points,
    ),
    _both("input intervals", "union_all([A], I)"),
    _both("union_all", "union_all([A, B], I)"),
    _both("intersect_all", "intersect_all([A, B], I)"),
    _both("relative_complement_all", "relative_complement_all(A, [B], I)"),
    _both("complement_all", "complement_all([A, B], I)"),
    _both(
        "a chain of operations", "union_all([A, B], U), intersect_all([A, B], N), relative_complement_all(U, [N], I)"
    ),
    _both("constant intervals", "relative_complement_all(A, [[(10,50),(70,inf)]], C), union_all([C, B], I)"),
    _both("two rules for one fluent", "union_all([A], I)", _rule("c(X)", "holdsFor(b(X)=true, B), union_all([B], I)")),
    _both("intDurGreater", "intDurGreater(A, 4, C), union_all([C, B], I)"),
    _both("intDurLess", "intDurLess(A, 5, C), union_all([C, B], I)"),
    _both("a predicate for each interval", "longer(A, C), union_all([C, B], I)", LONGER),
    _both("a predicate over lists", "last(A, C), union_all([C, B], I)", LAST),
    _both("a goal on the instance", "union_all([A, B], I), X @> x0"),
    ("some value of a fluent", SWITCH + _rule("any(X)", "holdsFor(lit(X)=_, A), union_all([A], I)"), on_off),
    _pairs("pairs: slow, slow, near", "ABN", "intersect_all([A, B, N], I)"),
    _pairs("pairs: near, slow, slow", "NAB", "intersect_all([N, A, B], I)"),
    _pairs("pairs: slow, near, slow", "ANB", "intersect_all([A, N, B], I)"),
    _pairs("pairs: near restricts a union", "ABN", "union_all([A, B], U), intersect_all([U, N], I)"),
    _pairs("pairs: near restricts a complement", "NAB", "relative_complement_all(N, [A, B], I)"),
    _both(
        "repeated for a second variable", "kind(K), holdsFor(d(K)=true, D), union_all([A, B, D], I)", KINDS + OF_KINDS
    ),
    _both("repeated for a sort", "holdsFor(d(K)=true, D), union_all([A, B, D], I)", KINDS + OF_KINDS),
)

_RELATIONS = ("before", "meets", "overlaps", "starts", "finishes", "during", "equal")
_MODES = ("source", "target", "complement", "union", "complement_inv", "intersect", "source")

INTERVAL_SHAPES: tuple[Shape, ...] = (
    *(rule_shape(name, "intervals", rules, lines) for name, rules, lines in _RULES),
    *(
        rule_shape(name, "Allen's relations", rules, lines)
        for name, rules, lines in (
            _both(f"{relation}, {mode}", f"allen({relation}, A, B, {mode}, I)")
            for relation, mode in zip(_RELATIONS, _MODES, strict=True)
        )
    ),
)
