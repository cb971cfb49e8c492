"""The laws of Allen constructs, on lists dense enough for every relation to occur.

Few entities have many short intervals that begin and end together, so that an interval cut at a window's edge would
have wrong relations. Rules relate lists of the input, of simple fluents and of other rules with each other, including
lists that vary by different entities; events and durations build on the results. Each case is answered by the
reference, in one query, and in windows of a few time-points with events as late as the windows tolerate.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from holdsfor.allen import MODES, RELATIONS
from tests.properties.answers import (
    Schedule,
    batch_answer,
    counted_window_answer,
    explained,
    read_case,
    reference_answer,
    settled_answer,
    window_answer,
)
from tests.properties.programs import Case
from tests.seeds import chunks, named, share

SEEDS = range(80)

_BASE = """
collectIntervals(jf(_)=_).
collectIntervals(jg(_, _)=_).
initiatedAt(s(X)=true, T) :- happensAt(on(X), T).
terminatedAt(s(X)=true, T) :- happensAt(off(X), T).
initiatedAt(r(X)=V, T) :- happensAt(turn(X, V), T).
"""
_LISTS = ["jf(X)=true", "jf(X)=true", "s(X)=true", "s(X)=true", "r(X)=low", "r(X)=high", "jg(X, Y)=true", "jf(Y)=true"]


class DenseCase:
    """Writes one case."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.tick = self.random.choice([1, 1, 5])
        self.end = self.random.choice([40, 80]) * self.tick
        self.lists = list(_LISTS)

    def case(self) -> Case:
        rules = [self.rule(i) for i in range(self.random.randint(4, 8))]
        rules += ["happensAt(begun(X), T) :- happensAt(start(d0(X)=true), T)."]
        records = [record for _ in range(self.random.randint(20, 40)) for record in self.records() if record[0] >= 0]
        memory = self.random.choice([0, 2, 5, 1000]) * self.tick
        return Case(_BASE + "\n".join(rules) + "\n", records, 0, self.end, self.tick, memory)

    def rule(self, i: int) -> str:
        r = self.random
        one, other = r.sample(self.lists, 2)
        steps = [f"holdsFor({one}, S)", f"holdsFor({other}, U)", f"allen({self.relation()}, S, U, {self.mode()}, I0)"]
        last = "I0"
        if r.random() < 0.2:
            steps.append(f"allen({self.relation()}, I0, {r.choice(['S', 'U'])}, {self.mode()}, I1)")
            last = "I1"
        if r.random() < 0.15:
            steps.append(f"intDurGreater({last}, {2 * self.tick}, I2)")
            last = "I2"
        self.lists += [f"d{i}(X)=true"] * 2
        return f"holdsFor(d{i}(X)=true, {last}) :- {', '.join(steps)}, holdsFor(jf(X)=_, _)."

    def relation(self) -> str:
        return self.random.choice(RELATIONS)

    def mode(self) -> str:
        return self.random.choice(MODES)

    def records(self) -> Iterator[tuple[int, str]]:
        """Some intervals of one entity that begin or end together, touch, overlap or share a time-point."""
        r, x = self.random, self.random.choice("aab")
        begin = r.randint(0, self.end // self.tick)
        for _ in range(r.choice([1, 2, 3])):
            length = r.randint(1, 4)
            yield from self.interval(x, begin * self.tick, (begin + length) * self.tick)
            begin += r.choice([0, 0, 1, length - 1, length])

    def interval(self, x: str, at: int, until: int) -> Iterator[tuple[int, str]]:
        """An interval of some fluent: a record, or two events."""
        match self.random.choice(["jf", "jg", "s", "r"]):
            case "jf":
                yield at, f"jf|{at}|{at}|{until}|true|{x}"
            case "jg":
                yield at, f"jg|{at}|{at}|{until}|true|{x}|{self.random.choice('ab')}"
            case "s":
                yield at, f"on|{at - self.tick}|{at - self.tick}|{x}"
                yield until, f"off|{until - self.tick}|{until - self.tick}|{x}"
            case _:
                yield at, f"turn|{at - self.tick}|{at - self.tick}|{x}|{self.random.choice(['low', 'high'])}"


def short_windows(case: Case, chance: random.Random) -> Schedule:
    step, overlap = chance.randint(1, 6) * case.tick, chance.choice([0, 0, 1, 3]) * case.tick
    return Schedule(step + overlap, list(range(step, case.end + step, step)))


@pytest.mark.parametrize("seeds", chunks(share(SEEDS, 10), 10), ids=named)
def test_relations_in_windows_are_those_of_the_reference(seeds: range) -> None:
    for seed in seeds:
        given, chance = read_case(DenseCase(seed).case()), random.Random(seed)
        schedule = short_windows(given.case, chance)
        slack = (schedule.window - schedule.query_times[0]) // given.case.tick
        delays = [chance.randint(0, slack) * given.case.tick if fact.value is None else 0 for fact in given.facts]
        last = schedule.query_times[-1]
        arrivals = [min(fact.start + delay, last) for fact, delay in zip(given.facts, delays, strict=True)]
        expected, at_once = reference_answer(given), batch_answer(given, given.case.end)
        assert at_once == expected, explained(seed, given, expected, at_once)
        found = window_answer(given, schedule, arrivals)
        assert found == expected, explained(seed, given, expected, found, schedule=schedule, arrivals=arrivals)


@pytest.mark.parametrize("seeds", chunks(share(SEEDS, 10), 10), ids=named)
def test_relations_in_merged_windows_are_those_of_all_windows(seeds: range) -> None:
    """This includes records that arrive too late for their window, or that the window cuts."""
    for seed in seeds:
        given, chance = read_case(DenseCase(seed).case()), random.Random(seed)
        schedule = short_windows(given.case, chance)
        arrivals = [fact.start + chance.randint(0, 2 * schedule.window) for fact in given.facts]
        expected = counted_window_answer(given, schedule, arrivals)
        found = settled_answer(given, schedule, arrivals)
        assert found == expected, explained(seed, given, expected[0], found[0], schedule=schedule, arrivals=arrivals)


def test_the_cases_show_every_relation() -> None:
    """An engine that relates nothing would agree with itself."""
    sizes = dict.fromkeys(RELATIONS, 0)
    for seed in SEEDS[:40]:
        given = read_case(DenseCase(seed).case())
        answer = batch_answer(given, given.case.end)
        assert not isinstance(answer, str)
        n = sum(len(found) for name, found in answer.items() if name.startswith("d"))
        for relation in RELATIONS:
            sizes[relation] += n if f"allen({relation}," in given.case.text else 0
    assert min(sizes.values()) > 0, sizes
