"""Random programs about things and pairs of things, with and without a common key.

Rules are drawn from forms keyed by a thing, by one side of a pair, along a pair, along facts of the background
knowledge (`of/2` and what clauses make of it), or without a key. They build on each other in any order; a rule may be
recursive or have a delayed effect. Some pairs have no grounding.
"""

from __future__ import annotations

import random
from typing import get_args

from holdsfor.syntax.rules import AllenMode, AllenRelation
from tests.properties.programs import Case

__all__ = ["THINGS", "keyed_case"]

THINGS = ["a", "b", "'C c'", "4", "4.5", "k(a)", "d"]
_END = 40

_OF_A_THING = [
    "initiatedAt({new}(X)=true, T) :- happensAt(on(X), T){more}.\n"
    "terminatedAt({new}(X)=true, T) :- happensAt(off(X), T).",
    "initially({new}(_)=low).\n"
    "initiatedAt({new}(X)=high, T) :- happensAt(on(X), T){more}.\n"
    "initiatedAt({new}(X)=low, T) :- happensAt(off(X), T).",
    "initiatedAt({new}(X)=true, T) :- happensAt(start({old}(X)=_), T){more}.\nft({new}(X)=true, {n}).",
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), complement_all([I1], I).",
    "initiatedAt({new}(Y)=N, T) :- happensAt(meet(_, Y), T), holdsAt({old}(Y)=_, T),\n"
    "    aggregate_all(count, happensAt(meet(_, Y), T), N).",
    "initiatedAt({new}(X)=true, T) :- happensAt(meet(X, Y), T), holdsAt({old}(Y)=_, T){more}.\n"
    "terminatedAt({new}(X)=true, T) :- happensAt(meet(X, Y), T), not holdsAt({old}(Y)=_, T).",
    "initiatedAt({new}(X)=true, T) :- happensAt(on(X), T), initiatedAt({old}(X)=_, T).",
    "initiatedAt({new}(X)=high, T) :- happensAt(on(X), T){more}.\n"
    "fi({new}(X)=high, {new}(X)=low, {n}).\np({new}(_)=high).",
    "initiatedAt({new}(X)=high, T) :- happensAt(meet(X, _), T), not holdsAt({old}(X)=_, T).\n"
    "fi({new}(X)=high, {new}b(X)=true, {n}) :- not holdsAt({old}(X)=_, T).\nft({new}b(X)=true, {n}).\n"
    "grounding({new}b(X)=true) :- thing(X).",
    "initiatedAt({new}(X)=true, T) :- happensAt(on(X), T), not holdsAt({new}b(X)=true, T).\n"
    "initiatedAt({new}b(X)=true, T) :- happensAt(off(X), T), holdsAt({new}(X)=true, T).\n"
    "terminatedAt({new}b(X)=true, T) :- happensAt(meet(_, X), T), not holdsAt({old}(X)=_, T).\n"
    "grounding({new}b(X)=true) :- thing(X).",
    "initiatedAt({new}(X)=true, T) :- happensAt(on(X), T){more}.\n"
    "initiatedAt({new}(X)=true, T) :- happensAt(meet(X, Y), T), holdsAt({new}(Y)=true, T).\n"
    "terminatedAt({new}(X)=true, T) :- happensAt(off(X), T).",
    "holdsFor({new}(X)=true, I) :- holdsFor({old}(X)=true, I1), holdsFor({old2}(X)=true, I2),\n"
    "    allen({relation}, I1, I2, {mode}, I).",
    "initiatedAt({new}(X)=true, T) :- happensAt(on(X), T), happensAt(storm, T).",
    "initiatedAt({new}(X)=true, T) :- happensAt(on(X), T), not holdsAt({old}(a)=_, T).",
    "initiatedAt({new}(X)=true, T) :- happensAt(on(X), T), aggregate_all(count, holdsAt({old}(_)=_, T), N), N > {n}.",
]
_ALONG_FACTS = [
    "initiatedAt({new}(G)=true, T) :- happensAt(on(X), T), of(X, G){more}.\n"
    "terminatedAt({new}(G)=true, T) :- happensAt(off(X), T), held(X, G).",
    "initiatedAt({new}(G)=N, T) :- happensAt(on(X), T), of(X, G),\n"
    "    findall(Y, (of(Y, G), holdsAt({old}(Y)=_, T)), L), length(L, N).",
    "initiatedAt({new}(G)=true, T) :- happensAt(on(X), T), held(X, G),\n"
    "    aggregate_all(count, (held(Y, G), holdsAt({old}(Y)=_, T)), N), N > 1.\n"
    "terminatedAt({new}(G)=true, T) :- happensAt(off(X), T), held(X, G), not (of(Y, G), holdsAt({old}(Y)=_, T)).",
    "initiatedAt({new}(X)=high, T) :- happensAt(on(X), T), of(X, G), holdsAt({old}(G)=_, T).\n"
    "initiatedAt({new}(X)=low, T) :- happensAt(on(X), T), of(X, G), not holdsAt({old}(G)=_, T){more}.",
    "initiatedAt({new}(Z)=true, T) :- happensAt(off(X), T), of(X, Y), of(Y, Z), not happensAt(on(Z), T).\n"
    "ft({new}(Z)=true, {n}) :- of(Z, _).",
    "holdsFor({new}(X)=true, I) :- of(X, G), holdsFor({old}(G)=true, I1), holdsFor({old2}(X)=true, I2),\n"
    "    intersect_all([I1, I2], I).",
    "holdsFor({new}(G)=true, I) :- holdsFor({old}(X)=true, I), of(X, G).",
    "initiatedAt({new}(G)=true, T) :- happensAt(meet(X, Y), T), (of(X, G), holdsAt({old}(X)=_, T) ; of(Y, G)).",
    "initiatedAt({new}(G)=true, T) :- happensAt(on(X), T), same(X, G), holdsAt({old}(G)=_, T).",
    "initiatedAt({new}(G)=true, T) :- happensAt(on(X), T), of(X, G), holdsAt({new}(X)=_, T).\n"
    "initiatedAt({new}(X)=true, T) :- happensAt(off(X), T).",
]
_FACTS = [
    "held(X, G) :- of(X, G), large(G).",
    "same(X, Y) :- of(X, G), of(Y, G).",
    "of(a, b). of(b, 4). of('C c', b). of(4, 'C c'). of(4, d). of(4.5, b). of(k(a), a). of(d, k(a)). of(x, b).",
    "large(b). large('C c'). large(k(a)). large(4).",
]
_OF_A_PAIR = [
    "initiatedAt({new}(X, Y)=true, T) :- happensAt(meet(X, Y), T), holdsAt({old}(X)=_, T), \n"
    "    not holdsAt({old2}(Y)=_, T).\n"
    "terminatedAt({new}(X, _)=true, T) :- happensAt(off(X), T).",
    "holdsFor({new}(X, Y)=true, I) :- holdsFor(near(X, Y)=true, I1), holdsFor({old}(X)=true, I2),\n"
    "    holdsFor({old2}(Y)=true, I3), relative_complement_all(I1, [I2, I3], I).",
    "holdsFor({new}(X, Y)=true, I) :- holdsFor(near(X, Y)=true, I1), holdsFor({old}(Y)=true, I2),\n"
    "    intersect_all([I1, I2], I3), intDurGreater(I3, {n}, I).",
    "holdsFor({new}(X, Y)=true, I) :- holdsFor(near(X, Y)=true, I1), holdsFor({old}(Y)=true, I2),\n"
    "    allen({relation}, I1, I2, {mode}, I).",
    "holdsFor({new}(X, Y)=true, I) :- holdsFor(near(X, Y)=true, I1), holdsFor({old}(X)=true, I2),\n"
    "    holdsFor({old2}(Y)=true, I3), allen({relation}, I2, I3, {mode}, I4), intersect_all([I1, I4], I).",
    "holdsFor({new}(X, Y)=true, I) :- holdsFor({old}(X)=true, I1), holdsFor({old2}(Y)=true, I2),\n"
    "    intersect_all([I1, I2], I).",
    "holdsFor({new}(X, Y)=true, I) :- holdsFor({old}(X)=true, I1), holdsFor({old2}(Y)=true, I2),\n"
    "    union_all([I1, I2], I3), holdsFor(near(X, Y)=true, I4), intersect_all([I3, I4], I).",
    "holdsFor({new}(X, Y)=true, I) :- holdsFor({old}(X)=true, I1), holdsFor({old2}(Y)=true, I2),\n"
    "    relative_complement_all(I1, [I2], I3), holdsFor(near(X, Y)=true, I4), intersect_all([I4, I3], I).",
    "holdsFor({new}(X, Y)=true, I) :- of(X, Y), holdsFor({old}(X)=true, I1), holdsFor({old2}(Y)=true, I2),\n"
    "    intersect_all([I1, I2], I).",
]
_MORE = ["", "", ", not holdsAt({old}(X)=_, T)", ", holdsAt({old}(X)=_, T)", ", not happensAt(meet(X, _), T)"]


def keyed_case(seed: int) -> Case:
    """A program about things and pairs, and records of them."""
    chance = random.Random(seed)
    clauses = ["collectIntervals(near(_, _)=true).", "collectIntervals(lit(_)=true).", *_domains(chance)]
    clauses += [*(f"value({value})." for value in ("true", "high", "low", 0, 1, 2, 3)), *_FACTS]
    clauses += ["grounding(lit(X)=true) :- thing(X).", "grounding(near(X, Y)=true) :- thing(X), thing(Y)."]
    things, pairs = ["lit"], list[str]()
    for i in range(chance.randint(2, 5)):
        is_pair = i > 0 and chance.random() < 0.4
        form = chance.choice(_OF_A_PAIR if is_pair else [*_OF_A_THING, *_ALONG_FACTS])
        more = chance.choice(_MORE).format(old=chance.choice(things))
        filled = {"old": chance.choice(things), "old2": chance.choice(things), "n": chance.randint(1, 9), "more": more}
        filled |= {"relation": chance.choice(get_args(AllenRelation)), "mode": chance.choice(get_args(AllenMode))}
        name = f"{'p' if is_pair else 'f'}{i}"
        clauses.append(form.format(new=name, **filled))
        members = "(X, Y)=V) :- thing(X), thing(Y)" if is_pair else "(X)=V) :- thing(X)"
        if not is_pair or chance.random() < 0.7:
            clauses.append(f"grounding({name}{members}, value(V).")
        (pairs if is_pair else things).append(name)
    if pairs:
        clauses.append(f"happensAt(seen(X), T) :- happensAt(start({chance.choice(pairs)}(X, _)=true), T).")
    records = [(0, _record(chance)) for _ in range(chance.randint(5, 60))]
    return Case("\n".join(clauses) + "\n", records, 0, _END, 1)


def _domains(chance: random.Random) -> list[str]:
    if chance.random() < 0.3:
        return [f"thing({thing})." for thing in THINGS[:5]]
    entities = ["on(X)", "off(X)", "meet(X, _)", "meet(_, X)", "near(X, _)=_", "near(_, X)=_", "lit(X)=_"]
    chosen = ", ".join(chance.sample(entities, chance.randint(2, len(entities))))
    return ["dynamicDomain(thing(_)).", f"collectGrounds([{chosen}], thing(X))."]


def _record(chance: random.Random) -> str:
    at, x, y = chance.randint(0, _END), chance.choice(THINGS), chance.choice(THINGS)
    return chance.choice(
        [
            f"on|{at}|{at}|{x}",
            f"off|{at}|{at}|{x}",
            f"meet|{at}|{at}|{x}|{y}",
            f"storm|{at}|{at}",
            f"near|{at}|{at}|{at + chance.randint(1, 15)}|true|{x}|{y}",
            f"lit|{at}|{at}|{at + chance.randint(1, 15)}|true|{x}",
        ]
    )
