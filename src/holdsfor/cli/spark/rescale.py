"""`holdsfor spark rescale`: another number of buckets for a stopped stream."""

from __future__ import annotations

import argparse

from holdsfor.cli.options.arguments import Commands, add_command

__all__ = ["add_parser"]


def add_parser(commands: Commands) -> None:
    summary = "change the number of buckets of a stopped stream"
    parser = add_command(commands, "rescale", summary, "holdsfor spark rescale state --buckets 16")
    parser.add_argument("checkpoint", metavar="CHECKPOINT", help="folder of the checkpoint of the stream")
    parser.add_argument("--buckets", metavar="N", type=int, required=True, help="new number of buckets")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    from holdsfor.spark.streaming.rescale import rescale

    print(rescale(options.checkpoint, buckets=options.buckets))
    return 0
