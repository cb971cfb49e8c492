"""Standard output and standard error of a command, also where a process was started without them.

What a command says on standard error never stops it: where that is closed, full or has no reader any more, it is lost.
Results that cannot be written to standard output are an error that names it.
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
    """Standard output of a process that was started without one."""

    @property
    def buffer(self) -> _Closed:
        return self

    def write(self, text: object) -> int:
        raise OSError(errno.EBADF, "closed", STANDARD_OUTPUT)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """There is nothing to write."""


class _Remarks:
    """Standard error whose loss stops nothing."""

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
    """Let go nowhere what a stream still holds: at the end of the process it would be written, and fail, again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextlib.contextmanager
def standard_streams() -> Iterator[None]:
    """Let a command write to its standard streams, whatever state they are in."""
    _occupy_standard_numbers()
    before = sys.stdout, sys.stderr
    sys.stdout = _Closed() if sys.stdout is None else sys.stdout
    sys.stderr = _Remarks(io.StringIO() if sys.stderr is None else sys.stderr)
    try:
        yield
    finally:
        sys.stderr.flush()
        sys.stdout, sys.stderr = before


def _occupy_standard_numbers() -> None:
    """Let no file that is opened later get the number of a closed standard stream: others write to these numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
