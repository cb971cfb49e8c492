"""The rows of results that a run reports: those that match the patterns of its output selection."""

from __future__ import annotations

import numpy as np

from holdsfor.analysis.output_selection import OutputSelection
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.tables import FluentTable, Key, PointTable, Relation
from holdsfor.kernels.keys import Int64
from holdsfor.physical.patterns import ANYTHING, join, prune_patterns
from holdsfor.physical.rows import one_row
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.syntax.terms import Struct, Term

__all__ = ["ShownRows"]


class ShownRows:
    """Selects rows of events and FVPs by the patterns of an output selection."""

    def __init__(self, selection: OutputSelection, symbols: Symbols) -> None:
        self._selection = selection
        self._symbols = symbols
        self._patterns: dict[tuple[bool, Key], list[tuple[Term, ...]]] = {}

    def of_report(self, report: ReportColumns) -> ReportColumns:
        """The part of a report that is shown."""
        fluents = {key: self.fluents(key, table) for key, table in report.fluents.items()}
        events = {key: self.events(key, table) for key, table in report.events.items()}
        return ReportColumns(
            report.query_time,
            {key: table for key, table in fluents.items() if table.n},
            {key: table for key, table in events.items() if table.n},
        )

    def fluents(self, key: Key, table: FluentTable) -> FluentTable:
        """The intervals of a fluent that are shown."""
        rows = self.rows(key, table, is_fluent=True)
        return table if len(rows) == table.n else table.take(rows)

    def events(self, key: Key, table: PointTable) -> PointTable:
        """The time-points of an event that are shown."""
        rows = self.rows(key, table, is_fluent=False)
        return table if len(rows) == table.n else table.take(rows)

    def rows(self, key: Key, table: Relation, *, is_fluent: bool) -> Int64:
        """The numbers of the rows that are shown; the columns begin with the arguments, then the value of a fluent."""
        patterns = self._columns(key, is_fluent=is_fluent)
        if any(all(pattern is ANYTHING for pattern in each) for each in patterns):
            return np.arange(table.n, dtype=np.int64)
        is_shown = np.zeros(table.n, dtype=bool)
        for each in patterns:
            is_shown[join(one_row(), table, each, self._symbols)[1]] = True
        return np.flatnonzero(is_shown)

    def _columns(self, key: Key, *, is_fluent: bool) -> list[tuple[Term, ...]]:
        """The patterns of the columns of an event or fluent."""
        if (is_fluent, key) not in self._patterns:
            found = self._selection.of_name(key, is_fluent=is_fluent)
            self._patterns[is_fluent, key] = [
                prune_patterns(_columns_of(p, is_fluent=is_fluent), (), ()) for p in found
            ]
        return self._patterns[is_fluent, key]


def _columns_of(pattern: Term, *, is_fluent: bool) -> tuple[Term, ...]:
    """The arguments of an event, or the arguments and the value of an FVP."""
    if not is_fluent:
        return pattern.args if isinstance(pattern, Struct) else ()
    assert isinstance(pattern, Struct)
    fluent, value = pattern.args
    return (*(fluent.args if isinstance(fluent, Struct) else ()), value)
