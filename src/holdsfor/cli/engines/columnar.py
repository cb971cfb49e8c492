"""Runs on the columnar engine, over files that are read completely before the first query time."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from holdsfor.cli.engines.engine import Engine
from holdsfor.cli.outcome.run_log import Figures
from holdsfor.sinks.change_lines import ChangeReport
from holdsfor.sinks.changes import event_changes, interval_changes
from holdsfor.sinks.result_lines import ReportView

if TYPE_CHECKING:
    from holdsfor.runtime.reports.changes import Changes
    from holdsfor.runtime.reports.report import ReportColumns
    from holdsfor.runtime.session import EngineSession

    ReportT = TypeVar("ReportT", ReportColumns, Changes)

__all__ = ["ColumnarEngine"]


class ColumnarEngine(Engine):
    """Evaluates columns, over the whole history or over windows."""

    _session: EngineSession
    _seconds_logged = 0.0
    without: Collection[str] = ()
    """The names of rewrites that are switched off."""

    def load(self) -> None:
        from holdsfor.columns.encoding import Symbols
        from holdsfor.sources.inputs import read_inputs

        self.symbols = Symbols()
        names, tick = self.compiled.names, self.options.tick
        self.reading = read_inputs(self.options.input, names, tick, self.symbols, **self.reading_options())
        self.counts.n_records = self.reading.n_records
        self.counts.unused = self.reading.unused
        self.set_aside.add(self.reading.set_aside)
        self.set_aside.refuse(self.reading.unmatched)

    def reports(self, *, final: bool) -> Iterator[ReportView]:
        from holdsfor.runtime.reports.report_tables import DecodedReport
        from holdsfor.runtime.windows import each_report

        for report in self._evaluate(self.settled if final else each_report):
            self._count(report, first=self.start - 1 if final else None)
            yield DecodedReport(report, self.symbols.view)

    def changes(self) -> Iterator[ChangeReport]:
        from holdsfor.runtime.reports.changes import each_change

        for changes in self._evaluate(each_change):
            gone, come = changes.gone, changes.come
            self._count(come)
            found = interval_changes(gone.intervals(self.symbols), come.intervals(self.symbols))
            found += event_changes(gone.times(self.symbols), come.times(self.symbols))
            yield ChangeReport(changes.query_time, found)

    def begin(self) -> tuple[EngineSession, Iterator[int]] | None:
        """The session of the run and its query times, each when it is due; None if the run ends before it begins."""
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

    def session(self, start: int, end: int | None) -> EngineSession:
        """A new session for a run from `start` to `end`."""
        from holdsfor.runtime.session import EngineSession

        return EngineSession(
            self.compiled,
            start=start,
            end=end,
            tick=self.options.tick,
            window=self.options.window,
            allen_memory=self.options.allen_memory,
            goals=self.goals,
            symbols=self.symbols,
            without=self.without,
        )

    def settled(self, session: EngineSession, queries: Iterable[int]) -> Iterator[ReportColumns]:
        """The report of the settled results; nothing if there was no query time."""
        from holdsfor.runtime.windows import settled_report, settled_so_far

        if self.options.merge_windows and self.options.replay is None:
            self.counts.n_query_times = self.queries.n_up_to(self._last)
            yield settled_report(session, self.queries, self._last)
        elif (first := next(due := iter(queries), None)) is not None:
            yield settled_so_far(session, chain([first], due))

    def position(self, query_time: int) -> tuple[float, str]:
        """The number of records up to a query time, and the progress as text."""
        share = (query_time - self.start) / max(1, self._last - self.start)
        return share * self.counts.n_records, f"{share:.0%}"

    def finish(self) -> None:
        """Complete the counts after the last query time."""

    def _evaluate(self, evaluate: Callable[[EngineSession, Iterable[int]], Iterator[ReportT]]) -> Iterator[ReportT]:
        """The reports or changes of the query times."""
        begun = self.begin()
        if begun is not None:
            session, queries = begun
            self._session = session
            yield from evaluate(session, self._until_stopped(queries))
            self._count_records(session)
            self.counts.n_kept_for_allen = session.n_kept_for_allen
            self.seconds["recognise"] = session.seconds
        self.finish()

    def conclude(self, session: EngineSession) -> None:
        """Count the records that no query time admits."""
        session.judge_rest(self.queries)

    def _count_records(self, session: EngineSession) -> None:
        if not self.stop.is_asked:
            self.conclude(session)
        counts = self.counts
        counts.n_late, counts.n_dropped, counts.n_cut, counts.n_unmatched = session.records.counts
        counts.wide_enough = session.records.fates.widest
        counts.n_new_members = session.state.n_new_members
        self.set_aside.add_unmatched(session.records.take_unmatched())

    @property
    def _fates(self) -> dict[str, int]:
        """The numbers of late, dropped and cut records so far."""
        fates = self._session.records.fates
        return {"late": fates.n_late, "dropped": fates.n_dropped, "cut": fates.n_cut}

    def _until_stopped(self, queries: Iterator[int]) -> Iterator[int]:
        """The query times until the run is stopped, counted and shown as progress."""
        for at in queries:
            if self.stop.is_asked:
                break
            self.progress.at(at, self.position, self._fates)
            self.counts.n_query_times += 1
            yield at
        self.progress.done()

    def _count(self, report: ReportColumns, first: int | None = None) -> None:
        """Count and log a report on its window, or on the time-points after `first`."""
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
