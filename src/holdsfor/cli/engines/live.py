"""Live runs and replays behind `holdsfor run`: their options, and the engines that wait for their query times."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NoReturn

from holdsfor.cli.engines.columnar import ColumnarEngine
from holdsfor.cli.engines.reference import ReferenceEngine
from holdsfor.cli.terminal.waiting import say_waiting
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sources.column_mapping import LISTEN, SOCKET, split_mapping

if TYPE_CHECKING:
    from holdsfor.runtime.live import LiveRun
    from holdsfor.runtime.reports.report import ReportColumns
    from holdsfor.runtime.session import EngineSession

__all__ = ["LiveEngine", "ReplayEngine", "check_live_options", "engine_class"]


def check_live_options(options: argparse.Namespace) -> None:
    """Refuse options of live runs and replays that do not go together."""
    if options.live and options.replay is not None:
        _refuse("a run is live or a replay, not both", "`--replay` plays files, `--live` reads inputs as streams")
    if not options.live and (options.clock is not None or options.rate is not None):
        _refuse("only a live run has a clock", "give `--live` too; a replay has its rate")
    if options.rate is not None and (options.clock != "wall" or options.rate == math.inf):
        _refuse(
            "a rate is that of the wall clock", "give `--clock wall --rate N`; by event time the records set the pace"
        )
    if not options.live and any(name.startswith((SOCKET, LISTEN)) for name in options.input):
        _refuse("a socket is a live input", "give `--live` too")
    if (options.live or options.replay is not None) and options.window is None:
        _refuse("a live run or a replay needs a window", "give `--window`, so that there are query times")
    if (options.live or options.replay is not None) and options.engine == "reference":
        _refuse("the reference evaluator is not live", "leave out `--engine reference`")
    if options.live:
        _check_live_inputs(options)


def _check_live_inputs(options: argparse.Namespace) -> None:
    from holdsfor.sources.formats import TABLES, format_of_suffix

    files = [split_mapping(given)[0] for given in options.input]
    for i, file in enumerate(files):
        if (options.input_format or format_of_suffix(file)) in TABLES:
            _refuse(f"`{file}` is a table, which cannot be read as a stream", "play it with `--replay`")
        if file.endswith(".gz"):
            _refuse(
                f"`{file}` is packed, and cannot be read as a stream", f"unpack it: `gunzip -c {file} | … --input -`"
            )
        if file in files[:i]:
            _refuse(f"the live input `{file}` is given twice", "each input has one reader")


def _refuse(message: str, hint: str) -> NoReturn:
    raise UsageProblem(Diagnostic("HF706", message, hint=hint))


class LiveEngine(ColumnarEngine):
    """Columns, from inputs that are read as streams; memory is bounded by the window and what is open."""

    def load(self) -> None:
        from holdsfor.columns.encoding import Symbols
        from holdsfor.runtime.live import LiveRun
        from holdsfor.sources.live_inputs import open_feed
        from holdsfor.sources.times import Clock

        options = self.options
        self.symbols = Symbols()
        given = (self.compiled.names, options.tick, self.symbols, Clock(options.time_unit))
        self.run = LiveRun(
            [open_feed(each, *given, form=options.input_format) for each in options.input],
            step=options.step,
            start=options.start,
            end=options.end,
            rate=(options.rate or 1.0) if options.clock == "wall" else None,
            stop=self.stop,
            after_reading=self._keep_count,
            on_silence=partial(say_waiting, self.log, "records"),
        )

    def begin(self) -> tuple[EngineSession, Iterator[int]] | None:
        first = self.run.begin()
        if first is None:
            return None
        start, _ = self.bounds(first, None)
        session = self.session(start, self.options.end)
        return session, self.run.query_times(session)

    def settled(self, session: EngineSession, queries: Iterable[int]) -> Iterator[ReportColumns]:
        from holdsfor.runtime.windows import settled_so_far

        if (first := next(due := iter(queries), None)) is not None:
            yield settled_so_far(session, chain([first], due))

    def conclude(self, session: EngineSession) -> None:
        """What no query time admits is counted when the inputs end."""

    def position(self, query_time: int) -> tuple[float, str]:
        return self.counts.n_records, self.run.lag(query_time)

    def finish(self) -> None:
        run = self.run
        self.counts.n_outside = run.n_outside
        self.counts.unused = run.unused
        self.seconds |= {"load": self.seconds["load"] + run.seconds_reading, "wait": run.seconds_waiting}

    def _keep_count(self, run: LiveRun) -> None:
        """Keep count of what was read, and hand over what does not fit."""
        self.counts.n_records = run.n_records
        self.set_aside.add(run.take_set_aside())
        if run.session is not None:
            self.set_aside.add_unmatched(run.session.records.take_unmatched())


class ReplayEngine(ColumnarEngine):
    """Files played as if they were live: a query time waits until it is due, and sees what has arrived by then.

    The records are known beforehand, so the answers are those of the same run without waiting.
    """

    def begin(self) -> tuple[EngineSession, Iterator[int]] | None:
        begun = super().begin()
        return None if begun is None else (begun[0], self._due(begun[1]))

    def _due(self, queries: Iterator[int]) -> Iterator[int]:
        """The query times when it is time for them."""
        began = time.monotonic()
        self.seconds["wait"] = 0.0
        for at in queries:
            before = time.monotonic()
            self.stop.wait(began + (at - self.start) / self.options.replay - before)
            self.seconds["wait"] += time.monotonic() - before
            yield at


def engine_class(options: argparse.Namespace) -> type[ColumnarEngine | ReferenceEngine]:
    """The engine that the options ask for."""
    if options.engine == "reference":
        return ReferenceEngine
    if options.live:
        return LiveEngine
    return ColumnarEngine if options.replay is None else ReplayEngine
