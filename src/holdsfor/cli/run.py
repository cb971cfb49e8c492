"""`holdsfor run`: recognise what the rules describe in the records of files."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from holdsfor.analysis.compiled import Compiled, compile_files
from holdsfor.cli.arguments import Commands, add_command, add_rule_files
from holdsfor.cli.durations import duration
from holdsfor.cli.engines import Engine
from holdsfor.cli.interruption import INTERRUPTED
from holdsfor.cli.live import add_live_options, check_live_options, engine_class
from holdsfor.cli.output import opened, write_lines
from holdsfor.cli.progress import Progress
from holdsfor.cli.set_aside import SetAsideLog
from holdsfor.cli.summary import summarise, write_stats
from holdsfor.errors import Diagnostic, Diagnostics, UsageProblem
from holdsfor.sinks.lines import FORMATS, Known
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term
from holdsfor.views.timeline import Row, draw_timeline

__all__ = ["add_parser"]

_ENGINES = ("columnar", "reference")


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "run",
        "recognise what the rules describe in the input",
        "holdsfor run rules.prolog background.prolog --input events.txt --window 2h --step 1h --format jsonl",
    )
    add_rule_files(parser)
    parser.add_argument("--input", nargs="+", required=True, metavar="FILE", help="records; `-` is standard input")
    parser.add_argument("--background", nargs="+", default=[], metavar="FILE", help="more background knowledge")
    parser.add_argument("--goal", action="append", default=[], help="a goal to prove before the run; may be repeated")
    parser.add_argument("--engine", choices=_ENGINES, default="columnar", help="how to compute (default: columnar)")
    parser.add_argument("--start", type=int, metavar="N", help="first time-point (default: of the first record)")
    parser.add_argument("--end", type=int, metavar="N", help="last time-point (default: of the last record)")
    parser.add_argument("--tick", type=int, default=1, metavar="N", help="distance of time-points (default: 1)")
    parser.add_argument("--window", type=duration, metavar="T", help="how far back a query time looks (default: all)")
    parser.add_argument(
        "--step", type=duration, metavar="T", help="from query time to query time (default: the window)"
    )
    parser.add_argument("--final", action="store_true", help="report once, settled over all query times")
    parser.add_argument("--format", choices=FORMATS, default="text", help="of the answer (default: text)")
    parser.add_argument("-o", "--output", metavar="FILE", help="where the answer goes (default: standard output)")
    parser.add_argument("--timeline", action="append", default=[], metavar="PICTURE", help="draw it: .png or .svg")
    parser.add_argument("--stats", metavar="FILE", help="write counts and seconds as JSON")
    parser.add_argument("--set-aside", metavar="FILE", help="write the records that do not fit, with reasons, as JSON")
    parser.add_argument("--strict", action="store_true", help="stop if a record does not fit")
    add_live_options(parser)
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    _check(options)
    diagnostics = Diagnostics()
    compiled = compile_files([*options.files, *options.background], diagnostics)
    _tell(diagnostics.of("warning"))
    engine = engine_class(options)(compiled, options, [_goal(text) for text in options.goal])
    engine.progress = Progress(is_beside_results=options.output is None and sys.stdout.isatty())
    engine.set_aside = SetAsideLog(options.set_aside, is_strict=options.strict)
    began = time.perf_counter()
    engine.load()
    engine.seconds["load"] = time.perf_counter() - began
    last: list[Known] = []
    with opened(options.output) as output, engine.stop:
        reports = engine.reports(final=options.final or bool(options.timeline))
        write_lines(FORMATS[options.format], _keeping_last(reports, last), output)
        output.flush()
    engine.seconds["write"] = time.perf_counter() - began - sum(engine.seconds.values())
    summarise(engine, compiled, is_wanted=options.live or options.replay is not None or engine.stop.is_asked)
    for picture in options.timeline if last else ():
        _draw(last[-1], engine, compiled, Path(picture))
    if options.stats:
        write_stats(engine, options.stats)
    return INTERRUPTED if engine.stop.is_asked else 0


def _check(options: argparse.Namespace) -> None:
    """Refuse options that have no meaning."""
    check_live_options(options)
    if options.tick < 1:
        message = f"the clock tick is {options.tick}, expected at least 1"
        raise UsageProblem(Diagnostic("HF701", message, hint="see `--tick`"))
    if options.step is not None and options.window is None:
        raise UsageProblem(Diagnostic("HF703", "a step needs a window", hint="give `--window` too"))
    options.step = options.window if options.step is None else options.step
    if options.window is not None and options.step > options.window:
        message = f"the step {options.step} is longer than the window {options.window}"
        raise UsageProblem(Diagnostic("HF703", message, hint="records between two windows would never be seen"))
    for name in ("window", "step"):
        value = getattr(options, name)
        if value is not None and value % options.tick:
            message = f"the {name} {value} is not a multiple of the clock tick {options.tick}"
            raise UsageProblem(Diagnostic("HF703", message, hint="query times are time-points"))


def _keeping_last(reports: Iterator[Known], last: list[Known]) -> Iterator[Known]:
    for known in reports:
        last[:] = [known]
        yield known


def _tell(diagnostics: Iterable[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        print(diagnostic.render(), end="\n\n", file=sys.stderr)


def _goal(text: str) -> Term:
    return parse_term(text, "--goal")


def _draw(known: Known, engine: Engine, compiled: Compiled, path: Path) -> None:
    rows = [Row(show(fvp), spans, kind=_kind(fvp, compiled)) for fvp, spans in known.intervals.items()]
    rows += [Row(show(event), times=times, kind="event") for event, times in known.times.items()]
    for written in draw_timeline(rows, start=engine.start, end=known.query_time, path=path):
        print(f"wrote {written}", file=sys.stderr)


def _kind(fvp: Term, compiled: Compiled) -> Literal["simple", "static"]:
    return "static" if compiled.graph.matching(fvp, ["static"]) else "simple"
