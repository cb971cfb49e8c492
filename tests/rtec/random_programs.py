"""Random programs and narratives in the part of the language in which RTEC is right in one window.

They avoid the differences that are known: every value is declared, every entity is in the background knowledge, no rule
depends on its own fluent, nothing starts at the first time-point, and Allen relations are those that do not touch.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

__all__ = ["BACKGROUND", "END", "random_program", "random_records"]

END = 40
BACKGROUND = """
id(a). id(b). id(c).
level(low). level(mid). level(high).
% An open interval is as long as it is at the query time, which is one of its time-points.
intDurGreater(If, V, I) :-
    findall((S,E), (member((S,E), If), (E \\= inf -> D is E-S ; queryTime(Q), D is Q+1-S), D > V), I).
"""
_DECLARATIONS = """
collectIntervals(near(_)=true).
collectIntervals(far(_)=true).
grounding(set(X,L)) :- id(X), level(L).
grounding(join(X,Y)) :- id(X), id(Y).
grounding(reset(X)) :- id(X).
grounding(leave(X)) :- id(X).
grounding(calm(X)) :- id(X).
grounding(near(X)=true) :- id(X).
grounding(far(X)=true) :- id(X).
grounding(level(X)=low) :- id(X).
grounding(level(X)=mid) :- id(X).
grounding(level(X)=high) :- id(X).
grounding(link(X,Y)=true) :- id(X), id(Y), X\\=Y.
grounding(busy(X)=true) :- id(X).
grounding(busy(X)=false) :- id(X).
grounding(up(X)) :- id(X).
grounding(alert(X)=true) :- id(X).
grounding(quiet(X)=true) :- id(X).
grounding(related(X)=true) :- id(X).
grounding(both(X,Y)=true) :- id(X), id(Y), X@<Y.
grounding(top(X)=true) :- id(X).
"""
_LINKED = (
    "",
    ", holdsAt(level(X)=low, T)",
    ", \\+ holdsAt(level(Y)=high, T)",
    ", holdsAt(level(X)=L, T), holdsAt(level(Y)=L, T)",
)
_LEFT = (
    "terminatedAt(link(X,_)=true, T) :- happensAt(leave(X), T).",
    "terminatedAt(link(_,Y)=true, T) :- happensAt(leave(Y), T).",
    "terminatedAt(link(X,Y)=true, T) :- happensAt(join(Y,X), T).",
    "terminatedAt(link(X,_)=_, T) :- happensAt(end(level(X)=_), T).",
)
_RELEASED = (
    "initiatedAt(busy(X)=false, T) :- happensAt(leave(X), T).",
    "terminatedAt(busy(X)=true, T) :- happensAt(start(level(X)=low), T).",
    "initiatedAt(busy(X)=false, T) :- happensAt(join(_,X), T), \\+ holdsAt(level(X)=high, T).",
)
_UP = (
    "happensAt(up(X), T) :- happensAt(start(level(X)=high), T).",
    "happensAt(up(X), T) :- happensAt(set(X,high), T), holdsAt(level(X)=low, T).",
    "happensAt(up(X), T) :- happensAt(end(level(X)=low), T), \\+ happensAt(reset(X), T).",
)
_ALERTED = (
    "",
    ", \\+ holdsAt(link(X,_)=true, T)",
    ", findall(Y, holdsAt(link(X,Y)=true, T), Ys), length(Ys, N), N > 0",
    ", findall(Y, holdsAt(level(Y)=low, T), Ys), length(Ys, N), N >= 1",
)
_QUIET = (
    "holdsFor(level(X)=low, A), holdsFor(near(X)=true, B), holdsFor(level(X)=mid, C), union_all([A,C], D),"
    " relative_complement_all(D, [B], I)",
    "holdsFor(near(X)=true, A), holdsFor(far(X)=true, B), intersect_all([A,B], C), intDurGreater(C, 3, I)",
    "holdsFor(level(X)=low, A), intDurGreater(A, 4, I)",
)
_MODES = ("source", "target", "union", "intersection", "relative_complement", "relative_complement_inverse")
_COMBINED = ("intersect_all([A,B], I)", "relative_complement_all(A, [B], I)", "union_all([A,B], I)")
_TOP = (
    "terminatedAt(top(X)=true, T) :- happensAt(end(both(X,_)=true), T).",
    "terminatedAt(top(X)=true, T) :- happensAt(calm(X), T).",
)


def random_program(chance: random.Random) -> str:
    """An event description: simple fluents with values and pairs, events of events, interval operations on top."""
    one, other = chance.sample(["near(X)=true", "far(X)=true", "quiet(X)=true", "level(X)=low"], 2)
    relation = chance.choice(["during", "starts", "finishes", "equal"])
    upon = chance.choice(["quiet", "related", "alert", "near", "busy"])
    rules = [
        "initiatedAt(level(X)=L, T) :- happensAt(set(X,L), T).",
        f"terminatedAt(level(X)={chance.choice(['_', 'low', 'high'])}, T) :- happensAt(reset(X), T).",
        f"initiatedAt(link(X,Y)=true, T) :- happensAt(join(X,Y), T){chance.choice(_LINKED)}.",
        chance.choice(_LEFT),
        "initiatedAt(busy(X)=true, T) :- happensAt(join(X,_), T).",
        chance.choice(_RELEASED),
        f"fi(busy(X)=true, busy(X)=false, {chance.randint(2, 12)}).",
        *chance.choice([[], ["p(busy(_)=true)."]]),
        chance.choice(_UP),
        f"initiatedAt(alert(X)=true, T) :- happensAt(up(X), T){chance.choice(_ALERTED)}.",
        "terminatedAt(alert(X)=true, T) :- happensAt(calm(X), T).",
        f"holdsFor(quiet(X)=true, I) :- {chance.choice(_QUIET)}.",
        f"holdsFor(related(X)=true, I) :- holdsFor({one}, A), holdsFor({other}, B),"
        f" {relation}(A, B, {chance.choice(_MODES)}, I).",
        f"holdsFor(both(X,Y)=true, I) :- holdsFor(link(X,Y)=true, A), holdsFor({upon}(Y)=true, B),"
        f" {chance.choice(_COMBINED)}.",
        "initiatedAt(top(X)=true, T) :- happensAt(start(both(X,_)=true), T).",
        chance.choice(_TOP),
    ]
    return "\n".join(rules) + _DECLARATIONS


def random_records(chance: random.Random) -> str:
    """Records in order of arrival: events, and intervals that arrive at their end."""
    records = [_event(chance) for _ in range(chance.randint(20, 60))]
    records += [record for name in ("near", "far") for who in "abc" for record in _intervals(chance, name, who)]
    return "".join(f"{record}\n" for _, record in sorted(records))


def _event(chance: random.Random) -> tuple[int, str]:
    time = chance.randint(2, END)
    who, other = chance.sample("abc", 2)
    kinds = [f"set|{time}|{time}|{who}|{chance.choice(['low', 'mid', 'high'])}", f"join|{time}|{time}|{who}|{other}"]
    kinds.append(f"{chance.choice(['reset', 'leave', 'calm'])}|{time}|{time}|{who}")
    return time, chance.choices(kinds, weights=[9, 6, 5])[0]


def _intervals(chance: random.Random, name: str, who: str) -> Iterator[tuple[int, str]]:
    start = chance.randint(3, 8)
    while start < END - 8:
        end = start + chance.randint(1, 8)
        yield end, f"{name}|{end}|{start}|{end}|true|{who}"
        start = end + chance.randint(1, 6)
