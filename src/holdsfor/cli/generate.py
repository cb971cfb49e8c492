"""`holdsfor generate`: a stream of records for one of the applications, of any size."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from holdsfor.cli.options.arguments import Commands, add_command
from holdsfor.cli.terminal.streams import STANDARD_OUTPUT
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sinks.output_files import naming

if TYPE_CHECKING:
    from holdsfor.generators import Lateness, Model

__all__ = ["add_parser"]

# Time-points per day of each application, for durations such as `2h`.
_EVERY_SECOND = 86400
_POINTS_PER_DAY = {
    "activity": 1000 * _EVERY_SECOND,
    "argumentation": _EVERY_SECOND,
    "ctm": _EVERY_SECOND,
    "feedback": _EVERY_SECOND,
    "fines": 1,
    "maritime": _EVERY_SECOND,
    "netbill": _EVERY_SECOND,
    "voting": _EVERY_SECOND,
}
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def add_parser(commands: Commands) -> None:
    parser = add_command(
        commands,
        "generate",
        "make up records for an application",
        "holdsfor generate maritime --entities 300 --duration 4d --seed 1 --late 10% -o events.txt",
    )
    parser.add_argument("app", choices=_POINTS_PER_DAY, metavar="APP", help=", ".join(_POINTS_PER_DAY))
    parser.add_argument("--entities", type=int, required=True, metavar="N", help="vehicles, vessels, agents, …")
    parser.add_argument("--duration", required=True, metavar="T", help="in time-points, or such as 30m, 2h, 1d")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed, the same records (default: 0)")
    parser.add_argument("--late", metavar="SHARE", help="share of records that arrive late, such as 10%%")
    parser.add_argument("--delay", metavar="DISTRIBUTION", help="how late, in time-points (default: gamma:2,2)")
    parser.add_argument("--background", metavar="FILE", help="where vessel types and areas go (default: beside OUTPUT)")
    parser.add_argument("-o", "--output", metavar="FILE", help=".parquet, else text (default: text to standard output)")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    from holdsfor.generators import model_of, read_lateness

    if options.entities < 1 or options.seed < 0:
        found = f"{options.entities} and {options.seed}"
        raise UsageProblem(Diagnostic("HF710", f"expected some entities and a seed of 0 or more, found {found}"))
    duration = _duration(options.duration, options.app)
    lateness = read_lateness(options.late, options.delay)
    model = model_of(options.app, entities=options.entities, seed=options.seed)
    n_records = _write(model, duration, options.seed, lateness, options.output)
    if options.output:
        print(f"wrote {n_records} records to {options.output}", file=sys.stderr)
    _write_background(model, options)
    return 0


def _duration(text: str, app: str) -> int:
    match = re.fullmatch(r"(\d{1,15})([smhd]?)", text, re.ASCII)
    points = int(match[1]) if match else 0
    if match and match[2]:
        points = points * _SECONDS[match[2]] * _POINTS_PER_DAY[app] // _SECONDS["d"]
    if not 0 < points < 2**62:
        hint = "write a number of time-points, or of `s`, `m`, `h` or `d`, such as `2h`"
        raise UsageProblem(Diagnostic("HF710", f"expected a duration, found `{text}`", hint=hint))
    return points


def _write(model: Model, duration: int, seed: int, lateness: Lateness, output: str | None) -> int:
    from holdsfor.generators import pieces, write_parquet, write_text

    stream = pieces(model, duration, seed, lateness)
    if output is None:
        with naming(STANDARD_OUTPUT):
            sys.stdout.flush()
            return write_text(stream, model.vocabulary, sys.stdout.buffer)
    with naming(output):
        if Path(output).suffix == ".parquet":
            return write_parquet(stream, model.vocabulary, Path(output))
        with Path(output).open("wb") as file:
            return write_text(stream, model.vocabulary, file)


def _write_background(model: Model, options: argparse.Namespace) -> None:
    """Write the background knowledge that the records need: where asked, else beside the records."""
    knowledge = model.background()
    if knowledge is None:
        if options.background:
            print(f"{options.app} needs no background knowledge of its own", file=sys.stderr)
        return
    if options.background or options.output:
        path = Path(options.background or Path(options.output).with_suffix(".background.prolog"))
        with naming(path):
            path.write_text(knowledge, encoding="utf-8")
        print(f"wrote background knowledge to {path}", file=sys.stderr)
