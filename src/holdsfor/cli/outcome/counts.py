"""The counts of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from holdsfor.columns.pending import Pending
from holdsfor.errors import Diagnostic
from holdsfor.prolog.faults import Faults

__all__ = ["Counts"]


@dataclass
class Counts:
    """The number of records, in total and by outcome, and the number of results."""

    n_records: int = 0
    n_unreadable: int = 0
    n_late: int = 0
    n_dropped: int = 0
    n_cut: int = 0
    n_unmatched: int = 0
    n_new_members: int = 0
    wide_enough: int = 0
    """The smallest window that cuts no record."""
    n_outside: int = 0
    n_kept_for_allen: int = 0
    n_query_times: int = 0
    n_resumed: int = 0
    """The number of query times that evaluated only what changed."""
    n_over_memory: int = 0
    """The number of those that did not, because too much had to be kept for it."""
    kept_bytes: int = 0
    """The most bytes that were kept for it from one query time to the next."""
    n_fvps: int = 0
    n_intervals: int = 0
    n_processes: int = 1
    jobs: int | None = None
    one_process_because: str | None = None
    """Why a run is in one process."""
    one_bucket: list[Diagnostic] = field(default_factory=list)
    """The rules that one worker computes."""
    pending: tuple[Pending, ...] = ()
    """The delayed effects that are pending at the end of a run without a given end."""
    faults: Faults = field(default_factory=Faults)
    """The conditions that had no result for some values."""
    unused: Counter[str] = field(default_factory=Counter)
