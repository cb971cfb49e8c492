"""`holdsfor spark package`: write the package as a zip for `spark-submit --py-files`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from holdsfor.cli.options.arguments import Commands, add_command

__all__ = ["add_parser"]


def add_parser(commands: Commands) -> None:
    example = "holdsfor spark package -o holdsfor.zip"
    parser = add_command(commands, "package", "write the package as a zip for `spark-submit --py-files`", example)
    parser.add_argument("-o", "--output", required=True, metavar="FILE", help="file for the zip; its name ends in .zip")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    from holdsfor.errors import Diagnostic, UsageProblem
    from holdsfor.spark.cluster.shipping import package

    path = Path(options.output)
    if path.suffix != ".zip":
        message = f"expected a file name that ends in .zip, found `{options.output}`"
        raise UsageProblem(Diagnostic("HF788", message, hint="Spark and Python recognise a zip by its name"))
    content = package()
    path.write_bytes(content)
    print(f"{len(content)} bytes written to {path}", file=sys.stderr)
    return 0
