"""Progress of long work, for a person at a terminal; silent otherwise."""

from __future__ import annotations

import sys
import time

__all__ = ["Progress"]

_EVERY_SECONDS = 0.2


class Progress:
    """One line on standard error that says how far a run has come."""

    def __init__(self, n_records: int, start: int, end: int) -> None:
        self.n_records = n_records
        self.start = start
        self.end = end
        self._is_shown = sys.stderr.isatty()
        self._began = self._last = time.perf_counter()

    def at(self, query_time: int) -> None:
        """Tell the query time reached, now and then."""
        now = time.perf_counter()
        if not self._is_shown or now - self._last < _EVERY_SECONDS:
            return
        self._last = now
        share = min(1.0, (query_time - self.start) / max(1, self.end - self.start))
        rate = self.n_records * share / (now - self._began)
        sys.stderr.write(f"\rquery time {query_time}, {share:.0%}, {rate:,.0f} records/s  ")
        sys.stderr.flush()

    def done(self) -> None:
        if self._is_shown and self._last != self._began:
            sys.stderr.write("\r" + " " * 60 + "\r")
