"""A process that another one has started: it makes an object, and calls its methods as it is asked to."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import traceback
from multiprocessing.connection import Connection

from holdsfor.errors import HoldsforError
from holdsfor.without_pandas import refuse_pandas

__all__ = ["serve"]


def serve(connection: Connection) -> None:
    """Answer calls until the process is ended; SIGINT is for the process that has started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    refuse_pandas()
    try:
        _, (make, number, folder) = connection.recv()
    except (EOFError, ConnectionError):  # the run was interrupted while it started this process
        return
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()
    own = make(number, folder)
    while (call := _next_call(connection)) is not None:
        connection.send(_outcome(own, *call))
    # If the other process was killed, this one may end before the thread removes the folder.
    shutil.rmtree(folder, ignore_errors=True)


def _next_call(connection: Connection) -> tuple[str, tuple[object, ...]] | None:
    """The next method to call, with its arguments; None at the end of the job."""
    try:
        call: tuple[str, tuple[object, ...]] = connection.recv()
    except (EOFError, ConnectionError):
        return None
    return call


def _end_with_parent(folder: str) -> None:
    """End this process when the other one has ended, also in the middle of a call."""
    # Without a buffer: the lock of a buffer that a thread reads is an error when the interpreter ends.
    while os.read(sys.stdin.fileno(), 1):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)


def _outcome(own: object, method: str, arguments: tuple[object, ...]) -> tuple[object, object]:
    """The result of a call, and its error."""
    try:
        return getattr(own, method)(*arguments), None
    except HoldsforError as problem:
        return None, problem
    except Exception:
        return None, traceback.format_exc()


if __name__ == "__main__":
    serve(Connection(int(sys.argv[1])))
