"""`holdsfor generate`: write random records for an application."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from holdsfor.cli.options.arguments import Commands, add_command
from holdsfor.cli.options.durations import SECONDS
from holdsfor.cli.terminal.streams import STANDARD_OUTPUT
from holdsfor.errors import Diagnostic, UsageProblem, counted
from holdsfor.sinks.output_files import naming

if TYPE_CHECKING:
    from holdsfor.generators import Corrections, Lateness, Model

__all__ = ["add_parser"]

# The number of time-points per day in each application converts durations such as `2h`.
_EVERY_SECOND = 86400
_POINTS_PER_DAY = {
    "activity": 1000 * _EVERY_SECOND,
    "argumentation": _EVERY_SECOND,
    "ctm": _EVERY_SECOND,
    "feedback": _EVERY_SECOND,
    "fines": 1,
    "fleet": _EVERY_SECOND,
    "maritime": _EVERY_SECOND,
    "netbill": _EVERY_SECOND,
    "voting": _EVERY_SECOND,
}


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "generate",
        "write random records for an application",
        "holdsfor generate maritime --entities 300 --duration 4d --seed 1 --late 10% -o events.txt",
    )
    parser.add_argument("app", choices=_POINTS_PER_DAY, metavar="APP", help=", ".join(_POINTS_PER_DAY))
    parser.add_argument(
        "--entities", type=int, required=True, metavar="N", help="number of vehicles, vessels, agents and so on"
    )
    parser.add_argument(
        "--duration", required=True, metavar="T", help="length of the stream: a number of time-points, or 30m, 2h, 1d"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the random records (default: 0)")
    parser.add_argument("--late", metavar="SHARE", help="share of the records that arrive late, such as 10%%")
    parser.add_argument(
        "--delay", metavar="DISTRIBUTION", help="distribution of delays in time-points (default: gamma:2,2)"
    )
    parser.add_argument(
        "--corrected",
        metavar="SHARE",
        help="share of the records that are wrong at first, and are retracted or revised after such a delay",
    )
    parser.add_argument(
        "--background", metavar="FILE", help="file for vessel types, areas and vehicles (default: beside the output)"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="file for the records: .parquet, else text (default: standard output)"
    )
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    from holdsfor.generators import Corrections, model_of, read_lateness, read_share

    if options.entities < 1 or options.seed < 0:
        found = f"{options.entities} and {options.seed}"
        raise UsageProblem(Diagnostic("HF710", f"expected at least one entity and a seed of at least 0, found {found}"))
    duration = _duration(options.duration, options.app)
    has_corrections = options.corrected is not None
    lateness = read_lateness(options.late, options.delay, has_corrections=has_corrections)
    share = read_share(options.corrected, "corrected") if has_corrections else 0.0
    model = model_of(options.app, entities=options.entities, seed=options.seed)
    n_records = _write(model, duration, options.seed, (lateness, Corrections(share, lateness)), options.output)
    if options.output:
        print(f"wrote {counted(n_records, 'record')} to {options.output}", file=sys.stderr)
    _write_background(model, options)
    return 0


def _duration(text: str, app: str) -> int:
    match = re.fullmatch(r"(\d{1,15})([smhd]?)", text, re.ASCII)
    points = int(match[1]) if match else 0
    if match and match[2]:
        points = points * SECONDS[match[2]] * _POINTS_PER_DAY[app] // SECONDS["d"]
    if not 0 < points < 2**62:
        hint = "write a number of time-points, or a number with `s`, `m`, `h` or `d`, such as `2h`"
        raise UsageProblem(Diagnostic("HF710", f"expected a duration, found `{text}`", hint=hint))
    return points


def _write(model: Model, duration: int, seed: int, faults: tuple[Lateness, Corrections], output: str | None) -> int:
    from holdsfor.generators import pieces, write_parquet, write_text

    lateness, corrections = faults
    stream = pieces(model, duration, seed, lateness, corrections=corrections)
    if output is None:
        with naming(STANDARD_OUTPUT):
            sys.stdout.flush()
            return write_text(stream, model.vocabulary, sys.stdout.buffer)
    with naming(output):
        if Path(output).suffix == ".parquet":
            has_corrections = corrections.share > 0
            return write_parquet(stream, model.vocabulary, Path(output), has_corrections=has_corrections)
        with Path(output).open("wb") as file:
            return write_text(stream, model.vocabulary, file)


def _write_background(model: Model, options: argparse.Namespace) -> None:
    """Write the background knowledge of the records to `--background`, else to a file beside the records."""
    knowledge = model.background()
    if knowledge is None:
        if options.background:
            print(f"the records of {options.app} need no background knowledge", file=sys.stderr)
        return
    if options.background or options.output:
        path = Path(options.background or Path(options.output).with_suffix(".background.prolog"))
        with naming(path):
            path.write_text(knowledge, encoding="utf-8")
        print(f"wrote background knowledge to {path}", file=sys.stderr)
