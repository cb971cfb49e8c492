"""Progress of long work, for a person at a terminal; silent otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping

from holdsfor.cli.outcome.memory import resident_memory

__all__ = ["Line", "Progress"]

_EVERY_SECONDS = 0.2
_MEGABYTE = 1_000_000


class Line:
    """One line on standard error that is written over again and again; nothing where nobody looks at it."""

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
        """Leave the line empty for what is said next."""
        if self._width:
            sys.stderr.write(f"\r{'':<{self._width}}\r")
            sys.stderr.flush()
            self._width = 0


class Progress:
    """A line that says how far a run has come.

    When the results go to the same terminal they show it themselves, and the line would only get between them.
    """

    def __init__(self, *, is_beside_results: bool = False) -> None:
        self._line = Line(is_shown=not is_beside_results)
        self._began = self._last = time.perf_counter()

    def at(
        self, query_time: int, position: Callable[[int], tuple[float, str]], fates: Mapping[str, int] | None = None
    ) -> None:
        """Show the query time reached, now and then.

        `position` says how many records and how far that is, `fates` how many records were late, dropped or cut.
        """
        now = time.perf_counter()
        if not self._line.is_shown or now - self._last < _EVERY_SECONDS:
            return
        self._last = now
        n_records, place = position(query_time)
        rate, memory = n_records / (now - self._began), resident_memory() // _MEGABYTE
        told = [f"query time {query_time}", place, f"{rate:,.0f} records/s", f"{memory:,} MB"]
        told += [f"{n:,} {fate}" for fate, n in (fates or {}).items() if n]
        self._line.show(", ".join(told))

    def done(self) -> None:
        """Leave the line empty for what is said next."""
        self._line.clear()
