"""The results of a run so far, over all its windows, while the run goes on.

The record grows with the history of the run, unlike its state. A reader in another thread sees the results of the last
query time that has been reported completely.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from holdsfor.runtime.reports.report import ReportColumns, merged

if TYPE_CHECKING:
    from holdsfor.runtime.session import EngineSession

__all__ = ["RecordedResults"]

_MANY_PARTS = 32


@dataclass
class RecordedResults:
    """Results settled by consecutive query times, and those of the last one; `version` grows with every query time."""

    version: int = 0
    _parts: tuple[ReportColumns, ...] = ()

    def following(self, session: EngineSession, queries: Iterable[int]) -> Iterator[int]:
        """The query times, whose results are recorded when the next one is requested."""
        settled: tuple[ReportColumns, ...] = ()
        last: ReportColumns | None = None
        for at in queries:
            if last is not None:
                settled = _appended(settled, last.before(session.settled_at(at)))
            yield at
            last = session.last_report()
            assert last is not None
            self._parts = (*settled, last)
            self.version += 1

    def report(self) -> ReportColumns | None:
        """The results so far as one report; None before the first query time."""
        parts = self._parts
        return merged(parts) if parts else None


def _appended(parts: tuple[ReportColumns, ...], part: ReportColumns) -> tuple[ReportColumns, ...]:
    """The parts with one more. Parts of similar size are merged, so that there are few of them."""
    longer = (*parts, part)
    while len(longer) > 1 and (len(longer) > _MANY_PARTS or _size(longer[-2]) <= 2 * _size(longer[-1])):
        longer = (*longer[:-2], merged(longer[-2:]))
    return longer


def _size(report: ReportColumns) -> int:
    return report.n_intervals + report.n_occurrences
