"""Hostile shapes: skewed keys, dense intervals, large domains, counters, and rules with many conditions or branches."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from cliff_records import on_off, one_entity
from cliff_shapes import Dimension, Lines, Shape, rule_shape

__all__ = ["HOSTILE_SHAPES"]

SWITCH = """
initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(off(X), T).
"""
PROBED = SWITCH + "happensAt(out(X), T) :- happensAt(probe(X), T), {}.\n"
TOGGLE = """
initiatedAt(lit(X)=true, T) :- happensAt(probe(X), T), \\+ holdsAt(lit(X)=true, T).
terminatedAt(lit(X)=true, T) :- happensAt(probe(X), T), holdsAt(lit(X)=true, T).
"""
COUNTER = """
initially(n(X)=0) :- entity(X).
initiatedAt(n(X)=N, T) :- happensAt(probe(X), T), holdsAt(n(X)=M, T), N is M + 1.
dynamicDomain(entity(_)).
collectGrounds([on(X), off(X), probe(X)], entity(X)).
"""
COUNTED = "aggregate_all(count, holdsAt(lit(_)=true, T), {})"
DOMAIN = "dynamicDomain(entity(_)).\ncollectGrounds([on(X), off(X), probe(X)], entity(X)).\n"
GIVEN = "collectIntervals(a(_)=true).\ncollectIntervals(b(_)=true).\n"
WAVE = """
initiatedAt(ill(X)=true, T) :- happensAt(on(X), T).
initiatedAt(ill(X)=true, T) :- happensAt(startI(ill(Y)=true), T), contact(Y, X), \\+ holdsAt(ill(X)=true, T).
"""


# -- records -----------------------------------------------------------------------------------------------------------


def skewed(n: int) -> Iterator[str]:
    """Nine of ten records are of one entity, the others of as many entities as there are records."""
    for t in range(n):
        yield f"{('on', 'probe', 'off', 'probe')[t // 2 % 4]}|{t}|{t}|x{t if t % 10 == 0 else 0}"


def one_moment(n: int) -> Iterator[str]:
    """All records happen at one time-point, after all entities were switched on."""
    for i in range(n // 2):
        yield f"on|1|1|x{i}"
        yield f"probe|9|9|x{i}"


def all_lit(n: int) -> Iterator[str]:
    """Entities are switched on one after the other and stay on, with a probe after each."""
    for i in range(n // 2):
        yield f"on|{2 * i}|{2 * i}|x{i}"
        yield f"probe|{2 * i + 1}|{2 * i + 1}|x{i}"


def cells(n: int) -> Iterator[str]:
    """Four entities move from cell to cell; a cell is seldom entered twice."""
    return (f"pos|{t}|{t}|x{t % 4}|c{t * 7919 % 1000003}" for t in range(n))


def terms(n: int) -> Iterator[str]:
    """Events with a nested term and a list as arguments."""
    return (f"put|{t}|{t}|box(b{t % 97},[{t},{t % 7},z])|at(p({t % 31}),{t})" for t in range(n))


def dense(n: int) -> Iterator[str]:
    """One entity with all intervals of two fluents, close to each other."""
    for i in range(n // 2):
        yield f"a|{7 * i + 5}|{7 * i + 1}|{7 * i + 3 + i // 3 % 3}|true|x"
        yield f"b|{7 * i + 6}|{7 * i + i % 3}|{7 * i + 5}|true|x"


def nested(n: int) -> Iterator[str]:
    """Long intervals of one fluent, one for each entity, with all short intervals of the other inside them."""
    for i in range(n // 2):
        yield f"b|{10 * n}|{i}|{10 * n - i}|true|x{i}"
        yield f"a|{10 * n}|{n + 5 * i}|{n + 5 * i + 2}|true|x{i}"


def open_ended(n: int) -> Iterator[str]:
    """One entity is switched on; the others go on and off."""
    yield "on|0|0|x"
    yield from on_off(n - 1)


def chained(n: int) -> Iterator[str]:
    """The first of a chain of contacts falls ill."""
    yield "on|1|1|x0"
    yield from (f"on|{10 * i}|{10 * i}|y{i}" for i in range(1, n))


def few(_: int) -> Iterator[str]:
    """A record for every rule of many."""
    yield from ("on|1|1|a", "probe|3|3|a", "off|5|5|a")


def sparse(n: int) -> Iterator[str]:
    """One record in every tenth window."""
    return (f"{('on', 'off')[t // 10 % 2]}|{100 * t + 50}|{100 * t + 50}|x" for t in range(0, n, 10))


def new_cells(n: int) -> Iterator[str]:
    """New constants in every window: ten records of each."""
    return (f"pos|{10 * t}|{10 * t}|x{t % 4}|c{t}" for t in range(10 * n))


# -- rules -------------------------------------------------------------------------------------------------------------


def contacts(n: int) -> str:
    return WAVE + "".join(f"contact(x{i}, x{i + 1}).\n" for i in range(n))


def hub(n: int) -> str:
    """Every entity has a contact with the hub, and the hub with every entity."""
    facts = "".join(f"link(h, x{i}). link(x{i}, h).\n" for i in range(max(2, n // 100)))
    return facts + PROBED.format("link(h, X), link(X, H), H \\= X")


def many_values(n: int) -> str:
    return "".join(f"size(x{i}, s{i % 7}).\n" for i in range(n // 100)) + AT_CELL


AT_CELL = """
initiatedAt(at(V)=C, T) :- happensAt(pos(V,C), T).
terminatedAt(at(V)=_, T) :- happensAt(pos(V,c0), T).
happensAt(left(V,C), T) :- happensAt(end(at(V)=C), T).
holdsFor(somewhere(V)=true, I) :- holdsFor(at(V)=_, J), union_all([J], I).
"""
TERMS = """
initiatedAt(place(B)=P, T) :- happensAt(put(B, at(P,_)), T).
happensAt(moved(B,P,Q), T) :- happensAt(put(box(B,L), at(P,_)), T), holdsAt(place(box(B,L))=Q, T).
happensAt(second(X), T) :- happensAt(put(box(_,[_,X|_]), _), T).
"""


def tiny_fluents(n: int) -> str:
    rules = (
        "initiatedAt(f{0}(X)=true, T) :- happensAt(on(X), T), X \\= b{0}.\n"
        "terminatedAt(f{0}(X)=true, T) :- happensAt(off(X), T).\n"
    )
    return "".join(rules.format(i) for i in range(n // 2))


def wide_union(n: int) -> str:
    reads = ", ".join(f"holdsFor(f{i}(X)=true, I{i})" for i in range(n // 2))
    lists = ", ".join(f"I{i}" for i in range(n // 2))
    return tiny_fluents(n) + f"holdsFor(any(X)=true, I) :- {reads}, union_all([{lists}], I).\n"


def deep_union(n: int) -> str:
    """One rule in which every operation reads the result of the one before."""
    reads = ", ".join(f"union_all([I{i}, A], I{i + 1})" for i in range(n))
    return SWITCH + f"holdsFor(any(X)=true, I) :- holdsFor(lit(X)=true, A), I0 = A, {reads}, union_all([I{n}], I).\n"


def long_body(n: int) -> str:
    conditions = ", ".join(f"holdsAt(f{i}(X)=true, T)" for i in range(n // 2))
    return tiny_fluents(n) + f"happensAt(out(X), T) :- happensAt(probe(X), T), {conditions}.\n"


def disjunctions(n: int) -> str:
    """One rule with a disjunction of many branches."""
    branches = " ; ".join(f"happensAt(e{i}(X), T)" for i in range(n))
    return SWITCH + f"happensAt(out(X), T) :- happensAt(probe(X), T), (happensAt(probe(X), T) ; {branches}).\n"


def nested_negation(n: int) -> str:
    body = "holdsAt(lit(X)=true, T)"
    for _ in range((n + 1) // 2):
        body = f"\\+ (happensAt(probe(X), T), {body})"
    return (
        SWITCH
        + f"happensAt(out(X), T) :- happensAt(probe(X), T), {body}.\nhappensAt(seen(X), T) :- happensAt(probe(X), T).\n"
    )


def delay_chain(n: int) -> str:
    """A fluent that goes from value to value by itself, once for each record."""
    effects = "".join(f"fi(s(X)=v{i}, s(X)=v{i + 1}, 3).\n" for i in range(n))
    facts = "".join(f"value(v{i}).\n" for i in range(n + 1))
    return (
        f"initiatedAt(s(X)=v0, T) :- happensAt(on(X), T).\n{effects}{facts}"
        "grounding(s(X)=V) :- member(X, [a]), value(V).\n"
    )


def delay_facts(n: int) -> str:
    """A delayed effect of its own for every entity."""
    return (
        SWITCH
        + DOMAIN
        + "grounding(lit(X)=V) :- entity(X), member(V, [true,false]).\n"
        + "".join(f"fi(lit(x{i})=true, lit(x{i})=false, {i % 9 + 2}).\n" for i in range(n))
    )


def wide_grounding(n: int) -> str:
    """A domain of a hundred members for every entity."""
    ports = "".join(f"port(p{i}).\n" for i in range(100))
    return (
        SWITCH + DOMAIN + ports + "grounding(served(X,P)=true) :- entity(X), port(P).\n"
        "initiatedAt(served(X,P)=true, T) :- happensAt(on(X), T).\n"
        "terminatedAt(served(X,P)=true, T) :- happensAt(off(X), T).\n"
    )


def initial_facts(n: int) -> str:
    return SWITCH + "".join(f"initially(lit(x{i})=true).\n" for i in range(n))


ABSENT = """
holdsFor(dark(X)=true, I) :- holdsFor(lit(X)=true, J), complement_all([J], I).
grounding(dark(X)=true) :- entity(X).
initially(known(X)=true) :- entity(X).
terminatedAt(known(X)=true, T) :- happensAt(off(X), T), \\+ happensAt(probe(_), T).
"""
LONG = "holdsFor(long(X)=true, I) :- holdsFor(lit(X)=true, J), intDurGreater(J, {}, I).\n"


def _allen(relation: str, mode: str) -> str:
    reads = "holdsFor(a(X)=true, A), holdsFor(b(X)=true, B)"
    return GIVEN + f"holdsFor(c(X)=true, I) :- {reads}, allen({relation}, A, B, {mode}, I).\n"


def two_lamps(n: int) -> Iterator[str]:
    """Two records of every entity, one hundred entities on at a time."""
    for t in range(n):
        yield f"on|{t}|{t}|x{t}"
        yield f"probe|{t + 50}|{t + 50}|x{t}"


Row = tuple[str, str | Callable[[int], str], Lines]

_BY_ROW: tuple[Row, ...] = (
    ("skewed keys", PROBED.format("holdsAt(lit(X)=true, T)"), skewed),
    (
        "skewed keys, joined on time alone",
        PROBED.format("\\+ holdsAt(lit(x0)=true, T), happensAt(probe(_), T)"),
        skewed,
    ),
    ("all records at one time-point", PROBED.format("holdsAt(lit(X)=true, T), \\+ happensAt(off(_), T)"), one_moment),
    (
        "a count of all entities that are on",
        SWITCH + "happensAt(out(N), T) :- happensAt(probe(_), T), " + COUNTED.format("N") + ".\n",
        all_lit,
    ),
    (
        "a count with findall and length",
        SWITCH
        + "happensAt(out(N), T) :- happensAt(probe(_), T), findall(Y, holdsAt(lit(Y)=true, T), L), length(L, N).\n",
        all_lit,
    ),
    (
        "a count of events at one time-point",
        "happensAt(out(N), T) :- happensAt(probe(_), T), aggregate_all(count, happensAt(probe(_), T), N).\n",
        one_moment,
    ),
    (
        "a threshold on a count",
        SWITCH + "initiatedAt(busy=true, T) :- happensAt(on(_), T), " + COUNTED.format("N") + ", N > 9.\n",
        all_lit,
    ),
    ("any of all that are on", PROBED.format("holdsAt(lit(_)=true, T)"), all_lit),
    ("a value for every record", AT_CELL, cells),
    ("terms as arguments", TERMS, terms),
    ("a hub in the background knowledge", hub, on_off),
    ("a counter of one entity", COUNTER, one_entity),
    ("a counter of every entity", COUNTER, on_off),
    ("a toggle of one entity", TOGGLE, one_entity),
    ("dense intervals: before", _allen("before", "union"), dense),
    ("dense intervals: before, source", _allen("before", "source"), dense),
    ("dense intervals: overlaps", _allen("overlaps", "complement"), dense),
    ("dense intervals: during", _allen("during", "target"), dense),
    ("nested intervals: during", _allen("during", "source"), nested),
    (
        "nested intervals of all entities",
        GIVEN + "holdsFor(c=true, I) :- holdsFor(b(x0)=true, A), holdsFor(a(_)=true, B), intersect_all([A, B], I).\n",
        nested,
    ),
    ("a duration filter on an open interval", SWITCH + LONG.format(50), open_ended),
    (
        "negations inside negations",
        PROBED.format("\\+ (happensAt(probe(X), T), \\+ (holdsAt(lit(X)=true, T), \\+ happensAt(off(X), T)))"),
        on_off,
    ),
    (
        "a disjunction in a disjunction",
        PROBED.format("(holdsAt(lit(X)=true, T) ; (X @> x1, (happensAt(on(X), T) ; \\+ happensAt(off(X), T))))"),
        on_off,
    ),
)
_BY_ENTITY: tuple[Row, ...] = (
    ("a wave along a chain", contacts, chained),
    ("a toggle of every entity", TOGGLE, two_lamps),
    ("a domain with an absence of every member", SWITCH + DOMAIN + ABSENT, two_lamps),
)
_BY_RULE: tuple[Row, ...] = (
    ("tiny fluents", tiny_fluents, few),
    ("a union of many lists", wide_union, few),
    ("a union of a union", deep_union, few),
    ("many conditions", long_body, few),
    ("many branches", disjunctions, few),
    ("a chain of delays", delay_chain, few),
    ("a delay for every entity", delay_facts, few),
)
_BY_WINDOW: tuple[Row, ...] = (
    ("hardly any records", SWITCH, sparse),
    ("new constants", AT_CELL, new_cells),
    ("a duration filter on an open interval", SWITCH + LONG.format(500), open_ended),
    ("a count of all entities", _BY_ROW[3][1], all_lit),
    ("a counter", COUNTER, one_entity),
)


_FAMILIES: dict[Dimension, str] = {
    "row": "hostile",
    "entity": "hostile, entities",
    "rule": "hostile, rules",
    "window": "hostile, windows",
}


def _shapes(rows: tuple[Row, ...], dimension: Dimension, n: int) -> Iterator[Shape]:
    """Shapes that grow in one dimension; windows have ten records each and overlap."""
    in_windows = dimension == "window"
    for name, rules, lines in rows:
        yield rule_shape(
            name,
            _FAMILIES[dimension],
            rules,
            _ten_each(lines) if in_windows else lines,
            dimension=dimension,
            n=n,
            window=(lambda _: (200, 100)) if in_windows else None,
            is_compiled_too=dimension == "rule",
        )


def _ten_each(lines: Lines) -> Lines:
    return lambda n: lines(10 * n)


HOSTILE_SHAPES: tuple[Shape, ...] = (
    *_shapes(_BY_ROW, "row", 1_000),
    rule_shape(
        "the first of all that are on",
        _FAMILIES["row"],
        PROBED.format("\\+ (holdsAt(lit(Y)=true, T), Y @< X)"),
        all_lit,
        n=100,
        reason="all pairs are compared: `check` warns of the product (HF314)",
    ),
    *_shapes(_BY_ENTITY, "entity", 1_000),
    rule_shape(
        "a hundred instances of every entity",
        _FAMILIES["entity"],
        wide_grounding,
        lambda n: two_lamps(max(1, n // 10)),
        dimension="entity",
        reason="a million instances are more than the processor's caches hold; the work per row is the same",
    ),
    *_shapes((("an initial fact of every entity", initial_facts, two_lamps),), "entity", 100),
    *_shapes(_BY_RULE, "rule", 8),
    *_shapes((("nested negations", nested_negation, few),), "rule", 1),
    *_shapes(_BY_WINDOW, "window", 10),
)
