"""Files that are whole or absent: written beside their place under another name, and renamed when they are complete."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from holdsfor.sinks.output_files import naming, sync_folder

__all__ = ["Beside", "is_part_of", "is_replaceable", "written_beside"]

_PART = ".part"
_LONGEST = 100


@dataclass
class Beside:
    """A file that is being written: its final place, and the path to write to until it is complete.

    A file that is not complete at the end gets the suffix `.part`, until a complete one replaces it.
    """

    place: Path
    path: Path
    is_complete: bool = True

    @property
    def incomplete_place(self) -> Path:
        return self.place.with_name(f"{self.place.name}{_PART}")


def is_part_of(name: str, complete: str) -> bool:
    """Whether a file name is that of an incomplete file, as a run leaves it that is interrupted or killed.

    >>> [is_part_of(name, "gap.csv") for name in ("gap.csv.part", ".gap.csv.x1_.part", "lap.csv.part")]
    [True, True, False]
    """
    begun = name.startswith(f".{complete[:_LONGEST]}.") and name.endswith(_PART)
    return begun or name == f"{complete}{_PART}"


def is_replaceable(path: str | Path) -> bool:
    """Whether a path is a regular file or nothing yet; pipes and devices are written to directly."""
    place = Path(path)
    return not place.exists() or place.is_file()


@contextlib.contextmanager
def written_beside(path: str | Path) -> Iterator[Beside]:
    """A file that gets its name when it is complete; after an error or a crash, the name has its old content or none.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with written_beside(Path(folder) / "answer.csv") as file:
    ...         _ = file.path.write_text("start,end")
    ...         before = (Path(folder) / "answer.csv").exists()
    ...     before, (Path(folder) / "answer.csv").read_text()
    (False, 'start,end')
    """
    place = Path(os.path.realpath(path))
    try:
        descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name[:_LONGEST]}.", suffix=_PART)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    os.close(descriptor)
    file = Beside(place, Path(name))
    try:
        yield file
        with naming(path):
            _finish(file)
    finally:
        file.path.unlink(missing_ok=True)


def _finish(file: Beside) -> None:
    """Flush the file to the disk and give it its name."""
    file.path.chmod(file.place.stat().st_mode & 0o777 if file.place.exists() else 0o666 & ~_umask())
    descriptor = os.open(file.path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if file.is_complete:
        file.path.replace(file.place)
        file.incomplete_place.unlink(missing_ok=True)
    else:
        file.path.replace(file.incomplete_place)
    sync_folder(file.place.parent)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
