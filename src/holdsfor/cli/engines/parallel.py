"""Runs over files in several processes."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from holdsfor.cli.engines.columnar import ColumnarEngine
from holdsfor.cli.outcome.run_log import Figures
from holdsfor.sinks.change_lines import ChangeReport
from holdsfor.sinks.result_lines import LINES, ReportView
from holdsfor.sinks.written_lines import WrittenReport

if TYPE_CHECKING:
    from holdsfor.parallel.processes.job import DatedJobResult, Job, JobCounts
    from holdsfor.parallel.processes.written_results import ReportCounts
    from holdsfor.parallel.stages.admission import RunSchedule
    from holdsfor.runtime.reports.report import ReportColumns

    Found = TypeVar("Found")

__all__ = ["ParallelEngine", "is_reported_by_query_time", "one_process_because"]

_MOST_QUERY_TIMES = 1_000
"""One process leaves out reports that repeat the previous one, but never the first thousand."""


def one_process_because(options: argparse.Namespace) -> str | None:
    """Why a run with these options is in one process; None if it need not be."""
    reasons = {
        "the reference evaluator has no parts": options.engine == "reference",
        "a live run reads its inputs one record after another": options.live,
        "a replay waits for each query time": options.replay is not None,
        "every query time is evaluated": not options.merge_windows,
        "`--changes` follows the query times one by one": options.changes is not None,
        "start-up goals are proved once": bool(options.goal),
        "the prompt needs the results of all query times": options.interactive and is_reported_by_query_time(options),
    }
    return next((reason for reason, applies in reasons.items() if applies), None)


def is_reported_by_query_time(options: argparse.Namespace) -> bool:
    """Whether each query time is reported, rather than the settled results once."""
    is_settled = options.window is None or options.final or bool(options.timeline)
    return options.report == "changes" or not is_settled


class ParallelEngine(ColumnarEngine):
    """Divides inputs and keys among processes; a run that cannot be divided goes on in this process.

    Settled results are divided by default, reports of each query time if `--jobs` is given.
    """

    _job: Job | None = None
    _schedule: RunSchedule | None = None

    @property
    def _is_dated(self) -> bool:
        """Whether each query time is reported."""
        return is_reported_by_query_time(self.options)

    def load(self) -> None:
        from holdsfor.columns.encoding import Symbols
        from holdsfor.parallel.processes.job import Job, JobSettings
        from holdsfor.parallel.processes.job_size import n_processes
        from holdsfor.parallel.processes.pool import NeedsOneProcess

        options = self.options
        has_windows = options.window is not None
        is_default = self._is_dated and options.jobs is None
        n = 1 if is_default else n_processes(options.jobs, options.input, has_windows=has_windows)
        if n > 1:
            windows = options.tick, options.window, options.step, options.allen_memory
            settings = JobSettings(self.bounds, *windows, options.given_time_unit, options.input_format, options.tz)
            try:
                job = Job(self.compiled, options.input, settings, n, lambda: self.stop.is_asked)
                self._job = self.resources.enter_context(job)
                reading, self.symbols = job.read(), Symbols()
                self._schedule = self._reported(job.schedule()) if self._is_dated else None
                self.reading = reading
                self._take(reading)
                self.counts.n_processes, self.counts.jobs, self.counts.one_bucket = n, options.jobs, job.one_bucket
                return
            except NeedsOneProcess as needs:
                self._end_job()
                self.counts.one_process_because = str(needs)
        super().load()

    def _reported(self, run: RunSchedule) -> RunSchedule:
        """The schedule, unless one process would leave out some of its reports."""
        from holdsfor.parallel.processes.pool import NeedsOneProcess

        if run.queries.n_up_to(run.last) > _MOST_QUERY_TIMES:
            raise NeedsOneProcess(f"there are more than {_MOST_QUERY_TIMES} query times")
        return run

    def reports(self, *, final: bool) -> Iterator[ReportView]:
        from holdsfor.runtime.reports.report_tables import DecodedReport

        if self._job is None:
            yield from super().reports(final=final)
        elif self._schedule is not None:
            for found, report in self._dated(lambda found: found.results.reports()):
                self._log_report(report, found.counts)
                yield DecodedReport(report, found.symbols)
        elif (settled := self._ended(self._job.evaluate)) is not None:
            self._count_records_of(settled.counts)
            self.counts.n_query_times = settled.n_query_times
            numbers = _numbers(settled.report, self.start - 1, self.options.tick)
            self._log_figures(settled.report.query_time, numbers, self.seconds["recognise"], self.counts.n_records)
            yield DecodedReport(settled.report, settled.symbols)

    def written_reports(self) -> Iterator[WrittenReport] | None:
        if self._job is None or self.options.format not in LINES:
            return None
        return self._written(self._job)

    def _written(self, job: Job) -> Iterator[WrittenReport]:
        """The reports as lines that all processes have written, until the run is stopped."""
        from holdsfor.parallel.processes.written_results import LineLayout

        layout = LineLayout(self.options.format, self.shown, self._is_dated)
        self._n_input = 0
        try:
            run = self._schedule or job.schedule()
            found = self._evaluated(lambda: job.evaluate_lines(layout, run, is_dated=self._is_dated))
            if found is None:
                return
            self._count_records_of(found.counts)
            self.counts.n_query_times = 0 if self._is_dated else run.queries.n_up_to(run.last)
            for report, numbers in found.reports:
                if self.stop.is_asked:
                    return
                self._log_written(report, numbers, found.counts)
                yield report
        finally:
            self._end_job()

    def _log_written(self, report: WrittenReport, numbers: ReportCounts, found: JobCounts) -> None:
        if self._is_dated:
            self.counts.n_query_times += 1
            self._log_query_time(report.query_time, numbers, found)
        else:
            self._log_figures(report.query_time, numbers, self.seconds["recognise"], self.counts.n_records)

    def changes(self) -> Iterator[ChangeReport]:
        if self._job is None:
            yield from super().changes()
            return
        for found, changes in self._dated(lambda found: found.results.changes()):
            self.symbols = found.symbols
            self._log_report(changes.come, found.counts)
            yield self._change_report(changes)

    def _dated(self, parts: Callable[[DatedJobResult], Iterator[Found]]) -> Iterator[tuple[DatedJobResult, Found]]:
        """The parts of the results of each query time, until the run is stopped."""
        job, run = self._job, self._schedule
        assert job is not None
        assert run is not None
        self._n_input = 0
        found = self._ended(lambda: job.evaluate_dated(run))
        if found is None:
            return
        self._count_records_of(found.counts)
        for part in parts(found):
            if self.stop.is_asked:
                return
            self.counts.n_query_times += 1
            yield found, part

    def _end_job(self) -> None:
        self.resources.close()
        self._job = None

    def _ended(self, evaluate: Callable[[], Found]) -> Found | None:
        """The results, after which the processes end; None if the run is stopped."""
        try:
            return self._evaluated(evaluate)
        finally:
            self._end_job()

    def _evaluated(self, evaluate: Callable[[], Found]) -> Found | None:
        """The results; None if the run is stopped."""
        began = time.perf_counter()
        try:
            return None if self.stop.is_asked else evaluate()
        except KeyboardInterrupt:
            if not self.stop.is_asked:
                raise
            return None
        finally:
            self.seconds["recognise"] = time.perf_counter() - began

    def _count_records_of(self, found: JobCounts) -> None:
        counts = self.counts
        counts.n_late, counts.n_dropped, counts.n_cut = (found.total(each) for each in ("late", "dropped", "cut"))
        counts.n_outside, counts.wide_enough = found.total("outside"), found.widest
        self.report_faults(found.faults)
        counts.pending = found.pending if self.options.end is None else ()

    def _log_report(self, report: ReportColumns, found: JobCounts) -> None:
        assert self._schedule is not None
        after = self._schedule.before_window(report.query_time)
        self._log_query_time(report.query_time, _numbers(report, after, self.options.tick), found)

    def _log_query_time(self, at: int, numbers: ReportCounts, found: JobCounts) -> None:
        """Log the report of a query time: its seconds in all processes, and the records in its window."""
        counts = found.by_query_time
        self._n_input += counts["entered", at] - counts["left", at]
        self._log_figures(at, numbers, counts["seconds", at] / 1e6, self._n_input)

    def _log_figures(self, at: int, numbers: ReportCounts, seconds: float, n_records: int) -> None:
        self.counts.n_fvps += numbers.n_fvps
        self.counts.n_intervals += numbers.n_intervals
        more = numbers.n_time_points, numbers.n_occurrences
        self.log.add(at, Figures(seconds, n_records, numbers.n_fvps, numbers.n_intervals, *more))


def _numbers(report: ReportColumns, after: int, tick: int) -> ReportCounts:
    """The numbers of a report for the log; time-points are counted after a time."""
    from holdsfor.parallel.processes.written_results import ReportCounts

    n_time_points = report.n_time_points(after, tick)
    return ReportCounts(report.n_fvps, report.n_intervals, n_time_points, report.n_occurrences)
