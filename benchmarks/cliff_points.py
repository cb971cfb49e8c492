"""Shapes of rules with a time-point: every operator of `physical/operators`."""

from __future__ import annotations

from cliff_records import crowd, measurements, meetings, on_off, one_entity, positions, sparse_pairs, visits
from cliff_shapes import Lines, Shape, rule_shape

__all__ = ["POINT_SHAPES"]

SWITCH = """
initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(off(X), T).
"""
AT = "initiatedAt(at(V)=p(X,T), T) :- happensAt(pos(V,X), T).\n"
NEAR = """
initiatedAt(slow(X)=true, T) :- happensAt(slow_start(X), T).
terminatedAt(slow(X)=true, T) :- happensAt(slow_end(X), T).
initiatedAt(near(X,Y)=true, T) :- happensAt(near_start(X,Y), T).
"""
PARTS = "part(0,a). part(1,b). part(2,c). part(3,d).\n"
LEVEL = "level(N, low) :- N < 300.\nlevel(N, high) :- N >= 300.\n"
LOOP = "steps(0, 0) :- !.\nsteps(N, S) :- M is N - 1, steps(M, R), S is R + 1.\n"
RATED = "initiatedAt(rated(X,P)=true, T) :- happensAt(m(X,_), T), P > 2.\n"
SEEN = "initiatedAt(seen(X,P)=true, T) :- happensAt(m(X,_), T).\n"
GROUNDED = "grounding({0}(X,P)=true) :- member(X, [x0,x1]), part(P, _).\n"

Rules = tuple[str, str, Lines]


def _event(body: str, head: str = "out(X)") -> str:
    return f"happensAt({head}, T) :- {body}.\n"


def _facts(n: int) -> str:
    return "".join(f"kind(x{i}, k{i % 7}).\n" for i in range(max(2, n // 100)))


def _lit(name: str, body: str) -> Rules:
    """A rule beside the fluent `lit`, with a probe while it holds or not."""
    return name, SWITCH + _event(body), on_off


def _probed(name: str, body: str) -> Rules:
    return _lit(name, f"happensAt(probe(X), T), {body}")


def _visit(name: str, body: str) -> Rules:
    """A rule in which only the time-point connects a probe with fluents."""
    return name, SWITCH + _event(f"happensAt(probe(X), T), {body}", "out(X,Y)"), visits


def _previous(name: str, body: str) -> Rules:
    return name, AT + _event(body, "out(V,W)"), positions


def _paired(name: str, body: str, lines: Lines) -> Rules:
    return name, NEAR + _event(body, "out(X,Y)"), lines


def _measured(name: str, body: str, knowledge: str = "") -> Rules:
    return name, knowledge + _event(f"happensAt(m(X,N), T), {body}", "out(X,Y)"), measurements


def _crowded(name: str, body: str) -> Rules:
    """A rule over ten events of each name at every time-point."""
    return name, _event(f"happensAt(one(X), T), {body}", "out(X,Y)"), crowd


_SLOW, _NEAR = "holdsAt(slow(Y)=true, T)", "holdsAt(near(X,Y)=true, T)"

_RULES: tuple[Rules, ...] = (
    ("an event from an event", _event("happensAt(probe(X), T)"), on_off),
    ("on and off", SWITCH, on_off),
    ("on and off, one entity", SWITCH, one_entity),
    _crowded("two events at a time-point", "happensAt(other(X), T), Y = 1"),
    _crowded("pairs at a time-point", "happensAt(other(Y), T), X @< Y"),
    _crowded("an event that binds nothing", "happensAt(other(_), T), Y = 1"),
    _probed("holdsAt of the entity", "holdsAt(lit(X)=true, T)"),
    _probed("holdsAt with any value", "holdsAt(lit(X)=_, T)"),
    _probed("not holdsAt", "\\+ holdsAt(lit(X)=true, T)"),
    _probed("not happensAt", "\\+ happensAt(on(X), T)"),
    _probed("a negated conjunction", "\\+ (holdsAt(lit(X)=true, T), happensAt(on(X), T))"),
    _probed("a negated disjunction", "\\+ (happensAt(off(X), T) ; happensAt(on(X), T))"),
    _lit("start", "happensAt(start(lit(X)=true), T)"),
    _lit("end", "happensAt(end(lit(X)=true), T)"),
    _lit("startI", "happensAt(startI(lit(X)=true), T)"),
    _lit("endI", "happensAt(endI(lit(X)=true), T)"),
    _lit("initiatedAt as a condition", "initiatedAt(lit(X)=true, T)"),
    _lit("terminatedAt as a condition", "happensAt(off(X), T), terminatedAt(lit(X)=true, T)"),
    _previous("terminatedAt with any value", "happensAt(pos(V,_), T), terminatedAt(at(V)=W, T)"),
    _previous("the previous value", "happensAt(pos(V,X), T), holdsAt(at(V)=p(X0,_), T), W is X - X0"),
    _previous("the previous value, initiated", "initiatedAt(at(V)=p(X,T), T), holdsAt(at(V)=p(X0,_), T), W is X - X0"),
    ("a new value at every record", AT, positions),
    _visit("fluents joined on time alone", "holdsAt(lit(Y)=true, T)"),
    _visit("any fluent at a time-point", "holdsAt(lit(_)=true, T), Y = 1"),
    _visit("no fluent at a time-point", "\\+ holdsAt(lit(x1)=true, T), \\+ holdsAt(lit(_)=dim, T), Y = 1"),
    _paired("slow, slow, then near", f"happensAt(start(slow(X)=true), T), {_SLOW}, {_NEAR}", meetings),
    _paired("slow, near, then slow", f"happensAt(start(slow(X)=true), T), {_NEAR}, {_SLOW}", meetings),
    _paired("all slow, few near", f"happensAt(slow_end(X), T), {_SLOW}, {_NEAR}", sparse_pairs),
    _measured("a comparison of numbers", "N > 20, Y = 1"),
    _measured("arithmetic", "Y is 2 * N + 1"),
    _measured("cos, sin and **", "Y is cos(N) ** 2 + sin(N) ** 2"),
    _measured("the hour of a time-point", "hour_of_day(T, Y)"),
    _measured("a distance", "Lon is N / 1000, distance(48.4, -4.5, 48.3, Lon, Y)"),
    _measured("integer division", "Y is truncate(N) mod 7 + truncate(N) // 3"),
    _measured("a comparison of terms", "X @< x2, Y = 1"),
    _measured("a unification", "p(X,N) = p(_,Y)"),
    _measured("the time-point as a number", "Y is T mod 10"),
    _measured("a disjunction", "(N > 900, Y = high ; N < 100, Y = low)"),
    _measured("a nested term", "Y = p(X,q(N))"),
    _measured("clauses unfolded", "level(N, Y)", LEVEL),
    _measured("a predicate with a loop", "K is truncate(N) mod 9, steps(K, Y)", LOOP),
    _measured("a few facts", "K is truncate(N) mod 4, part(K, Y)", PARTS),
    _measured("the largest of a collection", "aggregate_all(max(M), happensAt(m(_,M), T), Y)"),
    _crowded("the length of a list", "findall(N, happensAt(other(N), T), L), length(L, Y)"),
    _crowded("a count of events", "aggregate_all(count, happensAt(other(_), T), Y)"),
    _visit("a count of fluents", "aggregate_all(count, holdsAt(lit(_)=true, T), Y)"),
    _measured(
        "an open variable of a head", "part(Y, _), holdsAt(seen(X,Y)=true, T)", PARTS + SEEN + GROUNDED.format("seen")
    ),
    _measured(
        "an open variable that a goal needs",
        "part(Y, _), holdsAt(rated(X,Y)=true, T)",
        PARTS + RATED + GROUNDED.format("rated"),
    ),
    _measured("an open variable over its sort", "part(Y, _), holdsAt(rated(X,Y)=true, T)", PARTS + RATED),
    ("a termination of all instances", SWITCH + "terminatedAt(lit(_)=true, T) :- happensAt(probe(x1), T).\n", on_off),
    (
        "a termination of any value",
        AT + "terminatedAt(at(V)=_, T) :- happensAt(pos(V,X), T), X mod 3 =:= 0.\n",
        positions,
    ),
)

POINT_SHAPES: tuple[Shape, ...] = (
    *(rule_shape(name, "time-point", rules, lines) for name, rules, lines in _RULES),
    rule_shape(
        "facts, as many as entities",
        "time-point",
        lambda n: _facts(n) + _event("happensAt(m(X,_), T), kind(X, Y)", "out(X,Y)"),
        measurements,
    ),
)
