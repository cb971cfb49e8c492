"""The summary at the end of a run, on standard error and as JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from holdsfor.analysis.pipeline import Compiled
from holdsfor.cli.options.byte_sizes import shown_bytes
from holdsfor.cli.outcome.counts import Counts
from holdsfor.columns.pending import pending_message
from holdsfor.errors import counted, did_you_mean, printable
from holdsfor.sinks.beside import is_replaceable, written_beside
from holdsfor.sinks.output_files import naming
from holdsfor.sinks.time_formats import ShowTime
from holdsfor.sources.set_aside_reasons import ReasonCounts

__all__ = ["Misfits", "Outcome", "summarise", "write_stats"]

_SHOWN_NAMES = 10


class Misfits(Protocol):
    """Records that do not fit: their number, the first of them, their reasons, and the first unmatched retractions."""

    @property
    def n(self) -> int: ...

    @property
    def first(self) -> Sequence[object]: ...

    @property
    def reasons(self) -> ReasonCounts: ...

    @property
    def first_unmatched(self) -> Sequence[object]: ...


class Outcome(Protocol):
    """The counts and durations of a run, on any engine."""

    @property
    def counts(self) -> Counts: ...

    @property
    def set_aside(self) -> Misfits: ...

    @property
    def seconds(self) -> Mapping[str, float]: ...

    @property
    def shown(self) -> ShowTime: ...


def write_stats(outcome: Outcome, path: str, **more: object) -> None:
    """Write counts, seconds by phase and further values as JSON."""
    counts = outcome.counts
    stats = {
        "records": counts.n_records,
        "late": counts.n_late,
        "dropped": counts.n_dropped,
        "cut": counts.n_cut,
        "set_aside": outcome.set_aside.n,
        "unmatched": counts.n_unmatched,
        "new_member": counts.n_new_members,
        "unreadable": counts.n_unreadable,
        "outside": counts.n_outside,
        "unused": counts.unused.total(),
        "without_result": len(counts.faults),
        "pending": {each.fluent: each.n for each in counts.pending},
        "query_times": counts.n_query_times,
        "resumed": counts.n_resumed,
        "over_memory": counts.n_over_memory,
        "kept_bytes": counts.kept_bytes,
        "fvps": counts.n_fvps,
        "intervals": counts.n_intervals,
        "seconds": outcome.seconds,
        **more,
    }
    text = json.dumps(stats, indent=2) + "\n"
    if is_replaceable(path):
        with written_beside(path) as file:
            file.path.write_text(text, encoding="utf-8")
    else:
        with naming(path):
            Path(path).write_text(text, encoding="utf-8")


def summarise(outcome: Outcome, compiled: Compiled, *, is_wanted: bool) -> None:
    """Print the numbers of records and results. Without problems, and unless `is_wanted`, print only on a terminal."""
    counts = outcome.counts
    problems = _problems(outcome)
    if problems or not counts.n_records or is_wanted or sys.stderr.isatty():
        late = [f"{counts.n_late} late"] if counts.n_late else []
        new = [f"{counted(counts.n_new_members, 'new member')}"] if counts.n_new_members else []
        _print(", ".join([f"{counted(counts.n_records, 'record')} read", *late, *new, *problems]))
        _show_misfits(outcome)
        _show_unused(outcome, compiled)
    if counts.pending:
        first = outcome.shown(min(each.first_due for each in counts.pending))
        hint = "`--end` lets the run go on, such as `--end now` for dates"
        _print(f"{pending_message(counts.pending, str(first))}; {hint}")
    if is_wanted or sys.stderr.isatty():
        reported = f"{counted(counts.n_fvps, 'FVP')} and {counted(counts.n_intervals, 'interval')} reported"
        _print(f"{counted(counts.n_query_times, 'query time')}{_resumed(counts)}, {reported}")
        _print(", ".join(f"{phase} {seconds:.3f} s" for phase, seconds in outcome.seconds.items()))
        if counts.n_processes > 1:
            from holdsfor.parallel.processes.job_size import shown_processes

            _print(f"in {shown_processes(counts.n_processes, counts.jobs)}")
        elif counts.one_process_because is not None:
            _print(f"in one process: {counts.one_process_because}")
        for diagnostic in counts.one_bucket:
            _print(f"not divided: {diagnostic.message}")


def _resumed(counts: Counts) -> str:
    """How many query times evaluated only what changed, and the memory for it."""
    shown = []
    if counts.n_resumed:
        shown.append(f"{counts.n_resumed} evaluated what changed, with {shown_bytes(counts.kept_bytes)} kept for it")
    if counts.n_over_memory:
        shown.append(f"{counts.n_over_memory} did not: more than `--incremental-memory` had to be kept")
    return f" ({'; '.join(shown)})" if shown else ""


def _problems(outcome: Outcome) -> list[str]:
    counts = outcome.counts
    problems = [f"{counted(counts.n_unreadable, 'input')} unreadable"] if counts.n_unreadable else []
    problems += [f"{outcome.set_aside.n} set aside"] if outcome.set_aside.n else []
    problems += [f"{counts.n_unmatched} unmatched"] if counts.n_unmatched else []
    problems += [f"{counts.n_dropped} dropped"] if counts.n_dropped else []
    problems += [f"{counts.n_cut} cut (a window of {counts.wide_enough} keeps all whole)"] if counts.n_cut else []
    problems += [f"{counts.n_outside} outside the run"] if counts.n_outside else []
    problems += [f"{counted(len(counts.faults), 'condition')} without a result"] if counts.faults else []
    problems += [f"{counts.unused.total()} of names that no rule uses"] if counts.unused else []
    return problems


def _show_misfits(outcome: Outcome) -> None:
    log = outcome.set_aside
    for shown in log.first if log.n <= len(log.first) else log.reasons.lines():
        _print(f"  {shown}")
    for misfit in log.first_unmatched:
        _print(f"  {misfit}")
    if (n := outcome.counts.n_unmatched) > len(log.first_unmatched):
        _print(f"  … and {n - len(log.first_unmatched)} more")


def _show_unused(outcome: Outcome, compiled: Compiled) -> None:
    known = [record.name for record in compiled.names.records]
    for name, n in outcome.counts.unused.most_common(_SHOWN_NAMES):
        hint = did_you_mean(name, known)
        _print(f"  `{name}`: {n}" + (f"  {hint}" if hint else ""))


def _print(line: str) -> None:
    print(printable(line), file=sys.stderr)
