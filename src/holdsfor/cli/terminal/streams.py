"""The standard streams of a command, also in a process that was started without them.

Messages that cannot be written to standard error are lost and do not stop the command. Results that cannot be written
to standard output are an error that names standard output.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import Any

__all__ = ["STANDARD_OUTPUT", "discard", "standard_streams"]

STANDARD_OUTPUT = "standard output"


class _Closed(io.TextIOBase):
    """Standard output of a process that was started without it."""

    @property
    def buffer(self) -> _Closed:
        return self

    def write(self, text: object) -> int:
        raise OSError(errno.EBADF, "closed", STANDARD_OUTPUT)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """Nothing is buffered."""


class _Messages:
    """Standard error that discards messages which cannot be written."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        try:
            self._stream.write(text)
        except (OSError, ValueError):
            discard(self._stream)
        return len(text)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except (OSError, ValueError):
            discard(self._stream)


def discard(stream: Any) -> None:
    """Discard the buffer of a stream. Python would else try to write it again at the end of the process, and fail."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextlib.contextmanager
def standard_streams() -> Iterator[None]:
    """Replace standard streams that are closed or may fail, while a command runs."""
    _open_closed_descriptors()
    before = sys.stdout, sys.stderr
    sys.stdout = _Closed() if sys.stdout is None else sys.stdout
    sys.stderr = _Messages(io.StringIO() if sys.stderr is None else sys.stderr)
    try:
        yield
    finally:
        sys.stderr.flush()
        sys.stdout, sys.stderr = before


def _open_closed_descriptors() -> None:
    """Open closed standard descriptors on the null device.

    A file that is opened later would else get such a number, and libraries that write to the number would write to it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
