"""Live runs and replays, which wait until a query time is due."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from holdsfor.cli.engines.columnar import ColumnarEngine
from holdsfor.cli.engines.parallel import ParallelEngine, one_process_because
from holdsfor.cli.engines.reference import ReferenceEngine
from holdsfor.cli.terminal.wait_notices import notify_waiting

if TYPE_CHECKING:
    from holdsfor.columns.time_type import TimeType
    from holdsfor.errors import Diagnostic
    from holdsfor.runtime.live import LiveRun
    from holdsfor.runtime.reports.report import ReportColumns
    from holdsfor.runtime.session import EngineSession

__all__ = ["LiveEngine", "ReplayEngine", "engine_class"]


class LiveEngine(ColumnarEngine):
    """Reads inputs as streams. Memory is bounded by the window and the open intervals."""

    def load(self) -> None:
        from holdsfor.columns.encoding import Symbols
        from holdsfor.runtime.live import LiveRun
        from holdsfor.sources.ahead import max_ahead_of
        from holdsfor.sources.live_inputs import open_feed
        from holdsfor.sources.times import Clock

        options = self.options
        self.symbols = Symbols()
        self.clock = Clock(options.time_unit, zone=options.tz)
        given = (self.compiled.names, options.tick, self.symbols, self.clock)
        positions = [None] * len(options.input) if self.checkpoint is None else self.checkpoint.positions()
        more = {"form": options.input_format, "follows": options.follow}
        inputs = zip(options.input, positions, strict=True)
        self.run = LiveRun(
            [open_feed(each, *given, position=position, **more) for each, position in inputs],
            step=options.step,
            start=options.start,
            end=options.end,
            rate=(options.rate or 1.0) if options.clock == "wall" else None,
            stop=self.stop,
            max_ahead=max_ahead_of(options.max_ahead, options.time_unit),
            after_reading=self._keep_count,
            on_silence=partial(notify_waiting, self.log, "records"),
            at_rest=self._save,
        )
        self.run.is_compacting = self.recorded is None
        if self.checkpoint is not None:
            self.checkpoint.restore(self)
            self._keep_count(self.run)
            self.checkpoint.announce(self)

    def input_times(self) -> TimeType | None:
        return self.clock.time_type

    def begin(self) -> tuple[EngineSession, Iterator[int]] | None:
        first = self.run.begin()
        if first is None:
            return None
        self._keep_count(self.run)
        self.counts.unused = self.run.unused
        self.check_unit(has_moments=self.clock.has_offset is not None)
        start, _ = self.bounds(first, None)
        session = None if self.checkpoint is None else self.checkpoint.session(self)
        session = session or self.session(start, self.options.end)
        return session, self.run.query_times(session)

    def settled(self, session: EngineSession, queries: Iterable[int]) -> Iterator[ReportColumns]:
        from holdsfor.runtime.windows import settled_so_far

        self.run.is_compacting = False
        yield from settled_so_far(session, queries)

    def findings(self) -> list[Diagnostic]:
        session = self.run.session
        return [] if session is None else session.state.place_kinds.mismatches(self.compiled.names.joins)

    def conclude(self, session: EngineSession) -> None:
        """Records that no query time admits are counted when the inputs end."""

    def position(self, query_time: int) -> tuple[float, str]:
        return self.counts.n_records, self.run.lag(query_time)

    def finish(self) -> None:
        run = self.run
        self.counts.n_outside = run.n_outside
        self.counts.unused = run.unused
        self.seconds |= {"load": self.seconds["load"] + run.seconds_reading, "wait": run.seconds_waiting}

    def _save(self, run: LiveRun) -> float | None:
        return None if self.checkpoint is None else self.checkpoint.save_if_due(self)

    def _keep_count(self, run: LiveRun) -> None:
        """Update the number of records, and collect the records that do not fit."""
        self.counts.n_records = run.n_records
        self.set_aside.add(run.take_set_aside())
        if run.session is not None:
            self.set_aside.add_unmatched(run.session.records.take_unmatched())


class ReplayEngine(ColumnarEngine):
    """Plays files in real time: each query time is evaluated when it is due.

    The answers are those of the same run without waiting.
    """

    def begin(self) -> tuple[EngineSession, Iterator[int]] | None:
        begun = super().begin()
        return None if begun is None else (begun[0], self._due(begun[1]))

    def _due(self, queries: Iterator[int]) -> Iterator[int]:
        """The query times, each when it is due."""
        began = time.monotonic()
        self.seconds["wait"] = 0.0
        for at in queries:
            before = time.monotonic()
            self.stop.wait(began + (at - self.start) / self.options.replay - before)
            self.seconds["wait"] += time.monotonic() - before
            yield at


def engine_class(options: argparse.Namespace) -> type[ColumnarEngine | ReferenceEngine]:
    """The engine for the options."""
    if options.engine == "reference":
        return ReferenceEngine
    if options.live:
        return LiveEngine
    if options.replay is not None:
        return ReplayEngine
    return ColumnarEngine if options.jobs == 1 or one_process_because(options) else ParallelEngine
