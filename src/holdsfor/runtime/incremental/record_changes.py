"""The records that a query time inserts or retracts."""

from __future__ import annotations

from collections.abc import Sequence

from holdsfor.columns.query_times import OneQuery
from holdsfor.columns.records import Records
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.runtime.incremental.key_stages import TableName
from holdsfor.runtime.record_store import RecordStore

__all__ = ["RecordChanges"]


class RecordChanges:
    """The changes of the records by a query time; made before the query time admits records and applies retractions."""

    def __init__(self, records: RecordStore, query: OneQuery) -> None:
        self._records = records
        self._after, self._until = query.range
        self._retracted = [(not is_event, key, each.records) for (is_event, key), each in records.retractions.items()]

    def up_to(self, point: int) -> dict[TableName, tuple[Sequence[Int64], Int64]]:
        """The words and starts of the admitted and retracted records that begin by a time-point, by table."""
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
                found.setdefault((is_fvp, key), []).append(
                    [column[rows] for column in (*records.columns, records.starts)]
                )
        together = {name: concatenate_columns(parts) for name, parts in found.items()}
        return {name: (columns[:-1], columns[-1]) for name, columns in together.items()}
