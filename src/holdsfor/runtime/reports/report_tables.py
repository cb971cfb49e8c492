"""A report as a result: terms and lists for lines and pictures, a table for files and frames, computed on demand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.entities import Entity
from holdsfor.columns.result_table import Extents, TableLayout, result_table, typed_table
from holdsfor.columns.time_type import TimeType
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.syntax.terms import Term

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

__all__ = ["DecodedReport"]

_MANY = 500


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

    @cached_property
    def extents(self) -> tuple[Extents, Extents]:
        """FVPs with intervals and output events with time-points, in standard order."""
        return self.report.fvp_extents(self.symbols), self.report.event_extents(self.symbols)

    def columns(self) -> tuple[Extents, Extents] | None:
        """FVPs and output events as columns, if the report is long; else None."""
        return self.extents if self.report.n_intervals + self.report.n_occurrences >= _MANY else None

    def listed_fvps(self) -> Iterator[tuple[Entity, list[int], list[int | None]]]:
        """Each FVP with the starts and the ends of its intervals."""
        return self.extents[0].intervals()

    def listed_events(self) -> Iterator[tuple[Entity, list[int]]]:
        """Each output event with its time-points."""
        return self.extents[1].times()

    def table(self, times: TimeType | None = None, *, has_query_time: bool = False) -> pa.Table:
        """All fluents and events as one Arrow table, in the same order."""
        return result_table(*self.extents, times, self.query_time if has_query_time else None)

    def table_of(self, layout: TableLayout, times: TimeType | None, query_time: int | None = None) -> pa.Table:
        """The table of one fluent or event."""
        is_event = layout.value is None
        words, counts, spans = (self.report.event_rows if is_event else self.report.fvp_rows)(layout.key, self.symbols)
        return typed_table(layout, words, counts, spans, self.symbols, times, query_time)
