"""The execution log of a run: a JSON line for each query time, and averages over all query times.

    query_time    the query time
    seconds       duration of the evaluation
    records       number of input events and input intervals in the evaluation
    fvps          number of FVPs in the report
    intervals     number of intervals of these FVPs
    time_points   number of time-points in the window at which each FVP holds, summed over the FVPs
    events        number of time-points of output events

A run that waits for a pipe or a socket logs that too: `{"waiting_for": "a reader", "name": "results.fifo"}`.
"""

from __future__ import annotations

import dataclasses
import json
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from holdsfor.sinks.output_files import naming

__all__ = ["Figures", "RunLog"]


@dataclass(frozen=True)
class Figures:
    """The duration, input and results of a query time."""

    seconds: float
    records: int
    fvps: int
    intervals: int
    time_points: int
    events: int


class RunLog:
    """Writes a line for each query time to a file, if there is one, and computes averages."""

    def __init__(self, path: str | None = None, *, continues: bool = False) -> None:
        self._path = path
        self._file: IO[str] | None = None
        if path is not None:
            mode = "a" if continues else "w"
            self._file = Path(path).open(mode, encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
        self._n = 0
        self._sums = dict.fromkeys(_NAMES, 0.0)
        self._squares = dict.fromkeys(_NAMES, 0.0)

    def add(self, query_time: int, figures: Figures) -> None:
        """Log a query time."""
        found = dataclasses.asdict(figures)
        self._n += 1
        for name, value in found.items():
            self._sums[name] += value
            self._squares[name] += value * value
        self._write({"query_time": query_time, **found, "seconds": round(figures.seconds, 6)})

    def add_waiting(self, for_what: str, name: str) -> None:
        """Log that the run waits for a pipe or a socket."""
        self._write({"waiting_for": for_what, "name": name, "at": round(time.time(), 3)})

    def position(self) -> dict[str, Any]:
        """The sums behind the averages, as JSON."""
        return {"n": self._n, "sums": self._sums, "squares": self._squares}

    def continue_at(self, position: dict[str, Any]) -> None:
        """Continue the averages."""
        self._n, self._sums, self._squares = position["n"], position["sums"], position["squares"]

    def averages(self) -> dict[str, dict[str, float]]:
        """Mean and standard deviation of each figure over all query times."""
        return {name: self._average(name) for name in _NAMES} if self._n else {}

    def close(self) -> None:
        if self._file is not None and self._path is not None:
            with naming(self._path):
                self._file.close()

    def _average(self, name: str) -> dict[str, float]:
        mean = self._sums[name] / self._n
        variance = max(0.0, self._squares[name] / self._n - mean * mean)
        return {"mean": mean, "standard_deviation": math.sqrt(variance)}

    def _write(self, line: dict[str, object]) -> None:
        if self._file is not None and self._path is not None:
            with naming(self._path):
                self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
                self._file.flush()


_NAMES = tuple(field.name for field in dataclasses.fields(Figures))
