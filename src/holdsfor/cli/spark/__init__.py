"""`holdsfor spark`: the commands that run on Apache Spark, one per file."""

from __future__ import annotations

from holdsfor.cli.options.arguments import Commands, add_command
from holdsfor.cli.spark import inspect, package, prepare, rescale, run, stream

__all__ = ["add_parser"]


def add_parser(commands: Commands) -> None:
    parser = add_command(commands, "spark", "run the rules on Apache Spark", run.EXAMPLE)
    inner = parser.add_subparsers(dest="spark_command", required=True, metavar="COMMAND")
    for command in (prepare, run, stream, inspect, rescale, package):
        command.add_parser(inner)
