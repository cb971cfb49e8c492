"""A Unix socket to which senders of records connect: the input mode `socket` of RTEC.

Only this user can connect. Any number of senders may connect and disconnect. Lines are passed on whole, so that lines
of two senders never mix; the end of a connection ends the sender's last line. A thread accepts connections and copies
lines to a pipe, from which the run reads; a full pipe blocks the senders. The input ends with the run.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import threading
from pathlib import Path

from holdsfor.sources.whole_lines import LineBuffer

__all__ = ["Listener", "is_served"]

_CHUNK = 1 << 16


class Listener:
    """Listens on a path; `fileno` delivers the lines of all senders."""

    def __init__(self, path: str) -> None:
        """Create the socket. A stale socket of an earlier run is replaced; a path in use raises `OSError`."""
        _remove_stale_socket(path)
        self.path = path
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._server.bind(path)
            Path(path).chmod(0o600)  # before it listens: a connection is refused until then
            self._server.listen()
        except OSError:
            self._server.close()
            raise
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._reader, False)
        self._stop, self._stopped = socket.socketpair()
        self._thread = threading.Thread(target=self._serve, name=f"listen {path}", daemon=True)
        self._thread.start()

    def fileno(self) -> int:
        return self._reader

    def close(self) -> None:
        """Refuse further connections and remove the socket."""
        self._stop.close()
        os.close(self._reader)
        self._thread.join()
        with contextlib.suppress(FileNotFoundError):
            Path(self.path).unlink()

    def _serve(self) -> None:
        buffers: dict[socket.socket, LineBuffer] = {}
        with selectors.DefaultSelector() as selector, contextlib.suppress(BrokenPipeError):
            selector.register(self._server, selectors.EVENT_READ)
            selector.register(self._stopped, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select()]
                if self._stopped in ready:
                    break
                for each in ready:
                    assert isinstance(each, socket.socket)
                    if each is self._server:
                        sender, _ = self._server.accept()
                        buffers[sender] = LineBuffer()
                        selector.register(sender, selectors.EVENT_READ)
                    elif not self._pass_on(each, buffers[each]):
                        del buffers[each]
                        selector.unregister(each)
                        each.close()
        for each in (*buffers, self._server, self._stopped):
            each.close()
        os.close(self._writer)

    def _pass_on(self, sender: socket.socket, buffer: LineBuffer) -> bool:
        """Pass on the whole lines that a sender has sent; False if the sender has disconnected."""
        try:
            chunk = sender.recv(_CHUNK)
        except OSError:
            chunk = b""
        self._write(buffer.add(chunk) if chunk or not buffer.rest else buffer.add(b"\n"))
        return bool(chunk)

    def _write(self, lines: bytes) -> None:
        while lines:
            lines = lines[os.write(self._writer, lines) :]


def _remove_stale_socket(path: str) -> None:
    """Remove a socket on which no program listens."""
    if Path(path).is_socket() and not is_served(path):
        Path(path).unlink()


def is_served(path: str) -> bool:
    """Whether a program listens on a socket."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        client.connect(path)
    except OSError:
        return False
    finally:
        client.close()
    return True
