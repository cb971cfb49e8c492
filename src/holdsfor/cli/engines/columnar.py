"""Runs on the columnar engine, over files that are read before the first query time, into memory or onto disk."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from holdsfor.cli.engines.engine import Engine
from holdsfor.cli.outcome.run_log import Figures
from holdsfor.sinks.change_feed import ChangeFeed, ChangeRows
from holdsfor.sinks.change_lines import ChangeReport
from holdsfor.sinks.changes import event_changes, interval_changes
from holdsfor.sinks.result_lines import ReportView

if TYPE_CHECKING:
    from holdsfor.errors import Diagnostic
    from holdsfor.runtime.reports.changes import Changes
    from holdsfor.runtime.reports.recorded_results import RecordedResults
    from holdsfor.runtime.reports.report import ReportColumns
    from holdsfor.runtime.reports.settled_results import SettledResults
    from holdsfor.runtime.session import EngineSession
    from holdsfor.runtime.spilled_input import SpilledInput
    from holdsfor.sources.reading import ColumnReading

    ReportT = TypeVar("ReportT", ReportColumns, Changes)

__all__ = ["ColumnarEngine"]

_MANY_CHANGES = 500


class ColumnarEngine(Engine):
    """Evaluates columns, over the whole history or over windows."""

    _session: EngineSession
    _seconds_logged = 0.0
    _spilled: SpilledInput | None = None
    without: Collection[str] = ()
    """The names of rewrites that are switched off."""
    recorded: RecordedResults | None = None
    """The record of the results of all query times, for goals."""

    def load(self) -> None:
        from holdsfor.columns.encoding import Symbols
        from holdsfor.sources.input_sizes import are_large
        from holdsfor.sources.inputs import read_inputs

        self.symbols = Symbols()
        names, tick = self.compiled.names, self.options.tick
        on_disk = self.options.window is not None and are_large(self.options.input)
        given = (self.options.input, names, tick, self.symbols)
        self.reading = read_inputs(*given, on_disk=on_disk, **self.reading_options())
        self._take(self.reading)

    def findings(self) -> list[Diagnostic]:
        from holdsfor.sources.input_comparison import unmatched

        return list(unmatched(self.compiled, self.reading, self.symbols))

    def _take(self, reading: ColumnReading) -> None:
        """Count the records of a reading, and set records aside that do not fit."""
        self.time_type = reading.time_type
        self.counts.n_records = reading.n_records
        self.counts.unused = reading.unused
        self.set_aside.add(reading.set_aside)
        self.check_unit(has_moments=reading.has_moments)
        self.set_aside.refuse([*reading.unmatched, *reading.incomplete])

    def reports(self, *, final: bool) -> Iterator[ReportView]:
        from holdsfor.runtime.reports.report_tables import DecodedReport
        from holdsfor.runtime.windows import each_report

        if final:
            yield from self._settled_reports()
            return
        for report in self._evaluate(each_report):
            self._count(report)
            yield DecodedReport(report, self.symbols.view)

    def _settled_reports(self) -> Iterator[ReportView]:
        """The report of the settled results; in several parts if they are many and only written."""
        from holdsfor.runtime.reports.report import merged
        from holdsfor.runtime.reports.report_tables import DecodedReport
        from holdsfor.runtime.reports.settled_results import SettledResults

        parts = self._evaluate(self.settled)
        results = SettledResults(self.options.tick)
        for part in parts:
            results.add(part, first=self.start - 1)
        if results.is_empty:
            return
        self._count_settled(results)
        # The records and tables of the last query time make room for the results.
        del self._session
        self._spilled = None
        reports = results.reports(self.symbols.view)
        is_whole = self.options.timeline or self.options.interactive
        for report in [merged(reports)] if is_whole else reports:
            yield DecodedReport(report, self.symbols.view)

    def changes(self) -> Iterator[ChangeReport]:
        from holdsfor.runtime.reports.changes import each_change

        for changes in self._evaluate(each_change):
            self._count(changes.come)
            yield self._change_report(changes)

    def _change_report(self, changes: Changes) -> ChangeReport:
        """The changes as columns if there are many, else as a list."""
        from holdsfor.runtime.reports.change_columns import event_change_columns, fvp_change_columns

        gone, come, symbols = changes.gone, changes.come, self.symbols.view
        if sum(part.n_intervals + part.n_occurrences for part in (gone, come)) >= _MANY_CHANGES:
            columns = fvp_change_columns(changes, symbols), event_change_columns(changes, symbols)
            return ChangeReport(changes.query_time, [], columns)
        found = interval_changes(gone.intervals(symbols), come.intervals(symbols))
        found += event_changes(gone.times(symbols), come.times(symbols))
        return ChangeReport(changes.query_time, found)

    def begin(self) -> tuple[EngineSession, Iterator[int]] | None:
        """The session of the run and its query times, each when it is due; None if the run ends before it begins."""
        from holdsfor.columns.query_times import QueryTimes
        from holdsfor.runtime.windows import busy_query_times, n_repeated

        start, end = self.bounds(*self.reading.extent(self.options.tick))
        session = self.session(start, end)
        self.queries = QueryTimes(start, end, self.options.step, self.options.window, self.options.tick)
        self._insert(session)
        n_idle = n_repeated(self.options.window, self.options.step)
        return session, busy_query_times(session, self.queries, self._last, n_idle=n_idle, spilled=self._spilled)

    def _insert(self, session: EngineSession) -> None:
        """Insert the records, or prepare their insertion if they are on disk."""
        from holdsfor.runtime.spilled_input import SpilledInput
        from holdsfor.sources.spilled_reading import SpilledReading

        if isinstance(self.reading, SpilledReading):
            self._spilled = SpilledInput(self.reading, session, self.queries)
            self.counts.n_outside += self._spilled.n_outside
            self._last = self._spilled.last
            return
        self.counts.n_outside += session.insert_reading(self.reading)
        self._last = session.last_query_time(self.queries)
        session.announce(self.queries)

    def session(self, start: int, end: int | None) -> EngineSession:
        """A new session for a run from `start` to `end`."""
        from holdsfor.runtime.session import INCREMENTAL_MEMORY, EngineSession

        memory = self.options.incremental_memory
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
            incremental=self.options.incremental,
            incremental_memory=INCREMENTAL_MEMORY if memory is None else memory,
        )

    def settled(self, session: EngineSession, queries: Iterable[int]) -> Iterator[ReportColumns]:
        """The settled results in parts; nothing if there was no query time."""
        from holdsfor.runtime.windows import settled_parts, settled_so_far

        if self.options.merge_windows and self.options.replay is None and self.feed is None:
            self.counts.n_query_times = self.queries.n_up_to(self._last)
            yield from settled_parts(session, self.queries, self._last, spilled=self._spilled)
        else:
            yield from settled_so_far(session, queries)

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
            due = self._until_stopped(queries)
            if self.feed is not None:
                due = self._feeding(self.feed, session, due)
            if self.recorded is not None:
                due = self.recorded.following(session, due)
            for part in evaluate(session, due):
                if self.options.strict or self.options.live:
                    self.report_faults(session.faults.unreported())
                yield part
            self.report_faults(session.faults.unreported())
            if self.options.end is None and not self.stop.is_asked:
                self.counts.pending = session.pending
            self._count_records(session)
            self.counts.n_kept_for_allen = session.n_kept_for_allen
            self.counts.n_resumed, self.counts.kept_bytes = session.n_resumed, session.kept_bytes
            self.counts.n_over_memory = session.n_over_memory
            self.seconds["recognise"] = session.seconds
        self.finish()

    def _feeding(self, feed: ChangeFeed, session: EngineSession, queries: Iterable[int]) -> Iterator[int]:
        """The query times, whose changes are written when the next one is requested."""
        from holdsfor.runtime.reports.changes import following_changes
        from holdsfor.runtime.reports.report_tables import DecodedReport

        def write(changes: Changes) -> None:
            symbols = self.symbols.view
            parts = (DecodedReport(part, symbols) for part in (changes.gone, changes.come))
            feed.add(ChangeRows(changes.query_time, *parts))

        return following_changes(session, queries, write)

    def conclude(self, session: EngineSession) -> None:
        """Count the records that no query time admits."""
        if self._spilled is None:
            session.count_not_admitted(self.queries)
        else:
            self._spilled.conclude()

    def _count_records(self, session: EngineSession) -> None:
        if not self.stop.is_asked:
            self.conclude(session)
        counts = self.counts
        counts.n_late, counts.n_dropped, counts.n_cut, counts.n_unmatched = session.records.counts
        counts.wide_enough = session.records.admission_counts.widest
        counts.n_new_members = session.state.n_new_members
        self.set_aside.add_unmatched(session.records.take_unmatched())

    @property
    def _admission_counts(self) -> dict[str, int]:
        """The numbers of late, dropped and cut records so far."""
        counts = self._session.records.admission_counts
        return {"late": counts.n_late, "dropped": counts.n_dropped, "cut": counts.n_cut}

    def _until_stopped(self, queries: Iterator[int]) -> Iterator[int]:
        """The query times until the run is stopped, counted and shown as progress."""
        for at in queries:
            if self.stop.is_asked:
                break
            self.progress.at(at, self.position, self._admission_counts)
            self.counts.n_query_times += 1
            yield at
        self.progress.done()

    def _count(self, report: ReportColumns) -> None:
        """Count and log a report on its window."""
        session, at = self._session, report.query_time
        n_time_points = report.n_time_points(session.window_start(at), session.tick)
        counts = report.n_fvps, report.n_intervals, n_time_points, report.n_occurrences
        self._log_counts(at, session.n_input, *counts)

    def _count_settled(self, results: SettledResults) -> None:
        """Count and log the settled results of all query times."""
        counts = results.n_fvps, results.n_intervals, results.n_time_points, results.n_occurrences
        self._log_counts(results.query_time, self.counts.n_records, *counts)

    def _log_counts(self, at: int, n_input: int, n_fvps: int, n_intervals: int, *more: int) -> None:
        self.counts.n_fvps += n_fvps
        self.counts.n_intervals += n_intervals
        seconds, self._seconds_logged = self._session.seconds - self._seconds_logged, self._session.seconds
        self.log.add(at, Figures(seconds, n_input, n_fvps, n_intervals, *more))
