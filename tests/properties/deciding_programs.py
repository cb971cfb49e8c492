"""Random programs whose key changes from rule to rule, with rules that decide late in between.

A duration filter or an Allen relation may add an interval that began long ago, and the next stage has to revise results
from there on. Layers are keyed by a thing, then by a pair that contains it, then by the other thing of the pair.
"""

from __future__ import annotations

import random
from typing import get_args

from holdsfor.syntax.rules import AllenMode, AllenRelation
from tests.properties.programs import Case

__all__ = ["deciding_case"]

_THINGS = ["a", "b", "c", "4"]
_END = 60
_OF_A_THING = [
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), intDurGreater(I1, {n}, I).",
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), intDurLess(I1, {n}, I).",
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), holdsFor({old2}(X)=true, I2),\n"
    "    allen({relation}, I1, I2, {mode}, I).",
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), complement_all([I1], I).",
    "initiatedAt({new}(X)=true, T) :- happensAt(start({old}(X)=true), T), not holdsAt({old2}(X)=true, T).\n"
    "terminatedAt({new}(X)=true, T) :- happensAt(off(X), T).",
    "initiatedAt({new}(X)=true, T) :- happensAt(on(X), T), holdsAt({old}(X)=true, T).\nft({new}(X)=true, {n}).",
]
_OF_A_PAIR = [
    "holdsFor({new}(X, Y)=true, I) :- holdsFor(near(X, Y)=true, I1), holdsFor({old}(X)=true, I2),\n"
    "    intersect_all([I1, I2], I).",
    "holdsFor({new}(X, Y)=true, I) :- holdsFor(near(X, Y)=true, I1), holdsFor({old}(X)=true, I2),\n"
    "    holdsFor({old2}(Y)=true, I3), relative_complement_all(I1, [I2, I3], I4), intDurGreater(I4, {n}, I).",
    "initiatedAt({new}(X, Y)=true, T) :- happensAt(start(near(X, Y)=true), T), not holdsAt({old}(X)=true, T).\n"
    "terminatedAt({new}(X, Y)=true, T) :- happensAt(end(near(X, Y)=true), T).",
]
_OF_THE_OTHER = [
    "initiatedAt({new}(Y)=true, T) :- happensAt(start({pair}(_, Y)=true), T).\n"
    "terminatedAt({new}(Y)=true, T) :- happensAt(off(Y), T).",
    "initiatedAt({new}(Y)=true, T) :- happensAt(met{pair}(_, Y), T).\nft({new}(Y)=true, {n}).\n"
    "happensAt(met{pair}(X, Y), T) :- happensAt(end({pair}(X, Y)=true), T).",
]


def deciding_case(seed: int) -> Case:
    """A program of two to four layers, and records of things and pairs."""
    chance = random.Random(seed)
    clauses = ["collectIntervals(near(_, _)=true).", "collectIntervals(lit(_)=true)."]
    clauses += [f"thing({thing})." for thing in _THINGS]
    clauses += ["grounding(lit(X)=true) :- thing(X).", "grounding(near(X, Y)=true) :- thing(X), thing(Y)."]
    known = ["lit"]
    for layer in range(chance.randint(2, 4)):
        thing, pair, other = f"f{layer}", f"p{layer}", f"g{layer}"
        for new, forms in ((thing, _OF_A_THING), (pair, _OF_A_PAIR), (other, _OF_THE_OTHER)):
            filled = {
                "new": new,
                "pair": pair,
                "old": known[-1],
                "old2": chance.choice(known),
                "n": chance.choice([2, 6, 15]),
            }
            filled |= {"relation": chance.choice(get_args(AllenRelation)), "mode": chance.choice(get_args(AllenMode))}
            clauses.append(chance.choice(forms).format(**filled))
            members = "(X, Y)=true) :- thing(X), thing(Y)" if new == pair else "(X)=true) :- thing(X)"
            clauses.append(f"grounding({new}{members}.")
            known += [new] if new != pair else []
    records = [(0, _record(chance)) for _ in range(chance.randint(10, 60))]
    return Case("\n".join(clauses) + "\n", records, 0, _END, 1)


def _record(chance: random.Random) -> str:
    at, x, y = chance.randint(0, _END), chance.choice(_THINGS), chance.choice(_THINGS)
    length = chance.choice([1, 5, 10, 20, 20])
    return chance.choice(
        [
            f"on|{at}|{at}|{x}",
            f"off|{at}|{at}|{x}",
            f"near|{at}|{at}|{at + length}|true|{x}|{y}",
            f"lit|{at}|{at}|{at + length}|true|{x}",
        ]
    )
