"""Random programs in which every row belongs to one thing, so that things can be evaluated one by one.

They have every construct whose results at a time-point depend on the past of the thing alone, and duration filters, in
layers: a filter may read the results of a filter, and an effect may follow from the start of a filtered interval.
"""

from __future__ import annotations

import random

from tests.properties.programs import Case
from tests.properties.records import in_parts, points_in_a_row

__all__ = ["single_key_case"]

_THINGS = ["a", "b", "'C c'", "4", "k(a)", "d"]
_END = 80
_FORMS = [
    "initiatedAt({new}(X)=true, T) :- happensAt(on(X), T){more}.\n"
    "terminatedAt({new}(X)=true, T) :- happensAt(off(X), T).",
    "initiatedAt({new}(X)=V, T) :- happensAt(put(X, V), T){more}.\n"
    "terminatedAt({new}(X)=_, T) :- happensAt(off(X), T).",
    "initiatedAt({new}(X)=true, T) :- happensAt(start({old}(X)=_), T){more}.\n"
    "terminatedAt({new}(X)=true, T) :- happensAt(end({old2}(X)=_), T).",
    "initiatedAt({new}(X)=true, T) :- happensAt(startI({old}(X)=_), T).\n"
    "terminatedAt({new}(X)=true, T) :- happensAt(endI({old}(X)=_), T).",
    "initiatedAt({new}(X)=true, T) :- happensAt(on(X), T){more}.\nft({new}(X)=true, {n}).",
    "initiatedAt({new}(X)=high, T) :- happensAt(on(X), T).\nfi({new}(X)=high, {new}(X)=low, {n}).\np({new}(_)=high).\n"
    "fi({new}(X)=low, {new}(X)=none, {n}).",
    "initially({new}(_)=low).\ninitiatedAt({new}(X)=high, T) :- happensAt(on(X), T){more}.\n"
    "initiatedAt({new}(X)=low, T) :- happensAt(off(X), T).",
    "initiatedAt({new}(X)=true, T) :- happensAt(on(X), T), not holdsAt({new}b(X)=true, T).\n"
    "initiatedAt({new}b(X)=true, T) :- happensAt(off(X), T), holdsAt({new}(X)=true, T).\n"
    "terminatedAt({new}b(X)=true, T) :- happensAt(put(X, _), T).\ngrounding({new}b(X)=true) :- thing(X).",
    "initiatedAt({new}(X)=N, T) :- happensAt(on(X), T), aggregate_all(count, happensAt(put(X, _), T), N).",
    "happensAt(seen{new}(X), T) :- happensAt(on(X), T){more}.\n"
    "happensAt(seen{new}(X), T) :- happensAt(end({old}(X)=_), T).\n"
    "initiatedAt({new}(X)=true, T) :- happensAt(seen{new}(X), T).\n"
    "terminatedAt({new}(X)=true, T) :- happensAt(off(X), T).",
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), holdsFor({old2}(X)=true, I2), union_all([I1, I2], I).",
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), holdsFor({old2}(X)=_, I2), intersect_all([I1, I2], I).",
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), holdsFor({old2}(X)=true, I2),\n"
    "    relative_complement_all(I1, [I2], I).",
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), complement_all([I1], I).",
]
_FILTERS = [
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), intDurGreater(I1, {n}, I).",
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), intDurLess(I1, {n}, I).",
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), holdsFor({old2}(X)=true, I2), limit(X, N),\n"
    "    union_all([I1, I2], I3), intDurGreater(I3, N, I).",
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), holdsFor({old2}(X)=true, I2),\n"
    "    intDurGreater(I1, {n}, I3), relative_complement_all(I2, [I3], I4), intDurLess(I4, 12.5, I).",
]
_MORE = ["", "", "", ", not holdsAt({old}(X)=_, T)", ", holdsAt({old}(X)=_, T)", ", not happensAt(put(X, _), T)"]


def single_key_case(seed: int) -> Case:
    """A program of two to six rules, and records of things."""
    chance = random.Random(seed)
    clauses = [
        "collectIntervals(lit(_)=true).",
        "buildFromPoints(near(_)=true).",
        "value(true). value(high). value(low).",
    ]
    clauses += [
        "value(none). value(0). value(1). value(2).",
        *(f"limit({x}, {4 + i}.5)." for i, x in enumerate(_THINGS)),
    ]
    clauses += _domain(chance)
    clauses += ["grounding(lit(X)=true) :- thing(X).", "grounding(near(X)=true) :- thing(X)."]
    known = ["lit", "near"] if chance.random() < 0.5 else ["lit"]
    for i in range(chance.randint(2, 6)):
        form = chance.choice(_FILTERS if chance.random() < 0.3 else _FORMS)
        more = chance.choice(_MORE).format(old=chance.choice(known))
        filled = {"old": known[-1] if chance.random() < 0.5 else chance.choice(known), "old2": chance.choice(known)}
        clauses.append(form.format(new=f"f{i}", n=chance.choice([1, 2, 3, 5, 8, 13, 30]), more=more, **filled))
        clauses.append(f"grounding(f{i}(X)=V) :- thing(X), value(V).")
        known.append(f"f{i}")
    tick = chance.choice([1, 1, 1, 2])
    records = [(0, line) for _ in range(chance.randint(10, 100)) for line in _records(chance, tick)]
    return Case("\n".join(clauses) + "\n", records, 0, _END * tick, tick)


def _domain(chance: random.Random) -> list[str]:
    if chance.random() < 0.7:
        return [f"thing({thing})." for thing in _THINGS]
    return ["dynamicDomain(thing(_)).", "collectGrounds([on(X), off(X), put(X, _), lit(X)=_, near(X)=_], thing(X))."]


def _records(chance: random.Random, tick: int) -> list[str]:
    """A record, or the records of one interval."""
    at, x = tick * chance.randint(0, _END), chance.choice(_THINGS)
    match chance.choice(["on", "off", "put", "lit", "near"]):
        case "put":
            return [f"put|{at}|{at}|{x}|{chance.choice(['high', 'low'])}"]
        case "lit":
            parts = in_parts(at, at + tick * chance.randint(1, 12), tick, chance)
            return [f"lit|{start}|{start}|{end}|true|{x}" for start, end in parts]
        case "near":
            return [f"near|{each}|{each}|true|{x}" for each in points_in_a_row(at, tick, chance)]
        case name:
            return [f"{name}|{at}|{at}|{x}"]
