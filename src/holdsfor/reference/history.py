"""What the evaluator is given: everything that is known about the input, in any order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from holdsfor.reference.intervals import Interval, Intervals, maximal
from holdsfor.syntax.terms import Struct, Term

__all__ = ["History", "Run"]


@dataclass(frozen=True)
class Run:
    """The time-points of a run: from `start` to `end`, both included, `tick` apart. It is queried at its end.

    An interval is `before` another one if no more than `allen_memory` lies between them.
    """

    start: int
    end: int
    tick: int = 1
    allen_memory: int | None = None

    @property
    def first_point(self) -> int:
        """The first time-point at or after the start."""
        return -(-self.start // self.tick) * self.tick


@dataclass
class History:
    """Input events with their time-points, and input FVPs (terms `F=V`) with the intervals in which they hold."""

    events: set[tuple[int, Term]] = field(default_factory=set)
    fluents: dict[Term, set[Interval]] = field(default_factory=dict)

    def add_event(self, event: Term, time: int) -> None:
        self.events.add((time, event))

    def add_interval(self, fluent: Term, value: Term, start: int, end: int) -> None:
        self.fluents.setdefault(Struct("=", (fluent, value)), set()).add((start, end))

    def terms(self, run: Run) -> Iterable[Term]:
        """Every event and every FVP that the input of the run mentions."""
        yield from dict.fromkeys(event for _, event in self.happenings(run))
        yield from self.intervals(run)

    def happenings(self, run: Run) -> list[tuple[int, Term]]:
        """The events of the run."""
        return [(time, event) for time, event in self.events if run.start <= time <= run.end]

    def intervals(self, run: Run) -> dict[Term, Intervals]:
        """The maximal intervals of the input FVPs: of the records that share a time-point with the run, whole."""
        result: dict[Term, Intervals] = {}
        for fvp, reported in self.fluents.items():
            inside = [(start, end) for start, end in reported if start <= run.end and end > run.first_point]
            if inside:
                result[fvp] = maximal(inside)
        return result
