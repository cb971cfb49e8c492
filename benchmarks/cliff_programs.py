"""Shapes of whole programs: delays, cycles, domains, and more rules, entities, levels or windows."""

from __future__ import annotations

from collections.abc import Callable

from cliff_records import given_intervals, late, measurements, new_entities, on_off, positions, retracted
from cliff_shapes import Case, Lines, Shape, Work, n_rows, rule_shape
from streams import generated

__all__ = ["PROGRAM_SHAPES"]

SWITCH = """
initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(off(X), T).
"""
DOMAIN = "dynamicDomain(entity(_)).\ncollectGrounds([{}], entity(X)).\n"
SWITCHED, OF_M = DOMAIN.format("on(X), off(X), probe(X)"), DOMAIN.format("m(X,_)")
STATES = "grounding(lit(X)=V) :- entity(X), member(V, [true, fading, false]).\n"
SEEN = "initiatedAt(seen(X)=true, T) :- happensAt(probe(X), T).\n"
TWO = """
initiatedAt(lit(X)=true, T) :- happensAt(on(X), T), \\+ holdsAt(dark(X)=true, T).
initiatedAt(dark(X)=true, T) :- happensAt(probe(X), T), holdsAt(lit(X)=true, T).
terminatedAt(lit(X)=true, T) :- happensAt(off(X), T).
terminatedAt(dark(X)=true, T) :- happensAt(on(X), T), holdsAt(dark(X)=true, T).
"""
TOGGLE = """
initiatedAt(lit(X)=true, T) :- happensAt(probe(X), T), \\+ holdsAt(lit(X)=true, T).
terminatedAt(lit(X)=true, T) :- happensAt(probe(X), T), holdsAt(lit(X)=true, T).
"""
ROLES = """
role_of(X, R) :- entity(X), atom_length(X, N), R is N mod 3.
happensAt(out(X,R), T) :- happensAt(m(X,_), T), role_of(X, R).
"""
KNOWN = """
known(X) :- entity(X), X @> x0.
happensAt(out(X), T) :- happensAt(m(X,_), T), known(X).
"""
BESIDE = """
collectIntervals(a(_)=true).
holdsFor(c(X)=true, I) :- holdsFor(a(X)=true, A), holdsFor(lit(X)=true, B), union_all([A, B], I).
"""

Rules = tuple[str, str, Lines]


def _delayed(name: str, effects: str) -> Rules:
    return name, SWITCH + SWITCHED + STATES + effects, on_off


_PROGRAMS: tuple[Rules, ...] = (
    _delayed("ft", "ft(lit(X)=true, 7).\n"),
    _delayed("fi", "fi(lit(X)=true, lit(X)=false, 7).\n"),
    _delayed("fi with p", "fi(lit(X)=true, lit(X)=false, 7).\np(lit(X)=true).\n"),
    _delayed("a chain of delays", "fi(lit(X)=true, lit(X)=fading, 3).\nfi(lit(X)=fading, lit(X)=false, 4).\n"),
    _delayed("a delay with a goal", "fi(lit(X)=true, lit(X)=false, 7) :- X @> x1.\n"),
    _delayed("a delay that reads a fluent", SEEN + "fi(lit(X)=true, lit(X)=false, 7) :- holdsAt(seen(X)=true, T).\n"),
    ("a cycle of two fluents", TWO, on_off),
    ("a toggle", TOGGLE, on_off),
    ("a clause over a dynamic domain", OF_M + ROLES, measurements),
    ("a comparison over a dynamic domain", OF_M + KNOWN, measurements),
)


LAST = "initiatedAt(last(X)=V, T) :- happensAt(pos(X,V), T).\n"
AGAIN = LAST.replace("T).\n", "T), \\+ holdsAt(last(X)=V, T).\n")
LOST = "terminatedAt(last(X)=_, T) :- happensAt(pos(X,V), T), V > 500000.\n"
STALE = "fi(last(X)=V, stale(X)=V, 7).\nterminatedAt(stale(X)=_, T) :- happensAt(pos(X,_), T).\n"
_OF_MANY_VALUES: tuple[Rules, ...] = tuple(
    (f"of many values: {name}", rules, positions)
    for name, rules in (
        ("ft", LAST + "ft(last(_)=_, 7).\n"),
        ("ft with p", LAST + "ft(last(_)=_, 7).\np(last(_)=_).\n"),
        ("ft and open terminations", LAST + LOST + "ft(last(_)=_, 7).\n"),
        ("ft in a cycle", AGAIN + "ft(last(_)=_, 7).\n"),
        ("ft in a cycle, with open terminations", AGAIN + LOST + "ft(last(_)=_, 7).\np(last(_)=_).\n"),
        ("fi to a constant", LAST + "fi(last(X)=V, last(X)=old, 3) :- number(V).\n"),
        ("fi to a constant with p", LAST + "fi(last(X)=V, last(X)=old, 3) :- number(V).\np(last(_)=_).\n"),
        ("fi to another value", LAST + "fi(last(X)=V, last(X)=old(V), 3) :- number(V).\n"),
        ("fi to another fluent", LAST + STALE),
        ("fi to another fluent with p", LAST + STALE + "p(last(_)=_).\n"),
    )
)


def delay_cycle(n: int) -> str:
    """The entities of `on_off` change at the same rate, for any number of entities."""
    period = max(2, n // 100)
    effects = f"fi(lit(X)=true, lit(X)=false, {period}).\nfi(lit(X)=false, lit(X)=true, {period + 1}).\n"
    return SWITCH + SWITCHED + STATES + effects


# -- rules -------------------------------------------------------------------------------------------------------------


def _few(_: int) -> list[str]:
    return ["on|1|1|a", "off|2|2|a", "on|5|5|a", "off|9|9|a"]


def independent(n: int) -> str:
    switch = SWITCH.replace("lit(", "lit{i}(")
    return "".join(switch.replace("{i}", str(i)) for i in range(n // 2))


def levels(n: int) -> str:
    rule = "initiatedAt(f{}(X)=true, T) :- happensAt(start(f{}(X)=true), T).\n"
    return "initiatedAt(f0(X)=true, T) :- happensAt(on(X), T).\n" + "".join(rule.format(i, i - 1) for i in range(1, n))


def interval_levels(n: int) -> str:
    rule = "holdsFor(f{}(X)=true, I) :- holdsFor(f{}(X)=true, J), union_all([J], I).\n"
    return "initiatedAt(f0(X)=true, T) :- happensAt(on(X), T).\n" + "".join(rule.format(i, i - 1) for i in range(1, n))


def one_cycle(n: int) -> str:
    rule = "initiatedAt(f{}(X)=true, T) :- happensAt(on(X), T), holdsAt(f{}(X)=true, T).\n"
    return "initiatedAt(f0(X)=true, T) :- happensAt(on(X), T).\n" + "".join(
        rule.format(i, (i + 1) % n) for i in range(n)
    )


def short_cycles(n: int) -> str:
    rules = (
        "initiatedAt(f{0}(X)=true, T) :- happensAt(on(X), T), \\+ holdsAt(g{0}(X)=true, T).\n"
        "initiatedAt(g{0}(X)=true, T) :- happensAt(on(X), T), holdsAt(f{0}(X)=true, T).\n"
    )
    return "".join(rules.format(i) for i in range(n // 2))


def delays(n: int) -> str:
    rules = (
        "initiatedAt(f{0}(X)=true, T) :- happensAt(on(X), T).\nfi(f{0}(X)=true, f{0}(X)=false, 3).\n"
        "grounding(f{0}(X)=V) :- member(X, [a]), member(V, [true, false]).\n"
    )
    return "".join(rules.format(i) for i in range(n // 2))


def constants(n: int) -> str:
    return "".join(f"initiatedAt(f(c{i},X)=true, T) :- happensAt(on(X), T).\n" for i in range(n))


def values(n: int) -> str:
    return "".join(f"initiatedAt(f(X)=v{i}, T) :- happensAt(on(X), T), X @> b{i}.\n" for i in range(1, n)) + SWITCH


_MANY_RULES: tuple[tuple[str, Callable[[int], str]], ...] = (
    ("independent fluents", independent),
    ("levels of simple fluents", levels),
    ("levels of interval rules", interval_levels),
    ("one long cycle", one_cycle),
    ("short cycles", short_cycles),
    ("delays", delays),
    ("fluents that differ in a constant", constants),
    ("values of one fluent", values),
)

# -- entities and windows ----------------------------------------------------------------------------------------------

INITIAL = "initially(lit(X)=true) :- entity(X).\n"
DARK = """
grounding(dark(X)=true) :- entity(X).
holdsFor(dark(X)=true, I) :- holdsFor(lit(X)=true, J), complement_all([J], I).
"""
BEFORE = """
collectIntervals(a(_)=true).
collectIntervals(b(_)=true).
holdsFor(c(X)=true, I) :- holdsFor(a(X)=true, A), holdsFor(b(X)=true, B), allen(before, A, B, target, I).
"""

_ENTITIES: tuple[Rules, ...] = (
    ("two records of every entity", SWITCH, new_entities),
    ("initial values of every entity", SWITCHED + SWITCH + INITIAL, new_entities),
    ("complements of every entity", SWITCHED + SWITCH + DARK, new_entities),
)
_PER_WINDOW = 100


def _in_windows(lines: Lines) -> Lines:
    return lambda n: lines(_PER_WINDOW * n)


_WINDOWS: tuple[tuple[str, str, Lines, int], ...] = (
    ("on and off", SWITCH, on_off, _PER_WINDOW),
    ("delays", SWITCH + SWITCHED + STATES + "fi(lit(X)=true, lit(X)=false, 70).\n", on_off, _PER_WINDOW),
    ("new entities", SWITCH, new_entities, _PER_WINDOW),
    ("a dynamic domain", OF_M + ROLES, measurements, _PER_WINDOW),
    ("Allen's before", BEFORE, given_intervals, 1_000),
    ("late records", SWITCH, late, _PER_WINDOW),
)

_APPS = ("ctm", "activity", "maritime", "voting", "netbill", "fines")
_REASONS = {"activity": "people in one room: all pairs of them are compared at every time-point"}


def _app_shape(app: str) -> Shape:
    """An application with a growing number of entities, on generated records."""

    def case(entities: int) -> Case:
        stream = generated(app, entities, 4_000)

        def start() -> Work:
            run = stream.run(None)
            return lambda: n_rows(run.settle())

        return Case(stream.n_records, start)

    return Shape(f"the application {app}", "entities", case, "entity", 3, _REASONS.get(app, ""))


PROGRAM_SHAPES: tuple[Shape, ...] = (
    *(rule_shape(name, "program", rules, lines) for name, rules, lines in (*_PROGRAMS, *_OF_MANY_VALUES)),
    rule_shape("a cycle of delays", "program", delay_cycle, on_off),
    rule_shape("retractions, with their reading", "program", SWITCH + BESIDE, retracted, is_read_too=True),
    *(
        rule_shape(name, "rules", rules, _few, dimension="rule", n=8, is_compiled_too=True)
        for name, rules in _MANY_RULES
    ),
    *(rule_shape(name, "entities", rules, lines, dimension="entity") for name, rules, lines in _ENTITIES),
    *(
        rule_shape(
            name, "windows", rules, _in_windows(lines), dimension="window", n=10, window=lambda _, w=w: (2 * w, w)
        )
        for name, rules, lines, w in _WINDOWS
    ),
    *map(_app_shape, _APPS),
)
