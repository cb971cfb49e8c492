"""Time measurement for all benchmarks."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["RESULTS", "best_seconds", "seconds", "write_results"]

RESULTS = Path("build/benchmarks")


def seconds(work: Callable[[], object]) -> float:
    """The seconds of one execution of the work."""
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def best_seconds(work: Callable[[], object], repetitions: int) -> float:
    """Processor seconds of the work, the best of some repetitions, independent of other work on the machine.

    The work must run on one core without waiting.
    """
    best = float("inf")
    for _ in range(repetitions):
        begin = time.process_time()
        work()
        best = min(best, time.process_time() - begin)
    return best


def write_results(name: str, results: Any) -> None:
    """Write the results of a benchmark to `build/benchmarks/<name>.json`."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
