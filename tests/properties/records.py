"""Random records for the programs of `programs`: events, and input fluents as intervals and as points."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tests.properties.bodies import Vocabulary

__all__ = ["DATA_VALUES", "in_parts", "points_in_a_row", "random_records"]

_FIELDS = {"'003'": "003", "'X y'": "X y"}
_INTEGERS = ["0", "1", "3", "-4"]
_FLOATS = ["2.5", "-0.5", "1.0"]
DATA_VALUES = ("odd", "2.0", "k(b)")
"""Values that no rule mentions."""


class _Stream:
    """One random stream; its last entities only appear late."""

    def __init__(self, vocabulary: Vocabulary, start: int, end: int, tick: int) -> None:
        self.vocabulary = vocabulary
        self.random = vocabulary.random
        self.tick = tick
        self.start, self.end = -(-start // tick) * tick, end // tick * tick
        self.numbers = [*_INTEGERS, *_FLOATS]
        if not vocabulary.maybe("mixed numbers", 0.6):
            self.numbers = self.random.choice([_INTEGERS, _FLOATS])
        if vocabulary.maybe("value without a result", 0.4):
            self.numbers = [*self.numbers, "n/a", "a"]
        self.late = ["late", "k(late)"] if vocabulary.maybe("entity that appears late", 0.4) else []

    def time(self) -> int:
        """A time-point, sometimes one at the very edge of the run, sometimes one beyond it."""
        edges = [self.start, self.end, self.start - self.tick, self.start + self.tick]
        if self.random.random() < 0.15:
            return self.random.choice(edges)
        return self.random.randrange(self.start // self.tick - 2, self.end // self.tick + 3) * self.tick

    def field(self, time: int) -> str:
        is_late = time > self.start + 2 * (self.end - self.start) // 3
        constant = self.random.choice(self.vocabulary.constants + (self.late if is_late else []))
        return _FIELDS.get(constant, constant)

    def value(self, *values: str) -> str:
        return self.random.choice(
            [*values, *values, *DATA_VALUES] if self.vocabulary.maybe("data value", 0.3) else values
        )

    def interval(self) -> tuple[int, int]:
        begin = self.time()
        stop = begin + self.random.choice([1, 1, 2, 3, 5, 9, 40]) * self.tick
        if begin < self.start < stop and not self.vocabulary.maybe("interval from before the run", 1.0):
            begin = self.start
        return begin, stop

    def records(self) -> Iterator[tuple[int, str]]:
        for _ in range(self.random.choice([5, 20, 60])):
            time = self.time()
            name = self.field(time)
            match self.random.choice(["e0", "e1", "e1", "e2", "n1", "n1", "jf", "pf", "pf"]):
                case "e0":
                    yield time, f"e0|{time}|{time}"
                case "e1":
                    yield time, f"e1|{time}|{time}|{name}"
                case "e2":
                    yield time, f"e2|{time}|{time}|{name}|{self.field(time)}"
                case "n1":
                    yield time, f"n1|{time}|{time}|{name}|{self.random.choice(self.numbers)}"
                case "jf":
                    begin, stop = self.interval()
                    rest = f"{self.value('true', 'off')}|{self.field(begin)}"
                    for start, end in in_parts(begin, stop, self.tick, self.random):
                        yield start, f"jf|{end}|{start}|{end}|{rest}"
                case _:
                    rest = f"{self.value('true', '2')}|{name}"
                    for at in points_in_a_row(time, self.tick, self.random):
                        yield at, f"pf|{at}|{at}|{rest}"


def in_parts(start: int, end: int, tick: int, chance: random.Random) -> list[tuple[int, int]]:
    """An interval, now and then as two records: the second may arrive when the first seems to have ended."""
    between = start + chance.randint(1, 5) * tick
    return [(start, between), (between, end)] if between < end and chance.random() < 0.4 else [(start, end)]


def points_in_a_row(at: int, tick: int, chance: random.Random) -> range:
    """The time-points of an interval that is given by time-points, which arrive one by one."""
    return range(at, at + chance.choice([1, 1, 2, 4]) * tick, tick)


def random_records(vocabulary: Vocabulary, start: int, end: int, tick: int) -> list[tuple[int, str]]:
    """Records as (time, text); some occur twice, some at the same time-point."""
    records = list(_Stream(vocabulary, start, end, tick).records())
    return records + records[:1]
