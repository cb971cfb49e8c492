"""Reports from results: the settled report, and the report and the changes of each query time.

Results of query times have the query times that bound them: a process returns a result once, however many reports
contain it (`holdsfor.parallel.stages.dated_buckets`). Query times are visited in order, and the results that are
reported are kept from one to the next.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from holdsfor.columns.tables import FluentTable, Key, PointTable, concatenate_tables
from holdsfor.kernels.keys import Int64
from holdsfor.parallel.exchange.facts import Facts
from holdsfor.runtime.reports.changes import Changes
from holdsfor.runtime.reports.report import ReportColumns

__all__ = ["DatedResults", "settled_report"]

Table = TypeVar("Table", FluentTable, PointTable)


def _table_of_facts(facts: Facts) -> FluentTable | PointTable:
    """Results as a table."""
    if facts.kind == "fluent":
        return FluentTable((*facts.words, facts.times["start"], facts.times["end"]), facts.n)
    return PointTable((*facts.words, facts.times["start"]), facts.n)


def settled_report(found: Iterable[Facts], query_time: int) -> ReportColumns:
    """Settled results as the report of a query time."""
    tables = [(facts.key, _table_of_facts(facts)) for facts in found]
    fluents: dict[Key, list[FluentTable]] = {}
    events: dict[Key, list[PointTable]] = {}
    for key, table in tables:
        if isinstance(table, FluentTable):
            fluents.setdefault(key, []).append(table)
        else:
            events.setdefault(key, []).append(table)
    return ReportColumns(
        query_time,
        {key: concatenate_tables(each) for key, each in fluents.items()},
        {key: concatenate_tables(each) for key, each in events.items()},
    )


@dataclass(frozen=True)
class _Dated(Generic[Table]):
    """Results of one name in the order in which they become known, and the query times that bound them."""

    table: Table
    known_from: Int64
    known_until: Int64
    last_report: Int64

    @staticmethod
    def of(parts: list[Facts]) -> _Dated[Table]:
        columns = {
            name: np.concatenate([part.times[name] for part in parts])
            for name in ("known_from", "known_until", "last_report")
        }
        order = np.argsort(columns["known_from"], kind="stable")
        table: Table = concatenate_tables([_table_of_facts(part) for part in parts])  # type: ignore[assignment]
        return _Dated(table.take(order), *(column[order] for column in columns.values()))

    def come(self, at: int) -> Int64:
        """The rows that become known at a query time."""
        return np.arange(*self.known_from.searchsorted([at, at + 1]), dtype=np.int64)

    def gone(self, at: int) -> Int64:
        """The rows that are not known any more."""
        return np.flatnonzero(self.known_until == at)


class DatedResults:
    """The results of a run at some query times, which are visited in order."""

    def __init__(self, found: Iterable[Facts], query_times: Iterable[int]) -> None:
        self.query_times = query_times
        self._fluents: dict[Key, _Dated[FluentTable]] = _by_name(found, "fluent")
        self._events: dict[Key, _Dated[PointTable]] = _by_name(found, "event")

    def reports(self) -> Iterator[ReportColumns]:
        """The report of each query time about its window."""
        shown: dict[tuple[bool, Key], Int64] = {}
        for at in self.query_times:
            fluents = {key: _reported(each, shown, (True, key), at) for key, each in self._fluents.items()}
            events = {key: _reported(each, shown, (False, key), at) for key, each in self._events.items()}
            yield ReportColumns(at, _nonempty(fluents), _nonempty(events))

    def changes(self) -> Iterator[Changes]:
        """The changes of each query time."""
        for at in self.query_times:
            gone, come = (
                ReportColumns(
                    at,
                    _nonempty({key: each.table.take(rows(each, at)) for key, each in self._fluents.items()}),
                    _nonempty({key: each.table.take(rows(each, at)) for key, each in self._events.items()}),
                )
                for rows in (_Dated.gone, _Dated.come)
            )
            yield Changes(at, gone, come)


def _by_name(found: Iterable[Facts], kind: str) -> dict[Key, _Dated[Table]]:
    parts: dict[Key, list[Facts]] = {}
    for facts in found:
        if facts.kind == kind:
            parts.setdefault(facts.key, []).append(facts)
    return {key: _Dated.of(each) for key, each in parts.items()}


def _reported(dated: _Dated[Table], shown: dict[tuple[bool, Key], Int64], what: tuple[bool, Key], at: int) -> Table:
    """The rows in the report of a query time; `shown` are those of the previous one."""
    rows = np.concatenate((shown.get(what, np.zeros(0, np.int64)), dated.come(at)))
    shown[what] = rows[dated.last_report[rows] >= at]
    return dated.table.take(shown[what])


def _nonempty(tables: dict[Key, Table]) -> dict[Key, Table]:
    return {key: table for key, table in tables.items() if table.n}
