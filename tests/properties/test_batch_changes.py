"""Law: the changes of query times that are evaluated together are those of query times that are evaluated one by one.

It holds for records that are late, too late, repeated or retracted, for duration filters that decide between two of the
query times, and for the query times after such a batch, also after a restart.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from holdsfor.columns.encoding import Symbols
from holdsfor.errors import ExecutionProblem, PlanningProblem
from holdsfor.runtime.incremental import cost
from holdsfor.runtime.incremental.batch_changes import BatchChanges
from holdsfor.runtime.reports.changes import changes_since
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.snapshot import Snapshot
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_columns import read_columns
from tests.properties.answers import Input, as_answer, read_case
from tests.properties.programs import Case
from tests.properties.single_key_programs import single_key_case
from tests.properties.test_staged_reports import arriving_late, narrow_windows
from tests.seeds import chunks, named, share

POOL = range(13_000, 13_600)


@dataclass
class Run:
    """A session, the changes of its query times, and the results after each micro-batch."""

    given: Input
    window: int
    step: int
    session: EngineSession
    is_together: bool
    has_duplicates: bool
    changes: dict[int, set[tuple[str, str, Any]]] = field(default_factory=dict)
    known: list[tuple[int, dict[str, Any], tuple[int, ...]]] = field(default_factory=list)
    n_together: int = 0

    def take(self, lines: list[str], last: int) -> None:
        """Insert records and evaluate the query times up to the last one."""
        reading, session = ColumnReading(), self.session
        names, tick = self.given.compiled.names, self.given.case.tick
        read_columns("\n".join(lines).encode(), "text", names, tick, session.symbols, reading)
        session.apply(reading.unsettled())
        if last <= (session.start if session.previous is None else session.previous):
            return
        changes = session.changes_until(last, self.step) if self.is_together else None
        if changes is None:
            first = (session.start if session.previous is None else session.previous) + self.step
            for at in range(first, last + 1, self.step):
                self.query(at)
        else:
            self.n_together += 1
            for at, sign, name, extent in _dated(changes, session.symbols):
                rows = self.changes.setdefault(at, set())
                assert (sign, name, extent) not in rows, "a change occurs twice"
                rows.add((sign, name, extent))
        report = session.last_report()
        assert report is not None
        assert session.previous is not None
        inside = report.after(session.window_start(session.previous), session.tick, None)
        late, dropped, cut, unmatched = session.records.counts
        # A late duplicate of a record that is still stored is no record; how long records are stored is not defined.
        counts = late, 0 if self.has_duplicates else dropped, cut, unmatched
        self.known.append((session.previous, as_answer(inside, session.symbols), counts))

    def query(self, at: int) -> None:
        session = self.session
        before = session.last_report() or ReportColumns(session.start - 1, {}, {})
        changes = changes_since(before, session.query(at), session.frontier)
        for sign, rows in (("-", changes.gone), ("+", changes.come)):
            answer = as_answer(rows, session.symbols)
            self.changes.setdefault(at, set()).update(
                (sign, name, each) for name, all_ in answer.items() for each in all_
            )

    def restart(self) -> None:
        saved = self.session.snapshot(has_report=True).to_bytes()
        self.session = EngineSession.restored(Snapshot.from_bytes(saved), self.given.compiled)


def _dated(changes: BatchChanges, symbols: Symbols) -> Iterator[tuple[int, str, str, Any]]:
    for key, each in changes.fluents.items():
        for row, at in enumerate(each.query_times.tolist()):
            one = ReportColumns(at, {key: each.table.take([row])}, {})  # type: ignore[arg-type]
            ((name, (extent,)),) = as_answer(one, symbols).items()
            yield at, "-" if each.is_gone[row] else "+", name, extent
    for key, points in changes.events.items():
        for row, at in enumerate(points.query_times.tolist()):
            some = ReportColumns(at, {}, {key: points.table.take([row])})  # type: ignore[arg-type]
            ((name, (extent,)),) = as_answer(some, symbols).items()
            yield at, "-" if points.is_gone[row] else "+", name, extent


def run(given: Input, window: int, step: int, *, is_together: bool) -> Run:
    case = given.case
    session = EngineSession(given.compiled, start=case.start, tick=case.tick, window=window, symbols=Symbols())
    facts = [text.split("|") for _, text in case.records]
    has_duplicates = len({(name, *fields) for name, _, *fields in facts}) < len(facts)
    return Run(given, window, step, session, is_together, has_duplicates)


def long_cuts(lines: list[str], chance: random.Random) -> Iterator[list[str]]:
    """Lines in the order of arrival, cut into micro-batches, most of them with several query times."""
    lines = sorted(lines, key=lambda line: int(line.split("|")[1]))
    while lines:
        n = chance.choice([1, 5, 10, 20, 40])
        yield lines[:n]
        lines = lines[n:]


def compare(seed: int, case: Case) -> int:
    """Compare both ways; the number of micro-batches that were evaluated together."""
    chance = random.Random(seed)
    window, step = narrow_windows(case, chance)
    given = read_case(case)
    lines = arriving_late(case, window, chance)
    if chance.random() < 0.7:
        lines = [line for line in lines if not line.startswith("-")]
    together, alone = (run(given, window, step, is_together=is_together) for is_together in (True, False))
    latest = case.start
    for batch in long_cuts(lines, chance):
        latest = max([latest, *(int(line.split("|")[1]) for line in batch)])
        last = case.start + (latest - 1 - case.start) // step * step
        try:
            alone.take(batch, last)
        except (PlanningProblem, ExecutionProblem):
            return 0
        together.take(batch, last)
        if chance.random() < 0.1:
            together.restart()
    shown = f"seed {seed}, window {window}, step {step}\n{case.text}\n" + "\n".join(lines)
    for at in sorted({*alone.changes, *together.changes}):
        left, right = alone.changes.get(at, set()), together.changes.get(at, set())
        assert left == right, f"{shown}\nat {at}\nmissing {left - right}\nwrong {right - left}"
    assert together.known == alone.known, shown
    return together.n_together


@pytest.mark.parametrize("seeds", chunks(share(POOL, 10)), ids=named)
def test_query_times_together_have_the_changes_of_query_times_one_by_one(
    seeds: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost, "LEAST_SHARE", 0.0)
    for seed in seeds:
        compare(seed, single_key_case(seed))


def test_query_times_of_random_programs_are_evaluated_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "LEAST_SHARE", 0.0)
    assert sum(compare(seed, single_key_case(seed)) for seed in POOL[:10]) > 0
