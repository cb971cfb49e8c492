"""The input of the reference evaluator: all records, in any order."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from holdsfor.reference.intervals import INF, Interval, Intervals, maximal, next_point
from holdsfor.syntax.terms import Struct, Term, name_and_arity

__all__ = ["History", "RunBounds"]


@dataclass(frozen=True)
class RunBounds:
    """The time-points of a run: from `start` to `end`, both included, `tick` apart. The query time is the end.

    An interval is `before` another one if the gap between them is at most `allen_memory`.
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
    """Input events with their time-points, and input FVPs (terms `F=V`) with the intervals in which they hold.

    A history that `has_input_facts` includes the input facts of the rules, except retracted ones.
    """

    events: set[tuple[int, Term]] = field(default_factory=set)
    fluents: dict[Term, set[Interval]] = field(default_factory=dict)
    has_input_facts: bool = False

    def add_event(self, event: Term, time: int) -> None:
        self.events.add((time, event))

    def add_interval(self, fluent: Term, value: Term, start: int, end: int) -> None:
        self.fluents.setdefault(Struct("=", (fluent, value)), set()).add((start, end))

    def terms(self, run: RunBounds) -> Iterable[Term]:
        """Every event and every FVP that the input of the run mentions."""
        yield from dict.fromkeys(event for _, event in self.happenings(run))
        yield from self.intervals(run, frozenset())

    def happenings(self, run: RunBounds) -> list[tuple[int, Term]]:
        """The events of the run."""
        return [(time, event) for time, event in self.events if run.start <= time <= run.end]

    def intervals(self, run: RunBounds, by_points: Container[tuple[str, int]]) -> dict[Term, Intervals]:
        """The maximal intervals of the input FVPs, for the records that share a time-point with the run.

        An interval that ends later than the first time-point after the run counts as open. A fluent given `by_points`
        with a record at the last time-point of the run counts as open, too.
        """
        result: dict[Term, Intervals] = {}
        after_run = next_point(run.end, run.tick)
        for fvp, reported in self.fluents.items():
            assert isinstance(fvp, Struct)
            is_by_points = name_and_arity(fvp.args[0]) in by_points
            inside = [(start, end) for start, end in reported if start <= run.end and end > run.first_point]
            last_point = (after_run - run.tick, after_run) if is_by_points else None
            if inside:
                result[fvp] = maximal([(s, INF if (s, e) == last_point or e > after_run else e) for s, e in inside])
        return result
