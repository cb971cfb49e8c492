"""The start of a process of a job, before the modules of the job are imported.

A new interpreter imports them first. If it is started before this one imports them, both do so at the same time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from holdsfor.parallel.processes.job_process import JobProcess

__all__ = ["start_process"]


def start_process(number: int, folder: str) -> JobProcess:
    """The object of process `number`."""
    from holdsfor.parallel.processes.job_process import JobProcess

    return JobProcess(number, folder)
