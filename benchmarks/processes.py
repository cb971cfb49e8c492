"""Processor time and memory of a process and its children, as the kernel counts them (Linux)."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Cost", "Peak", "Resident", "cost_of_children", "resident_memory"]

_TICKS = os.sysconf("SC_CLK_TCK")
_EVERY = 0.25


@dataclass(frozen=True)
class Cost:
    """Processor seconds of the JVM and of the Python workers below this process."""

    jvm: float
    workers: float

    def since(self, before: Cost) -> Cost:
        return Cost(self.jvm - before.jvm, self.workers - before.workers)

    @property
    def total(self) -> float:
        return self.jvm + self.workers


@dataclass(frozen=True)
class _Process:
    number: int
    name: str
    own: float
    of_ended_children: float
    resident: int


def _processes() -> dict[int, list[_Process]]:
    """All processes by their parent."""
    found: dict[int, list[_Process]] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            try:
                text = (path / "stat").read_text(encoding="utf-8")
            except OSError:
                continue  # the process has ended
            name, fields = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
            own, ended = (sum(map(int, fields[i : i + 2])) / _TICKS for i in (11, 13))
            process = _Process(int(path.name), name, own, ended, int(fields[21]) * resource.getpagesize())
            found.setdefault(int(fields[1]), []).append(process)
    return found


def _below(number: int) -> Iterator[_Process]:
    processes = _processes()
    waiting = [number]
    while waiting:
        for child in processes.get(waiting.pop(), ()):
            yield child
            waiting.append(child.number)


def cost_of_children() -> Cost:
    """The cost so far of the processes below this one; the cost of an ended process is added to its parent."""
    jvm = workers = 0.0
    for process in _below(os.getpid()):
        if process.name == "java":
            jvm += process.own
        else:
            workers += process.own
        workers += process.of_ended_children
    return Cost(jvm, workers)


@dataclass(frozen=True)
class Resident:
    """The resident bytes of the JVM, of the Python workers of Spark, of bucket processes, and of this process."""

    jvm: int
    workers: int
    bucket_processes: int
    driver: int


def resident_memory() -> Resident:
    """The resident memory of this process and of those below it; pages that processes share count in each."""
    jvm = workers = bucket_processes = 0
    for process in _below(os.getpid()):
        if process.name == "java":
            jvm += process.resident
        elif _is_bucket_process(process.number):
            bucket_processes += process.resident
        else:
            workers += process.resident
    return Resident(jvm, workers, bucket_processes, _own())


def _is_bucket_process(number: int) -> bool:
    try:
        command = Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return False  # the process has ended
    return b"bucket_processes" in command


def _own() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * resource.getpagesize()


class Peak:
    """The peak resident memory of the JVM, of one worker and of this process, sampled while a block runs."""

    def __enter__(self) -> Peak:
        self.jvm = self.worker = self.driver = 0
        self._is_over = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._watch.join()

    def _look(self) -> None:
        while True:
            for process in _below(os.getpid()):
                if process.name == "java":
                    self.jvm = max(self.jvm, process.resident)
                else:
                    self.worker = max(self.worker, process.resident)
            self.driver = max(self.driver, _own())
            if self._is_over.wait(_EVERY):
                return
