"""Random programs over a dynamic domain, with entities that come, go, and sometimes return.

Some rules need only the members that records and open values mention, others range over all members ever seen or test
other constants against them.
"""

from __future__ import annotations

import random

from tests.properties.programs import Case

__all__ = ["passing_case"]

_END = 120
_SOURCES = ["on(X)", "off(X)", "meet(X, _)", "meet(_, X)", "lit(X)=true"]

_FORMS = [
    "initiatedAt({f}(X)=true, T) :- happensAt(on(X), T).\nterminatedAt({f}(X)=true, T) :- happensAt(off(X), T).",
    "initiatedAt({f}(X)=true, T) :- happensAt(on(X), T), known(X).\nterminatedAt({f}(_)=_, T) :- happensAt(storm, T).",
    "initiatedAt({f}(X)=true, T) :- happensAt(on(X), T).\nterminatedAt({f}(X)=_, T) :- happensAt(storm, T), thing(X).",
    "initiatedAt({f}(X)=true, T) :- happensAt(meet(X, Y), T), holdsAt({g}(Y)=true, T), thing(Y).\n"
    "ft({f}(X)=true, {n}).",
    "initiatedAt({f}(X)=true, T) :- happensAt(meet(X, Y), T), not (happensAt(on(Y), T), thing(Y)).\n"
    "fi({f}(X)=true, {f}(X)=false, {n}).\np({f}(_)=true).\nft({f}(X)=false, {n}).",
    "initiatedAt({f}(X)=true, T) :- happensAt(start({g}(X)=true), T), happensAt(storm, T).\n"
    "terminatedAt({f}(X)=true, T) :- happensAt(end({g}(X)=true), T).",
    "holdsFor({f}(X)=true, I) :- holdsFor({g}(X)=true, I1), thing(X), intDurGreater(I1, {n}, I).",
    "holdsFor({f}(X)=true, I) :- holdsFor({g}(X)=true, I1), holdsFor({h}(X)=true, I2),\n"
    "    relative_complement_all(I1, [I2], I).",
    "holdsFor({f}(X)=true, I) :- holdsFor({g}(X)=true, I1), holdsFor({h}(Y)=true, I2), Y \\= X, thing(Y),\n"
    "    allen(before, I1, I2, target, I).",
    "holdsFor({f}(X)=true, I) :- holdsFor({g}(X)=true, I1), holdsFor({h}(X)=true, I2), union_all([I1, I2], I).",
    "happensAt(seen{f}(X), T) :- (happensAt(on(X), T) ; happensAt(end({g}(X)=true), T)), thing(X).\n"
    "initiatedAt({f}(X)=true, T) :- happensAt(seen{f}(X), T).",
]
_NEED_MEMBERS = [
    "initiatedAt({f}(_)=true, T) :- happensAt(storm, T).",
    "initiatedAt({f}(X)=true, T) :- happensAt(ping(X), T).",
    "initiatedAt({f}(a)=true, T) :- happensAt(ping(X), T), known(X).",
    "initiatedAt({f}(X)=true, T) :- happensAt(on(X), T), happensAt(ping(Y), T), \\+ thing(Y).",
    "initiatedAt({f}(X)=true, T) :- happensAt(on(X), T).\nterminatedAt({f}(_)=_, T) :- happensAt(storm, T).\n"
    "initiatedAt({f}b(X)=true, T) :- happensAt(storm, T), terminatedAt({f}(X)=true, T).",
    "initiatedAt({f}(X)=true, T) :- happensAt(on(X), T), findall(Y, thing(Y), L), length(L, N), N > {n}.",
    "initially({f}(_)=true).\nterminatedAt({f}(X)=_, T) :- happensAt(on(X), T).",
    "holdsFor({f}(X)=true, I) :- holdsFor({g}(X)=true, I1), complement_all([I1], I).",
    "holdsFor({f}(X)=true, I) :- holdsFor({g}(Y)=true, I), thing(X), X @< Y.",
]


def passing_case(seed: int) -> Case:
    """A program over things, and records of things that rarely return."""
    chance = random.Random(seed)
    clauses = ["collectIntervals(lit(_)=true).", "dynamicDomain(thing(_)).", "known(X) :- thing(X), X \\= a."]
    clauses += [f"grounding({source}) :- thing(X)." for source in _SOURCES]
    fluents = ["lit"]
    for i in range(chance.randint(1, 4)):
        form = chance.choice(_NEED_MEMBERS if chance.random() < 0.15 else _FORMS)
        names = {"f": f"f{i}", "g": chance.choice(fluents), "h": chance.choice(fluents), "n": chance.randint(1, 9)}
        clauses.append(form.format(**names))
        clauses += [f"grounding(f{i}(X)=V) :- {chance.choice(['thing', 'known'])}(X), member(V, [true, false])."]
        fluents.append(f"f{i}")
    records = [_record(chance) for _ in range(chance.randint(20, 80))]
    return Case("\n".join(clauses) + "\n", records, 0, _END, 1)


def _record(chance: random.Random) -> tuple[int, str]:
    at = chance.randint(0, _END)
    around = [f"n{number}" for number in range(at // 6, at // 6 + 2)]
    pool = ["a", "k(a)", "4", "n2", "n5"] if chance.random() < 0.2 else around
    x, y = chance.choice(pool), chance.choice(pool)
    texts = [f"{name}|{at}|{at}|{x}" for name in ("on", "off", "ping")]
    texts += [f"meet|{at}|{at}|{x}|{y}", f"storm|{at}|{at}", f"lit|{at}|{at}|{at + chance.randint(1, 9)}|true|{x}"]
    return at, chance.choice(texts)
