"""What a run has to say about itself at its end: to a person, and as numbers for a file."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from holdsfor.analysis.compiled import Compiled
from holdsfor.cli.engines import Engine
from holdsfor.cli.memory import peak_memory
from holdsfor.errors import did_you_mean

__all__ = ["summarise", "write_stats"]

_SHOWN_NAMES = 10


def write_stats(engine: Engine, path: str) -> None:
    """Counts, seconds per phase and peak memory as JSON."""
    counts = engine.counts
    stats = {
        "records": counts.n_records,
        "late": counts.n_late,
        "dropped": counts.n_dropped,
        "kept_for_allen": counts.n_kept_for_allen,
        "set_aside": engine.set_aside.n,
        "unreadable": counts.n_unreadable,
        "outside": counts.n_outside,
        "unused": counts.unused.total(),
        "query_times": counts.n_query_times,
        "fvps": counts.n_fvps,
        "intervals": counts.n_intervals,
        "seconds": engine.seconds,
        "peak_memory_bytes": peak_memory(),
    }
    Path(path).write_text(json.dumps(stats, indent=2) + "\n", encoding="utf-8")


def summarise(engine: Engine, compiled: Compiled, *, is_wanted: bool) -> None:
    """Say what was read and found; when all is well and it is not wanted, only to a person."""
    counts = engine.counts
    problems = _problems(engine)
    if problems or not counts.n_records or is_wanted or sys.stderr.isatty():
        late = [f"{counts.n_late} late"] if counts.n_late else []
        _say(", ".join([f"{_n(counts.n_records, 'record')} read", *late, *problems]))
        _show_misfits(engine)
        _show_unused(engine, compiled)
    if is_wanted or sys.stderr.isatty():
        reported = f"{_n(counts.n_fvps, 'FVP')} and {_n(counts.n_intervals, 'interval')} reported"
        _say(f"{_n(counts.n_query_times, 'query time')}, {reported}")
        _say(", ".join(f"{phase} {seconds:.3f} s" for phase, seconds in engine.seconds.items()))


def _problems(engine: Engine) -> list[str]:
    counts = engine.counts
    problems = [f"{_n(counts.n_unreadable, 'input')} unreadable"] if counts.n_unreadable else []
    problems += [f"{engine.set_aside.n} set aside"] if engine.set_aside.n else []
    problems += [f"{counts.n_dropped} too late"] if counts.n_dropped else []
    problems += [f"{counts.n_outside} outside the run"] if counts.n_outside else []
    problems += [f"{counts.unused.total()} of names that no rule uses"] if counts.unused else []
    return problems


def _show_misfits(engine: Engine) -> None:
    log = engine.set_aside
    for misfit in log.first:
        _say(f"  {misfit}")
    if log.n > len(log.first):
        _say(f"  … and {log.n - len(log.first)} more")


def _show_unused(engine: Engine, compiled: Compiled) -> None:
    known = [record.name for record in compiled.names.records]
    for name, n in engine.counts.unused.most_common(_SHOWN_NAMES):
        hint = did_you_mean(name, known)
        _say(f"  `{name}`: {n}" + (f"  {hint}" if hint else ""))


def _n(n: int, thing: str) -> str:
    return f"{n} {thing}{'' if n == 1 else 's'}"


def _say(line: str) -> None:
    print(line, file=sys.stderr)
