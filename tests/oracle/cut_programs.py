"""Random programs that relate input intervals which arrive long after they begin, in windows of a few time-points.

Rules relate the input with itself, with simple fluents and with results of other rules, in all relations and modes;
events show which results start, end and go on.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from holdsfor.allen import MODES, RELATIONS
from tests.oracle.questions import Question

__all__ = ["cut_question"]

_BASE = """\
collectIntervals(f(_)=_).
collectIntervals(g(_)=_).
collectIntervals(h(_, _)=true).
initiatedAt(s(X)=true, T) :- happensAt(on(X), T).
terminatedAt(s(X)=true, T) :- happensAt(off(X), T).
"""
_LISTS = ["f(X)=true", "f(X)=true", "g(X)=true", "g(X)=true", "f(X)=off", "f(X)=_", "s(X)=true", "h(X, Y)=true"]


class _Generator:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tick = self.random.choice([1, 1, 5])
        self.n = self.random.choice([16, 24])
        self.lists = list(_LISTS)

    def question(self) -> Question:
        r = self.random
        rules = [clause for i in range(r.randint(1, 3)) for clause in self.rules(i)]
        lines = tuple(line for _ in range(r.choice([3, 6, 12])) for line in self.records())
        step = r.randint(1, 6)
        window = step + r.choice([0, 0, 1, 3])
        memory = r.choice([None, 0, 3 * self.tick])
        end, tick = self.n * self.tick, self.tick
        return Question(_BASE + "\n".join(rules) + "\n", lines, end, 0, tick, memory, window * tick, step * tick)

    def rules(self, i: int) -> Iterator[str]:
        r = self.random
        one, other = r.choice(self.lists), r.choice(self.lists)
        steps = [f"holdsFor({one}, S)", f"holdsFor({other}, U)", f"{self.allen()}, S, U, {r.choice(MODES)}, I0)"]
        last = "I0"
        if r.random() < 0.25:
            more = [
                f"{self.allen()}, I0, {r.choice('SU')}, {r.choice(MODES)}, I1)",
                f"intDurGreater(I0, {2 * self.tick}, I1)",
                f"intDurGreater(S, {5 * self.tick}, I1)",
                "union_all([I0, U], I1)",
            ]
            steps.append(r.choice(more))
            last = "I1"
        yield f"holdsFor(d{i}(X)=true, {last}) :- {', '.join(steps)}."
        for edge in r.sample(["start", "startI", "end", "endI"], 2):
            yield f"happensAt({edge}_d{i}(X), T) :- happensAt({edge}(d{i}(X)=true), T)."
        self.lists += [f"d{i}(X)=true"] * 2

    def allen(self) -> str:
        return f"allen({self.random.choice(RELATIONS)}"

    def records(self) -> Iterator[str]:
        """Some intervals that begin or end together, touch, overlap or share a time-point, and arrive at any time."""
        r, tick = self.random, self.tick
        x, begin = r.choice("aab"), r.randint(0, self.n)
        for _ in range(r.choice([1, 2, 3])):
            length = r.choice([1, 2, 3, 5, 9, 14])
            at, until = begin * tick, (begin + length) * tick
            arrival = min(at + r.choice([0, 0, 3, 6, 9, 14]) * tick, self.n * tick)
            yield from self.interval(x, at, until, arrival)
            begin += r.choice([0, 0, 1, length - 1, length])

    def interval(self, x: str, at: int, until: int, arrival: int) -> Iterator[str]:
        r, tick = self.random, self.tick
        name = r.choice(["f", "f", "g", "g", "h", "s"])
        if name == "s":
            yield from (f"{event}|{t}|{t}|{x}" for event, t in (("on", at), ("off", until)) if t < (self.n - 1) * tick)
            return
        value = "true" if name == "h" else r.choice(["true", "true", "off"])
        rest = f"{at}|{until}|{value}|{x}" + (f"|{r.choice('ab')}" if name == "h" else "")
        yield f"{name}|{arrival}|{rest}"
        if name != "h" and r.random() < 0.1:
            yield f"-{name}|{min(arrival + r.choice([1, 3, 6]) * tick, self.n * tick)}|{rest}"


def cut_question(seed: int) -> Question:
    """The question of a seed."""
    return _Generator(seed).question()
