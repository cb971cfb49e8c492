"""The output files of a live run: which are there before it starts, and how far a checkpoint counts them."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from holdsfor.errors import DataProblem, Diagnostic, UsageProblem
from holdsfor.file_lock import FileLock
from holdsfor.sinks.beside import is_replaceable
from holdsfor.sinks.output_files import naming, sync_folder
from holdsfor.sinks.table_sets import is_folder
from holdsfor.sinks.writers import format_of
from holdsfor.sources.file_marks import FileMark, mark_of

__all__ = [
    "Marks",
    "check_outputs",
    "cut_back",
    "locked_outputs",
    "output_files",
    "refuse_earlier_output",
    "sync_names",
    "synced_marks",
]

Marks = dict[str, list[Any]]
"""By path, the length and the digest of a mark."""

_APPENDED = ("output", "changes", "set_aside", "log")


def output_files(options: argparse.Namespace) -> list[str]:
    """The regular files to which a live run or a replay appends while it runs."""
    paths = [path for name in _APPENDED if (path := getattr(options, name)) is not None]
    return [path for path in paths if not is_folder(path) and is_replaceable(path) and format_of(path) != "duckdb"]


def refuse_earlier_output(options: argparse.Namespace) -> None:
    """Refuse to empty files that an earlier run has written."""
    for path in output_files(options):
        if not options.overwrite and Path(path).exists() and Path(path).stat().st_size:
            message = f"`{path}` has the output of an earlier run, and a live run does not replace it"
            hint = "`--overwrite` replaces it; write to another file, or continue a run with `--checkpoint`"
            raise UsageProblem(Diagnostic("HF708", message, hint=hint))


@contextmanager
def locked_outputs(options: argparse.Namespace) -> Iterator[None]:
    """Keep other runs away from the files to which a run appends while it runs."""
    with ExitStack() as stack:
        for path in output_files(options):
            try:
                stack.enter_context(FileLock(path))
            except BlockingIOError:
                hint = "wait until that run has ended, or write to another file"
                raise UsageProblem(Diagnostic("HF708", f"another run writes to `{path}`", hint=hint)) from None
        yield


def synced_marks(paths: Iterable[str]) -> Marks:
    """Let all output reach the disk, and return how much there is in each file."""
    return {path: _synced(path) for path in paths}


def sync_names(paths: Iterable[str]) -> None:
    """Let the names of new output files reach the disk."""
    for folder in {Path(path).parent for path in paths}:
        sync_folder(folder)


def _synced(path: str) -> list[Any]:
    with naming(path):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
            mark = mark_of(descriptor, os.fstat(descriptor).st_size)
        finally:
            os.close(descriptor)
    return [mark.length, mark.digest]


def check_outputs(marks: Marks) -> None:
    """Refuse to continue files that are not those of the checkpoint."""
    for path, (length, digest) in marks.items():
        change = _change(path, FileMark(length, digest)) if length else None
        if change is not None:
            message = f"the output `{path}` {change}: it was replaced or truncated after the checkpoint"
            hint = "restore the file, or start a new run with another folder for checkpoints"
            raise DataProblem(Diagnostic("HF709", message, hint=hint, file=path))


def _change(path: str, mark: FileMark) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return "is not there"
    try:
        return mark.change_of(descriptor)
    finally:
        os.close(descriptor)


def cut_back(marks: Marks) -> None:
    """Remove the output after the checkpoint."""
    for path, (length, _) in marks.items():
        if Path(path).exists():
            with naming(path):
                os.truncate(path, length)
