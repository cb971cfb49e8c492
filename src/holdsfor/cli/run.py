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
from typing import Literal

from holdsfor.analysis.compiled import Compiled, compile_files
from holdsfor.cli.arguments import Commands, add_command, add_rule_files
from holdsfor.cli.durations import duration
from holdsfor.cli.engines import Engine, columnar_engine, reference_engine
from holdsfor.errors import DataProblem, Diagnostic, Diagnostics, UsageProblem, did_you_mean
from holdsfor.sinks.changes import CHANGE_FORMATS
from holdsfor.sinks.lines import FORMATS, Known
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term
from holdsfor.views.timeline import Row, draw_timeline

__all__ = ["add_parser", "summarise"]

_SHOWN_MISFITS = 10
_ENGINES = {"columnar": columnar_engine, "reference": reference_engine}


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
    parser.add_argument(
        "--report",
        choices=("known", "changes"),
        default="known",
        help="what is known at each query time, or what it changes (default: known)",
    )
    parser.add_argument("--final", action="store_true", help="report once, settled over all query times")
    parser.add_argument("--format", choices=FORMATS, default="text", help="of the answer (default: text)")
    parser.add_argument("-o", "--output", metavar="FILE", help="where the answer goes (default: standard output)")
    parser.add_argument("--timeline", action="append", default=[], metavar="PICTURE", help="draw it: .png or .svg")
    parser.add_argument("--stats", metavar="FILE", help="write counts and seconds as JSON")
    parser.add_argument("--set-aside", metavar="FILE", help="write the records that do not fit, with reasons, as JSON")
    parser.add_argument("--strict", action="store_true", help="stop if a record does not fit")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    _check(options)
    diagnostics = Diagnostics()
    compiled = compile_files([*options.files, *options.background], diagnostics)
    _tell(diagnostics.of("warning"))
    clock = _Clock()
    engine = _ENGINES[options.engine](compiled, options, [_goal(text) for text in options.goal])
    engine.load()
    clock.lap("load")
    _set_aside(engine, options)
    last: list[Known] = []
    if options.report == "changes":
        lines = CHANGE_FORMATS[options.format](engine.changes())
    else:
        lines = FORMATS[options.format](
            _keeping_last(engine.reports(final=options.final or bool(options.timeline)), last)
        )
    _write(lines, options.output)
    clock.lap("recognise")
    summarise(engine, compiled)
    for picture in options.timeline:
        _draw(last[-1], engine, compiled, Path(picture))
    if options.stats:
        Path(options.stats).write_text(json.dumps(_stats(engine, clock), indent=2) + "\n", encoding="utf-8")
    return 0


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


def _check(options: argparse.Namespace) -> None:
    """Refuse options that have no meaning."""
    from holdsfor.runtime.windows import check_windows

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


def _keeping_last(reports: Iterator[Known], last: list[Known]) -> Iterator[Known]:
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


def summarise(engine: Engine, compiled: Compiled) -> None:
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


def _write(lines: Iterable[str], output: str | None) -> None:
    if output is None:
        for line in lines:
            print(line)
        return
    with Path(output).open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def _draw(known: Known, engine: Engine, compiled: Compiled, path: Path) -> None:
    rows = [Row(show(fvp), spans, kind=_kind(fvp, compiled)) for fvp, spans in known.intervals.items()]
    rows += [Row(show(event), times=times, kind="event") for event, times in known.times.items()]
    for written in draw_timeline(rows, start=engine.start, end=known.query_time, path=path):
        print(f"wrote {written}", file=sys.stderr)


def _kind(fvp: Term, compiled: Compiled) -> Literal["simple", "static"]:
    return "static" if compiled.graph.matching(fvp, ["static"]) else "simple"
