"""`holdsfor run`: recognise what the rules describe in the records of files."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from holdsfor.analysis.compiled import Compiled, compile_files
from holdsfor.cli.arguments import Commands, add_command, add_rule_files
from holdsfor.errors import DataProblem, Diagnostic, Diagnostics, UsageProblem, did_you_mean
from holdsfor.reference import INF, Answer, History, Run, recognise
from holdsfor.reference.intervals import previous_point
from holdsfor.sinks.lines import FORMATS
from holdsfor.sources.text import Fact, Reading, read_text_records
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Term
from holdsfor.views.timeline import Row, draw_timeline

__all__ = ["add_parser"]

_SHOWN_MISFITS = 10


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "run",
        "recognise what the rules describe in the input",
        "holdsfor run rules.prolog background.prolog --input events.txt --engine reference --start 0 --end 30",
    )
    add_rule_files(parser)
    parser.add_argument("--input", nargs="+", required=True, metavar="FILE", help="records; `-` is standard input")
    parser.add_argument("--background", nargs="+", default=[], metavar="FILE", help="more background knowledge")
    parser.add_argument("--goal", action="append", default=[], help="a goal to prove before the run; may be repeated")
    parser.add_argument("--engine", choices=["reference"], default="reference", help="how to compute the answer")
    parser.add_argument("--start", type=int, metavar="N", help="first time-point (default: of the first record)")
    parser.add_argument("--end", type=int, metavar="N", help="last time-point (default: of the last record)")
    parser.add_argument("--tick", type=int, default=1, metavar="N", help="distance of time-points (default: 1)")
    parser.add_argument("--format", choices=FORMATS, default="text", help="of the answer (default: text)")
    parser.add_argument("-o", "--output", metavar="FILE", help="where the answer goes (default: standard output)")
    parser.add_argument("--timeline", action="append", default=[], metavar="PICTURE", help="draw it: .png or .svg")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    if options.tick < 1:
        raise UsageProblem(
            Diagnostic("HF701", f"the clock tick is {options.tick}, expected at least 1", hint="see `--tick`")
        )
    diagnostics = Diagnostics()
    compiled = compile_files([*options.files, *options.background], diagnostics)
    _tell(diagnostics.of("warning"))
    reading = _read(options.input, compiled, options.tick)
    facts = reading.facts()
    run = _run(options, facts)
    answer = recognise(compiled, _history(facts), run, [_goal(text) for text in options.goal])
    _summarise(reading, facts, run, compiled)
    _write(FORMATS[options.format](answer), options.output)
    for picture in options.timeline:
        _draw(answer, compiled, Path(picture))
    return 0


def _tell(diagnostics: Iterable[Diagnostic]) -> None:
    for diagnostic in diagnostics:
        print(diagnostic.render(), end="\n\n", file=sys.stderr)


def _goal(text: str) -> Term:
    return parse_term(text, "--goal")


# -- input -------------------------------------------------------------------------------------------------------------


def _read(files: list[str], compiled: Compiled, tick: int) -> Reading:
    reading = Reading()
    for file in files:
        read_text_records(_lines(file), file, compiled.names, tick, reading)
    return reading


def _lines(file: str) -> list[str]:
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"`{file}` is not UTF-8 text: byte 0x{content[error.start]:02x} in line {line}"
        raise DataProblem(Diagnostic("HF501", message, hint="records are UTF-8 text", file=file)) from None
    except FileNotFoundError:
        hint = "give the files with records behind `--input`; `-` is standard input"
        raise DataProblem(Diagnostic("HF501", f"`{file}` not found", hint=hint, file=file)) from None
    except OSError as error:
        message = f"`{file}` cannot be read: {(error.strerror or str(error)).lower()}"
        raise DataProblem(Diagnostic("HF501", message, hint="records are lines of text", file=file)) from None


def _history(facts: list[Fact]) -> History:
    history = History()
    for fact in facts:
        if fact.value is None:
            history.add_event(fact.entity, fact.start)
        else:
            history.add_interval(fact.entity, fact.value, fact.start, fact.end)
    return history


def _run(options: argparse.Namespace, facts: list[Fact]) -> Run:
    """The time-points of the run: as asked for, else from the first record to the last."""
    start = options.start if options.start is not None else min((f.start for f in facts), default=0)
    last = (f.start if f.value is None else previous_point(f.end, options.tick) for f in facts)
    end = options.end if options.end is not None else max(last, default=start)
    if end < start:
        raise UsageProblem(
            Diagnostic("HF702", f"the run ends at {end}, before its start {start}", hint=_run_hint(options))
        )
    return Run(start, end, options.tick)


def _run_hint(options: argparse.Namespace) -> str:
    if options.start is None or options.end is None:
        return "the records set what `--start` or `--end` does not"
    return "see `--start` and `--end`"


def _summarise(reading: Reading, facts: list[Fact], run: Run, compiled: Compiled) -> None:
    """Say what was read; when all is well, only to a person."""
    outside = sum(fact.start > run.end or max(fact.start, fact.end - 1) < run.start for fact in facts)
    dropped = [f"{len(reading.set_aside)} set aside"] if reading.set_aside else []
    dropped += [f"{outside} outside the run"] if outside else []
    dropped += [f"{reading.unused.total()} of names that no rule uses"] if reading.unused else []
    if not dropped and not sys.stderr.isatty():
        return
    print(f"{reading.n_records} records read" + "".join(f", {part}" for part in dropped), file=sys.stderr)
    for misfit in reading.set_aside[:_SHOWN_MISFITS]:
        print(f"  {misfit}", file=sys.stderr)
    if len(reading.set_aside) > _SHOWN_MISFITS:
        print(f"  … and {len(reading.set_aside) - _SHOWN_MISFITS} more", file=sys.stderr)
    known = [record.name for record in compiled.names.records]
    for name, n in reading.unused.most_common(_SHOWN_MISFITS):
        hint = did_you_mean(name, known)
        print(f"  `{name}`: {n}" + (f"  {hint}" if hint else ""), file=sys.stderr)


# -- output ------------------------------------------------------------------------------------------------------------


def _write(lines: Iterable[str], output: str | None) -> None:
    text = "".join(f"{line}\n" for line in lines)
    if output is None:
        print(text, end="")
    else:
        Path(output).write_text(text, encoding="utf-8")


def _draw(answer: Answer, compiled: Compiled, path: Path) -> None:
    rows = [
        Row(show(fvp), [(s, None if e == INF else int(e)) for s, e in intervals], kind=_kind(fvp, compiled))
        for fvp, intervals in answer.intervals.items()
    ]
    rows += [Row(show(event), times=times, kind="event") for event, times in answer.times.items()]
    for written in draw_timeline(rows, start=answer.run.start, end=answer.run.end, path=path):
        print(f"wrote {written}", file=sys.stderr)


def _kind(fvp: Term, compiled: Compiled) -> Literal["simple", "static"]:
    return "static" if compiled.graph.matching(fvp, ["static"]) else "simple"
