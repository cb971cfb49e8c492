"""A file that grows while it is read: its end is not the end of the input.

A regular file is always ready to be read, also at its end. So a thread reads the file, waits at its end and
copies the bytes to a pipe, from which the run reads.
"""

from __future__ import annotations

import contextlib
import os
import threading

__all__ = ["FollowedFile"]

_CHUNK = 1 << 16
_PAUSE = 0.1
"""Seconds between two attempts to read at the end of the file."""


class FollowedFile:
    """Reads an open file from its position on; `fileno` delivers its content.

    If the file becomes shorter than the part already read, `is_truncated` is set and the pipe ends.
    """

    def __init__(self, file: int) -> None:
        self.file = file
        self.is_truncated = False
        self._position = os.lseek(file, 0, os.SEEK_CUR)
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="follow", daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        return self._reader

    def close(self) -> None:
        """Stop reading, and close the file."""
        self._stop.set()
        os.close(self._reader)
        self._thread.join()
        os.close(self.file)

    def _follow(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            while not self._stop.is_set():
                chunk = os.pread(self.file, _CHUNK, self._position)
                self._position += len(chunk)
                self._write(chunk)
                if not chunk and os.fstat(self.file).st_size < self._position:
                    self.is_truncated = True
                    break
                if not chunk:
                    self._stop.wait(_PAUSE)
        os.close(self._writer)

    def _write(self, chunk: bytes) -> None:
        while chunk:
            chunk = chunk[os.write(self._writer, chunk) :]
