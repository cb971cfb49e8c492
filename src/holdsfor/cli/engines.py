"""The engines behind `holdsfor run`: each loads the input and gives reports."""

from __future__ import annotations

import argparse
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from holdsfor.analysis.compiled import Compiled
from holdsfor.cli.interruption import Interruption
from holdsfor.cli.progress import Progress
from holdsfor.cli.run_log import Figures, RunLog
from holdsfor.cli.set_aside import SetAsideLog
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sinks.change_lines import Changed
from holdsfor.sinks.changes import event_changes, interval_changes
from holdsfor.sinks.lines import Findings, Known
from holdsfor.sources.text import Fact
from holdsfor.sources.unreadable import Unreadable
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    from holdsfor.reference import Answer
    from holdsfor.runtime.changes import Changes
    from holdsfor.runtime.reports import Report
    from holdsfor.runtime.session import Session

    Told = TypeVar("Told", Report, Changes)

__all__ = ["ColumnarEngine", "Counts", "Engine", "ReferenceEngine"]


@dataclass
class Counts:
    """What became of the records, and what came out."""

    n_records: int = 0
    n_unreadable: int = 0
    n_late: int = 0
    n_dropped: int = 0
    n_cut: int = 0
    n_unmatched: int = 0
    n_new_members: int = 0
    wide_enough: int = 0
    """The window that would have cut no record."""
    n_outside: int = 0
    n_kept_for_allen: int = 0
    n_query_times: int = 0
    n_fvps: int = 0
    n_intervals: int = 0
    unused: Counter[str] = field(default_factory=Counter)


class Engine(ABC):
    """A run: `load` reads the input, `reports` or `changes` compute; `stop` ends it between two query times."""

    def __init__(self, compiled: Compiled, options: argparse.Namespace, goals: list[Term]) -> None:
        self.compiled = compiled
        self.options = options
        self.goals = goals
        self.counts = Counts()
        self.set_aside = SetAsideLog()
        self.progress = Progress()
        self.log = RunLog()
        self.stop = Interruption()
        self.unreadable: list[Unreadable] | None = None
        """Where inputs go that cannot be read; without such a list they end the run."""
        self.seconds: dict[str, float] = {"load": 0.0, "recognise": 0.0}
        self.start = 0

    @abstractmethod
    def load(self) -> None:
        """Read the input."""

    @abstractmethod
    def reports(self, *, final: bool) -> Iterator[Findings]:
        """What is known at each query time, or once for all of them."""

    @abstractmethod
    def changes(self) -> Iterator[Changed]:
        """What each query time changes in what was known before it."""

    def bounds(self, first: int | None, last: int | None) -> tuple[int, int]:
        """The first and last time-point of the run: as asked for, else from the first record to the last."""
        from holdsfor.analysis.given import with_given

        first, last = with_given((first, last), self.compiled.description, self.compiled.names, self.options.tick)
        start = self.options.start if self.options.start is not None else (first or 0)
        end = self.options.end if self.options.end is not None else (start if last is None else last)
        if end < start:
            message = f"the run ends at {end}, before its start {start}"
            raise UsageProblem(Diagnostic("HF702", message, hint=self._bounds_hint()))
        self.start = start
        return start, end

    def reading_options(self) -> dict[str, Any]:
        """How the inputs are to be read."""
        return {"form": self.options.input_format, "unit": self.options.time_unit, "unreadable": self.unreadable}

    def _bounds_hint(self) -> str:
        if self.options.start is None or self.options.end is None:
            return "the records set what `--start` or `--end` does not"
        return "see `--start` and `--end`"


class ReferenceEngine(Engine):
    """The semantics, point by point over the whole history."""

    def load(self) -> None:
        if self.options.window is not None:
            message = "the reference evaluator has no windows"
            raise UsageProblem(Diagnostic("HF703", message, hint="leave out `--window`, or `--engine reference`"))
        from holdsfor.sources.inputs import read_facts

        reading = read_facts(self.options.input, self.compiled.names, self.options.tick, **self.reading_options())
        self.facts = reading.facts()
        self.counts.n_records = reading.n_records
        self.counts.unused = reading.unused
        self.counts.n_unmatched = len(reading.unmatched)
        self.set_aside.add(reading.set_aside)
        self.set_aside.add_unmatched(reading.unmatched)

    def reports(self, *, final: bool) -> Iterator[Findings]:
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
        answer = recognise(
            self.compiled, history, Run(start, end, self.options.tick, self.options.allen_memory), self.goals
        )
        self.counts.n_query_times = 1
        self.counts.n_fvps = len(answer.intervals)
        self.counts.n_intervals = sum(map(len, answer.intervals.values()))
        self.seconds["recognise"] = time.perf_counter() - began
        self.log.add(end, _figures(answer, len(self.facts), self.seconds["recognise"], end, self.options.tick))
        intervals = {
            fvp: [(s, None if e == INF else int(e)) for s, e in spans] for fvp, spans in answer.intervals.items()
        }
        yield Known(end, intervals, {event: list(times) for event, times in answer.times.items()})

    def changes(self) -> Iterator[Changed]:
        for known in self.reports(final=False):
            added = [*interval_changes({}, known.intervals), *event_changes({}, known.times)]
            yield Changed(known.query_time, added)


def _figures(answer: Answer, n_facts: int, seconds: float, end: int, tick: int) -> Figures:
    """What the reference evaluator took and found."""
    following = (end // tick + 1) * tick
    spans = [span for spans in answer.intervals.values() for span in spans]
    held = sum(max(0, min(int(following), stop) - start) for start, stop in spans) // tick
    n_times = sum(map(len, answer.times.values()))
    return Figures(seconds, n_facts, len(answer.intervals), len(spans), int(held), n_times)


def _extent(facts: list[Fact], tick: int) -> tuple[int | None, int | None]:
    """The first and the last time-point of the records."""
    first = min((fact.start for fact in facts), default=None)
    last = max((f.start if f.value is None else (f.end - 1) // tick * tick for f in facts), default=None)
    return first, last


class ColumnarEngine(Engine):
    """Columns, over the whole history or over windows."""

    _session: Session
    _seconds_logged = 0.0

    def load(self) -> None:
        from holdsfor.columns.words import Symbols
        from holdsfor.sources.inputs import read_inputs

        self.symbols = Symbols()
        names, tick = self.compiled.names, self.options.tick
        self.reading = read_inputs(self.options.input, names, tick, self.symbols, **self.reading_options())
        self.counts.n_records = self.reading.n_records
        self.counts.unused = self.reading.unused
        self.set_aside.add(self.reading.set_aside)
        self.set_aside.refuse(self.reading.unmatched)

    def reports(self, *, final: bool) -> Iterator[Findings]:
        from holdsfor.runtime.report_tables import Reported
        from holdsfor.runtime.windows import each_report

        for report in self._told_by(self.settled if final else each_report):
            self._count(report, first=self.start - 1 if final else None)
            yield Reported(report, self.symbols)

    def changes(self) -> Iterator[Changed]:
        from holdsfor.runtime.changes import each_change

        for changes in self._told_by(each_change):
            gone, come = changes.gone, changes.come
            self._count(come)
            told = interval_changes(gone.intervals(self.symbols), come.intervals(self.symbols))
            told += event_changes(gone.times(self.symbols), come.times(self.symbols))
            yield Changed(changes.query_time, told)

    def begin(self) -> tuple[Session, Iterator[int]] | None:
        """The session of the run, and its query times when it is time for them; None if it ends before it begins."""
        from holdsfor.columns.query_times import QueryTimes
        from holdsfor.runtime.windows import busy_query_times, n_repeated

        start, end = self.bounds(*self.reading.extent(self.options.tick))
        session = self.session(start, end)
        self.counts.n_outside += session.insert_reading(self.reading)
        self.queries = QueryTimes(start, end, self.options.step, self.options.window, self.options.tick)
        self._last = session.last_query_time(self.queries)
        session.announce(self.queries)
        n_idle = n_repeated(self.options.window, self.options.step)
        return session, busy_query_times(session, self.queries, self._last, n_idle=n_idle)

    def session(self, start: int, end: int | None) -> Session:
        """The session of a run from one time-point to another."""
        from holdsfor.runtime.session import Session

        return Session(
            self.compiled,
            start=start,
            end=end,
            tick=self.options.tick,
            window=self.options.window,
            allen_memory=self.options.allen_memory,
            goals=self.goals,
            symbols=self.symbols,
        )

    def settled(self, session: Session, queries: Iterable[int]) -> Iterator[Report]:
        """What all query times settle together; nothing if there was none before the end."""
        from holdsfor.runtime.windows import settled_report, settled_so_far

        if self.options.merge_windows and self.options.replay is None:
            self.counts.n_query_times = self.queries.n_up_to(self._last)
            yield settled_report(session, self.queries, self._last)
        elif (first := next(due := iter(queries), None)) is not None:
            yield settled_so_far(session, chain([first], due))

    def position(self, query_time: int) -> tuple[float, str]:
        """How many records the run has come past at a query time, and how far that is."""
        share = (query_time - self.start) / max(1, self._last - self.start)
        return share * self.counts.n_records, f"{share:.0%}"

    def finish(self) -> None:
        """Complete the counts when the last query time has told."""

    def _told_by(self, tell: Callable[[Session, Iterable[int]], Iterator[Told]]) -> Iterator[Told]:
        """What the query times of the run tell."""
        begun = self.begin()
        if begun is not None:
            session, queries = begun
            self._session = session
            yield from tell(session, self._until_stopped(queries))
            self._count_records(session)
            self.counts.n_kept_for_allen = session.n_kept_for_allen
            self.seconds["recognise"] = session.seconds
        self.finish()

    def conclude(self, session: Session) -> None:
        """Count the records that no query time admits."""
        session.judge_rest(self.queries)

    def _count_records(self, session: Session) -> None:
        if not self.stop.is_asked:
            self.conclude(session)
        counts = self.counts
        counts.n_late, counts.n_dropped, counts.n_cut, counts.n_unmatched = session.records.counts
        counts.wide_enough = session.records.fates.widest
        counts.n_new_members = session.n_new_members
        self.set_aside.add_unmatched(session.records.take_unmatched())

    @property
    def _fates(self) -> dict[str, int]:
        """How many records so far were late, dropped and cut."""
        fates = self._session.records.fates
        return {"late": fates.n_late, "dropped": fates.n_dropped, "cut": fates.n_cut}

    def _until_stopped(self, queries: Iterator[int]) -> Iterator[int]:
        """The query times, counted and shown to a person, until somebody asks for an end."""
        for at in queries:
            if self.stop.is_asked:
                break
            self.progress.at(at, self.position, self._fates)
            self.counts.n_query_times += 1
            yield at
        self.progress.done()

    def _count(self, report: Report, first: int | None = None) -> None:
        """Count and log what a query time tells of its window, or of the time-points after the first."""
        n_fvps, n_intervals = report.n_fvps, report.n_intervals
        self.counts.n_fvps += n_fvps
        self.counts.n_intervals += n_intervals
        session, at = self._session, report.query_time
        seconds, self._seconds_logged = session.seconds - self._seconds_logged, session.seconds
        after = session.window_start(at) if first is None else first
        n_time_points = report.n_time_points(after, session.tick)
        n_input = session.n_input if first is None else self.counts.n_records
        figures = Figures(seconds, n_input, n_fvps, n_intervals, n_time_points, report.n_occurrences)
        self.log.add(at, figures)
