"""The rows that a query time changes: records that it inserts or retracts, and results that differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdsfor.columns.query_times import OneQuery
from holdsfor.columns.records import Records
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.physical.time_range import TimeRange
from holdsfor.runtime.incremental.key_stages import TableName
from holdsfor.runtime.record_store import RecordStore

__all__ = ["Changed", "ChangedRows", "RecordChanges", "appearing", "begun_by"]


@dataclass(frozen=True)
class ChangedRows:
    """The words of changed rows, and the first and the last time-point of each."""

    words: Sequence[Int64]
    starts: Int64
    lasts: Int64

    def take(self, rows: Int64) -> ChangedRows:
        """Some of the rows."""
        return ChangedRows([column[rows] for column in self.words], self.starts[rows], self.lasts[rows])


Changed = dict[TableName, ChangedRows]
"""Changed rows, by table."""


class RecordChanges:
    """The changes of the records by a query time; made before the query time admits records and applies retractions."""

    def __init__(self, records: RecordStore, query: OneQuery) -> None:
        self._records = records
        self._after, self._until = query.range
        self._retracted = [(not is_event, key, each.records) for (is_event, key), each in records.retractions.items()]

    @property
    def all(self) -> Changed:
        """The admitted and retracted records, by table."""
        given: list[tuple[bool, tuple[str, int], Records]] = [
            *((False, key, each) for key, each in self._records.events.items()),
            *((True, key, each) for key, each in self._records.fluents.items()),
            *self._retracted,
        ]
        found: dict[TableName, list[list[Int64]]] = {}
        for is_fvp, key, records in given:
            rows = records.arriving(self._after, self._until)
            if len(rows):
                found.setdefault((is_fvp, key), []).append(_columns(records, rows))
        return _tables(found)


def begun_by(changed: Changed, point: int) -> Changed:
    """The changed rows that begin by a time-point."""
    found: Changed = {}
    for name, each in changed.items():
        rows = (each.starts <= point).nonzero()[0]
        if len(rows):
            found[name] = each if len(rows) == len(each.starts) else each.take(rows)
    return found


def appearing(records: RecordStore, before: TimeRange, now: TimeRange) -> Changed:
    """The records of which the beginning or the end is in one time range, and was not in the time range before."""
    found: dict[TableName, list[list[Int64]]] = {}
    for is_fvp, tables in ((False, records.events), (True, records.fluents)):
        for key, each in tables.items():
            each.sort()
            low, high = each.starts.searchsorted((before.last, now.last), side="right").tolist()
            rows: Int64 = np.arange(low, high, dtype=np.int64)
            if each.ends is not None:
                ended = ((each.ends >= before.after_last) & (each.ends <= now.after_last)).nonzero()[0]
                rows = np.concatenate((rows, ended))
            if len(rows):
                found[is_fvp, key] = [_columns(each, rows)]
    return _tables(found)


def _columns(records: Records, rows: Int64) -> list[Int64]:
    return [column[rows] for column in (*records.columns, records.starts, records.lasts)]


def _tables(found: dict[TableName, list[list[Int64]]]) -> Changed:
    together = {name: concatenate_columns(parts) for name, parts in found.items()}
    return {name: ChangedRows(columns[:-2], *columns[-2:]) for name, columns in together.items()}
