"""Counts of the calls, rows and seconds of the operators of a plan.

A place is a counted part of a run: an operator by its identity, a kernel or a component by its name. Places are nested
like the calls, so the seconds of a place include the places inside it, and `own` excludes them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

__all__ = ["Profile", "Tally"]

Many = TypeVar("Many", bound=Sized)

_MULTIPLIED = 4
_MANY_ROWS = 100


@dataclass
class Tally:
    """The counts of one place."""

    calls: int = 0
    rows_in: int = 0
    rows_out: int = 0
    seconds: float = 0.0
    inner: float = 0.0

    @property
    def factor(self) -> float | None:
        """How many rows the place returns for each row that it takes, if rows multiply; a scan takes one row."""
        if self.rows_in <= self.calls or self.rows_out < max(_MANY_ROWS, _MULTIPLIED * self.rows_in):
            return None
        return self.rows_out / self.rows_in

    @property
    def own(self) -> float:
        """The seconds of the place without the places inside it."""
        return self.seconds - self.inner


@dataclass
class Profile:
    """The tallies of a run, by place, in seconds of a clock."""

    tallies: dict[Hashable, Tally] = field(default_factory=dict)
    clock: Callable[[], float] = time.perf_counter
    _open: list[Tally] = field(default_factory=list, repr=False)

    def of(self, place: Hashable) -> Tally:
        """The counts of a place; zero if the place was never reached."""
        return self.tallies.get(place) or Tally()

    def note(self, place: Hashable, n: int) -> None:
        """Count things that take no measurable time, such as iterations."""
        tally = self.tallies.setdefault(place, Tally())
        tally.calls += 1
        tally.rows_out += n

    def note_most(self, place: Hashable, n: int) -> None:
        """Record the maximum of a number, such as the size of the state between query times."""
        tally = self.tallies.setdefault(place, Tally())
        tally.calls += 1
        tally.rows_out = max(tally.rows_out, n)

    @contextmanager
    def at(self, place: Hashable, rows_in: int) -> Iterator[Tally]:
        """Count one call; the caller adds the number of rows returned."""
        tally = self.tallies.setdefault(place, Tally())
        tally.calls += 1
        tally.rows_in += rows_in
        self._open.append(tally)
        began = self.clock()
        try:
            yield tally
        finally:
            seconds = self.clock() - began
            tally.seconds += seconds
            self._open.pop()
            if self._open:
                self._open[-1].inner += seconds

    def counted(self, step: object, function: Callable[[Many], Many]) -> Callable[[Many], Many]:
        """The function from rows to rows, counted as a step."""

        def run(rows: Many) -> Many:
            with self.at(id(step), len(rows)) as tally:
                found = function(rows)
                tally.rows_out += len(found)
            return found

        return run
