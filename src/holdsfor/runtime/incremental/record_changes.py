"""The rows that a query time changes: records that it inserts or retracts, and results that differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from holdsfor.columns.query_times import OneQuery
from holdsfor.columns.records import Records
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.runtime.incremental.key_stages import TableName
from holdsfor.runtime.record_store import RecordStore

__all__ = ["Changed", "ChangedRows", "RecordChanges"]


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

    def up_to(self, point: int) -> Changed:
        """The admitted and retracted records that begin by a time-point, by table."""
        given: list[tuple[bool, tuple[str, int], Records]] = [
            *((False, key, each) for key, each in self._records.events.items()),
            *((True, key, each) for key, each in self._records.fluents.items()),
            *self._retracted,
        ]
        found: dict[TableName, list[list[Int64]]] = {}
        for is_fvp, key, records in given:
            rows = records.arriving(self._after, self._until)
            rows = rows[records.starts[rows] <= point]
            if len(rows):
                columns = (*records.columns, records.starts, records.lasts)
                found.setdefault((is_fvp, key), []).append([column[rows] for column in columns])
        together = {name: concatenate_columns(parts) for name, parts in found.items()}
        return {name: ChangedRows(columns[:-2], *columns[-2:]) for name, columns in together.items()}
