"""A job in processes of one machine: settled results over all query times, as one process computes them.

The steps are those of the job on Spark: read, admit and route records, then evaluate stage after stage. Every process
is one bucket. What one process must see as a whole (retractions, faulty inputs, times of two forms) is left to one
process: `NeedsOneProcess` says why.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from holdsfor.analysis.input_facts import with_input_facts
from holdsfor.analysis.pipeline import Compiled
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.pending import Pending, merged_pending
from holdsfor.distribution.one_bucket import one_bucket_warnings
from holdsfor.distribution.stages import Stages, plan_stages
from holdsfor.errors import DataProblem, Diagnostic, UsageProblem
from holdsfor.parallel.exchange.block_files import read_blocks
from holdsfor.parallel.exchange.facts import Facts
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.processes.dated_results import DatedResults, settled_report
from holdsfor.parallel.processes.job_process import JobProcess
from holdsfor.parallel.processes.part_reading import ReadSummary, have_one_form, numbered
from holdsfor.parallel.processes.parts import WholePart, divide
from holdsfor.parallel.processes.pool import NeedsOneProcess, Pool
from holdsfor.parallel.processes.written_results import LineLayout, ReportCounts, WrittenPart, merged_reports
from holdsfor.parallel.stages.admission import JobAdmission, RunSchedule
from holdsfor.parallel.stages.dated_buckets import DatedAdmission
from holdsfor.parallel.stages.stage_functions import buckets_of, destinations_of
from holdsfor.prolog.faults import Fault, Faults
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.session import EngineSession
from holdsfor.sinks.written_lines import WrittenReport
from holdsfor.sources.formats import Format
from holdsfor.sources.place_kinds import PlaceKinds
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.times import Clock, Unit

__all__ = ["DatedJobResult", "Job", "JobCounts", "JobResult", "JobSettings", "NeedsOneProcess", "WrittenJobResult"]


@dataclass(frozen=True)
class JobSettings:
    """The settings of a run besides its rules and inputs. `bounds` are made of the extent of the records."""

    bounds: Callable[[int | None, int | None], tuple[int, int]]
    tick: int = 1
    window: int | None = None
    step: int | None = None
    allen_memory: int | None = None
    unit: Unit | None = "s"
    form: Format | None = None
    zone: str | None = None


@dataclass(frozen=True)
class JobCounts:
    """The number of records by outcome and query time, the conditions without a result, and the pending effects.

    `widest` is the smallest window that cuts no record.
    """

    by_query_time: Counter[tuple[str, int]]
    widest: int
    faults: Faults
    pending: tuple[Pending, ...]

    def total(self, outcome: str) -> int:
        """The number of records with an outcome, at all query times."""
        return sum(n for (what, _), n in self.by_query_time.items() if what == outcome)


@dataclass(frozen=True)
class JobResult:
    """The settled results."""

    report: ReportColumns
    symbols: Symbols
    counts: JobCounts
    n_query_times: int
    start: int


@dataclass(frozen=True)
class DatedJobResult:
    """The results of each query time."""

    results: DatedResults
    symbols: Symbols
    counts: JobCounts


@dataclass(frozen=True)
class WrittenJobResult:
    """The reports of a run as lines, each with its counts."""

    reports: Iterator[tuple[WrittenReport, ReportCounts]]
    counts: JobCounts


class Job:
    """A run in `n` processes. In its context, `read` reads the inputs, then `evaluate` computes the results."""

    def __init__(
        self,
        compiled: Compiled,
        inputs: Sequence[object],
        settings: JobSettings,
        n: int,
        is_stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._compiled, self._inputs, self._settings = compiled, inputs, settings
        self._rules = Rules.of(compiled)
        self._stages = _stages(compiled, settings)
        self._pool = Pool(n, JobProcess, is_stopped)
        self._read: list[ReadSummary] = []

    def __enter__(self) -> Job:
        self._pool.start()
        return self

    def __exit__(self, *problem: object) -> None:
        self._pool.end()

    @property
    def one_bucket(self) -> list[Diagnostic]:
        """Warnings about rules that one process computes."""
        return one_bucket_warnings(self._stages)

    def read(self) -> ColumnReading:
        """The counts of the records of all inputs, and the records that do not fit."""
        self._read = _read(self._pool, self._compiled, self._rules, self._inputs, self._settings)
        return _reading(self._read, self._settings)

    def schedule(self) -> RunSchedule:
        """The query times of the run, after `read`."""
        settings, names = self._settings, self._compiled.names
        start, end = settings.bounds(*with_input_facts(_extent(self._read), names, settings.tick))
        run = RunSchedule(start, end, settings.tick, settings.window, settings.step, settings.allen_memory)
        last = max(self._pool.call_alike(JobProcess.last_admitted, run.queries))
        return replace(run, last_query_time=run.queries.at_or_after(last))

    def evaluate(self) -> JobResult:
        """The settled results over all query times."""
        run = self.schedule()
        found, counts = self._found(JobAdmission(self._rules, run, self._stages.ranges_over_sorts))
        n_query_times = run.queries.n_up_to(run.last)
        return JobResult(settled_report(found, run.last), self._pool.own.symbols, counts, n_query_times, run.start)

    def evaluate_dated(self, run: RunSchedule) -> DatedJobResult:
        """The results of each query time."""
        found, counts = self._found(DatedAdmission(self._rules, run, self._stages.ranges_over_sorts))
        return DatedJobResult(DatedResults(found, run.query_times), self._pool.own.symbols, counts)

    def evaluate_lines(self, layout: LineLayout, run: RunSchedule, *, is_dated: bool) -> WrittenJobResult:
        """The results of each query time, or the settled results, as lines; to be read while the job lasts."""
        kind, pool = DatedAdmission if is_dated else JobAdmission, self._pool
        counts = self._evaluated(kind(self._rules, run, self._stages.ranges_over_sorts))
        written = pool.call_alike(JobProcess.write_lines, layout, run, is_dated)
        parts = [WrittenPart.of(lines, read_blocks(blocks, pool.own.symbols)) for lines, blocks in written]
        query_times = run.query_times if is_dated else [run.last]
        return WrittenJobResult(merged_reports(parts, query_times, pool.own.symbols), counts)

    def _found(self, admission: JobAdmission) -> tuple[list[Facts], JobCounts]:
        """The results of all stages, and counts."""
        counts = self._evaluated(admission)
        return _results(self._pool), counts

    def _evaluated(self, admission: JobAdmission) -> JobCounts:
        """Evaluate all stages; the processes have the results."""
        pool = self._pool
        destinations = destinations_of(self._stages, self._rules, pool.n)
        pool.call_alike(JobProcess.admit, admission, destinations)
        for bucket in buckets_of(self._stages, destinations, admission):
            if bucket.destination.guards:
                pool.call_alike(JobProcess.semijoin, bucket.destination)
            pool.call_alike(JobProcess.evaluate, bucket)
        counts: Counter[tuple[str, int]] = Counter()
        widest, faults, pending = 0, Faults(), list[Pending]()
        for each, window, without_result, effects in pool.call_alike(JobProcess.counts):
            counts += each
            pending += effects
            widest = max(widest, window)
            faults.add(map(Fault.of_text, without_result))
        return JobCounts(counts, widest, faults, merged_pending(pending))


def _stages(compiled: Compiled, settings: JobSettings) -> Stages:
    """The stages of the rules, if some of them are keyed."""
    planned = EngineSession(compiled, start=0, tick=settings.tick, window=settings.window)
    stages = plan_stages(compiled, planned.rules.program)
    if not any(stage.is_keyed for stage in stages.stages):
        causes = [f"`{cause.name}`: {cause.reason}" for cause in stages.one_bucket]
        raise NeedsOneProcess(f"no rule has a key ({causes[0]})" if causes else "there are no rules")
    return stages


# -- reading -----------------------------------------------------------------------------------------------------------


def _read(
    pool: Pool[JobProcess], compiled: Compiled, rules: Rules, inputs: Sequence[object], settings: JobSettings
) -> list[ReadSummary]:
    """What each process has read; one process reports faults of inputs in its own order."""
    try:
        parts = dict(enumerate(divide(inputs, compiled.names, settings.tick, settings.form, pool.n, pool.folder)))
        movable = {number: part for number, part in parts.items() if not isinstance(part, WholePart) or part.is_movable}
        others_first = {number: part for number, part in parts.items() if number not in movable} | movable
        given = [others_first, *([movable] * (pool.n - 1))]
        firsts = [len(parts) * number // pool.n for number in range(pool.n)]
        more = rules, settings.tick, settings.unit, settings.zone
        read = pool.call(JobProcess.read, [(own, first, *more) for own, first in zip(given, firsts, strict=True)])
        reduce(PlaceKinds.merged, (each.kinds for each in read)).check(compiled.names.joins)
    except (DataProblem, UsageProblem, OSError):
        raise NeedsOneProcess("an input does not fit") from None
    if any(each.has_retractions for each in read):
        raise NeedsOneProcess("the input has retractions")
    if len({each.has_offset for each in read} - {None}) > 1:
        raise NeedsOneProcess("some times have an offset from UTC, others have none")
    if not have_one_form(read):
        raise NeedsOneProcess("some times of a file are integers, others are dates")
    return read


def _extent(read: Iterable[ReadSummary]) -> tuple[int | None, int | None]:
    extents = [each.extent for each in read]
    first = min((first for first, _ in extents if first is not None), default=None)
    return first, max((last for _, last in extents if last is not None), default=None)


def _reading(read: list[ReadSummary], settings: JobSettings) -> ColumnReading:
    """The counts of all processes, without the records."""
    unused: Counter[str] = Counter()
    for each in read:
        unused += each.unused
    found = ColumnReading(sum(each.n_records for each in read), unused, list(numbered(read)))
    has_offset = next((each.has_offset for each in read if each.has_offset is not None), None)
    clock = Clock(settings.unit, has_offset=has_offset, zone=settings.zone)
    clock.columns = set[tuple[str | None, str | None]]().union(*(each.time_columns for each in read))
    clock.are_arguments = all(each.are_arguments for each in read if each.has_offset is not None)
    found.time_type, found.has_moments = clock.time_type, has_offset is not None
    found.kinds = reduce(PlaceKinds.merged, (each.kinds for each in read))
    return found


# -- results -----------------------------------------------------------------------------------------------------------


def _results(pool: Pool[JobProcess]) -> list[Facts]:
    """The results of all processes, with symbols of this one."""
    found, pool.own.results = pool.own.results, []
    for path in pool.call_alike(JobProcess.write_results)[1:]:
        found += [block.facts for block in read_blocks(path, pool.own.symbols)]
    return found
