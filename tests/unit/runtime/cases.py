"""Small programs with their records, answered by the reference, by the engine in one query, and in windows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.properties.answers import Answer, Input, Schedule, batch_answer, read_case, reference_answer, window_answer
from tests.properties.programs import Case
from tests.properties.staged import staged_answer, stages_of

__all__ = ["Example", "steps"]


def steps(start: int, end: int, step: int) -> list[int]:
    """The query times of a run: the last is the first at or after its end."""
    return list(range(start + step, end + step, step))


@dataclass(frozen=True)
class Example:
    """A program with its records (as text, without arrival) and its run."""

    rules: str
    records: tuple[str, ...] = ()
    start: int = 0
    end: int = 30
    tick: int = 1

    @property
    def given(self) -> Input:
        lines: list[tuple[int, str]] = []
        for record in self.records:
            name, *fields = record.split("|")
            lines.append((int(fields[0]), "|".join([name, fields[0], *fields])))
        return read_case(Case(self.rules + "\n", lines, self.start, self.end, self.tick))

    def reference(self) -> Answer:
        return reference_answer(self.given)

    def batch(self) -> Answer:
        return batch_answer(self.given, self.end)

    def windows(self, window: int, step: int | None = None) -> tuple[Answer, Answer]:
        """The expected and the actual result of query times with a window; records arrive when they begin."""
        given = replace(self.given, facts=[fact for fact in self.given.facts if fact.start <= self.end])
        schedule = Schedule(window, steps(self.start, self.end, step or window))
        return reference_answer(given), window_answer(given, schedule, [fact.start for fact in given.facts])

    def check(self, *windows: int) -> None:
        """Check that all evaluators give one answer."""
        assert self.batch() == self.reference()
        for window in windows:
            expected, found = self.windows(window * self.tick)
            assert found == expected, f"window {window}"

    def check_stages(self, *n_buckets: int) -> None:
        """Check that stages in buckets, as on Spark, give the answer of one query."""
        expected = self.batch()
        assert isinstance(expected, dict)
        in_order = {name: sorted(found, key=str) for name, found in expected.items()}
        for n in n_buckets:
            assert staged_answer(self.given, stages_of(self.given), n) == in_order, f"{n} buckets"
