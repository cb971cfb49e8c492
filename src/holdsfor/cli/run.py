"""`holdsfor run`: recognise what the rules describe in the records of files."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import IO, Any, Literal

from holdsfor.analysis.pipeline import Compiled, compile_files
from holdsfor.cli.engines.engine import Engine
from holdsfor.cli.engines.live import CLOCKS, add_live_options, check_live_options, engine_class
from holdsfor.cli.graph import drawing
from holdsfor.cli.options.arguments import Commands, add_command
from holdsfor.cli.options.config import Application, accept_config, fill_in, without
from holdsfor.cli.options.durations import PER_SECOND, duration_text, make_points
from holdsfor.cli.outcome.memory import peak_memory
from holdsfor.cli.outcome.run_log import RunLog
from holdsfor.cli.outcome.set_aside import SetAsideLog
from holdsfor.cli.outcome.summary import summarise, write_stats
from holdsfor.cli.terminal.interruption import INTERRUPTED
from holdsfor.cli.terminal.progress import Progress
from holdsfor.cli.terminal.waiting import announce_inputs, say_waiting
from holdsfor.errors import Diagnostic, Diagnostics, UsageProblem
from holdsfor.sinks.output_files import refuse_overwriting
from holdsfor.sinks.result_lines import Findings
from holdsfor.sinks.time_formats import as_integer, as_iso
from holdsfor.sinks.writers import CHANGES, FINDINGS, FORMATS, check_output, format_of, opened, write_told
from holdsfor.sources.column_mapping import split_mapping
from holdsfor.sources.unreadable import Unreadable
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term
from holdsfor.views.graph import Drawing, render_graph
from holdsfor.views.timeline import Row, draw_timeline

__all__ = ["add_parser"]

INPUT_FORMATS = ("text", "csv", "jsonl", "parquet", "orc", "arrow")
_ENGINES = ("columnar", "reference")
_REPORTS = ("known", "changes")
_TIMES = ("integer", "iso")
_FLAG = argparse.BooleanOptionalAction
_CHOICES = {
    "engine": _ENGINES,
    "report": _REPORTS,
    "times": _TIMES,
    "format": tuple(FORMATS),
    "input_format": INPUT_FORMATS,
    "time_unit": tuple(PER_SECOND),
    "clock": CLOCKS,
}


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "run",
        "recognise what the rules describe in the input",
        "holdsfor run rules.prolog background.prolog --input events.txt --window 2h --step 1h --format jsonl",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="rules and background knowledge")
    parser.add_argument(
        "--input", nargs="+", action="extend", metavar="INPUT", help="records: FILE or 'FILE: columns'; `-` is stdin"
    )
    parser.add_argument("--input-format", choices=INPUT_FORMATS, help="of all inputs (default: as each of them is)")
    parser.add_argument("--time-unit", choices=PER_SECOND, default="s", help="a time-point, of ISO times (default: s)")
    parser.add_argument(
        "--background", nargs="+", action="extend", default=[], metavar="FILE", help="more background knowledge"
    )
    parser.add_argument("--goal", action="append", default=[], help="a goal to prove before the run; may be repeated")
    parser.add_argument("--engine", choices=_ENGINES, default="columnar", help="how to compute (default: columnar)")
    parser.add_argument("--start", metavar="TIME", help="first time-point (default: of the first record)")
    parser.add_argument("--end", metavar="TIME", help="last time-point (default: of the last record)")
    parser.add_argument("--tick", type=int, default=1, metavar="N", help="distance of time-points (default: 1)")
    parser.add_argument("--window", type=duration_text, metavar="T", help="how far a query time looks (default: all)")
    parser.add_argument("--step", type=duration_text, metavar="T", help="between query times (default: the window)")
    parser.add_argument("--report", choices=_REPORTS, default="known", help="what a query time tells (default: known)")
    parser.add_argument("--final", action=_FLAG, default=False, help="report once, settled over all query times")
    parser.add_argument("--merge-windows", action=_FLAG, default=True, help="with `--final`, evaluate few long windows")
    parser.add_argument("--format", choices=FORMATS, help="of the answer (default: by the suffix of FILE, else text)")
    parser.add_argument("--times", choices=_TIMES, default="integer", help="how they are written (default: integer)")
    parser.add_argument(
        "--allen-memory",
        type=duration_text,
        metavar="T",
        help="how long before another one an interval may end to be `before` it (default: the window)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where the answer goes (default: standard output)")
    parser.add_argument("--timeline", action="append", default=[], metavar="PICTURE", help="draw it: .png or .svg")
    parser.add_argument("--stats", metavar="FILE", help="write counts, seconds and averages as JSON")
    parser.add_argument("--log", metavar="FILE", help="write a JSON line per query time: seconds, records in, what out")
    parser.add_argument("--set-aside", metavar="FILE", help="write the records that do not fit, with reasons, as JSON")
    parser.add_argument("--strict", action=_FLAG, default=False, help="stop if a record does not fit")
    add_live_options(parser)
    parser.set_defaults(execute=execute)
    accept_config(parser, _CHOICES)


def execute(options: argparse.Namespace) -> int:
    app = fill_in(options)
    _tell(app.notes)
    make_points(options)
    _check(options)
    _refuse_overwriting(options, [])
    diagnostics = Diagnostics()
    compiled = compile_files([*options.files, *options.background], diagnostics)
    _refuse_overwriting(options, [program.source.name for program in compiled.programs])
    _tell(diagnostics.of("warning"))
    if not options.input and not compiled.description.given:
        raise without("input", "`--input` with records")
    _prepare(app, compiled, options.output)
    engine = engine_class(options)(compiled, options, [_goal(text) for text in options.goal])
    engine.progress = Progress(is_beside_results=options.output is None and sys.stdout.isatty())
    engine.set_aside = SetAsideLog(options.set_aside, is_strict=options.strict)
    unreadable: list[Unreadable] = []
    engine.unreadable = None if options.strict else unreadable
    last: list[Findings] = []
    with closing(RunLog(options.log)) as engine.log:
        _run(engine, options, unreadable, last)
    for written in (options.output, options.log) if app.folders else ():
        if written:
            print(f"wrote {written}", file=sys.stderr)
    summarise(engine, compiled, is_wanted=options.live or options.replay is not None or engine.stop.is_asked)
    for picture in options.timeline if last else ():
        _draw(last[-1], engine, compiled, Path(picture))
    if options.stats:
        more = {"kept_for_allen": engine.counts.n_kept_for_allen, "per_query_time": engine.log.averages()}
        write_stats(engine, options.stats, **more, peak_memory_bytes=peak_memory())
    return INTERRUPTED if engine.stop.is_asked else 2 if unreadable else 0


def _run(engine: Engine, options: argparse.Namespace, unreadable: list[Unreadable], last: list[Findings]) -> None:
    """Read the input and write the answer."""
    announce_inputs(engine.log, options.input, is_live=options.live)
    began = time.perf_counter()
    engine.load()
    engine.counts.n_unreadable = len(unreadable)
    engine.set_aside.add_inputs(unreadable)
    _tell(diagnostic for each in unreadable for diagnostic in each.diagnostics)
    engine.seconds["load"] = time.perf_counter() - began
    with opened(options.output, options.format, partial(say_waiting, engine.log, "a reader")) as output, engine.stop:
        _write(engine, options, output, last)
    engine.seconds["write"] = time.perf_counter() - began - sum(engine.seconds.values())


def _prepare(app: Application, compiled: Compiled, output: str | None) -> None:
    """Make the folders and the pipe, and draw the graph, that a file of RTEC's asks for."""
    for folder in app.folders:
        folder.mkdir(parents=True, exist_ok=True)
    if app.pipe and str(app.pipe) == output and not app.pipe.exists():
        os.mkfifo(app.pipe)
    if app.graph:
        _draw_graph(drawing(compiled, include_input=app.include_input), app.graph)


def _draw_graph(picture: Drawing, path: Path) -> None:
    """Draw the dependency graph; one that cannot be drawn is a warning, and the run goes on."""
    try:
        render_graph(picture, path)
    except UsageProblem as problem:
        _tell(
            Diagnostic("HF755", f"no dependency graph: {each.message}", hint=each.hint) for each in problem.diagnostics
        )
    else:
        print(f"wrote {path}", file=sys.stderr)


def _write(engine: Engine, options: argparse.Namespace, output: IO[Any], last: list[Findings]) -> None:
    """Write what the run tells, and keep the last of it for a picture."""
    shown = as_iso(PER_SECOND[options.time_unit]) if options.times == "iso" else as_integer
    if options.report == "changes":
        write_told(engine.changes(), CHANGES, options.format, output, shown)
    else:
        reports = engine.reports(final=options.final or bool(options.timeline))
        write_told(_keeping_last(reports, last), FINDINGS, options.format, output, shown)


def _check(options: argparse.Namespace) -> None:
    """Refuse options that have no meaning."""
    from holdsfor.runtime.windows import check_bounds, check_windows

    options.format = options.format or format_of(options.output)
    check_live_options(options)
    check_output(options.format, options.output, options.times)
    check_windows(options.tick, options.window, options.step, options.allen_memory)
    check_bounds(options.start, options.end)
    options.step = options.window if options.step is None else options.step
    if options.report == "changes" and (options.final or options.timeline):
        other = "`--final`" if options.final else "`--timeline`"
        message = f"`--report changes` tells every query time, {other} only once what is settled"
        raise UsageProblem(Diagnostic("HF741", message, hint="run twice to have both"))


def _refuse_overwriting(options: argparse.Namespace, consulted: list[str]) -> None:
    """Refuse outputs that are files which the run reads."""
    outputs = {
        "--output": [options.output],
        "--timeline": options.timeline,
        "--stats": [options.stats],
        "--set-aside": [options.set_aside],
        "--log": [options.log],
    }
    inputs = [split_mapping(each)[0] for each in options.input]
    config = [options.config] if options.config else []
    refuse_overwriting(outputs, [*options.files, *options.background, *inputs, *config, *consulted])


def _keeping_last(reports: Iterator[Findings], last: list[Findings]) -> Iterator[Findings]:
    for known in reports:
        last[:] = [known]
        yield known


def _tell(diagnostics: Iterable[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        print(diagnostic.render(), end="\n\n", file=sys.stderr)


def _goal(text: str) -> Term:
    return parse_term(text, "--goal")


def _draw(known: Findings, engine: Engine, compiled: Compiled, path: Path) -> None:
    rows = [Row(show(fvp), spans, kind=_kind(fvp, compiled)) for fvp, spans in known.intervals.items()]
    rows += [Row(show(event), times=times, kind="event") for event, times in known.times.items()]
    for written in draw_timeline(rows, start=engine.start, end=known.query_time, path=path):
        print(f"wrote {written}", file=sys.stderr)


def _kind(fvp: Term, compiled: Compiled) -> Literal["simple", "static"]:
    return "static" if compiled.graph.matching(fvp, ["static"]) else "simple"
