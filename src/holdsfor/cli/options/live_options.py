"""Checks of the options of live runs and replays."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import NoReturn

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sources.column_mapping import LISTEN, SOCKET, split_mapping

__all__ = ["check_live_options"]


def check_live_options(options: argparse.Namespace) -> None:
    """Refuse options of live runs and replays that contradict each other."""
    if options.live and options.replay is not None:
        _refuse(
            "`--live` and `--replay` exclude each other", "`--replay` plays files, `--live` reads inputs as streams"
        )
    if not options.live and (options.clock is not None or options.rate is not None):
        _refuse("`--clock` and `--rate` need `--live`", "add `--live`; the rate of a replay is the value of `--replay`")
    if options.rate is not None and (options.clock != "wall" or options.rate == math.inf):
        _refuse(
            "`--rate` needs `--clock wall` and a number",
            "give `--clock wall --rate N`; by event time, records set the pace",
        )
    if not options.live and any(name.startswith((SOCKET, LISTEN)) for name in options.input):
        _refuse("a socket needs `--live`", "add `--live`")
    if (options.live or options.replay is not None) and options.window is None:
        _refuse("a live run or a replay needs a window", "give `--window`, which sets the query times")
    if (options.live or options.replay is not None) and options.engine == "reference":
        _refuse("the reference evaluator has no live runs and no replays", "leave out `--engine reference`")
    if options.max_ahead is not None and not options.live:
        _refuse("`--max-ahead` needs `--live`", "add `--live`; in a run over files no record waits for another")
    if options.follow and not options.live:
        _refuse("`--follow` needs `--live`", "add `--live`")
    if options.live:
        _check_live_inputs(options)
    _check_checkpoint(options)


def _check_checkpoint(options: argparse.Namespace) -> None:
    """Refuse checkpoints of runs that cannot continue."""
    if options.checkpoint_every < 0:
        _refuse(f"`--checkpoint-every` is {options.checkpoint_every}, expected seconds", "0 is after every query time")
    if options.checkpoint is None:
        return
    if not options.checkpoint.strip():
        _refuse("`--checkpoint` is without a name", "give a folder")
    if not options.live:
        _refuse("`--checkpoint` needs `--live`", "add `--live`; a run over files can be started again")
    if options.format in ("parquet", "arrow"):
        _refuse(f"an answer as {options.format} cannot be continued from a checkpoint", "write text, JSON lines or CSV")
    if options.final or options.timeline:
        other = "`--final`" if options.final else "`--timeline`"
        _refuse(f"{other} keeps all results until the end, so it has no checkpoints", "leave out one of the two")


def _check_live_inputs(options: argparse.Namespace) -> None:
    from holdsfor.sources.formats import TABLES, format_of_suffix

    files = [split_mapping(given)[0] for given in options.input]
    for i, file in enumerate(files):
        if (options.input_format or format_of_suffix(file)) in TABLES:
            _refuse(f"`{file}` is a table, which cannot be read as a stream", "play it with `--replay`")
        if file.endswith(".gz"):
            _refuse(
                f"`{file}` is compressed and cannot be read as a stream",
                f"decompress it: `gunzip -c {file} | … --input -`",
            )
        if file in files[:i] and not Path(file).is_file():
            _refuse(f"the live input `{file}` is given twice", "each pipe or socket has one reader")


def _refuse(message: str, hint: str) -> NoReturn:
    raise UsageProblem(Diagnostic("HF706", message, hint=hint))
