"""The engines behind `holdsfor run`: each loads the input and gives reports."""

from __future__ import annotations

import argparse
import sys
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from holdsfor.analysis.compiled import Compiled
from holdsfor.errors import DataProblem, Diagnostic, UsageProblem
from holdsfor.sinks.lines import Known
from holdsfor.sources.text import Fact, Reading, SetAside, read_text_records
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]

__all__ = ["Counts", "Engine", "columnar_engine", "reference_engine"]


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


_INPUT_HINT = "give the files with records behind `--input`; `-` is standard input"


def read_bytes(file: str) -> bytes:
    """The content of an input file; `-` is standard input."""
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except FileNotFoundError:
        raise DataProblem(Diagnostic("HF501", f"`{file}` not found", hint=_INPUT_HINT, file=file)) from None
    except OSError as error:
        message = f"`{file}` cannot be read: {(error.strerror or str(error)).lower()}"
        raise DataProblem(Diagnostic("HF501", message, hint="records are lines of text", file=file)) from None


def read_lines(file: str) -> list[str]:
    """The lines of an input file."""
    content = read_bytes(file)
    try:
        return content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"`{file}` is not UTF-8 text: byte 0x{content[error.start]:02x} in line {line}"
        raise DataProblem(Diagnostic("HF501", message, hint="records are UTF-8 text", file=file)) from None


_TABLES = (".parquet", ".arrow", ".feather")


def _table(file: str) -> pyarrow.Table:
    """The table in a Parquet or Arrow file."""
    import pyarrow.feather  # type: ignore[import-untyped]
    import pyarrow.parquet  # type: ignore[import-untyped]

    try:
        if Path(file).suffix == ".parquet":
            return pyarrow.parquet.read_table(file)
        return pyarrow.feather.read_table(file)
    except FileNotFoundError:
        raise DataProblem(Diagnostic("HF501", f"`{file}` not found", hint=_INPUT_HINT, file=file)) from None
    except (OSError, pyarrow.ArrowInvalid) as error:
        message = f"`{file}` cannot be read: {str(error).splitlines()[0].lower()}"
        raise DataProblem(
            Diagnostic("HF501", message, hint="is it a whole Parquet or Arrow file?", file=file)
        ) from None


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


def _extent(facts: list[Fact], tick: int) -> tuple[int | None, int | None]:
    """The first and the last time-point of the records."""
    first = min((fact.start for fact in facts), default=None)
    last = max((f.start if f.value is None else (f.end - 1) // tick * tick for f in facts), default=None)
    return first, last


class ColumnarEngine(Engine):
    """Columns, over the whole history or over windows."""

    def load(self) -> None:
        from holdsfor.columns.words import Symbols
        from holdsfor.sources.columns import ColumnReading, read_columns, read_table

        self.symbols = Symbols()
        reading = ColumnReading()
        for file in self.options.input:
            if Path(file).suffix in _TABLES:
                read_table(_table(file), self.compiled.names, self.options.tick, self.symbols, reading, file=file)
            else:
                content = read_bytes(file)
                read_columns(content, file, self.compiled.names, self.options.tick, self.symbols, reading)
        reading.settle()
        self.reading = reading
        self.counts.n_records = reading.n_records
        self.counts.unused = reading.unused
        self.counts.set_aside = reading.set_aside

    def reports(self, *, final: bool) -> Iterator[Known]:
        from holdsfor.runtime.reports import Report, merged
        from holdsfor.runtime.session import Session

        start, end = self.bounds(*self._record_extent())
        window, tick = self.options.window, self.options.tick
        session = Session(self.compiled, start=start, tick=tick, window=window, goals=self.goals, symbols=self.symbols)
        for key, records in (*self.reading.events.items(), *self.reading.fluents.items()):
            self.counts.n_outside += records.count_outside(start, end)
            session.insert_columns(key, records.up_to(end))
        queries = _query_times(start, end, self.options.step)
        session.announce(queries[-1])
        settled: list[Report] = []
        previous: Report | None = None
        self.seconds = {"recognise": 0.0, "write": 0.0}
        for i, at in enumerate(queries):
            began = time.perf_counter()
            report = session.query(at)
            self.seconds["recognise"] += time.perf_counter() - began
            is_last = i + 1 == len(queries)
            began = time.perf_counter()
            if final:
                settled.append(report if is_last else report.before(session.settled_at(queries[i + 1])))
            else:
                shown = report if window is None else report.after(session.window_start(at), tick, previous)
                yield self._known(shown)
            previous = report
            self.seconds["write"] += time.perf_counter() - began
        if final:
            yield self._known(merged(settled))
        self.counts.n_query_times = len(queries)
        self.counts.n_late, self.counts.n_dropped = session.n_late, session.n_dropped

    def _known(self, report: object) -> Known:
        from holdsfor.runtime.reports import Report

        assert isinstance(report, Report)
        self.counts.n_intervals += report.n_intervals
        return Known(report.query_time, report.intervals(self.symbols), report.times(self.symbols))

    def _record_extent(self) -> tuple[int | None, int | None]:
        tick = self.options.tick
        records = [r for r in (*self.reading.events.values(), *self.reading.fluents.values()) if len(r)]
        first = min((int(r.starts.min()) for r in records), default=None)
        lasts = [int(r.starts.max()) if r.ends is None else (int(r.ends.max()) - 1) // tick * tick for r in records]
        return first, max(lasts, default=None)


def _query_times(start: int, end: int, step: int | None) -> list[int]:
    """`start + step`, `start + 2*step`, … up to the first at or after the end; without a step just the end."""
    if step is None:
        return [end]
    n = max(1, -(-(end - start) // step))
    return [start + k * step for k in range(1, n + 1)]


def columnar_engine(compiled: Compiled, options: argparse.Namespace, goals: list[Term]) -> Engine:
    return ColumnarEngine(compiled, options, goals)


def reference_engine(compiled: Compiled, options: argparse.Namespace, goals: list[Term]) -> Engine:
    return ReferenceEngine(compiled, options, goals)
