"""`holdsfor`: composite event recognition on the command line.

Results go to standard output or files, talk to standard error. Exit code 0: done; 1: nothing was done because of a
fault outside, such as a full disk; 2: the input or the call is wrong, and a diagnostic says how; 130: interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from holdsfor import __version__
from holdsfor.cli import check, generate, graph, plan, run, spark
from holdsfor.cli.interruption import INTERRUPTED
from holdsfor.errors import HoldsforError

__all__ = ["main"]

COMMANDS = (check, plan, graph, run, spark, generate)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    parser = argparse.ArgumentParser(prog="holdsfor", description="Composite event recognition that people trust.")
    parser.add_argument("--version", action="version", version=f"holdsfor {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    options = parser.parse_args(arguments)
    try:
        code: int = options.execute(options)
        sys.stdout.flush()
    except HoldsforError as problem:
        print(problem.diagnostics.render(), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError as gone:
        if gone.filename is not None:
            print(f"error: {gone.strerror}: {gone.filename}", file=sys.stderr)
            return 1
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"error: {error.strerror or error}: {error.filename or ''}", file=sys.stderr)
        return 1
    return code


if __name__ == "__main__":
    sys.exit(main())
