"""Relations of input intervals that windows cut: the engine says what the oracle says, in real and in merged windows.

Records are intervals of a few entities that arrive long after they begin, in windows of a few time-points. Rules relate
the input with itself, with simple fluents and with results of other rules, in all relations and modes; events show
which results start, end and go on. A failure prints the smallest program and stream that still differ.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import holdsfor as hf
from holdsfor.allen import MODES, RELATIONS
from tests.oracle.answer import Answer
from tests.oracle.questions import ENGINES, Question, in_windows, named_answer
from tests.oracle.reports import engine_reports, known_after_changes, oracle_reports
from tests.oracle.shrink import shrunk
from tests.seeds import chunks, named, share

SEEDS = share(range(240), 40)

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


def _recognised(question: Question) -> hf.Result:
    """The answer in merged windows."""
    return hf.recognise(
        hf.load_text(question.text),
        list(question.lines),
        start=question.start,
        end=question.end,
        tick=question.tick,
        window=question.window,
        step=question.step,
        allen_memory=question.memory,
    )


def _merged(question: Question) -> Answer:
    found = _recognised(question)
    return named_answer(question, found.times, found.intervals)


def _oracle_reports_differ(question: Question) -> bool:
    expected, found = oracle_reports(question), engine_reports(question)
    assert question.window is not None
    for at, answer in expected.items():
        edge = at - question.window
        inside = [
            {name: [one for one in each if not isinstance(one, int) or one > edge] for name, each in told.items()}
            for told in (found[at], answer)
        ]
        if len({str({name: each for name, each in told.items() if each}) for told in inside}) > 1:
            return True
    return False


_LAWS = {
    "windows": lambda question: in_windows(question) != ENGINES["oracle"](question),
    "merged windows": lambda question: _merged(question) != ENGINES["oracle"](question),
    "changes": lambda question: known_after_changes(question) != ENGINES["oracle"](question),
    "reports": _oracle_reports_differ,
}


def _fails(question: Question, law: str) -> bool:
    """Whether a smaller program differs too; smaller programs may have no meaning."""
    try:
        return _LAWS[law](question)
    except Exception:
        return False


def _check(seed: int, law: str) -> None:
    question = _Generator(seed).question()
    if not _LAWS[law](question):
        return
    least = shrunk(question, lambda smaller: _fails(smaller, law))
    run = f"to {least.end}, tick {least.tick}, memory {least.memory}, window {least.window}, step {least.step}"
    lines = [f"seed {seed}: {run}", least.text, *least.lines, ""]
    lines += [f"oracle: {ENGINES['oracle'](least)}", f"windows: {in_windows(least)}", f"merged: {_merged(least)}"]
    pytest.fail("\n".join(lines), pytrace=False)


@pytest.mark.parametrize("seeds", chunks(SEEDS, 20), ids=named)
@pytest.mark.parametrize("law", list(_LAWS))
def test_relations_of_cut_intervals_are_those_of_the_oracle(law: str, seeds: range) -> None:
    for seed in seeds:
        _check(seed, law)


def test_intervals_are_cut_and_related() -> None:
    """Questions without cuts, or without answers, would show nothing."""
    questions = [_Generator(seed).question() for seed in range(60)]
    found = [
        hf.recognise(
            hf.load_text(q.text), list(q.lines), start=q.start, end=q.end, tick=q.tick, window=q.window, step=q.step
        )
        for q in questions
    ]
    assert sum(result.cut > 0 for result in found) > len(found) // 2
    assert sum(bool(result.intervals) for result in found) > len(found) // 2
