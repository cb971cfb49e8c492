"""The files of a stream below its checkpoint: state of buckets, records that wait, and decisions.

A file is written under another name and then renamed, so a file with its own name is complete. Its name has the number
of the micro-batch that wrote it. A micro-batch that is repeated after a crash reads the files of earlier ones only, and
writes its own again with the same meaning: a snapshot of the state of a bucket, or a journal that continues the state
before (`journals.py`).
"""

from __future__ import annotations

import errno
import os
import uuid
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import Any

from holdsfor.errors import DataProblem, Diagnostic, ExecutionProblem, UsageProblem
from holdsfor.spark.input.parquet_files import arrow_address

__all__ = ["FILES", "RESTART", "StateFiles", "StateNames", "StreamFiles", "number_of", "numbered"]

FILES = "holdsfor"
"""The folder of the stream in its checkpoint."""

_STATE, _JOURNAL, _WAITING = ".state", ".journal", ".waiting"
_DIGITS = 12
_WITHOUT_LINKS = errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK  # of file systems that cannot link


@dataclass(frozen=True)
class StreamFiles:
    """A folder, as a path or a URI that Arrow can open."""

    root: str

    def _opened(self, path: str) -> tuple[Any, str]:
        system, root = _opened_root(self.root)
        return system, f"{root.rstrip('/')}/{path}" if path else root

    def check(self) -> None:
        """Refuse a folder on a file system that Arrow cannot open (HF795)."""
        try:
            _opened_root(self.root)
        except (OSError, ValueError, NotImplementedError) as problem:
            message = f"the state of a stream cannot be kept in `{self.shown}`: {str(problem).partition('. ')[0]}"
            hint = "give a local or mounted folder, or `s3://`, `s3a://`, `gs://`, `abfss://` or `hdfs://`"
            raise UsageProblem(Diagnostic("HF795", message, hint=hint)) from None

    @property
    def shown(self) -> str:
        """The checkpoint of this folder, in messages."""
        plain = self.root.removeprefix("file://").removeprefix("file:")
        return plain.rpartition(f"/{FILES}")[0] or plain

    def unwritable(self, problem: OSError) -> ExecutionProblem:
        """The error of a file that cannot be written: HF620, with the checkpoint."""
        number = problem.errno
        reason = str(problem) if number is None else os.strerror(number)
        is_full = number in (errno.ENOSPC, errno.EDQUOT)
        hint = "free disk space; the stream then continues" if is_full else "check the folder and its permissions"
        message = f"the checkpoint `{self.shown}` cannot be written: {reason}"
        return ExecutionProblem(Diagnostic("HF620", message, hint=hint))

    def names(self, folder: str) -> list[str]:
        """The names of the complete files of a folder, in order; a folder that does not exist has none."""
        return [name for name in self.all_names(folder) if not name.startswith(".")]

    def all_names(self, folder: str) -> list[str]:
        """The names of the files of a folder, in order, also of those that a crash has left unfinished."""
        from pyarrow import fs  # type: ignore[import-untyped]

        system, path = self._opened(folder)
        found = system.get_file_info(fs.FileSelector(path, allow_not_found=True))
        return sorted(each.base_name for each in found if each.is_file)

    def folders(self, folder: str) -> list[str]:
        """The names of the folders in a folder, in order of their numbers."""
        from pyarrow import fs

        system, path = self._opened(folder)
        found = system.get_file_info(fs.FileSelector(path, allow_not_found=True))
        return sorted((each.base_name for each in found if not each.is_file), key=lambda name: (len(name), name))

    def size(self, folder: str) -> int:
        """The bytes of all files below a folder."""
        from pyarrow import fs

        system, path = self._opened(folder)
        found = system.get_file_info(fs.FileSelector(path, allow_not_found=True, recursive=True))
        return sum(each.size for each in found if each.is_file)

    def read(self, path: str) -> bytes:
        system, whole = self._opened(path)
        try:
            with system.open_input_file(whole) as file:
                content: bytes = file.read()
        except OSError as error:
            message = f"the file `{path}` of the stream cannot be read: {error}"
            raise DataProblem(Diagnostic("HF792", message, hint=RESTART)) from None
        return content

    def head(self, path: str, n: int) -> bytes:
        """The first bytes of a file; none if it does not exist."""
        system, whole = self._opened(path)
        try:
            with system.open_input_file(whole) as file:
                content: bytes = file.read(n)
        except OSError:
            return b""
        return content

    def write(self, path: str, content: bytes) -> None:
        """Write a file so that it has either its old or its new content."""
        system, whole = self._opened(path)
        folder, _, name = whole.rpartition("/")
        beside = f"{folder}/.{name}.{uuid.uuid4().hex}"
        try:
            system.create_dir(folder, recursive=True)
            with system.open_output_stream(beside) as file:
                file.write(content)
            system.move(beside, whole)
        except OSError as problem:
            with suppress(OSError):
                system.delete_file(beside)
            raise self.unwritable(problem) from None

    def create(self, path: str, content: bytes) -> bool:
        """Write a file that does not exist; False, and nothing changes, if it does.

        Of several processes, one creates the file. Where files cannot be linked, as on object stores, two that do so in
        the same moment may both succeed.
        """
        local = self.local_path(path)
        if local is not None:
            try:
                return _created(local, content)
            except OSError as problem:
                raise self.unwritable(problem) from None
        if self.exists(path):
            return False
        self.write(path, content)
        return True

    def exists(self, path: str) -> bool:
        """Whether there is a file."""
        system, whole = self._opened(path)
        return bool(system.get_file_info(whole).is_file)

    def new_file(self, path: str) -> Any:
        """A new file to write to."""
        system, whole = self._opened(path)
        system.create_dir(whole.rpartition("/")[0], recursive=True)
        return system.open_output_stream(whole)

    def delete(self, path: str) -> None:
        """Delete a file, if it exists."""
        system, whole = self._opened(path)
        try:
            system.delete_file(whole)
        except FileNotFoundError:
            return

    def delete_unfinished(self, folder: str) -> None:
        """Delete the hidden files of a folder that has no complete file."""
        from pyarrow import fs

        system, path = self._opened(folder)
        found = system.get_file_info(fs.FileSelector(path, allow_not_found=True))
        if all(each.base_name.startswith(".") for each in found):
            for each in found:
                if each.is_file:
                    system.delete_file(each.path)

    def delete_folder(self, path: str) -> None:
        """Delete a folder with everything in it, if it exists."""
        system, whole = self._opened(path)
        try:
            system.delete_dir(whole)
        except FileNotFoundError:
            return

    def local_path(self, path: str) -> Path | None:
        """The path of a file in a local or mounted folder, None elsewhere."""
        from pyarrow import fs

        system, whole = self._opened(path)
        return Path(whole) if isinstance(system, fs.LocalFileSystem) else None

    def inside(self, folder: str) -> StreamFiles:
        """A folder in this folder, or this folder without a name."""
        return StreamFiles(f"{self.root.rstrip('/')}/{folder}") if folder else self


def _created(path: Path, content: bytes) -> bool:
    """Write a local file under another name, and link it to its own, if there is no such file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        beside.write_bytes(content)
        os.link(beside, path)
    except FileExistsError:
        return False
    except OSError as problem:
        if problem.errno not in _WITHOUT_LINKS:
            raise
        if path.exists():
            return False
        beside.rename(path)
    finally:
        beside.unlink(missing_ok=True)
    return True


@lru_cache(maxsize=32)
def _opened_root(root: str) -> tuple[Any, str]:
    """The file system of a folder and its path there. An object store is asked for its region, so this is done once.

    Hadoop does not escape the characters of a path, so a local path is not read as a URI.
    """
    from pyarrow import fs

    if root.startswith("file:"):
        return fs.LocalFileSystem(), f"/{root.removeprefix('file:').lstrip('/')}"
    if "://" not in root:
        return fs.LocalFileSystem(), root
    system, path = fs.FileSystem.from_uri(arrow_address(root))
    return system, path


RESTART = "start the stream with another checkpoint, and read its input from the beginning"


@dataclass(frozen=True)
class StateNames:
    """The names of the files with the state of a bucket.

    The state is a `snapshot`, changed by `journals` in their order, each after the records that waited for its query
    times. Then there are the records that are `waiting` for the next query time. `has_repetition` says that there are
    files of the next micro-batch, or of later ones.
    """

    snapshot: str | None
    journals: list[tuple[list[str], str]]
    waiting: list[str]
    has_repetition: bool = False

    @property
    def last(self) -> str | None:
        """The file of the last evaluated micro-batch."""
        return self.journals[-1][1] if self.journals else self.snapshot


@dataclass(frozen=True)
class StateFiles:
    """The state of one bucket of a stage before and after each micro-batch."""

    files: StreamFiles
    stage: int
    bucket: int

    @property
    def folder(self) -> str:
        return f"state/{self.stage}/{self.bucket}"

    def before(self, batch: int) -> StateNames:
        """The state before a micro-batch.

        Earlier files are deleted, also unfinished ones: no micro-batch before this one can be repeated.
        """
        found_names = self.files.all_names(self.folder)
        for name in found_names:
            if name.startswith(".") and _number_of_unfinished(name) < batch:
                self.files.delete(f"{self.folder}/{name}")
        names = numbered(found_names)
        earlier = [name for name in names if number_of(name) < batch]
        found = self._needed(earlier)
        needed = {found.snapshot, *found.waiting}
        for waiting, journal in found.journals:
            needed.update(waiting, [journal])
        for name in earlier:
            if name not in needed:
                self.files.delete(f"{self.folder}/{name}")
        return replace(found, has_repetition=len(earlier) < len(names))

    def needed_by(self, batch: int | None = None) -> StateNames:
        """The state before a micro-batch, by default after the last one; no file is deleted."""
        names = self._names()
        return self._needed(names if batch is None else [name for name in names if number_of(name) < batch])

    def _names(self) -> list[str]:
        return numbered(self.files.names(self.folder))

    def after(self, batch: int) -> str | None:
        """The file with the state after a micro-batch that an attempt has written, a snapshot rather than a journal."""
        for kind in (_STATE, _JOURNAL):
            if self.files.exists(f"{self.folder}/{_name(batch, kind)}"):
                return _name(batch, kind)
        return None

    def _needed(self, names: list[str]) -> StateNames:
        """The last snapshot and what follows it; a repeated micro-batch may have left a snapshot and a journal."""
        snapshots = [name for name in names if name.endswith(_STATE)]
        snapshot = snapshots[-1] if snapshots else None
        last = -1 if snapshot is None else number_of(snapshot)
        journals: list[tuple[list[str], str]] = []
        waiting: list[str] = []
        for name in (name for name in names if number_of(name) > last):
            if name.endswith(_JOURNAL):
                journals.append((waiting, name))
                waiting = []
            elif name.endswith(_WAITING):
                waiting.append(name)
        return StateNames(snapshot, journals, waiting)

    def read(self, name: str) -> bytes:
        return self.files.read(f"{self.folder}/{name}")

    def is_of(self, name: str | None, batch: int, head: bytes) -> bool:
        """Whether a file is of the state after a micro-batch, and begins with these bytes."""
        if name is None or number_of(name) != batch:
            return False
        return self.files.head(f"{self.folder}/{name}", len(head)) == head

    def save(self, batch: int, content: bytes) -> None:
        """Write the state after a micro-batch as a snapshot."""
        self.files.write(f"{self.folder}/{_name(batch, _STATE)}", content)

    def claim(self, batch: int, content: bytes, *, is_journal: bool) -> bool:
        """Write the state after a micro-batch, unless another attempt has done so: False, and nothing changes."""
        kinds = (_JOURNAL, _STATE) if is_journal else (_STATE, _JOURNAL)
        own, other = (f"{self.folder}/{_name(batch, kind)}" for kind in kinds)
        if self.files.exists(other) or not self.files.create(own, content):
            return False
        if self.files.exists(other):  # created in the same moment: both attempts may see that, and both try again
            self.files.delete(own)
            return False
        return True

    def wait(self, batch: int, content: bytes) -> None:
        """Write records that no query time of a micro-batch has seen."""
        self.files.write(f"{self.folder}/{_name(batch, _WAITING)}", content)


def _name(batch: int, kind: str) -> str:
    return f"{batch:0{_DIGITS}}{kind}"


def numbered(names: Iterable[str]) -> list[str]:
    """The names with the number of a micro-batch.

    >>> numbered(["000000000012.state", "notes.txt"])
    ['000000000012.state']
    """
    return [name for name in names if name.partition(".")[0].isdecimal()]


def _number_of_unfinished(name: str) -> float:
    """The number of the micro-batch that began to write a hidden file; infinite for files of other kinds.

    >>> _number_of_unfinished(".000000000012.state.5f3a"), _number_of_unfinished(".notes")
    (12, inf)
    """
    own = name.removeprefix(".")
    return number_of(own) if numbered([own]) else inf


def number_of(name: str) -> int:
    """The number of the micro-batch that wrote a file."""
    return int(name.partition(".")[0])
