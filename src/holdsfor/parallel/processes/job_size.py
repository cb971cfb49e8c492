"""The number of processes of a run: as given, or by the size of the input and the number of cores."""

from __future__ import annotations

import os
from collections.abc import Sequence

from holdsfor.errors import Diagnostic, Hint, UsageProblem
from holdsfor.parallel.processes.pool import can_start_processes

__all__ = ["check_jobs", "n_processes", "shown_processes"]

_WORTH_A_PROCESS = 1_000_000
"""Records: for fewer, the start of a process takes longer than it saves."""

_MOST_OF_A_CORE = 4
"""More processes for each core take memory and files, and no process gets done earlier."""

_ONE = Hint("`jobs=1` is a run in one process", on_command_line="`--jobs 1` is a run in one process")
_BYTES_OF_A_RECORD = 250
_SHARE_OF_MEMORY = 4
"""Several processes hold all records, so they are the default only if the records take a quarter of the memory."""


def check_jobs(jobs: int | None) -> None:
    """Refuse a number of processes below 1."""
    if jobs is not None and jobs < 1:
        message = f"the number of processes is {jobs}, expected at least 1"
        raise UsageProblem(Diagnostic("HF774", message, hint=_ONE))


def n_processes(jobs: int | None, inputs: Sequence[object], *, has_windows: bool = False) -> int:
    """The number of processes for inputs; by default one for each core and each million records, at most 4 for a core.

    With windows, one process holds only the records of a window. It is the default for inputs that would fill much of
    the memory otherwise.
    """
    if not can_start_processes():
        return 1
    if jobs is not None:
        return min(jobs, _MOST_OF_A_CORE * _n_cores())
    from holdsfor.sources.input_sizes import estimated_records

    n_records = estimated_records(inputs)
    if has_windows and n_records * _BYTES_OF_A_RECORD * _SHARE_OF_MEMORY > _memory():
        return 1
    return max(1, min(_n_cores(), n_records // _WORTH_A_PROCESS))


def shown_processes(n: int, jobs: int | None) -> str:
    """How many processes computed an answer, and why fewer than the given number; the answer is the same."""
    is_limited = jobs is not None and n < jobs
    return f"{n} processes{f' instead of {jobs}: at most {_MOST_OF_A_CORE} for each core' if is_limited else ''}"


def _memory() -> int:
    """The bytes of memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _n_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
