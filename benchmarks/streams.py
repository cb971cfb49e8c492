"""Streams for benchmarks: generated once, and loaded again for every measurement, since a run consumes its records."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from time import process_time

from timing import best_seconds

from holdsfor.analysis.pipeline import Compiled, compile_files, compile_text
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import QueryTimes
from holdsfor.errors import Diagnostics
from holdsfor.generators import model_of, pieces, write_text
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.windows import each_report, settled_report
from holdsfor.sources.text_columns import ColumnReading, read_columns

__all__ = ["DATA", "ROOT", "Run", "Stream", "generated", "real", "rules_of"]

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("HOLDSFOR_DATA", ROOT.parent / "shared" / "data"))


@dataclass(frozen=True)
class Stream:
    """Records as text, and their event description; runs end with the last record unless an end is given."""

    compiled: Compiled
    content: bytes
    tick: int = 1
    start: int = 0
    end: int | None = None

    @property
    def n_records(self) -> int:
        return self.content.count(b"\n")

    def load(self) -> tuple[Symbols, ColumnReading]:
        """The records as columns."""
        symbols, reading = Symbols(), ColumnReading()
        read_columns(self.content, "stream", self.compiled.names, self.tick, symbols, reading)
        reading.settle()
        return symbols, reading

    def run(self, window: int | None, step: int | None = None, session: type[EngineSession] = EngineSession) -> Run:
        """A run over the stream, with its rules planned, its records loaded and their entities in dynamic domains.

        Windows touch unless a step is given.
        """
        symbols, reading = self.load()
        _, last = reading.extent(self.tick)
        end = self.end if self.end is not None else self.start if last is None else last
        run = session(self.compiled, start=self.start, end=self.end, tick=self.tick, window=window, symbols=symbols)
        run.rules.plan_ahead()
        for key, records in (*reading.events.items(), *reading.fluents.items()):
            run.insert_columns(key, records.up_to(end))
        queries = QueryTimes(self.start, end, window if step is None else step, window, self.tick)
        run.announce(queries)
        return Run(run, queries, queries.at_or_after(end))

    def load_seconds(self, repetitions: int) -> float:
        return best_seconds(self.load, repetitions)

    def settle_seconds(self, window: int | None, repetitions: int, step: int | None = None) -> float:
        """Seconds to recognise the stream and to report the settled result once."""
        return min(best_seconds(self.run(window, step).settle, 1) for _ in range(repetitions))

    def n_intervals(self, window: int | None) -> int:
        """The number of intervals of the answer."""
        return self.run(window).settle().n_intervals

    def report_seconds(self, window: int | None, repetitions: int, step: int | None = None) -> float:
        """Seconds to recognise the stream and to report every window."""
        return min(best_seconds(self.run(window, step).report_each, 1) for _ in range(repetitions))


@dataclass(frozen=True)
class Run:
    """A session with all of its records, and its query times up to the last."""

    session: EngineSession
    query_times: QueryTimes
    last: int

    @property
    def queries(self) -> list[int]:
        return list(self.query_times.up_to(self.last))

    def settle(self) -> ReportColumns:
        """The settled result of all query times."""
        return settled_report(self.session, self.query_times, self.last)

    def reports(self) -> Iterator[ReportColumns]:
        return each_report(self.session, self.queries)

    def report_each(self) -> None:
        for _ in self.reports():
            pass

    def seconds_of_each(self) -> list[float]:
        """The seconds of every query time."""
        reports = self.reports()
        return [end - begin for begin, end in pairwise([process_time(), *(process_time() for _ in reports)])]


def rules_of(app: str) -> list[Path]:
    """The rule files of an application, without its background knowledge."""
    return [path for path in sorted((ROOT / "apps" / app).glob("*.prolog")) if "background" not in path.name]


def generated(app: str, entities: int, duration: int, rules: Sequence[Path] | None = None) -> Stream:
    """A generated stream of an application with its background knowledge; the same every time."""
    model = model_of(app, entities=entities, seed=1)
    content = io.BytesIO()
    write_text(pieces(model, duration, seed=1), model.vocabulary, content)
    return Stream(_compiled(app, model.background(), rules or rules_of(app)), content.getvalue(), model.tick)


def real(app: str, file: Path) -> Stream:
    """A recorded stream of an application."""
    return Stream(_compiled(app, None, rules_of(app)), file.read_bytes())


def _compiled(app: str, background: str | None, rules: Sequence[Path]) -> Compiled:
    if background is None:
        return compile_files([*rules, ROOT / "apps" / app / "background.prolog"], Diagnostics())
    return compile_text("\n".join([*(path.read_text(encoding="utf-8") for path in rules), background]), app)
