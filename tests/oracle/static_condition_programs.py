"""Random programs with delays whose conditions depend on statically determined fluents, directly or through others.

Many have a cycle through a statically determined fluent. A delay between two fluents may be written in two steps: the
delay initiates a fluent `due…` that never holds, and a rule initiates the target. A program may only have a meaning in
two steps; the oracle, which has no components, also has the meaning of one step.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.oracle.questions import Question

__all__ = ["FORMS", "StaticConditions", "static_conditions"]

_NAMES = """
union, intersection, difference, complement, duration, relation, static of static, static of the target
holdsAt, not holdsAt, start, end, startI, endI, event of a static fluent, simple fluent of a static fluent, no condition
fi to another fluent, fi to another value, ft, delay by fact, postponable, postponable by fact, rule of the target
"""
FORMS: frozenset[str] = frozenset(name for line in _NAMES.split("\n") for name in line.split(", ") if name)
"""The forms that are counted when they are written."""

_BASE = """\
collectIntervals(f(_)=true).
limit(a, 3).
limit(b, 6).
initiatedAt(n(X)=true, T) :- happensAt(on(X), T).
terminatedAt(n(X)=true, T) :- happensAt(off(X), T).
terminatedAt(w(X)=true, T) :- happensAt(off(X), T).
"""
_OPERATIONS = {
    "union": "union_all([I, K], J)",
    "intersection": "intersect_all([I, K], J)",
    "difference": "relative_complement_all(I, [K], J)",
    "complement": "complement_all([I, K], J)",
    "duration": "intDurLess(I, 4, J)",
    "relation": "before(I, K, source, J)",
}
_CONDITIONS = {
    "holdsAt": "holdsAt({}, T)",
    "not holdsAt": "\\+ holdsAt({}, T)",
    "start": "\\+ happensAt(start({}), T)",
    "end": "\\+ happensAt(end({}), T)",
    "startI": "\\+ happensAt(startI({}), T)",
    "endI": "\\+ happensAt(endI({}), T)",
    "no condition": "",
}


@dataclass(frozen=True)
class StaticConditions:
    """A question with its delays in one step and in two, and the forms that it uses."""

    one_step: Question
    two_steps: Question
    used: Counter[str]


class _Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.used: Counter[str] = Counter()
        self.n = self.random.choice([16, 24])
        self.lists = ["m(X)=mid", "m(X)=mid", "m(X)=on", "n(X)=true", "f(X)=true"]

    def pick(self, forms: dict[str, str]) -> str:
        form = self.random.choice(list(forms))
        self.used[form] += 1
        return forms[form]

    def use(self, form: str, chance: float) -> bool:
        is_used = self.random.random() < chance
        self.used[form] += is_used
        return is_used

    def program(self) -> StaticConditions:
        r = self.random
        rules = list(self.modes())
        statics = [f"d{i}(X)=true" for i in range(r.choice([1, 1, 2]))]
        for i, fvp in enumerate(statics):
            rules.append(self.static(fvp))
            self.lists.append(f"d{i}(X)=true")
        tested = list(statics)
        rules += self.followers(tested)
        delays = [self.delay(i, tested) for i in range(r.choice([1, 1, 2]))]
        rules += self.postponements()
        records = tuple(self.records())
        step = r.randint(1, 8)
        memory = r.choice([None, 0, 3])
        window = step + r.choice([0, 0, 2])
        one, two = (_BASE + "\n".join([*rules, *texts]) + "\n" for texts in zip(*delays, strict=True))
        question = Question(one, records, self.n, 0, 1, memory, window, step)
        return StaticConditions(question, replace(question, text=two), self.used)

    def modes(self) -> Iterator[str]:
        if self.random.random() < 0.4:
            yield "initiatedAt(m(X)=M, T) :- happensAt(sw(X, M), T)."
        else:
            for mode in ("on", "mid"):
                yield f"initiatedAt(m(X)={mode}, T) :- happensAt(sw(X, {mode}), T)."
            yield "terminatedAt(m(X)=_, T) :- happensAt(sw(X, off), T)."

    def static(self, fvp: str) -> str:
        r = self.random
        lists = [*self.lists, "w(X)=true"] if self.use("static of the target", 0.1) else self.lists
        one, other = (r.choice(lists), r.choice(lists))
        if self.random.random() < 0.5:
            one = lists[-1]
        self.used["static of static"] += one[0] == "d" or other[0] == "d"
        steps = [f"holdsFor({one}, I)", f"holdsFor({other}, K)", self.pick(_OPERATIONS)]
        return f"holdsFor({fvp}, J) :- limit(X, _), {', '.join(steps)}."

    def followers(self, tested: list[str]) -> Iterator[str]:
        """An event and a simple fluent that depend on a static fluent, and may be tested instead of it."""
        r, fvp = self.random, tested[-1]
        if self.use("event of a static fluent", 0.3):
            yield f"happensAt(o(X), T) :- happensAt({r.choice(['start', 'endI'])}({fvp}), T)."
            tested.append("o(X)")
        if self.use("simple fluent of a static fluent", 0.2):
            yield f"initiatedAt(u(X)=true, T) :- happensAt({r.choice(['startI', 'end'])}({fvp}), T)."
            yield "terminatedAt(u(X)=true, T) :- happensAt(off(X), T)."
            tested.append("u(X)=true")
        if self.use("rule of the target", 0.2):
            yield f"initiatedAt(w(X)=true, T) :- happensAt(start({fvp}), T)."

    def delay(self, i: int, tested: list[str]) -> tuple[str, str]:
        """The clauses of a delay, in one step and in two."""
        r, goals = self.random, list[str]()
        length = str(r.choice([1, 2, 3, 5, 8]))
        if self.use("delay by fact", 0.2):
            length = "R"
            goals.append("limit(X, R)")
        what = r.choice(tested)
        condition = "\\+ happensAt(o(X), T)" if what == "o(X)" else self.pick(_CONDITIONS).format(what)
        when_due = [condition] if condition else []
        source = r.choice(["m(X)=on", "m(X)=on", "n(X)=true"])
        kind = r.choice(["fi to another fluent"] * 3 + ["fi to another value", "ft"])
        self.used[kind] += 1
        if kind == "ft":
            both = f"ft({source}, {length}){_body([*goals, *when_due])}"
            return both, both
        if kind == "fi to another value":
            fluent, _ = source.split("=")
            both = f"fi({source}, {fluent}=off, {length}){_body([*goals, *when_due])}"
            return both, both
        target = r.choice(["w(X)=true", "w(X)=true", "w(X)=true", "m(X)=mid" if source[0] == "n" else "n(X)=true"])
        due = f"due{i}(X)=true"
        two = [
            f"fi({source}, {due}, {length}){_body(goals)}",
            f"terminatedAt({due}, T) :- initiatedAt({due}, T).",
            f"initiatedAt({target}, T){_body([f'initiatedAt({due}, T)', *when_due])}",
        ]
        return f"fi({source}, {target}, {length}){_body([*goals, *when_due])}", "\n".join(two)

    def postponements(self) -> Iterator[str]:
        for fvp in ("m(X)=on", "n(X)=true"):
            if self.use("postponable", 0.25):
                yield f"p({fvp})."
            elif self.use("postponable by fact", 0.15):
                yield f"p({fvp}) :- limit(X, 3)."

    def records(self) -> Iterator[str]:
        r = self.random
        for _ in range(r.choice([6, 12, 20])):
            x, t = r.choice("aab"), r.randint(0, self.n)
            arrival = min(t + r.choice([0, 0, 0, 2, 5]), self.n)
            name = r.choice(["sw", "sw", "sw", "on", "off", "f"])
            if name == "f":
                yield f"f|{arrival}|{t}|{t + r.randint(1, 6)}|true|{x}"
            else:
                yield f"{name}|{arrival}|{t}|{x}" + (f"|{r.choice(['on', 'on', 'mid', 'off'])}" if name == "sw" else "")


def _body(conditions: list[str]) -> str:
    return f" :- {', '.join(conditions)}." if conditions else "."


def static_conditions(seed: int) -> StaticConditions:
    """The program of a seed."""
    return _Generator(seed).program()
