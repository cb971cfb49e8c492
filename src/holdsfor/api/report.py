"""The report of a query time of a session, with its changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from holdsfor.analysis.result_columns import find_table
from holdsfor.api.results import QueryResult
from holdsfor.errors import Diagnostic, counted
from holdsfor.runtime.reports.changes import Changes, changes_since
from holdsfor.runtime.reports.report import ReportColumns as Known
from holdsfor.runtime.reports.report_tables import DecodedReport
from holdsfor.sinks.change_feed import ChangeRows
from holdsfor.sinks.changes import Change, event_changes, interval_changes

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

__all__ = ["Report"]


@dataclass(frozen=True, repr=False, eq=False)
class Report(QueryResult):
    """The result at a query time for its window, and its changes.

    The counts are of records since the previous query time. *late*: admitted although the previous query time should
    have had it; *dropped*: no window admits it, or it ends before the session starts; *cut*: partly before the window;
    *set aside*: does not fit; *unmatched*: a retraction without a record; *new member*: an entity first seen after
    time-points are settled. `without_result` are warnings about conditions that had no result for some values, and had
    always had one before.

    >>> import holdsfor as hf
    >>> session = hf.Session(hf.load_text("happensAt(alarm(X), T) :- happensAt(smoke(X), T)."), start=0, window=20)
    >>> _ = session.insert(hf.Event("smoke", "b1", at=3))
    >>> report = session.query()
    >>> report.happens_at("alarm(b1)"), report.late
    ([3], 0)
    """

    late: int
    dropped: int
    cut: int
    set_aside: int
    unmatched: int
    new_member: int
    _compared: tuple[Known, Known, int]
    without_result: tuple[Diagnostic, ...] = ()

    @cached_property
    def changes(self) -> list[Change]:
        """The differences from the previous report.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> session = hf.Session(rules, start=0, window=20)
        >>> _ = session.insert(hf.Event("win", "chris", at=3))
        >>> session.query().changes
        [Change(kind='added', name='rich(chris)=true', old=None, new=(4, None))]
        """
        gone, come, symbols = self._difference.gone, self._difference.come, self.reported.symbols
        found = [
            *interval_changes(gone.intervals(symbols), come.intervals(symbols)),
            *event_changes(gone.times(symbols), come.times(symbols)),
        ]
        return found if self.time_type is None else [self._dated(change) for change in found]

    @cached_property
    def _difference(self) -> Changes:
        return changes_since(*self._compared)

    def feed(self, name: str | None = None) -> pa.Table:
        """The changes as rows to remove (`op` is `-`) and rows to add (`+`), with the columns of `to_arrow`.

        The rows of all reports, applied in order to an empty set, give the known results. With the name of a fluent or
        event, the rows have a typed column for each argument.

        >>> import holdsfor as hf
        >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
        >>> session = hf.Session(rules, start=0, window=20, step=10)
        >>> _ = session.insert(hf.Event("win", "chris", at=3))
        >>> session.query().feed("rich").to_pylist()
        [{'query_time': 10, 'op': '+', 'arg1': 'chris', 'value': 'true', 'start': 4, 'end': None}]
        >>> session.retract(hf.Event("win", "chris", at=3))
        >>> session.query().feed().column("op").to_pylist()
        ['-']
        """
        difference, symbols = self._difference, self.reported.symbols
        parts = (DecodedReport(part, symbols) for part in (difference.gone, difference.come))
        rows = ChangeRows(self.query_time, *parts)
        if name is None:
            return rows.table(self.time_type)
        return rows.table_of(find_table(self.columns, self.context.rules.names, name), self.time_type)

    def _dated(self, change: Change) -> Change:
        """A change with dates and times instead of time-points."""

        def dated(span: Any) -> Any:
            return self._moments(span) if isinstance(span, tuple) else None if span is None else self._moment(span)

        return change._replace(old=dated(change.old), new=dated(change.new))

    @property
    def _first_point(self) -> int:
        """The first time-point of a timeline: the first start of the report."""
        starts = [start for intervals in self.intervals.values() for start, _ in intervals]
        return min([*starts, *(time for times in self.times.values() for time in times)], default=self.query_time)

    def _headline(self) -> Iterator[str]:
        yield from super()._headline()
        yield counted(len(self.changes), "change")
        counts = {
            name: getattr(self, name) for name in ("late", "dropped", "cut", "set_aside", "unmatched", "new_member")
        }
        yield from (f"{n} {name.replace('_', ' ')}" for name, n in counts.items() if n)
