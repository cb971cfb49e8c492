"""Output files: an error names the file, no output overwrites a file that the run reads, and one run writes a file.

A full disk shows when a buffer is written, perhaps while another file is open too. The operating system then names no
file, so an `OutputFile` names itself.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Literal

from holdsfor.errors import Diagnostic, UsageProblem

__all__ = ["naming", "open_output", "refuse_overwriting", "replace_file", "sync_folder"]

_BUFFER = 1 << 16


@contextlib.contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Add the file name to an `OSError` of writing; the error of a full disk has none."""
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        raise type(error)(error.errno, error.strerror or str(error), str(path)) from None


class _OutputFile(io.FileIO):
    """A file or pipe whose errors of writing have the name `shown`."""

    def __init__(self, target: str | int, mode: Literal["w", "a"], shown: str) -> None:
        super().__init__(target, mode)
        self.shown = shown

    def write(self, content: Any) -> int:
        try:
            with naming(self.shown):
                return super().write(content)
        except BrokenPipeError as gone:
            raise BrokenPipeError(gone.errno, "its reader has closed it", self.shown) from None


def open_output(target: str | int, mode: Literal["w", "a", "wb"], shown: str | Path) -> IO[Any]:
    """A file or a descriptor open for writing, in UTF-8 unless it is binary; errors have the name `shown`."""
    file = io.BufferedWriter(_OutputFile(target, "a" if mode == "a" else "w", str(shown)), _BUFFER)
    return file if mode == "wb" else io.TextIOWrapper(file, encoding="utf-8")


def replace_file(path: str | Path, data: bytes) -> None:
    """Write a file atomically: after a crash the file has its old content or all of the new content."""
    place = Path(path)
    with naming(path):
        descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.", suffix=".part")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(place)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        sync_folder(place.parent)


def sync_folder(folder: Path) -> None:
    """Flush the new name of a file to the disk, if the file system can do that for a folder."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def refuse_overwriting(outputs: Mapping[str, Iterable[str | None]], inputs: Iterable[str]) -> None:
    """Refuse outputs, by option, that are input files of the run, or the same file; HF732. Links are followed."""
    read = {identity: name for name in inputs if (identity := _identity(name)) is not None}
    written: dict[tuple[int, int] | Path, str] = {}
    for option, names in outputs.items():
        for name in names:
            if name is None:
                continue
            if not name.strip() or "\0" in name:
                raise UsageProblem(Diagnostic("HF732", f"expected a file name as `{option}`, found an empty name"))
            identity = _identity(name)
            if identity in read:
                other = "" if read[identity] == name else f", which is `{read[identity]}`"
                message = f"`{option}` would overwrite `{name}`{other}, a file that the run reads"
                raise UsageProblem(Diagnostic("HF732", message, hint="write to another file"))
            place = identity or _resolved(name)
            if place in written and not _is_special(name):
                message = f"`{option}` and `{written[place]}` would write to one file, `{name}`"
                raise UsageProblem(Diagnostic("HF732", message, hint="write to another file"))
            written[place] = option


def _identity(name: str) -> tuple[int, int] | None:
    """Device and inode of a regular file; None for any other name."""
    try:
        found = Path(name).stat()
        return (found.st_dev, found.st_ino) if Path(name).is_file() else None
    except (OSError, ValueError):
        return None


def _resolved(name: str) -> Path:
    try:
        return Path(name).resolve()
    except (OSError, ValueError):
        return Path(name)


def _is_special(name: str) -> bool:
    """Whether a name is a device or a pipe, which may be the output of several options."""
    try:
        return Path(name).exists() and not Path(name).is_file()
    except (OSError, ValueError):
        return False
