"""Random programs over a dynamic domain, with entities that come, go, and sometimes return.

Some rules need only the members that records and open values mention, others range over all members ever seen or test
other constants against them. Rules about pairs read the results of rules about things, so that a stream has several
stages; effects of things may be delayed until long after their last records.
"""

from __future__ import annotations

import random

from tests.properties.programs import Case

__all__ = ["passing_case", "passing_pairs_case"]

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
_DELAYED_FORMS = [
    "initiatedAt({f}early(X)=true, T) :- happensAt(on(X), T).\n"
    "terminatedAt({f}early(X)=true, T) :- happensAt(off(X), T).\n"
    "fi({f}early(X)=true, {f}(X)=true, {long}).\nft({f}(X)=true, {n}).\ngrounding({f}early(X)=true) :- thing(X).",
    "initiatedAt({f}early(X)=true, T) :- happensAt(meet(X, _), T).\nft({f}early(X)=true, {long}).\n"
    "initiatedAt({f}(X)=true, T) :- happensAt(end({f}early(X)=true), T).\nft({f}(X)=true, {n}).\n"
    "grounding({f}early(X)=true) :- known(X).",
    "initiatedAt({f}early(X)=true, T) :- happensAt(on(X), T).\n"
    "terminatedAt({f}early(X)=true, T) :- happensAt(off(X), T).\ngrounding({f}early(X)=true) :- thing(X).\n"
    "holdsFor({f}(X)=true, I) :- holdsFor({f}early(X)=true, I1), intDurGreater(I1, {long}, I).",
    "initiatedAt({f}early(X)=true, T) :- happensAt(on(X), T).\nft({f}early(X)=true, {long}).\n"
    "initiatedAt({f}box(k(X))=true, T) :- happensAt(end({f}early(X)=true), T).\nft({f}box(X)=true, {n}).\n"
    "grounding({f}early(X)=true) :- thing(X).\ngrounding({f}box(X)=true) :- boxed(X).\n"
    "initiatedAt({f}(X)=true, T) :- happensAt(start({f}box(k(X))=true), T), holdsAt({g}(Y)=true, T), thing(Y).\n"
    "ft({f}(X)=true, {n}).",
]
_PAIR_FORMS = [
    "holdsFor({f}(X, Y)=true, I) :- holdsFor({g}(X)=true, I1), holdsFor({h}(Y)=true, I2), thing(Y),\n"
    "    intersect_all([I1, I2], I).",
    "holdsFor({f}(X, Y)=true, I) :- holdsFor({g}(X)=true, I1), holdsFor({h}(Y)=true, I2), X @< Y, known(X),\n"
    "    allen(before, I1, I2, target, I).",
    "initiatedAt({f}(X, Y)=true, T) :- happensAt(meet(X, Y), T), holdsAt({g}(X)=true, T),\n"
    "    not holdsAt({h}(Y)=true, T).\n"
    "terminatedAt({f}(X, _)=true, T) :- happensAt(off(X), T), thing(X).",
    "initiatedAt({f}(X, Y)=true, T) :- happensAt(start({g}(X)=true), T), holdsAt({h}(Y)=true, T), known(Y).\n"
    "terminatedAt({f}(_, Y)=true, T) :- happensAt(end({h}(Y)=true), T).\nft({f}(X, Y)=true, {long}).",
    "happensAt(seen{f}(X), T) :- happensAt(end({g}(X)=true), T), thing(X).\ngrounding(seen{f}(X)) :- known(X).\n"
    "initiatedAt({f}(X, Y)=true, T) :- happensAt(seen{f}(X), T), happensAt(on(Y), T).\n"
    "initiatedAt({f}(X, Y)=true, T) :- happensAt(seen{f}(X), T), holdsAt({h}(Y)=true, T).\n"
    "terminatedAt({f}(_, _)=_, T) :- happensAt(storm, T).",
]
_AFTER_PAIRS_FORMS = [
    "initiatedAt({f}(Y)=true, T) :- happensAt(start({p}(_, Y)=true), T), thing(Y).\nft({f}(Y)=true, {n}).",
    "initiatedAt({f}(X)=true, T) :- happensAt(end({p}(X, Y)=true), T), known(Y).\n"
    "terminatedAt({f}(_)=_, T) :- happensAt(storm, T).",
]


def passing_pairs_case(seed: int) -> Case:
    """A program over things and pairs that needs no members of the past, and records of things that rarely return."""
    chance = random.Random(seed)
    clauses, things, pairs = _base(), ["lit"], list[str]()
    for i in range(chance.randint(2, 4)):
        is_pair = i > 0 and (not pairs or chance.random() < 0.4)
        names = {"f": f"{'p' if is_pair else 'f'}{i}", "g": chance.choice([*things, things[-1]]), "h": things[-1]}
        forms = _PAIR_FORMS if is_pair else _DELAYED_FORMS if i == 0 or chance.random() < 0.3 else _FORMS
        if pairs and not is_pair and chance.random() < 0.5:
            forms, names["p"] = _AFTER_PAIRS_FORMS, chance.choice(pairs)
        numbers = {"n": chance.randint(1, 9), "long": chance.randint(25, 50)}
        clauses.append(chance.choice(forms).format(**names, **numbers))
        domain = chance.choice(["thing", "known"])
        clauses.append(_grounding_of_pairs(i, domain) if is_pair else _grounding(i, domain))
        (pairs if is_pair else things).append(names["f"])
    records = [_record(chance) for _ in range(chance.randint(20, 80))]
    return Case("\n".join(clauses) + "\n", records, 0, _END, 1)


def _base() -> list[str]:
    """The domain and the records that fill it."""
    clauses = ["collectIntervals(lit(_)=true).", "dynamicDomain(thing(_)).", "known(X) :- thing(X), X \\= a."]
    clauses.append("boxed(k(X)) :- thing(X).")
    return clauses + [f"grounding({source}) :- thing(X)." for source in _SOURCES]


def _grounding(number: int, domain: str) -> str:
    return f"grounding(f{number}(X)=V) :- {domain}(X), member(V, [true, false])."


def _grounding_of_pairs(number: int, domain: str) -> str:
    return f"grounding(p{number}(X, Y)=true) :- thing(X), {domain}(Y)."


def passing_case(seed: int) -> Case:
    """A program over things, and records of things that rarely return."""
    chance = random.Random(seed)
    clauses, fluents = _base(), ["lit"]
    for i in range(chance.randint(1, 4)):
        form = chance.choice(_NEED_MEMBERS if chance.random() < 0.15 else _FORMS)
        names = {"f": f"f{i}", "g": chance.choice(fluents), "h": chance.choice(fluents), "n": chance.randint(1, 9)}
        clauses.append(form.format(**names))
        clauses.append(_grounding(i, chance.choice(["thing", "known"])))
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
