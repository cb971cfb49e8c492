"""Retry: run a job again without a file that cannot be read.

The probe (`holdsfor.spark.input.file_probe`) finds most faults before the run. A truncated gzip file, a damaged page of
a table or a deleted file fails only when Spark reads it, and then the job fails. The job is run again without this
file. A failed attempt leaves no results, because results are moved to their place only when they are complete.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from holdsfor.errors import Diagnostic
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.cluster.causes import Cause, causes_of
from holdsfor.spark.input.files import Files
from holdsfor.spark.input.listing import File, java_problems

__all__ = ["failed_file", "without_failing_files"]

Made = TypeVar("Made")

_FAILED = "FAILED_READ_FILE"
# The exception of a worker reaches the driver as text.
_FAILED_IN_WORKER = re.compile(r"error\[HF501\]: `(.+)` cannot be read: (.+)$", re.MULTILINE)
_HINT = "the other files were read"


def without_failing_files(inputs: Sequence[Files], work: Callable[[Sequence[Files]], Made]) -> Made:
    """The result of `work` on the inputs, without the files at which it fails."""
    excluded: set[str] = set()
    while True:
        try:
            return work(inputs)
        except java_problems() as problem:
            failed = failed_file(causes_of(problem))
            if failed is None or failed.file in excluded:
                raise
        excluded.add(failed.file)
        inputs = [each.excluding(failed) for each in inputs]


def failed_file(causes: Sequence[Cause]) -> Unreadable | None:
    """The file at which a job failed, or None if the job failed for another reason.

    >>> failed = failed_file([
    ...     Cause("SparkException", "", "FAILED_READ_FILE.NO_HINT", {"path": "file:///a%20b.gz"}),
    ...     Cause("java.io.EOFException", "Unexpected end of input stream"),
    ... ])
    >>> failed.set_aside().reason
    '`/a b.gz` cannot be read: unexpected end of input stream'
    """
    for cause in causes:
        if (by_worker := _FAILED_IN_WORKER.search(cause.message)) is not None:
            return _unreadable(by_worker[1], by_worker[2])
        condition, _, kind = (cause.condition or "").partition(".")
        if condition == _FAILED:
            reason = "the file no longer exists" if kind == "FILE_NOT_EXIST" else _reason(causes[-1])
            return _unreadable(File(cause.parameters["path"], 0).path, reason)
    return None


def _reason(cause: Cause) -> str:
    first = (cause.message.strip() or cause.name).splitlines()[0]
    return first[:1].lower() + first[1:]


def _unreadable(path: str, reason: str) -> Unreadable:
    message = f"`{path}` cannot be read: {reason}"
    return Unreadable(path, (Diagnostic("HF501", message, hint=_HINT, file=path),))
