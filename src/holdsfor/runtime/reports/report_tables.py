"""A report as a result: terms and lists for lines and pictures, a table for files and frames, computed on demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.result_table import result_table
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

__all__ = ["DecodedReport"]


@dataclass(frozen=True)
class DecodedReport:
    """The contents of a report, with decoded constants."""

    report: ReportColumns
    symbols: Symbols

    @property
    def query_time(self) -> int:
        return self.report.query_time

    @cached_property
    def intervals(self) -> dict[Term, list[tuple[int, int | None]]]:
        """The intervals of each FVP (a term `F=V`), in standard order; an open end is None."""
        return self.report.intervals(self.symbols)

    @cached_property
    def times(self) -> dict[Term, list[int]]:
        """The time-points of each output event, in standard order."""
        return self.report.times(self.symbols)

    def written_fvps(self) -> Iterator[tuple[str, list[int], list[int | None]]]:
        """Each FVP as text, with the starts and the ends of its intervals."""
        for fvp, starts, ends in self.report.fvp_extents(self.symbols).intervals():
            yield fvp.name, starts, ends

    def written_events(self) -> Iterator[tuple[str, list[int]]]:
        """Each output event as text, with its time-points."""
        for event, times in self.report.event_extents(self.symbols).times():
            yield event.name, times

    def table(self) -> pa.Table:
        """The same as an Arrow table, in the same order."""
        return result_table(
            self.query_time, self.report.fvp_extents(self.symbols), self.report.event_extents(self.symbols)
        )
