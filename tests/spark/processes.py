"""Programs of a test with all their descendants, which can be counted and ended.

Every program has a mark in its environment, which its descendants inherit, also as orphans or in other process groups,
as the Python workers of Spark are. Programs do not lead sessions of their own: Linux divides the processor between
sessions, so a program would get another share of it than the rest of the tests.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from uuid import uuid4

__all__ = ["MARK", "Process", "Program", "Programs", "marked", "processes", "wait_for"]

MARK = "HOLDSFOR_TESTED_PROGRAM"
"""The variable of the environment that marks a program and its descendants."""


@dataclass(frozen=True)
class Process:
    """A line of the process table, which has no zombies."""

    pid: int
    parent: int

    @property
    def command(self) -> str:
        with suppress(OSError):
            return Path(f"/proc/{self.pid}/cmdline").read_text(encoding="utf-8", errors="replace").replace("\0", " ")
        return ""

    @property
    def mark(self) -> str | None:
        """The mark of the program that has started the process."""
        prefix, found = f"{MARK}=".encode(), b""
        with suppress(OSError):
            found = Path(f"/proc/{self.pid}/environ").read_bytes()
        return next((each[len(prefix) :].decode() for each in found.split(b"\0") if each.startswith(prefix)), None)


def processes() -> list[Process]:
    """All running processes."""
    found: list[Process] = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent, *_ = path.read_text(encoding="utf-8").rpartition(")")[2].split()
            if state != "Z":
                found.append(Process(int(path.parent.name), int(parent)))
    return found


def marked(*marks: str) -> list[Process]:
    """The running processes of some programs and of their descendants."""
    return [process for process in processes() if process.mark in marks]


def wait_for(what: Callable[[], bool], *, seconds: float, otherwise: Callable[[], str]) -> None:
    """Wait until a condition is true; after the timeout, fail with the message of `otherwise`."""
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, otherwise()
        time.sleep(0.1)


@dataclass(frozen=True)
class Program:
    """A started program, with its standard output and standard error."""

    leader: subprocess.Popen[bytes]
    log: Path
    mark: str

    @property
    def said(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace")

    def members(self) -> list[Process]:
        """The running processes of the program and of its descendants."""
        return marked(self.mark)

    def waits_for(self, what: Callable[[], bool], *, seconds: float = 600) -> None:
        """Wait until the program makes a condition true."""
        wait_for(lambda: what() or self.leader.poll() is not None, seconds=seconds, otherwise=lambda: self.said)
        assert what(), self.said

    def exit_code(self, *, seconds: float = 600) -> int:
        try:
            return self.leader.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running:\n{self.said}") from None


class Programs:
    """Programs that end with the block, together with their descendants."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.environment = dict(environment)
        self.started: list[Program] = []

    def start(self, name: str, command: Sequence[str], **more: str) -> Program:
        """Start a program; `more` is added to its environment."""
        log, mark = self.folder / f"{name}.log", uuid4().hex
        with log.open("wb") as out:
            leader = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
                env={**self.environment, **more, MARK: mark},
                process_group=0,
            )
        self.started.append(Program(leader, log, mark))
        return self.started[-1]

    def members(self) -> list[Process]:
        """The running processes of all programs."""
        return marked(*(program.mark for program in self.started))

    def end(self, *, patience: float = 10) -> None:
        """End all processes, the last started first: by SIGTERM, then by SIGKILL."""
        for program in reversed(self.started):
            _signal(program.members(), signal.SIGTERM)
        until = time.monotonic() + patience
        while self.members() and time.monotonic() < until:
            time.sleep(0.1)
        while left := self.members():
            _signal(left, signal.SIGKILL)
            time.sleep(0.05)
        # A process that is ending has no environment any more, and is not a member.
        for program in self.started:
            program.leader.wait()

    def __enter__(self) -> Programs:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end()


def _signal(members: list[Process], number: signal.Signals) -> None:
    for process in members:
        with suppress(ProcessLookupError):
            os.kill(process.pid, number)
