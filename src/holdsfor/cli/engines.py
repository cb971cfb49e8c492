"""The engines behind `holdsfor run`: each loads the input and gives reports."""

from __future__ import annotations

import argparse
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from holdsfor.analysis.compiled import Compiled
from holdsfor.cli.progress import Progress
from holdsfor.errors import DataProblem, Diagnostic, UsageProblem
from holdsfor.sinks.changes import Changed, event_changes, interval_changes
from holdsfor.sinks.lines import Known
from holdsfor.sources.text import Fact, Reading, SetAside, read_text_records
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.runtime.changes import Changes
    from holdsfor.runtime.reports import Report
    from holdsfor.runtime.session import Session

    Told = TypeVar("Told", Report, Changes)

__all__ = ["ColumnarEngine", "Counts", "Engine", "columnar_engine", "reference_engine"]


@dataclass
class Counts:
    """What became of the records, and what came out."""

    n_records: int = 0
    n_late: int = 0
    n_dropped: int = 0
    n_outside: int = 0
    n_query_times: int = 0
    n_intervals: int = 0
    unused: Counter[str] = field(default_factory=Counter)
    set_aside: list[SetAside] = field(default_factory=list)


class Engine(ABC):
    """A run: `load` reads the input, `reports` computes."""

    def __init__(self, compiled: Compiled, options: argparse.Namespace, goals: list[Term]) -> None:
        self.compiled = compiled
        self.options = options
        self.goals = goals
        self.counts = Counts()
        self.seconds: dict[str, float] = {}
        self.start = 0

    @abstractmethod
    def load(self) -> None:
        """Read the input."""

    @abstractmethod
    def reports(self, *, final: bool) -> Iterator[Known]:
        """What is known at each query time, or once for all of them."""

    @abstractmethod
    def changes(self) -> Iterator[Changed]:
        """What each query time changes in what was known before it."""

    def bounds(self, first: int | None, last: int | None) -> tuple[int, int]:
        """The first and last time-point of the run: as asked for, else from the first record to the last."""
        start = self.options.start if self.options.start is not None else (first or 0)
        end = self.options.end if self.options.end is not None else (start if last is None else last)
        if end < start:
            message = f"the run ends at {end}, before its start {start}"
            raise UsageProblem(Diagnostic("HF702", message, hint=self._bounds_hint()))
        self.start = start
        return start, end

    def _bounds_hint(self) -> str:
        if self.options.start is None or self.options.end is None:
            return "the records set what `--start` or `--end` does not"
        return "see `--start` and `--end`"


def read_lines(file: str) -> list[str]:
    """The lines of an input file."""
    from holdsfor.sources.inputs import read_bytes

    content = read_bytes(file)
    try:
        return content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"`{file}` is not UTF-8 text: byte 0x{content[error.start]:02x} in line {line}"
        raise DataProblem(Diagnostic("HF501", message, hint="records are UTF-8 text", file=file)) from None


class ReferenceEngine(Engine):
    """The semantics, point by point over the whole history."""

    def load(self) -> None:
        if self.options.window is not None:
            message = "the reference evaluator has no windows"
            raise UsageProblem(Diagnostic("HF703", message, hint="leave out `--window`, or `--engine reference`"))
        reading = Reading()
        for file in self.options.input:
            read_text_records(read_lines(file), file, self.compiled.names, self.options.tick, reading)
        self.facts = reading.facts()
        self.counts.n_records = reading.n_records
        self.counts.unused = reading.unused
        self.counts.set_aside = reading.set_aside

    def reports(self, *, final: bool) -> Iterator[Known]:
        from holdsfor.reference import INF, History, Run, recognise

        began = time.perf_counter()
        history = History()
        for fact in self.facts:
            if fact.value is None:
                history.add_event(fact.entity, fact.start)
            else:
                history.add_interval(fact.entity, fact.value, fact.start, fact.end)
        start, end = self.bounds(*_extent(self.facts, self.options.tick))
        self.counts.n_outside = sum(f.start > end or max(f.start, f.end - 1) < start for f in self.facts)
        answer = recognise(self.compiled, history, Run(start, end, self.options.tick), self.goals)
        self.counts.n_query_times = 1
        self.counts.n_intervals = sum(map(len, answer.intervals.values()))
        self.seconds["recognise"] = time.perf_counter() - began
        intervals = {
            fvp: [(s, None if e == INF else int(e)) for s, e in spans] for fvp, spans in answer.intervals.items()
        }
        yield Known(end, intervals, {event: list(times) for event, times in answer.times.items()})

    def changes(self) -> Iterator[Changed]:
        for known in self.reports(final=False):
            added = [*interval_changes({}, known.intervals), *event_changes({}, known.times)]
            yield Changed(known.query_time, added)


def _extent(facts: list[Fact], tick: int) -> tuple[int | None, int | None]:
    """The first and the last time-point of the records."""
    first = min((fact.start for fact in facts), default=None)
    last = max((f.start if f.value is None else (f.end - 1) // tick * tick for f in facts), default=None)
    return first, last


class ColumnarEngine(Engine):
    """Columns, over the whole history or over windows."""

    def load(self) -> None:
        from holdsfor.columns.words import Symbols
        from holdsfor.sources.inputs import read_inputs

        self.symbols = Symbols()
        self.reading = read_inputs(self.options.input, self.compiled.names, self.options.tick, self.symbols)
        self.counts.n_records = self.reading.n_records
        self.counts.unused = self.reading.unused
        self.counts.set_aside = self.reading.set_aside

    def reports(self, *, final: bool) -> Iterator[Known]:
        from holdsfor.runtime.windows import each_report, settled_report

        session, queries = self.session()
        reports = iter([settled_report(session, queries)]) if final else each_report(session, queries)
        for report in self._following(reports, session, queries):
            self.counts.n_intervals += report.n_intervals
            yield Known(report.query_time, report.intervals(self.symbols), report.times(self.symbols))

    def changes(self) -> Iterator[Changed]:
        from holdsfor.runtime.changes import each_change

        session, queries = self.session()
        for changes in self._following(each_change(session, queries), session, queries):
            gone, come = changes.gone, changes.come
            self.counts.n_intervals += come.n_intervals
            told = interval_changes(gone.intervals(self.symbols), come.intervals(self.symbols))
            told += event_changes(gone.times(self.symbols), come.times(self.symbols))
            yield Changed(changes.query_time, told)

    def session(self) -> tuple[Session, list[int]]:
        """A session with all records, and its query times."""
        from holdsfor.runtime.session import Session
        from holdsfor.runtime.windows import query_times

        start, end = self.bounds(*self.reading.extent(self.options.tick))
        window, tick = self.options.window, self.options.tick
        session = Session(self.compiled, start=start, tick=tick, window=window, goals=self.goals, symbols=self.symbols)
        for key, records in (*self.reading.events.items(), *self.reading.fluents.items()):
            self.counts.n_outside += records.count_outside(start, end)
            session.insert_columns(key, records.up_to(end))
        queries = query_times(start, end, self.options.step)
        session.announce(queries[-1])
        return session, queries

    def _following(self, told: Iterator[Told], session: Session, queries: list[int]) -> Iterator[Told]:
        """What query times tell, with progress and counts."""
        progress = Progress(self.counts.n_records, session.start, queries[-1])
        for each in told:
            progress.at(each.query_time)
            yield each
        progress.done()
        self.counts.n_query_times = len(queries)
        self.counts.n_late, self.counts.n_dropped = session.n_late, session.n_dropped
        self.seconds["recognise"] = session.seconds


def columnar_engine(compiled: Compiled, options: argparse.Namespace, goals: list[Term]) -> Engine:
    return ColumnarEngine(compiled, options, goals)


def reference_engine(compiled: Compiled, options: argparse.Namespace, goals: list[Term]) -> Engine:
    return ReferenceEngine(compiled, options, goals)
