"""Processes of one machine that work on the same job: this process and others that it starts.

Calls and short results go through sockets. Facts go through files in a temporary folder, which is removed at the end.
If this process is killed, the others remove the folder and end, too.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from holdsfor.errors import Diagnostic, ExecutionProblem, Hint, HoldsforError
from holdsfor.parallel.processes.process_start import StartedProcess, can_fork, forked_process, new_process

__all__ = ["NeedsOneProcess", "Pool", "can_start_processes"]

_PATIENCE = 0.2
"""The seconds after which a waiting process looks whether the run is stopped."""

Work = TypeVar("Work")
Found = TypeVar("Found")


class NeedsOneProcess(Exception):
    """A job cannot be done in several processes; the reason is its text."""


def can_start_processes() -> bool:
    """Whether this interpreter can start others of its kind."""
    return os.name == "posix" and bool(sys.executable)


class Pool(Generic[Work]):
    """This process, number 0, and the others. Each has an object of one class, whose methods the pool calls.

    If the run `is_stopped` while this process waits for others, the call ends with `KeyboardInterrupt`.
    """

    def __init__(self, n: int, make: Callable[[int, str], Work], is_stopped: Callable[[], bool]) -> None:
        self.n = n
        self._folder = tempfile.TemporaryDirectory(prefix="holdsfor-", ignore_cleanup_errors=True)
        self._others: list[_Other] = []
        self._make = make
        self._is_stopped = is_stopped
        self._own: Work | None = None

    @property
    def folder(self) -> str:
        """The folder for files that the processes exchange."""
        return self._folder.name

    @property
    def own(self) -> Work:
        """The object of this process."""
        if self._own is None:
            self._own = self._make(0, self.folder)
        return self._own

    def start(self) -> None:
        """Start the other processes."""
        try:
            for number in range(1, self.n):
                self._others.append(_Other(self._started(number)))
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """End the other processes, and remove the folder."""
        for other in self._others:
            other.process.close()
        self._folder.cleanup()

    def _started(self, number: int) -> StartedProcess:
        if can_fork():
            return forked_process(self._make, number, self.folder, [other.process for other in self._others])
        return new_process(self._make, number, self.folder)

    def call(self, method: Callable[..., Found], arguments: Sequence[tuple[object, ...]]) -> list[Found]:
        """The results of a method in all processes, called with the arguments of each."""
        for other, given in zip(self._others, arguments[1:], strict=True):
            other.send(method.__name__, given)
        own: Found = getattr(self.own, method.__name__)(*arguments[0])
        return [own, *(other.receive(self._is_stopped) for other in self._others)]

    def call_alike(self, method: Callable[..., Found], *arguments: object) -> list[Found]:
        """The results of a method in all processes, called with the same arguments."""
        return self.call(method, [arguments] * self.n)


class _Other:
    """Another process."""

    def __init__(self, process: StartedProcess) -> None:
        self.process = process

    def send(self, method: str, arguments: tuple[object, ...]) -> None:
        try:
            self.process.connection.send((method, arguments))
        except (BrokenPipeError, ConnectionError):
            raise self._lost() from None

    def receive(self, is_stopped: Callable[[], bool]) -> Any:
        """The result of the last call; an error of the other process is raised here."""
        connection = self.process.connection
        try:
            while not connection.poll(_PATIENCE):
                if is_stopped():
                    raise KeyboardInterrupt
            found, problem = connection.recv()
        except (EOFError, ConnectionError):
            raise self._lost() from None
        if isinstance(problem, HoldsforError | OSError):
            raise problem
        if problem is not None:
            raise RuntimeError(f"a process of the run failed:\n{problem}")
        return found

    def _lost(self) -> ExecutionProblem:
        code = self.process.wait()
        how = f"by signal {-code}" if code < 0 else f"with code {code}"
        reason = "a process that needs more memory than there is left is ended by the system; give fewer"
        hint = Hint(f"{reason} `jobs`", on_command_line=f"{reason} `--jobs`")
        return ExecutionProblem(Diagnostic("HF622", f"a process of the run ended {how}", hint=hint))
