"""The number of rule evaluations that the rules (α)–(γ) of the delayed-effects paper need without memory.

    (α)  F=V' is initiated at T+R if fi(F=V, F=V', R), F=V is initiated at T, and the effect is not cancelled
    (β)  it is cancelled if F=V is broken between T and T+R: terminated, or another value is initiated
    (γ)  it is cancelled if F=V is postponable and is initiated again after T, up to T+R

An evaluator that follows them proves the initiations of F=V anew for every effect, and those of all other values anew
for every effect that might be cancelled; these may be delayed effects themselves, and so on: exponentially many in the
worst case (Mantenoglou and Artikis, JAIR 2025, Proposition 7). The answer is given here, and evaluations are only
counted: the number of evaluations of a goal is the same every time, so it is computed once, and added each time the
goal would be proved.

One evaluation is one rule tried for one of its triggers, or (α) tried for one initiation. The first cancellation in
time decides, and evaluations after it are not counted.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

__all__ = ["Fluent", "FutureInitiation", "naive_evaluations"]


@dataclass(frozen=True)
class FutureInitiation:
    """`fi(F=source, F=target, delay)`, and whether initiations of its source postpone it."""

    source: int
    target: int
    delay: int
    is_postponable: bool


@dataclass
class Fluent:
    """The history of one fluent in a window; values are numbers, time-points are sorted.

    `tried` and `tried_to_end` are the times at which rules that initiate or terminate a value were triggered, once per
    rule; `initiated` and `terminated` are the times at which the value was. `attempts` are effects set up before the
    window, with their due times.
    """

    future: set[FutureInitiation] = field(default_factory=set)
    tried: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    tried_to_end: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    initiated: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    terminated: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    attempts: set[tuple[FutureInitiation, int]] = field(default_factory=set)

    def sort(self) -> None:
        for times in (self.tried, self.tried_to_end, self.initiated, self.terminated):
            for each in times.values():
                each.sort()

    @property
    def values(self) -> set[int]:
        targets = {value for each in self.future for value in (each.source, each.target)}
        return {*self.tried, *self.tried_to_end, *self.initiated, *self.terminated, *targets}


def naive_evaluations(fluent: Fluent, first: int, last: int) -> int:
    """The evaluations that the delayed effects of a fluent need in a window, besides those of its rules.

    Contract: delays that may be postponed do not form a cycle.
    """
    counting = _Counting(fluent, first)
    return sum(counting.effects(future, first, last) for future in fluent.future)


class _Counting:
    """The evaluations of goals about one fluent."""

    def __init__(self, fluent: Fluent, first: int) -> None:
        self.fluent = fluent
        self.first = first
        self.initiations = cache(self._initiations)

    def _initiations(self, value: int, first: int, last: int) -> int:
        """Evaluations to prove all initiations of a value between two time-points: by its rules, and by (α)."""
        if last < first:
            return 0
        n = _number(self.fluent.tried, value, first, last)
        for future in self.fluent.future:
            if future.target == value:
                n += self.effects(future, first, last)
        return n

    def effects(self, future: FutureInitiation, first: int, last: int) -> int:
        """Evaluations of (α) for effects due between two time-points."""
        earliest, latest = max(self.first, first - future.delay), last - future.delay
        n = self.initiations(future.source, earliest, latest)
        for time in _between(self.fluent.initiated, future.source, earliest, latest):
            n += 1 + self.cancellation(future, time, time + future.delay)
        for attempt, due in self.fluent.attempts:
            if attempt == future and first <= due <= last:
                n += 1 + self.cancellation(future, self.first - 1, due)
        return n

    def cancellation(self, future: FutureInitiation, begin: int, due: int) -> int:
        """Evaluations of (β) and, if there is no break, of (γ)."""
        source, others, first = future.source, self.fluent.values - {future.source}, begin + 1
        breaks = [_first(self.fluent.terminated, source, first, due - 1)]
        breaks += [_first(self.fluent.initiated, other, first, due - 1) for other in others]
        broken = min((time for time in breaks if time is not None), default=None)
        last = due - 1 if broken is None else broken
        n = self.terminations(source, first, last) + sum(self.initiations(other, first, last) for other in others)
        if broken is None and future.is_postponable:
            renewed = _first(self.fluent.initiated, source, first, due)
            n += self.initiations(source, first, due if renewed is None else renewed)
        return n

    def terminations(self, value: int, first: int, last: int) -> int:
        return _number(self.fluent.tried_to_end, value, first, last)


def _between(times: Mapping[int, Sequence[int]], value: int, first: int, last: int) -> Iterator[int]:
    known = times.get(value, ())
    return iter(known[bisect_left(known, first) : bisect_right(known, last)])


def _first(times: Mapping[int, Sequence[int]], value: int, first: int, last: int) -> int | None:
    return next(_between(times, value, first, last), None)


def _number(times: Mapping[int, Sequence[int]], value: int, first: int, last: int) -> int:
    known = times.get(value, ())
    return max(0, bisect_right(known, last) - bisect_left(known, first))
