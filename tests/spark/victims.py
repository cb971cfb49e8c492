"""The processes of Spark that a test kills: executors, Python workers, and the bucket processes beside them."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Sequence
from contextlib import suppress

from tests.spark.processes import Process, processes

__all__ = ["bucket_processes", "executors_of", "killed", "python_workers"]


def executors_of(members: Sequence[Process]) -> list[Process]:
    """The executors among the processes of a cluster."""
    return [process for process in members if "CoarseGrainedExecutorBackend" in process.command]


def python_workers(jvms: Sequence[int]) -> list[Process]:
    """The Python workers of executors: the forks of their daemons."""
    daemons = _daemons(jvms)
    return [process for process in processes() if process.parent in daemons and "daemon" in process.command]


def bucket_processes(jvms: Sequence[int]) -> list[Process]:
    """The bucket processes of executors; their last argument is the daemon of their tasks."""
    daemons = {str(pid) for pid in _daemons(jvms)}
    found = [(process, process.command.split()) for process in processes()]
    return [process for process, words in found if "bucket_processes" in " ".join(words) and words[-1] in daemons]


def _daemons(jvms: Sequence[int]) -> set[int]:
    return {process.pid for process in processes() if process.parent in jvms and "daemon" in process.command}


def killed(found: Sequence[Process], chance: random.Random) -> bool:
    """Kill one of some processes; whether there is one."""
    with suppress(ProcessLookupError, IndexError):
        os.kill(chance.choice(found).pid, signal.SIGKILL)
        return True
    return False
