"""A process that another one has started: it makes an object, and calls its methods as it is asked to."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection

from holdsfor.errors import HoldsforError
from holdsfor.without_pandas import refuse_pandas

__all__ = ["end_with_parent", "serve", "serve_interpreter"]


def serve(connection: Connection, make: Callable[[int, str], object], number: int, folder: str) -> None:
    """Answer calls until the process is ended; SIGINT is for the process that has started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    own = make(number, folder)
    while (call := _next_call(connection)) is not None:
        connection.send(_outcome(own, *call))
    # If the other process was killed, this one may end before the thread removes the folder.
    shutil.rmtree(folder, ignore_errors=True)


def serve_interpreter(connection: Connection) -> None:
    """Answer calls in a new interpreter, after a message with the object to make."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    refuse_pandas()
    try:
        make, number, folder = connection.recv()
    except (EOFError, ConnectionError):  # the run was interrupted while it started this process
        return
    end_with_parent(sys.stdin.fileno(), folder)
    serve(connection, make, number, folder)


def _next_call(connection: Connection) -> tuple[str, tuple[object, ...]] | None:
    """The next method to call, with its arguments; None at the end of the job."""
    try:
        call: tuple[str, tuple[object, ...]] = connection.recv()
    except (EOFError, ConnectionError):
        return None
    return call


def end_with_parent(pipe: int, folder: str) -> None:
    """End this process when the other end of a pipe is closed, also in the middle of a call."""
    threading.Thread(target=_end_after, args=(pipe, folder), daemon=True).start()


def _end_after(pipe: int, folder: str) -> None:
    # Without a buffer: the lock of a buffer that a thread reads is an error when the interpreter ends.
    while os.read(pipe, 1):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _outcome(own: object, method: str, arguments: tuple[object, ...]) -> tuple[object, object]:
    """The result of a call, and its error."""
    try:
        return getattr(own, method)(*arguments), None
    except (HoldsforError, OSError) as problem:
        return None, problem
    except Exception:
        return None, traceback.format_exc()


if __name__ == "__main__":
    serve_interpreter(Connection(int(sys.argv[1])))
