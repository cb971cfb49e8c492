"""Show the progress of long work on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping

from holdsfor.cli.outcome.memory import resident_memory

__all__ = ["Line", "Progress"]

_EVERY_SECONDS = 0.2
_MEGABYTE = 1_000_000


class Line:
    """A line on standard error that is overwritten again and again; shown only on a terminal."""

    def __init__(self, *, is_shown: bool = True) -> None:
        self.is_shown = is_shown and sys.stderr.isatty()
        self._width = 0

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *problem: object) -> None:
        self.clear()

    def show(self, text: str) -> None:
        if self.is_shown:
            sys.stderr.write(f"\r{text:<{self._width}}")
            sys.stderr.flush()
            self._width = len(text)

    def clear(self) -> None:
        """Erase the line."""
        if self._width:
            sys.stderr.write(f"\r{'':<{self._width}}\r")
            sys.stderr.flush()
            self._width = 0


class Progress:
    """A line with the progress of a run.

    The line is not shown if the results go to the same terminal, where it would stand between them.
    """

    def __init__(self, *, is_beside_results: bool = False) -> None:
        self._line = Line(is_shown=not is_beside_results)
        self._began = self._last = time.perf_counter()

    def at(
        self,
        query_time: int,
        position: Callable[[int], tuple[float, str]],
        admission_counts: Mapping[str, int] | None = None,
    ) -> None:
        """Show the current query time, at most every 0.2 seconds.

        `position` returns the number of records up to a query time and the progress as text. `admission_counts` has
        the numbers of late, dropped and cut records.
        """
        now = time.perf_counter()
        if not self._line.is_shown or now - self._last < _EVERY_SECONDS:
            return
        self._last = now
        n_records, place = position(query_time)
        rate, memory = n_records / (now - self._began), resident_memory() // _MEGABYTE
        parts = [f"query time {query_time}", place, f"{rate:,.0f} records/s", f"{memory:,} MB"]
        parts += [f"{n:,} {outcome}" for outcome, n in (admission_counts or {}).items() if n]
        self._line.show(", ".join(parts))

    def done(self) -> None:
        """Erase the line."""
        self._line.clear()
