"""Live runs and replays behind `holdsfor run`: their options, and the engines that wait for their query times."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from holdsfor.cli.engines import ColumnarEngine, ReferenceEngine
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sinks.lines import Known

if TYPE_CHECKING:
    from holdsfor.runtime.reports import Report
    from holdsfor.runtime.session import Session

__all__ = ["LiveEngine", "ReplayEngine", "add_live_options", "check_live_options", "engine_class"]

_TABLES = (".parquet", ".arrow", ".feather")


def add_live_options(parser: argparse.ArgumentParser) -> None:
    live = parser.add_argument_group("live runs")
    live.add_argument("--live", action="store_true", help="read pipes, sockets (`unix:PATH`), `-` and files as streams")
    live.add_argument("--clock", choices=("event", "wall"), help="what tells the time (default: event, the records)")
    live.add_argument("--rate", type=_rate, metavar="N", help="time-points per second of the wall clock (default: 1)")
    live.add_argument("--replay", type=_rate, metavar="N", help="play files at N time-points per second, or `max`")


def _rate(text: str) -> float:
    """Time-points per second, for `argparse`; `max` is without waiting."""
    try:
        rate = math.inf if text == "max" else float(text)
    except ValueError:
        rate = math.nan
    if not rate > 0 or (rate == math.inf and text != "max"):
        raise argparse.ArgumentTypeError(f"expected time-points per second such as 60 or 0.5, or max, found {text!r}")
    return rate


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
    if not options.live and any(name.startswith("unix:") for name in options.input):
        _refuse("a socket is a live input", "give `--live` too")
    if (options.live or options.replay is not None) and options.window is None:
        _refuse("a live run or a replay needs a window", "give `--window`, so that there are query times")
    if (options.live or options.replay is not None) and options.engine == "reference":
        _refuse("the reference evaluator is not live", "leave out `--engine reference`")
    if options.live:
        _check_live_inputs(options.input)


def _check_live_inputs(names: list[str]) -> None:
    for i, name in enumerate(names):
        if Path(name).suffix in _TABLES:
            _refuse(f"`{name}` is a table, which cannot be read as a stream", "play it with `--replay`")
        if name in names[:i]:
            _refuse(f"the live input `{name}` is given twice", "each input has one reader")


def _refuse(message: str, hint: str) -> NoReturn:
    raise UsageProblem(Diagnostic("HF704", message, hint=hint))


class LiveEngine(ColumnarEngine):
    """Columns, from inputs that are read as streams; memory is bounded by the window and what is open."""

    def load(self) -> None:
        from holdsfor.columns.words import Symbols
        from holdsfor.sources.channels import open_channel
        from holdsfor.sources.feeds import text_feed

        self.symbols = Symbols()
        channels = [open_channel(name) for name in self.options.input]
        self.feeds = [text_feed(each, self.compiled.names, self.options.tick, self.symbols) for each in channels]

    def reports(self, *, final: bool) -> Iterator[Known]:
        from holdsfor.runtime.live import LiveRun

        options = self.options
        run = LiveRun(
            self.feeds,
            step=options.step,
            start=options.start,
            end=options.end,
            rate=(options.rate or 1.0) if options.clock == "wall" else None,
            stop=self.stop,
            after_reading=self._count,
        )
        first = run.begin()
        if first is not None:
            start, _ = self.bounds(first, None)
            session = self.session(start)
            queries = self.told(run.query_times(session), lambda at: (self.counts.n_records, run.lag(at)))
            yield from self.known(session, queries, final=final)
        self.counts.n_outside = run.n_outside
        self.counts.unused = sum((feed.reading.unused for feed in self.feeds), self.counts.unused)
        self.seconds |= {"load": self.seconds["load"] + run.seconds_reading, "wait": run.seconds_waiting}

    def settled(self, session: Session, queries: Iterator[int]) -> Iterator[Report]:
        from holdsfor.runtime.live import settled_so_far

        first = next(queries, None)
        if first is not None:
            yield settled_so_far(session, chain([first], queries))

    def _count(self) -> None:
        """Keep count of what was read, and hand over what does not fit."""
        self.counts.n_records = sum(feed.reading.n_records for feed in self.feeds)
        for feed in self.feeds:
            self.set_aside.add(feed.reading.set_aside)
            feed.reading.set_aside.clear()


class ReplayEngine(ColumnarEngine):
    """Files played as if they were live: a query time waits until it is due, and sees what has arrived by then.

    The records are known beforehand, so the answers are those of the same run without waiting.
    """

    def due(self, queries: Iterator[int]) -> Iterator[int]:
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
