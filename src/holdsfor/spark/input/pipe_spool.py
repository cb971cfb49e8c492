"""The lines of a named pipe, kept in files until a query has committed them.

A pipe delivers its bytes once. A micro-batch may be read several times, by several tasks and again after a crash. A
thread therefore copies complete lines from the pipe to *segments*: files in a folder, whose names are the number of
bytes before them. A position in the pipe is a number of bytes in all segments together. A line has a position only
after it is on disk. The part of a line whose end has not come is in a file of its own, from which the next process
continues it.

Bytes that have left the pipe and are not on disk are lost when the process dies: at most one read, and the line whose
end has not come. No program can avoid that with a pipe, because its writer does not learn which bytes were read. The
file with the part of a line is therefore deleted before each read: a part that is there is followed by no lost bytes.
"""

from __future__ import annotations

import itertools
import os
import select
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from holdsfor.errors import DataProblem, Diagnostic, ExecutionProblem, UsageProblem
from holdsfor.file_lock import FileLock
from holdsfor.sources.whole_lines import LineBuffer

__all__ = ["Piece", "PipeSpool", "is_pipe"]

_SEGMENT, _ENDED, _LOCK, _PART = ".lines", "ended", "lock", "part"
_LONGEST_SEGMENT = 1 << 24
_CHUNK = 1 << 16
_WAIT = 0.1
_LOCK_SECONDS = 20.0
_DIGITS = 20


def is_pipe(path: str) -> bool:
    """Whether a path is a named pipe."""
    try:
        return Path(path).is_fifo()
    except (OSError, ValueError):
        return False


@dataclass(frozen=True)
class Piece:
    """Some bytes of a file, from `begin` to `end`."""

    path: str
    begin: int
    end: int


class PipeSpool:
    """A folder with the lines of a pipe; `start` begins to copy them. One process uses a folder at a time.

    That the last writer has closed the pipe is noted with the position. The note is about the lines before it: when
    they are processed, the pipe has not ended for a process that starts then.
    """

    def __init__(self, folder: str, pipe: str) -> None:
        self.folder, self.pipe = Path(folder), pipe
        self._failure: Exception | None = None
        self._lock_file: FileLock | None = None
        self._end = 0
        self._has_ended = threading.Event()

    def start(self) -> None:
        """Copy the lines of the pipe from now on, in a thread, as long as the process lives."""
        self._open()
        threading.Thread(target=self._copy_in_thread, name=f"spool of {self.pipe}", daemon=True).start()

    def read_to_end(self) -> int:
        """The position at which the last writer has closed the pipe; a pipe that was closed before is not read."""
        self._open()
        assert self._lock_file is not None
        try:
            if self._ended_at() != self._end:
                self._copy(is_endless=False)
        except OSError as problem:
            raise self._unwritable(problem) from None
        finally:
            self._lock_file.release()
        return self._end

    def _open(self) -> None:
        """Lock the folder, and continue after the lines that it has."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock()
            self._end = self._repaired_end()
        except OSError as problem:
            raise self._unwritable(problem) from None

    @property
    def end(self) -> int:
        """The position after the last complete line."""
        if self._failure is not None:
            raise self._failure
        return self._end

    def wait_for_end(self, begin: int) -> int:
        """The position at which the last writer closes the pipe, once it does; lines before `begin` are processed."""
        while not self._has_ended.wait(_WAIT) and not begin < self.end == self._ended_at():
            continue
        return self.end

    def pieces(self, begin: int, end: int) -> list[Piece]:
        """The bytes between two positions."""
        found = []
        for first, path in self._segments():
            last = first + path.stat().st_size
            if first < end and begin < last:
                found.append(Piece(str(path), max(begin, first) - first, min(end, last) - first))
        if sum(piece.end - piece.begin for piece in found) != end - begin:
            message = f"the lines of `{self.pipe}` from byte {begin} to {end} are not in `{self.folder}`"
            hint = "restore the folder, or start the stream with another checkpoint"
            raise DataProblem(Diagnostic("HF709", message, hint=hint))
        return found

    def drop_before(self, end: int) -> None:
        """Delete the segments before a position, up to the last one, which marks the position."""
        segments = self._segments()
        for (_, path), (following, _) in itertools.pairwise(segments):
            if following <= end:
                path.unlink(missing_ok=True)

    # -- the pipe ------------------------------------------------------------------------------------------------------

    def _copy_in_thread(self) -> None:
        try:
            self._copy(is_endless=True)
        except OSError as problem:
            self._failure = self._unwritable(problem)

    def _copy(self, *, is_endless: bool) -> None:
        """Copy lines until the last writer has closed the pipe, or for ever."""
        pipe = os.open(self.pipe, os.O_RDONLY | os.O_NONBLOCK)
        try:
            poll = select.poll()
            poll.register(pipe, select.POLLIN)
            buffer = LineBuffer(self._stored_part())
            # Before the first writer there is no event; when the last writer has left, there is one at once. The writer
            # of a stored part may have left before.
            may_read = bool(buffer.rest)
            while is_endless or not self._has_ended.is_set():
                if may_read or poll.poll(_WAIT * 1000):
                    self._copy_chunk(pipe, buffer)
                may_read = False
        finally:
            os.close(pipe)

    def _copy_chunk(self, pipe: int, buffer: LineBuffer) -> None:
        """Copy the bytes that are in the pipe after the part of a line."""
        (self.folder / _PART).unlink(missing_ok=True)
        chunk = _read_chunk(pipe)
        if chunk:
            self._has_ended.clear()
            self._append(buffer.add(chunk))
        elif chunk is None:
            pass
        elif not self._has_ended.is_set():
            self._append(buffer.add(b"\n") if buffer.rest else b"")
            self._note_end()
        else:
            time.sleep(_WAIT)
        self._store_part(buffer.rest)

    def _append(self, lines: bytes) -> None:
        if not lines:
            return
        segments = self._segments()
        path = self.folder / f"{self._end:0{_DIGITS}}{_SEGMENT}"
        if segments and segments[-1][1].stat().st_size < _LONGEST_SEGMENT:
            path = segments[-1][1]
        with path.open("ab") as file:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        self._end += len(lines)

    def _note_end(self) -> None:
        """Note that the last writer has closed the pipe."""
        self._replace(_ENDED, b"%d" % self._end)
        self._has_ended.set()

    def _store_part(self, part: bytes) -> None:
        """Keep the part of a line that follows the lines."""
        if part:
            self._replace(_PART, b"%d\n%s" % (self._end, part))

    def _replace(self, name: str, content: bytes) -> None:
        beside = self.folder / f".{name}"
        beside.write_bytes(content)
        beside.replace(self.folder / name)

    # -- the files -----------------------------------------------------------------------------------------------------

    def _segments(self) -> Sequence[tuple[int, Path]]:
        """The segments in order, each with the number of bytes before it."""
        found = sorted(self.folder.glob(f"*{_SEGMENT}"))
        return [(int(path.name.removesuffix(_SEGMENT)), path) for path in found]

    def _repaired_end(self) -> int:
        """The position after the last complete line; a part of a line that a crash has left is removed."""
        segments = self._segments()
        if not segments:
            return 0
        first, path = segments[-1]
        content = path.read_bytes()
        complete = content.rfind(b"\n") + 1
        if complete < len(content):
            os.truncate(path, complete)
        return first + complete

    def _ended_at(self) -> int | None:
        path = self.folder / _ENDED
        return int(path.read_text(encoding="ascii")) if path.exists() else None

    def _stored_part(self) -> bytes:
        """The part of a line that an earlier process has read after the lines."""
        path = self.folder / _PART
        end, _, part = path.read_bytes().partition(b"\n") if path.exists() else (b"", b"", b"")
        return part if end == b"%d" % self._end else b""

    def _lock(self) -> None:
        """Take the folder for this process; the process of a query that has just ended may still have it."""
        try:
            self._lock_file = FileLock(self.folder / _LOCK, seconds=_LOCK_SECONDS)
        except BlockingIOError:
            message = f"the folder `{self.folder}` for the lines of `{self.pipe}` is used by another query"
            raise UsageProblem(Diagnostic("HF794", message, hint="give another `spool`")) from None

    def _unwritable(self, problem: OSError) -> ExecutionProblem:
        message = f"the lines of `{self.pipe}` cannot be kept in `{self.folder}`: {problem.strerror or problem}"
        return ExecutionProblem(Diagnostic("HF620", message, hint="free disk space, or check the permissions"))


def _read_chunk(pipe: int) -> bytes | None:
    """The bytes that are in a pipe; none if no writer has it open, None if a writer has it open and writes nothing."""
    try:
        return os.read(pipe, _CHUNK)
    except BlockingIOError:
        return None
