"""Live inputs as channels of bytes: named pipes, Unix sockets, standard input and plain files.

A channel is read when it is ready, so one thread can read many. A named pipe is opened without waiting for its writer:
it is not ready before the first writer opens it, and ends when the last writer closes it.
"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sources.column_mapping import LISTEN, SOCKET
from holdsfor.sources.file_marks import FileMark, mark_of
from holdsfor.sources.followed_file import FollowedFile
from holdsfor.sources.inputs import standard_input
from holdsfor.sources.socket_listener import Listener

__all__ = ["Channel", "ended_channel", "open_channel"]

_HINT = "a live input is a named pipe, a file, `unix:PATH` for a socket, or `-` for standard input"
_CHANGED = "restore the file, or start a new run with another folder for checkpoints"


class Channel:
    """An open input; `fileno` is for waiting until the input is ready. `file` is the descriptor of a regular file."""

    def __init__(self, name: str, fd: int, close: Callable[[], None], file: int | None = None) -> None:
        self.name = name
        self._fd = fd
        self.close = close
        self.file = file

    def fileno(self) -> int:
        return self._fd

    @property
    def offset(self) -> int:
        """Up to where a regular file has been read; 0 for any other input."""
        return 0 if self.file is None else os.lseek(self.file, 0, os.SEEK_CUR)

    def mark(self, offset: int) -> FileMark | None:
        """The mark of a regular file at an offset; None for an input that cannot be read twice."""
        return None if self.file is None else mark_of(self.file, offset)

    def read(self, n_bytes: int) -> bytes | None:
        """The available bytes, up to `n_bytes`: empty if the input has ended, None if no byte is available yet."""
        try:
            return os.read(self._fd, n_bytes)
        except BlockingIOError:
            return None
        except OSError as error:
            raise _unreadable(self.name, error) from None


class FollowedChannel(Channel):
    """A file that may grow, as an input that has no end."""

    def __init__(self, name: str, file: int) -> None:
        self._followed = FollowedFile(file)
        super().__init__(name, self._followed.fileno(), self._followed.close, file)

    def read(self, n_bytes: int) -> bytes | None:
        chunk = super().read(n_bytes)
        if chunk == b"" and self._followed.is_truncated:
            message = f"the input `{self.name}` was truncated while it was followed"
            raise DataProblem(Diagnostic("HF709", message, hint="start a new run", file=self.name))
        return chunk


def open_channel(name: str, mark: FileMark | None = None, *, follows: bool = False) -> Channel:
    """The input of that name: a path, `unix:PATH`, `listen:PATH` or `-`.

    A file is read from a mark on. An input that `follows` a file also reads the bytes that are appended later.
    """
    try:
        channel = _opened(name)
    except FileNotFoundError:
        raise DataProblem(Diagnostic("HF501", f"`{name}` not found", hint=_HINT, file=name)) from None
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from None
    if mark is not None:
        _skip_to(mark, channel)
    return FollowedChannel(name, channel.file) if follows and channel.file is not None else channel


def ended_channel(name: str) -> Channel:
    """An input that has ended and is not opened again."""
    return Channel(name, -1, close=lambda: None)


def _opened(name: str) -> Channel:
    if name == "-":
        fd = standard_input(_HINT).fileno()
        return Channel(name, fd, close=lambda: None, file=fd if _is_regular(fd) else None)
    if name.startswith(SOCKET):
        return _connected(name)
    if name.startswith(LISTEN):
        listener = Listener(name.removeprefix(LISTEN))
        return Channel(name, listener.fileno(), close=listener.close)
    fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
    if stat.S_ISDIR(os.fstat(fd).st_mode):
        os.close(fd)
        raise DataProblem(Diagnostic("HF501", f"`{name}` is a directory", hint=_HINT, file=name))
    return Channel(name, fd, close=lambda: os.close(fd), file=fd if _is_regular(fd) else None)


def _is_regular(fd: int) -> bool:
    return stat.S_ISREG(os.fstat(fd).st_mode)


def _skip_to(mark: FileMark, channel: Channel) -> None:
    change = "is not a file any more" if channel.file is None else mark.change_of(channel.file)
    if change is not None:
        channel.close()
        message = f"the input `{channel.name}` {change}: it was replaced or truncated after the checkpoint"
        raise DataProblem(Diagnostic("HF709", message, hint=_CHANGED, file=channel.name))
    assert channel.file is not None
    os.lseek(channel.file, mark.length, os.SEEK_SET)


def _connected(name: str) -> Channel:
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        client.connect(name.removeprefix(SOCKET))
    except OSError:
        client.close()
        raise
    return Channel(name, client.fileno(), close=client.close)


def _unreadable(name: str, error: OSError | ValueError) -> DataProblem:
    message = f"`{name}` cannot be read: {(getattr(error, 'strerror', None) or str(error)).lower()}"
    return DataProblem(Diagnostic("HF501", message, hint=_HINT, file=name))
