"""`holdsfor`: composite event recognition on the command line.

Results go to standard output or to files, messages to standard error. The exit code is 0 on success, 1 if something
outside the program fails, such as a disk, 2 if a diagnostic reports an error in the input or in the call, 3 if more
records are set aside than a run may set aside, and 130 after an interruption.
"""

from __future__ import annotations

import argparse
import errno
import sys
from collections.abc import Sequence

from holdsfor.cli import check, completion, generate, graph, init, plan, query, run, spark
from holdsfor.cli.terminal.interruption import INTERRUPTED
from holdsfor.cli.terminal.streams import STANDARD_OUTPUT, discard, standard_streams
from holdsfor.cli.versions import ShowVersions
from holdsfor.errors import HoldsforError, on_command_line, printable
from holdsfor.prolog.builtins.output import printing
from holdsfor.sinks.output_files import naming

__all__ = ["command_line", "main"]

TOO_MANY_SET_ASIDE = 3
"""The exit code of a run that sets aside more records than it may."""

COMMANDS = (init, check, plan, graph, run, query, spark, generate, completion)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    with standard_streams(), on_command_line():
        return _main(arguments)


def command_line() -> argparse.ArgumentParser:
    """The parser of the command line, with all commands."""
    parser = argparse.ArgumentParser(
        prog="holdsfor", description="Composite event recognition in the RTEC dialect of the Event Calculus."
    )
    parser.add_argument("--version", action=ShowVersions, help="show the versions of holdsfor, Python and packages")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add_parser(commands)
    return parser


def _main(arguments: Sequence[str] | None) -> int:
    try:
        options = _without_empty_lists(command_line().parse_args(arguments))
        # Goals print to standard error, because programs read the results on standard output.
        with printing(sys.stderr.write):
            code: int = options.execute(options)
        with naming(STANDARD_OUTPUT):
            sys.stdout.flush()
    except HoldsforError as problem:
        print(problem.diagnostics.render(), file=sys.stderr)
        return TOO_MANY_SET_ASIDE if any(each.code == "HF510" for each in problem.diagnostics) else 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError as gone:
        if gone.filename not in (None, STANDARD_OUTPUT):
            print(printable(f"error: {gone.strerror}: {gone.filename}"), file=sys.stderr)
            return 1
        discard(sys.stdout)
        return 0
    except OSError as error:
        print(printable(f"error: {error.strerror or error}{_file_of(error)}"), file=sys.stderr)
        discard(sys.stdout)
        return 1
    except MemoryError:
        print("error: out of memory", file=sys.stderr)
        return 1
    return code


def _without_empty_lists(options: argparse.Namespace) -> argparse.Namespace:
    """Remove the empty lists that `argparse` makes of `--goal=--`."""
    for name, value in vars(options).items():
        if isinstance(value, list):
            setattr(options, name, [each for each in value if each != []])
    return options


def _file_of(error: OSError) -> str:
    """The file of an error, as the end of a message. A full disk without a file is that of standard output."""
    if error.filename == STANDARD_OUTPUT or (error.filename is None and error.errno == errno.ENOSPC):
        return f": {STANDARD_OUTPUT}"
    return "" if error.filename is None else f": {error.filename}"


if __name__ == "__main__":
    sys.exit(main())
