"""`holdsfor run`: recognise what the rules describe in the records of files."""

from __future__ import annotations

import argparse
import dataclasses
import json
import resource
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, Literal

from holdsfor.analysis.compiled import Compiled, compile_files
from holdsfor.cli.arguments import Commands, add_command
from holdsfor.cli.config import Application, accept_config, fill_in
from holdsfor.cli.durations import PER_SECOND, duration, duration_text, time_point
from holdsfor.cli.engines import Engine, columnar_engine, reference_engine
from holdsfor.cli.graph import drawing
from holdsfor.errors import DataProblem, Diagnostic, Diagnostics, UsageProblem, did_you_mean
from holdsfor.sinks.lines import Findings
from holdsfor.sinks.times import as_integer, as_iso
from holdsfor.sinks.writing import CHANGES, FINDINGS, FORMATS, check_output, format_of, opened, write_told
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term
from holdsfor.views.graph import render_graph
from holdsfor.views.timeline import Row, draw_timeline

__all__ = ["add_parser"]

INPUT_FORMATS = ("text", "csv", "jsonl", "parquet", "arrow")
_SHOWN_MISFITS = 10
_ENGINES = {"columnar": columnar_engine, "reference": reference_engine}
_REPORTS = ("known", "changes")
_TIMES = ("integer", "iso")
_FLAG = argparse.BooleanOptionalAction
_CHOICES = {
    "engine": tuple(_ENGINES),
    "report": _REPORTS,
    "times": _TIMES,
    "format": tuple(FORMATS),
    "input_format": INPUT_FORMATS,
    "time_unit": tuple(PER_SECOND),
}


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "run",
        "recognise what the rules describe in the input",
        "holdsfor run rules.prolog background.prolog --input events.txt --window 2h --step 1h --format jsonl",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="rules and background knowledge")
    parser.add_argument("--input", nargs="+", metavar="INPUT", help="records: FILE or 'FILE: columns'; `-` is stdin")
    parser.add_argument("--input-format", choices=INPUT_FORMATS, help="of all inputs (default: as each of them is)")
    parser.add_argument("--time-unit", choices=PER_SECOND, default="s", help="a time-point, of ISO times (default: s)")
    parser.add_argument("--background", nargs="+", default=[], metavar="FILE", help="more background knowledge")
    parser.add_argument("--goal", action="append", default=[], help="a goal to prove before the run; may be repeated")
    parser.add_argument("--engine", choices=_ENGINES, default="columnar", help="how to compute (default: columnar)")
    parser.add_argument("--start", metavar="TIME", help="first time-point (default: of the first record)")
    parser.add_argument("--end", metavar="TIME", help="last time-point (default: of the last record)")
    parser.add_argument("--tick", type=int, default=1, metavar="N", help="distance of time-points (default: 1)")
    parser.add_argument("--window", type=duration_text, metavar="T", help="how far a query time looks (default: all)")
    parser.add_argument("--step", type=duration_text, metavar="T", help="between query times (default: the window)")
    parser.add_argument("--report", choices=_REPORTS, default="known", help="of a query time (default: known)")
    parser.add_argument("--final", action=_FLAG, default=False, help="report once, settled over all query times")
    parser.add_argument("--format", choices=FORMATS, help="of the answer (default: by the suffix of FILE, else text)")
    parser.add_argument("--times", choices=_TIMES, default="integer", help="how they are written (default: integer)")
    parser.add_argument("-o", "--output", metavar="FILE", help="where the answer goes (default: standard output)")
    parser.add_argument("--timeline", action="append", default=[], metavar="PICTURE", help="draw it: .png or .svg")
    parser.add_argument("--stats", metavar="FILE", help="write counts and seconds as JSON")
    parser.add_argument("--set-aside", metavar="FILE", help="write the records that do not fit, with reasons, as JSON")
    parser.add_argument("--strict", action=_FLAG, default=False, help="stop if a record does not fit")
    parser.set_defaults(execute=execute)
    accept_config(parser, _CHOICES)


def execute(options: argparse.Namespace) -> int:
    app = fill_in(options)
    _tell(app.notes)
    _make_points(options)
    _check(options)
    diagnostics = Diagnostics()
    compiled = compile_files([*options.files, *options.background], diagnostics)
    _tell(diagnostics.of("warning"))
    _prepare(app, compiled)
    clock = _Clock()
    engine = _ENGINES[options.engine](compiled, options, [_goal(text) for text in options.goal])
    engine.load()
    clock.lap("load")
    _set_aside(engine, options)
    last: list[Findings] = []
    with opened(options.output, options.format) as output:
        _write(engine, options, output, last)
    if app.folders and options.output:
        print(f"wrote {options.output}", file=sys.stderr)
    clock.lap("recognise")
    _summarise(engine, compiled)
    for picture in options.timeline:
        _draw(last[-1], engine, compiled, Path(picture))
    if options.stats:
        Path(options.stats).write_text(json.dumps(_stats(engine, clock), indent=2) + "\n", encoding="utf-8")
    return 0


def _prepare(app: Application, compiled: Compiled) -> None:
    """Make the folders and draw the graph that a file of RTEC's asks for."""
    for folder in app.folders:
        folder.mkdir(parents=True, exist_ok=True)
    if app.graph:
        render_graph(drawing(compiled, include_input=app.include_input), app.graph)
        print(f"wrote {app.graph}", file=sys.stderr)


def _write(engine: Engine, options: argparse.Namespace, output: IO[Any], last: list[Findings]) -> None:
    """Write what the run tells, and keep the last of it for a picture."""
    shown = as_iso(PER_SECOND[options.time_unit]) if options.times == "iso" else as_integer
    if options.report == "changes":
        write_told(engine.changes(), CHANGES, options.format, output, shown)
    else:
        reports = engine.reports(final=options.final or bool(options.timeline))
        write_told(_keeping_last(reports, last), FINDINGS, options.format, output, shown)


def _set_aside(engine: Engine, options: argparse.Namespace) -> None:
    """Write the records that do not fit to their file, or stop because of the first."""
    misfits = engine.counts.set_aside
    if options.set_aside:
        lines = [json.dumps(dataclasses.asdict(misfit), ensure_ascii=False) for misfit in misfits]
        Path(options.set_aside).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    if options.strict and misfits:
        first = misfits[0]
        message = f"line {first.line} does not fit: {first.reason}"
        hint = f"the line is `{first.text}`; without `--strict` it is set aside"
        raise DataProblem(Diagnostic("HF503", message, hint=hint, file=first.file))


def _make_points(options: argparse.Namespace) -> None:
    """Turn times and durations into time-points and numbers of them."""
    for name in ("start", "end"):
        if getattr(options, name) is not None:
            setattr(options, name, time_point(getattr(options, name), options.time_unit, f"--{name}"))
    for name in ("window", "step"):
        if getattr(options, name) is not None:
            setattr(options, name, duration(getattr(options, name), options.time_unit))


def _check(options: argparse.Namespace) -> None:
    """Refuse options that have no meaning."""
    from holdsfor.runtime.windows import check_windows

    options.format = options.format or format_of(options.output)
    check_output(options.format, options.output, options.times)
    check_windows(options.tick, options.window, options.step)
    options.step = options.window if options.step is None else options.step
    if options.report == "changes" and (options.final or options.timeline):
        other = "`--final`" if options.final else "`--timeline`"
        message = f"`--report changes` tells every query time, {other} only once what is settled"
        raise UsageProblem(Diagnostic("HF741", message, hint="run twice to have both"))


class _Clock:
    """Seconds per phase."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, phase: str) -> None:
        now = time.perf_counter()
        self.seconds[phase] = now - self._last
        self._last = now


def _keeping_last(reports: Iterator[Findings], last: list[Findings]) -> Iterator[Findings]:
    for known in reports:
        last[:] = [known]
        yield known


def _tell(diagnostics: Iterable[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        print(diagnostic.render(), end="\n\n", file=sys.stderr)


def _goal(text: str) -> Term:
    return parse_term(text, "--goal")


def _stats(engine: Engine, clock: _Clock) -> dict[str, object]:
    counts = engine.counts
    return {
        "records": counts.n_records,
        "late": counts.n_late,
        "dropped": counts.n_dropped,
        "set_aside": len(counts.set_aside),
        "query_times": counts.n_query_times,
        "intervals": counts.n_intervals,
        "seconds": {"load": clock.seconds["load"], **engine.seconds},
        "peak_memory_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }


def _summarise(engine: Engine, compiled: Compiled) -> None:
    """Say what was read; when all is well, only to a person."""
    counts = engine.counts
    dropped = [f"{len(counts.set_aside)} set aside"] if counts.set_aside else []
    dropped += [f"{counts.n_dropped} too late"] if counts.n_dropped else []
    dropped += [f"{counts.n_outside} outside the run"] if counts.n_outside else []
    dropped += [f"{counts.unused.total()} of names that no rule uses"] if counts.unused else []
    if not dropped and counts.n_records and not sys.stderr.isatty():
        return
    print(f"{counts.n_records} records read" + "".join(f", {part}" for part in dropped), file=sys.stderr)
    for misfit in counts.set_aside[:_SHOWN_MISFITS]:
        print(f"  {misfit}", file=sys.stderr)
    if len(counts.set_aside) > _SHOWN_MISFITS:
        print(f"  … and {len(counts.set_aside) - _SHOWN_MISFITS} more", file=sys.stderr)
    known = [record.name for record in compiled.names.records]
    for name, n in counts.unused.most_common(_SHOWN_MISFITS):
        hint = did_you_mean(name, known)
        print(f"  `{name}`: {n}" + (f"  {hint}" if hint else ""), file=sys.stderr)


def _draw(known: Findings, engine: Engine, compiled: Compiled, path: Path) -> None:
    rows = [Row(show(fvp), spans, kind=_kind(fvp, compiled)) for fvp, spans in known.intervals.items()]
    rows += [Row(show(event), times=times, kind="event") for event, times in known.times.items()]
    for written in draw_timeline(rows, start=engine.start, end=known.query_time, path=path):
        print(f"wrote {written}", file=sys.stderr)


def _kind(fvp: Term, compiled: Compiled) -> Literal["simple", "static"]:
    return "static" if compiled.graph.matching(fvp, ["static"]) else "simple"
