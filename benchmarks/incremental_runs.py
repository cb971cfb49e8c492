"""Sessions side by side over one stream, with incremental evaluation and from scratch, for `incremental.py`.

Both sessions have the same records. At each query time both are measured, in alternating order: one pair of processor
times. A time includes the application of the records that have arrived, the evaluation and, if asked for, the changes.
Reading is left out.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import mean, median, pstdev
from time import process_time
from typing import Any

import numpy as np

from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.encoding import Symbols
from holdsfor.generators import NO_CORRECTIONS, ON_TIME, Corrections, Lateness, Model, pieces, write_text
from holdsfor.generators.coded_records import CodedRecords
from holdsfor.physical.plan import PhysicalProgram
from holdsfor.physical.profile import Profile
from holdsfor.runtime.reports.changes import Changes, changes_since
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.session import EngineSession, Incremental
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_columns import read_columns

__all__ = ["INCREMENTAL", "SCRATCH", "Pairs", "SideBySide", "Window", "batches"]

SCRATCH, INCREMENTAL = "scratch", "incremental"


@dataclass(frozen=True)
class Window:
    """The window of a run, and the distance of its query times."""

    length: int
    step: int

    def query_times(self, n: int) -> list[int]:
        """The end of the first full window, and `n` query times after it."""
        return [self.length + i * self.step for i in range(n + 1)]


@dataclass
class Pairs:
    """The processor times of query times, by kind of evaluation, and the records of their windows."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    n_records: list[int] = field(default_factory=list)
    n_late: int = 0
    n_dropped: int = 0

    @property
    def gain(self) -> float:
        """The median of the ratios of the pairs: how many times faster incremental evaluation is."""
        both = zip(self.seconds[SCRATCH], self.seconds[INCREMENTAL], strict=True)
        return median(scratch / max(incremental, 1e-9) for scratch, incremental in both)

    def row(self) -> dict[str, Any]:
        """The figures of the pairs: means, deviations, the gain, and records per window."""
        found: dict[str, Any] = {"records": round(mean(self.n_records)), "late": self.n_late, "dropped": self.n_dropped}
        for name, seconds in self.seconds.items():
            found[name] = {"mean": mean(seconds), "deviation": pstdev(seconds), "median": median(seconds)}
        return {**found, "gain": self.gain, "pairs": len(self.n_records)}


class SideBySide:
    """A session that evaluates from scratch and an incremental one, over the same records."""

    def __init__(
        self,
        compiled: Compiled,
        window: Window,
        tick: int = 1,
        *,
        incremental: Incremental = "auto",
        has_changes: bool = False,
    ) -> None:
        self.compiled, self.tick, self.has_changes = compiled, tick, has_changes
        self.symbols = Symbols()
        modes: dict[str, Incremental] = {SCRATCH: "off", INCREMENTAL: incremental}
        self.sessions = {
            name: EngineSession(
                compiled, start=0, tick=tick, window=window.length, symbols=self.symbols, incremental=mode
            )
            for name, mode in modes.items()
        }
        for session in self.sessions.values():
            session.rules.plan_ahead()
        self._n_queries = 0

    def query(self, at: int, content: bytes) -> dict[str, float]:
        """The processor seconds of a query time after these records, by kind of evaluation."""
        reading = ColumnReading()
        read_columns(content, "stream", self.compiled.names, self.tick, self.symbols, reading)
        names = list(self.sessions)
        order = names if self._n_queries % 2 == 0 else names[::-1]
        self._n_queries += 1
        return {name: self._seconds(self.sessions[name], at, reading) for name in order}

    def _seconds(self, session: EngineSession, at: int, reading: ColumnReading) -> float:
        operations = reading.unsettled()
        began = process_time()
        session.apply(operations)
        previous = session.last_report() or ReportColumns(session.start - 1, {}, {})
        report = session.query(at)
        if self.has_changes:
            changes_since(previous, report, session.frontier)
        return process_time() - began

    def measure(self, stream: Sequence[tuple[int, bytes]] | Iterator[tuple[int, bytes]]) -> Pairs:
        """The pairs of all query times but the first, which fills the window."""
        found = Pairs({name: [] for name in self.sessions})
        for i, (at, content) in enumerate(stream):
            for name, seconds in self.query(at, content).items():
                if i:
                    found.seconds[name].append(seconds)
            if i:
                found.n_records.append(self.sessions[SCRATCH].n_input)
        found.n_late, found.n_dropped, _, _ = self.sessions[SCRATCH].records.counts
        self.check()
        return found

    def check(self) -> None:
        """Both evaluations have the same results."""
        first, *others = self.sessions.values()
        for other in others:
            left, right = first.last_report(), other.last_report()
            assert left is not None
            assert right is not None
            since = max(first.frontier, other.frontier)
            different = changes_since(left.since(since), right.since(since), since)
            assert _n_rows(different) == 0, f"{_n_rows(different)} results differ at {left.query_time}"

    def profiled(
        self, stream: Sequence[tuple[int, bytes]] | Iterator[tuple[int, bytes]]
    ) -> dict[str, dict[str, float]]:
        """The seconds by kind of rule and operation, for each kind of evaluation."""
        profiles = {name: Profile(clock=process_time) for name in self.sessions}
        for name, session in self.sessions.items():
            session.profile = profiles[name]
        for i, (at, content) in enumerate(stream):
            if i == 1:
                for profile in profiles.values():
                    profile.tallies.clear()
            self.query(at, content)
        programs = {name: session.rules.program for name, session in self.sessions.items()}
        return {name: _seconds_by_kind(programs[name], profiles[name]) for name in self.sessions}


def _n_rows(changes: Changes) -> int:
    return sum(part.n_intervals + part.n_occurrences for part in (changes.gone, changes.come))


_OPERATIONS = {
    "UnionIntervals": "union",
    "IntersectIntervals": "intersection",
    "ComplementIntervals": "complement",
    "SubtractIntervals": "complement",
}


def _seconds_by_kind(program: PhysicalProgram, profile: Profile) -> dict[str, float]:
    found = dict.fromkeys(("simple", "static", "union", "intersection", "complement"), 0.0)
    for component in program.components:
        kind = "static" if component.interval_rules else "simple"
        found[kind] += profile.of(("component", component.number)).seconds
        for rule in component.interval_rules:
            for operator in rule.operators:
                operation = _OPERATIONS.get(type(operator).__name__)
                if operation is not None:
                    found[operation] += profile.of(id(operator)).seconds
    return found


def batches(
    model: Model, queries: Sequence[int], lateness: Lateness = ON_TIME, corrections: Corrections = NO_CORRECTIONS
) -> Iterator[tuple[int, bytes]]:
    """The query times, each with the records that arrive after the previous one, as text."""
    waiting: list[CodedRecords] = []
    at = iter(queries)
    query = next(at)
    for piece in pieces(model, queries[-1] + 1, 1, lateness, corrections=corrections):
        rest = piece
        while (cut := int(np.searchsorted(rest.arrival, query, side="right"))) < len(rest):
            yield query, _text(model, [*waiting, rest.pick(slice(0, cut))])
            waiting, rest = [], rest.pick(slice(cut, None))
            following = next(at, None)
            if following is None:
                return
            query = following
        waiting.append(rest)
    yield query, _text(model, waiting)
    yield from ((each, b"") for each in at)


def _text(model: Model, parts: list[CodedRecords]) -> bytes:
    content = io.BytesIO()
    write_text(parts, model.vocabulary, content)
    return content.getvalue()
