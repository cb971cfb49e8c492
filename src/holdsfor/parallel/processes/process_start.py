"""The start of another process that answers calls: as a fork of this one, or as a new interpreter.

A fork has all modules and the compiled rules at once, where a new interpreter takes half a second to import them. A
fork copies the locks that other threads hold, so a process forks only if no other Python thread runs; the threads of
NumPy and Arrow hold no locks while this thread forks. Other systems than Linux have libraries that a fork breaks.

A new interpreter does not import the main module of the program, so a script needs no `if __name__ == "__main__"`.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from typing import NoReturn, Protocol

from holdsfor.parallel.processes.worker import end_with_parent, serve
from holdsfor.python_process import environment_with_modules, python_command

__all__ = ["StartedProcess", "can_fork", "forked_process", "new_process"]


_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM)


class StartedProcess(Protocol):
    """Another process, and the connection to it. It ends when `close` is called, and when this process ends."""

    connection: Connection

    def close(self) -> None:
        """Close the connection, end the process, and wait for its end."""

    def wait(self) -> int:
        """Wait for the end of the process; return its exit code, negative for a signal."""


def can_fork() -> bool:
    """Whether a fork of this process is safe."""
    return sys.platform == "linux" and len(sys._current_frames()) == 1


# -- forks -------------------------------------------------------------------------------------------------------------


class _Fork:
    """A fork of this process. Its pipe ends with this process."""

    def __init__(self, number: int, connection: Connection, pipe: int) -> None:
        self.connection = connection
        self.pipe = pipe
        self._number = number
        self._code: int | None = None

    def wait(self) -> int:
        if self._code is None:
            try:
                self._code = os.waitstatus_to_exitcode(os.waitpid(self._number, 0)[1])
            except ChildProcessError:  # the program waits for all its children
                self._code = 0
        return self._code

    def close(self) -> None:
        self.close_ends()
        if self._code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._number, signal.SIGKILL)
            self.wait()

    def close_ends(self) -> None:
        """Close the connection and the pipe."""
        if not self.connection.closed:
            self.connection.close()
            os.close(self.pipe)


def forked_process(make: Callable[[int, str], object], number: int, folder: str, others: Sequence[object]) -> _Fork:
    """A fork that makes an object and answers calls of its methods; `others` are those started before."""
    ours, theirs = socket.socketpair()
    reading, writing = os.pipe()
    inherited = [each for each in others if isinstance(each, _Fork)]
    # Without this, a signal would raise KeyboardInterrupt in the fork, which would go on as a copy of the program.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads, which hold no locks
            child = os.fork()
        if child == 0:
            own = _Fork(0, Connection(ours.detach()), writing)
            _answer(make, number, folder, Connection(theirs.detach()), reading, [own, *inherited])
        theirs.close()
        os.close(reading)
        return _Fork(child, Connection(ours.detach()), writing)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _answer(
    make: Callable[[int, str], object],
    number: int,
    folder: str,
    connection: Connection,
    pipe: int,
    inherited: Sequence[_Fork],
) -> NoReturn:
    """Answer calls, and end the process without the exit handlers of the program and without its open files."""
    try:
        gc.freeze()  # garbage of the program is not collected twice
        signal.set_wakeup_fd(-1)
        for handled in _SIGNALS:
            signal.signal(handled, signal.SIG_IGN if handled == signal.SIGINT else signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        for each in inherited:
            each.close_ends()
        end_with_parent(pipe, folder)
        serve(connection, make, number, folder)
    finally:
        os._exit(0)


# -- new interpreters --------------------------------------------------------------------------------------------------


class _Interpreter:
    """A new Python process. Its standard input ends with this process."""

    def __init__(self, process: subprocess.Popen[bytes], connection: Connection) -> None:
        self.connection = connection
        self._process = process

    def wait(self) -> int:
        return self._process.wait()

    def close(self) -> None:
        self.connection.close()
        assert self._process.stdin is not None
        self._process.stdin.close()
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait()


def new_process(make: Callable[[int, str], object], number: int, folder: str) -> _Interpreter:
    """A new Python process that makes an object and answers calls of its methods."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            python_command("-m", "holdsfor.parallel.processes.worker", str(theirs.fileno())),
            pass_fds=[theirs.fileno()],
            stdin=subprocess.PIPE,
            env=environment_with_modules(),
        )
    started = _Interpreter(process, Connection(ours.detach()))
    try:
        started.connection.send((make, number, folder))
    except (BrokenPipeError, ConnectionError):
        pass  # the process has ended; the first call reports it
    except BaseException:
        started.close()
        raise
    return started
