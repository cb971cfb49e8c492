"""`recognise`: the results of rules over files, tables and records.

>>> import holdsfor as hf
>>> rules = hf.load_text('''
... initiatedAt(rich(X)=true, T) :- happensAt(win_lottery(X), T).
... terminatedAt(rich(X)=true, T) :- happensAt(lose_wallet(X), T).
... ''')
>>> import pyarrow as pa
>>> events = pa.table({"name": ["win_lottery", "lose_wallet"], "start": [13, 19], "arg1": ["chris", "chris"]})
>>> result = hf.recognise(rules, events)
>>> result.holds_for("rich(chris)=true")
[(14, 20)]
>>> result
Result at 19: 1 FVP, 0 events
  rich(chris)=true  [(14,20)]
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from holdsfor.analysis.pipeline import Compiled, check_clock, refuse_unknown_unit, with_clock, with_output
from holdsfor.api.results import Result
from holdsfor.errors import (
    Diagnostic,
    MismatchWarning,
    NoResultWarning,
    ParallelismWarning,
    SetAsideWarning,
    UsageProblem,
)

if TYPE_CHECKING:
    from holdsfor.analysis.place_types import InputColumn
    from holdsfor.analysis.sorts import Place
    from holdsfor.arrow_stream import ArrowBatches, ArrowStream
    from holdsfor.columns.encoding import Symbols
    from holdsfor.columns.query_times import QueryTimes
    from holdsfor.columns.time_type import TimeType
    from holdsfor.parallel.processes.job import JobSettings
    from holdsfor.prolog.faults import Fault
    from holdsfor.runtime.reports.report import ReportColumns
    from holdsfor.runtime.session import EngineSession
    from holdsfor.sources.python_objects import Event, Fluent
    from holdsfor.sources.reading import ColumnReading
    from holdsfor.sources.set_aside_reasons import SetAsideLimit
    from holdsfor.sources.text_records import SetAside
    from holdsfor.sources.time_arguments import DurationArgument, TimeArgument
    from holdsfor.sources.times import Unit
    from holdsfor.syntax.output_selectors import Selectors

__all__ = ["Input", "recognise"]

Table: TypeAlias = "str | Path | ArrowStream | ArrowBatches"
Records: TypeAlias = "Event | Fluent | Iterable[Event | Fluent | str]"
Input: TypeAlias = "Table | tuple[Table, str | Mapping[str, str]] | Records"
"""A file, a folder, a pattern or a table, also with a description of its columns, or records as objects or text."""


def recognise(
    rules: Compiled,
    *data: Input,
    start: TimeArgument | None = None,
    end: TimeArgument | None = None,
    tick: int = 1,
    window: DurationArgument | None = None,
    step: DurationArgument | None = None,
    time_unit: Unit | None = None,
    tz: str | None = None,
    times: Literal["integer"] | None = None,
    allen_memory: DurationArgument | None = None,
    merge_windows: bool = True,
    jobs: int | None = None,
    max_set_aside: str | float | None = None,
    show: Selectors | None = None,
) -> Result:
    """The settled result of the rules over files, Arrow tables, frames or records, for all query times.

    A path is a file, a folder, or a pattern such as `"days/*.parquet"`. A table with its own columns is given with a
    description of its rows: `(frame, "happensAt(speed(id, kmh), ts)")`. Records that do not fit are in
    `result.reading.set_aside`, and a `SetAsideWarning` counts them. A run with more than
    `max_set_aside` of them (`"5%"`, or a number of records) is an error; by default, if all records are set aside. A
    condition without a result for some values, such as a text where a number is needed, is not satisfied there: a
    `NoResultWarning` names the rule and an example, and `result.without_result` has these warnings.
    `MismatchWarning` names constants of the rules and joins that the input never matches.

    `show` are the fluents and events that the result has, by name (`"gap"`), name and arity (`"gap/1"`) or pattern
    (`"gap(_)=farFromPorts"`); only these and the fluents that they need are computed. It replaces the `output`
    directives of the rules.

    Without a window, the whole history is one window. An interval that ended more than `allen_memory` ago is no longer
    `before` a later one; the default is the window. Windows do not change settled results, so many short windows are
    evaluated as few long ones; without `merge_windows` every query time is evaluated.

    With a window, large files, datasets, scanners and readers of record batches are read in pieces, and their records
    are in a temporary file.

    Times are integers, or datetimes and ISO 8601 text; durations are integers, timedeltas or texts such as `"2h"`. If
    the times of the input are timestamps, so are those of the result, in the time zone `tz`; `times="integer"` gives
    integers. An input time without an offset is a time of `tz`, else of UTC.

    `time_unit` is the length of a time-point, by default a second; rules with durations (`30*minutes`) or dates need it
    if all times are integers. `tz` is also the time zone of `hour_of_day`, `day_of_week` and `date`, by default UTC.

    `jobs` is the number of processes that divide the work by the keys of the rules; by default as many as there are
    cores, for inputs of several million records. `jobs=1` computes everything in this process. Rules and inputs that
    cannot be divided are computed in one process: `result.one_process_because` is the reason, and a warning if `jobs`
    is given.

    >>> import holdsfor as hf
    >>> rules = hf.load_text('''
    ... initiatedAt(fast(V)=true, T) :- happensAt(speed(V, Kmh), T), Kmh > 50.
    ... terminatedAt(fast(V)=true, T) :- happensAt(speed(V, Kmh), T), Kmh =< 50.
    ... ''')
    >>> hf.recognise(rules, [hf.Event("speed", "bus", 57, at=3), hf.Event("speed", "bus", 44, at=9)])
    Result at 9: 1 FVP, 0 events
      fast(bus)=true  [(4,10)]
    """
    from holdsfor.parallel.processes.job import JobSettings
    from holdsfor.parallel.processes.job_size import check_jobs
    from holdsfor.runtime.windows import check_bounds, check_windows
    from holdsfor.sources.input_columns import with_schema
    from holdsfor.sources.input_files import files_of_inputs
    from holdsfor.sources.set_aside_reasons import SetAsideLimit
    from holdsfor.sources.time_arguments import duration_of, time_point_of

    check_arguments(rules, data)
    check_clock(time_unit, tz)
    unit = time_unit or "s"
    bounds = _Bounds(time_point_of(start, "start", unit, tz), time_point_of(end, "end", unit, tz))
    length, distance = duration_of(window, "window", unit), duration_of(step, "step", unit)
    memory = duration_of(allen_memory, "allen_memory", unit)
    check_windows(tick, length, distance, memory)
    check_bounds(bounds.start, bounds.end)
    check_jobs(jobs)
    run = _Run(
        with_clock(with_output(rules, show), unit, tz),
        [with_schema(each) for each in files_of_inputs(data)],
        JobSettings(bounds, tick, length, distance, memory, time_unit, zone=tz),
        SetAsideLimit.of(max_set_aside),
        has_integers=times == "integer",
        merge_windows=merge_windows,
        has_open_end=bounds.end is None,
    )
    return run.recognise(jobs)


def check_arguments(rules: object, data: Sequence[object]) -> None:
    """Refuse rules that are not loaded, and a call without data."""
    if not isinstance(rules, Compiled):
        is_file = isinstance(rules, str | Path)
        message = f"expected rules, found {f'`{rules}`' if is_file else f'`{type(rules).__name__}`'}"
        hint = f'load them first: `hf.load("{rules}")`' if is_file else "`hf.load` reads files, `hf.load_text` text"
        raise UsageProblem(Diagnostic("HF704", message, hint=hint))
    if not data and not rules.description.given:
        hint = "give a file, a table, a frame or records: `hf.recognise(rules, data)`"
        raise UsageProblem(Diagnostic("HF704", "expected data to recognise the rules in, found none", hint=hint))


@dataclass(frozen=True)
class _Run:
    """The rules, inputs and settings of a call of `recognise`."""

    rules: Compiled
    inputs: list[object]
    settings: JobSettings
    limit: SetAsideLimit
    has_integers: bool
    merge_windows: bool
    has_open_end: bool

    def recognise(self, jobs: int | None) -> Result:
        """The result, computed in several processes if that pays."""
        from holdsfor.parallel.processes.job_size import n_processes, shown_processes
        from holdsfor.parallel.processes.parts import reusable
        from holdsfor.parallel.processes.pool import NeedsOneProcess
        from holdsfor.sources.number_checks import refuse_conflicts

        refuse_conflicts(self.rules.names, self._columns)
        reason = None if self.merge_windows else "every query time is evaluated"
        n = n_processes(jobs, self.inputs, has_windows=self.settings.window is not None) if reason is None else 1
        run = self
        if n > 1:
            run = replace(self, inputs=[reusable(each) for each in self.inputs])
            try:
                if jobs is not None and n < jobs:
                    warnings.warn(f"recognised in {shown_processes(n, jobs)}", ParallelismWarning, stacklevel=3)
                return run.in_processes(n, has_warnings=jobs is not None)
            except NeedsOneProcess as needs:
                reason = str(needs)
        if reason is not None and jobs is not None and jobs > 1:
            warnings.warn(f"recognised in one process: {reason}", ParallelismWarning, stacklevel=3)
        return run.in_one_process(reason)

    def in_one_process(self, reason: str | None) -> Result:
        """The result, computed in this process."""
        from holdsfor.analysis.input_facts import with_input_facts
        from holdsfor.columns.encoding import Symbols
        from holdsfor.columns.query_times import QueryTimes
        from holdsfor.query.query_engine import QueryContext
        from holdsfor.runtime.reports.report_tables import DecodedReport
        from holdsfor.runtime.session import EngineSession

        settings, rules, symbols = self.settings, self.rules, Symbols()
        tick, window, step = settings.tick, settings.window, settings.step
        reading = self._read(symbols)
        warn_set_aside(reading.n_records, reading.set_aside, self.limit, stacklevel=5)
        self._warn_mismatches(reading, symbols)
        self._check_unit(reading)
        begin, stop = settings.bounds(*with_input_facts(reading.extent(tick), rules.names, tick))
        memory = settings.allen_memory
        session = EngineSession(
            rules, start=begin, end=stop, tick=tick, window=window, allen_memory=memory, symbols=symbols
        )
        queries = QueryTimes(begin, stop, step if step is not None else window, window, tick)
        report = _settled(session, reading, queries, merge_windows=self.merge_windows)
        counts = (*session.records.counts, session.state.n_new_members)
        context = QueryContext(rules, start=begin, tick=tick)
        decoded, columns, times = DecodedReport(report, symbols), self._columns, self._time_type(reading)
        return Result(
            decoded,
            columns,
            reading,
            *counts,
            one_process_because=reason,
            without_result=warn_no_result(session.faults, rules, stacklevel=5),
            pending=session.pending if self.has_open_end else (),
            context=context,
            time_type=times,
        )

    def _read(self, symbols: Symbols) -> ColumnReading:
        from holdsfor.sources.input_sizes import are_large
        from holdsfor.sources.inputs import read_inputs

        settings = self.settings
        on_disk = settings.window is not None and are_large(self.inputs)
        given = (self.inputs, self.rules.names, settings.tick, symbols)
        return read_inputs(*given, on_disk=on_disk, unit=settings.unit, zone=settings.zone)

    def in_processes(self, n: int, *, has_warnings: bool) -> Result:
        """The result, computed in `n` processes."""
        from holdsfor.parallel.processes.job import Job
        from holdsfor.query.query_engine import QueryContext
        from holdsfor.runtime.reports.report_tables import DecodedReport

        with Job(self.rules, self.inputs, self.settings, n) as job:
            for each in job.one_bucket if has_warnings else ():
                warnings.warn(each.render(), ParallelismWarning, stacklevel=4)
            reading = job.read()
            warn_set_aside(reading.n_records, reading.set_aside, self.limit, stacklevel=5)
            self._warn_mismatches(reading, None)
            self._check_unit(reading)
            found = job.evaluate()
        late, dropped, cut = (found.counts.total(outcome) for outcome in ("late", "dropped", "cut"))
        return Result(
            DecodedReport(found.report, found.symbols),
            self._columns,
            reading,
            late,
            dropped,
            cut,
            unmatched=0,
            new_member=0,
            n_processes=n,
            without_result=warn_no_result(found.counts.faults, self.rules, stacklevel=5),
            pending=found.counts.pending if self.has_open_end else (),
            context=QueryContext(self.rules, start=found.start, tick=self.settings.tick),
            time_type=self._time_type(reading),
        )

    def _warn_mismatches(self, reading: ColumnReading, symbols: Symbols | None) -> None:
        """Warn of constants of the rules and joins that the input never matches, once for each code."""
        from holdsfor.sources.input_comparison import unmatched

        found = {each.code: each for each in reversed(list(unmatched(self.rules, reading, symbols)))}
        for each in found.values():
            warnings.warn(f"{each.render()}\n`rules.check(…)` shows all", MismatchWarning, stacklevel=6)

    def _check_unit(self, reading: ColumnReading) -> None:
        """Refuse rules with durations if the times of records are integers of a unit that is not given."""
        n_used = reading.n_records - reading.unused.total() - len(reading.set_aside)
        if self.settings.unit is None and not reading.has_moments and n_used:
            refuse_unknown_unit(self.rules, 'give `time_unit`, such as `time_unit="s"`')

    @cached_property
    def _columns(self) -> dict[Place, InputColumn]:
        from holdsfor.sources.input_columns import input_columns

        return input_columns(self.inputs, self.rules.names)

    def _time_type(self, reading: ColumnReading) -> TimeType | None:
        return None if self.has_integers else reading.time_type


def warn_set_aside(
    n_records: int, misfits: Sequence[SetAside], limit: SetAsideLimit | None = None, *, stacklevel: int
) -> None:
    """Warn that records were set aside, or raise if there are more than the limit."""
    from holdsfor.sources.set_aside_reasons import ReasonCounts, set_aside_message

    if misfits:
        counts = ReasonCounts()
        counts.add(misfits)
        if limit is not None:
            limit.check(n_records, counts)
        warnings.warn(set_aside_message(n_records, counts), SetAsideWarning, stacklevel=stacklevel)


def warn_no_result(faults: Iterable[Fault], rules: Compiled, *, stacklevel: int) -> tuple[Diagnostic, ...]:
    """Warn of the conditions that had no result for some values, and return the warnings."""
    from holdsfor.prolog.faults import fault_diagnostics

    found = tuple(fault_diagnostics(faults, rules.programs))
    for each in found:
        warnings.warn(each.render(), NoResultWarning, stacklevel=stacklevel)
    return found


def _settled(
    session: EngineSession, reading: ColumnReading, queries: QueryTimes, *, merge_windows: bool
) -> ReportColumns:
    """The settled results of records in memory or on disk."""
    from holdsfor.runtime.reports.report import merged
    from holdsfor.runtime.spilled_input import SpilledInput
    from holdsfor.runtime.windows import settled_parts, settled_report
    from holdsfor.sources.spilled_reading import SpilledReading

    if isinstance(reading, SpilledReading):
        spilled = SpilledInput(reading, session, queries)
        report = merged(settled_parts(session, queries, spilled.last, merge_windows=merge_windows, spilled=spilled))
        spilled.conclude()
        reading.runs.close()
        return report
    session.insert_reading(reading)
    session.announce(queries)
    report = settled_report(session, queries, session.last_query_time(queries), merge_windows=merge_windows)
    session.count_not_admitted(queries)
    return report


@dataclass(frozen=True)
class _Bounds:
    """The first and last time-point of a run, as given, else those of the records."""

    start: int | None
    end: int | None

    def __call__(self, first: int | None, last: int | None) -> tuple[int, int]:
        begin = (first or 0) if self.start is None else self.start
        stop = (begin if last is None else last) if self.end is None else self.end
        if stop < begin:
            raise UsageProblem(Diagnostic("HF702", f"the run ends at {stop}, before its start {begin}"))
        return begin, stop
