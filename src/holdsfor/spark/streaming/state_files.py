"""The files of a stream below its checkpoint: state of buckets, records that wait, and decisions.

A file is written under another name and then renamed, so a file with its own name is complete. Its name has the number
of the micro-batch that wrote it. A micro-batch that is repeated after a crash reads the files of earlier ones only, and
writes its own again with the same content.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdsfor.errors import DataProblem, Diagnostic

__all__ = ["FILES", "RESTART", "StateFiles", "StreamFiles", "number_of"]

FILES = "holdsfor"
"""The folder of the stream in its checkpoint."""

_STATE, _WAITING = ".state", ".waiting"
_DIGITS = 12


@dataclass(frozen=True)
class StreamFiles:
    """A folder, as a path or a URI that Arrow can open."""

    root: str

    def _opened(self, path: str) -> tuple[Any, str]:
        from pyarrow import fs  # type: ignore[import-untyped]

        whole = f"{self.root.rstrip('/')}/{path}" if path else self.root
        if "://" not in whole and not whole.startswith("file:"):
            return fs.LocalFileSystem(), whole
        system, found = fs.FileSystem.from_uri(whole)
        return system, found

    def names(self, folder: str) -> list[str]:
        """The names of the complete files of a folder, in order; a folder that does not exist has none."""
        from pyarrow import fs

        system, path = self._opened(folder)
        found = system.get_file_info(fs.FileSelector(path, allow_not_found=True))
        return sorted(each.base_name for each in found if each.is_file and not each.base_name.startswith("."))

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
        system.create_dir(folder, recursive=True)
        with system.open_output_stream(beside) as file:
            file.write(content)
        system.move(beside, whole)

    def delete(self, path: str) -> None:
        """Delete a file, if it exists."""
        system, whole = self._opened(path)
        try:
            system.delete_file(whole)
        except FileNotFoundError:
            return

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


RESTART = "start the stream with another checkpoint, and read its input from the beginning"


@dataclass(frozen=True)
class StateFiles:
    """The state of one bucket of a stage before and after each micro-batch."""

    files: StreamFiles
    stage: int
    bucket: int

    @property
    def folder(self) -> str:
        return f"state/{self.stage}/{self.bucket}"

    def before(self, batch: int) -> tuple[str | None, list[str]]:
        """The state before a micro-batch, and the records that wait since then, as names of files.

        Earlier files are deleted: no micro-batch before this one can be repeated.
        """
        names = [name for name in self.files.names(self.folder) if number_of(name) < batch]
        state, waiting = self._needed(names)
        for name in names:
            if name != state and name not in waiting:
                self.files.delete(f"{self.folder}/{name}")
        return state, waiting

    def needed_by(self, batch: int) -> tuple[str | None, list[str]]:
        """The state before a micro-batch, and the records that wait since then; no file is deleted."""
        return self._needed([name for name in self.files.names(self.folder) if number_of(name) < batch])

    def _needed(self, names: list[str]) -> tuple[str | None, list[str]]:
        states = [name for name in names if name.endswith(_STATE)]
        state = states[-1] if states else None
        last = -1 if state is None else number_of(state)
        return state, [name for name in names if name.endswith(_WAITING) and number_of(name) > last]

    def read(self, name: str) -> bytes:
        return self.files.read(f"{self.folder}/{name}")

    def is_of(self, name: str | None, batch: int, head: bytes) -> bool:
        """Whether a file is the state after a micro-batch that begins with these bytes."""
        return name == _state(batch) and self.files.head(f"{self.folder}/{name}", len(head)) == head

    def save(self, batch: int, content: bytes) -> None:
        """Write the state after a micro-batch."""
        self.files.write(f"{self.folder}/{_state(batch)}", content)

    def wait(self, batch: int, content: bytes) -> None:
        """Write records that no query time of a micro-batch has seen."""
        self.files.write(f"{self.folder}/{batch:0{_DIGITS}}{_WAITING}", content)


def _state(batch: int) -> str:
    return f"{batch:0{_DIGITS}}{_STATE}"


def number_of(name: str) -> int:
    """The number of the micro-batch that wrote a file."""
    return int(name.partition(".")[0])
