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
from holdsfor.sources.inputs import standard_input
from holdsfor.sources.socket_listener import Listener

__all__ = ["Channel", "open_channel"]

_HINT = "a live input is a named pipe, a file, `unix:PATH` for a socket, or `-` for standard input"


class Channel:
    """An open input; `fileno` is for waiting until the input is ready."""

    def __init__(self, name: str, fd: int, close: Callable[[], None]) -> None:
        self.name = name
        self._fd = fd
        self.close = close

    def fileno(self) -> int:
        return self._fd

    def read(self, n_bytes: int) -> bytes | None:
        """The available bytes, up to `n_bytes`: empty if the input has ended, None if no byte is available yet."""
        try:
            return os.read(self._fd, n_bytes)
        except BlockingIOError:
            return None
        except OSError as error:
            raise _unreadable(self.name, error) from None


def open_channel(name: str) -> Channel:
    """The input of that name: a path, `unix:PATH`, `listen:PATH` or `-`."""
    try:
        if name == "-":
            return Channel(name, standard_input(_HINT).fileno(), close=lambda: None)
        if name.startswith(SOCKET):
            return _connected(name)
        if name.startswith(LISTEN):
            listener = Listener(name.removeprefix(LISTEN))
            return Channel(name, listener.fileno(), close=listener.close)
        fd = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
        if stat.S_ISDIR(os.fstat(fd).st_mode):
            os.close(fd)
            raise DataProblem(Diagnostic("HF501", f"`{name}` is a directory", hint=_HINT, file=name))
        return Channel(name, fd, close=lambda: os.close(fd))
    except FileNotFoundError:
        raise DataProblem(Diagnostic("HF501", f"`{name}` not found", hint=_HINT, file=name)) from None
    except (OSError, ValueError) as error:
        raise _unreadable(name, error) from None


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
