"""The input of the commands on Spark, and the records and files that do not fit."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING

from holdsfor.cli.outcome.set_aside import SetAsideLog
from holdsfor.cli.terminal.diagnostics import print_diagnostics
from holdsfor.prolog.faults import fault_problem
from holdsfor.sources.text_records import SetAside
from holdsfor.sources.unreadable import Unreadable

if TYPE_CHECKING:
    from holdsfor.spark.input.files import Files
    from holdsfor.spark.job.recognition import Recognition

__all__ = ["files_from", "print_unreadable", "refuse_misfits", "write_set_aside"]

_AT_ONCE = 10_000


def files_from(options: argparse.Namespace) -> list[Files]:
    from holdsfor.spark.input.files import Files

    return [Files(given, options.input_format) for given in options.input]


def refuse_misfits(found: Recognition) -> None:
    """Stop at the first file or record that does not fit or condition without a result, before results are written."""
    from holdsfor.errors import DataProblem, Diagnostics

    for each in found.unreadable:
        raise DataProblem(Diagnostics(each.diagnostics))
    first = found.set_aside.first() or found.unmatched.first()
    if first is not None:
        SetAsideLog(is_strict=True).add([SetAside(*first)])
    problem = fault_problem(found.faults, found.programs)
    if problem is not None:
        raise problem


def print_unreadable(unreadable: Iterable[Unreadable]) -> None:
    """Print the diagnostics of files that cannot be read."""
    print_diagnostics(diagnostic for each in unreadable for diagnostic in each.diagnostics)


def write_set_aside(found: Recognition, path: str | None) -> None:
    """Print the diagnostics of unreadable files, and write all records that do not fit to a file, if there is one."""
    print_unreadable(found.unreadable)
    if path is not None:
        log = SetAsideLog(path)
        misfits = (SetAside(*row) for row in found.set_aside.orderBy("file", "line").toLocalIterator())
        while some := list(islice(misfits, _AT_ONCE)):
            log.add(some)
