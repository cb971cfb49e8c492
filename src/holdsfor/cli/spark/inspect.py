"""`holdsfor spark inspect`: the state of a stream in its checkpoint."""

from __future__ import annotations

import argparse

from holdsfor.cli.options.arguments import Commands, add_command
from holdsfor.sinks.time_formats import shown_as

__all__ = ["add_parser"]


def add_parser(commands: Commands) -> None:
    summary = "print how far a stream is, and the size of its state"
    parser = add_command(commands, "inspect", summary, "holdsfor spark inspect state")
    parser.add_argument("checkpoint", metavar="CHECKPOINT", help="folder of the checkpoint of the stream")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    from holdsfor.spark.streaming.inspection import inspection_of

    for line in inspection_of(options.checkpoint, shown_as):
        print(line)
    return 0
