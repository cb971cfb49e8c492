"""A pool whose processes are objects of this process: the exchange is real, and a test needs no time for starts."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

from holdsfor.parallel.processes.job_process import JobProcess

__all__ = ["SimulatedPool"]


class SimulatedPool:
    """The interface of `Pool`; arguments and results of other processes are pickled, as between real ones."""

    def __init__(self, n: int, make: Callable[[int, str], JobProcess], is_stopped: Callable[[], bool]) -> None:
        self.n = n
        self._folder = tempfile.TemporaryDirectory()
        self.folder = self._folder.name
        self._processes = [make(number, self.folder) for number in range(n)]
        self.own = self._processes[0]

    def start(self) -> None:
        pass

    def end(self) -> None:
        self._folder.cleanup()

    def call(self, method: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        if method is JobProcess.read:
            arguments = [(_share(own[0], number, self.n), *own[1:]) for number, own in enumerate(arguments)]
        others = [pickle.loads(pickle.dumps(each)) for each in arguments[1:]]
        given = zip(self._processes, [arguments[0], *others], strict=True)
        return [getattr(process, method.__name__)(*each) for process, each in given]

    def call_alike(self, method: Callable[..., Any], *arguments: object) -> list[Any]:
        return self.call(method, [arguments] * self.n)


def _share(parts: dict[int, Any], number: int, n: int) -> dict[int, Any]:
    """The parts that a process is to claim; else the first process claims all."""
    return {i: part for i, part in parts.items() if i % n == number} if n > 1 else parts
