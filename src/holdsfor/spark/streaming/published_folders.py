"""Folders that are complete when they are published: the rows of a micro-batch, or a snapshot of the current view.

Where a folder is renamed at once, it is written under a hidden name and then renamed: a reader sees all of its files or
none. Object stores have no such rename: they copy file by file. There, the folder is written in its place, and its last
file, `_SUCCESS`, says that it is complete. A folder without this file is what a crash has left, and is written again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

from holdsfor.spark.output.folders import HadoopFiles

__all__ = ["hidden", "is_published", "publishing"]

_COMPLETE = "_SUCCESS"


@contextmanager
def publishing(files: HadoopFiles, place: str) -> Iterator[str | None]:
    """The folder to write to, which is `place` after the context; None if the folder is published."""
    if is_published(files, place):
        yield None
        return
    if not files.renames_at_once:
        files.drop(place)
        yield place
        _complete(files, place)
        return
    beside = hidden(place)
    try:
        yield beside
        _complete(files, beside)
        files.rename(beside, place)
    finally:
        files.drop(beside)


def _complete(files: HadoopFiles, folder: str) -> None:
    """Write the last file of a folder, if Spark has not done so."""
    if not files.exists(f"{folder}/{_COMPLETE}"):
        files.write(f"{folder}/{_COMPLETE}", b"")


def is_published(files: HadoopFiles, place: str) -> bool:
    """Whether a folder exists and is complete."""
    return files.exists(place if files.renames_at_once else f"{place}/{_COMPLETE}")


def hidden(place: str) -> str:
    """A new name beside a folder that readers ignore.

    >>> hidden("s3a://sea/out/batch=12").rpartition(".")[0]
    's3a://sea/out/.batch=12'
    """
    parent, _, name = place.rpartition("/")
    return f"{parent}/.{name}.{uuid4().hex[:12]}"
