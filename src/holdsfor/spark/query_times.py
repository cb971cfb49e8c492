"""A bucket told query time by query time: what each knows and changes, not only what all of them settle.

Records keep their arrivals, and the engine goes from query time to query time as it does embedded. What a stage finds
goes to the next ones with the query times between which it is known, so that each sees what was known then.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.tables import FluentTable, Key, PointTable
from holdsfor.columns.words import Symbols
from holdsfor.kernels.keys import Int64
from holdsfor.runtime.computed import NEVER
from holdsfor.runtime.revisions import Versions, revisions
from holdsfor.runtime.session import Session
from holdsfor.spark.buckets import Bucket, table_of
from holdsfor.spark.exchange import Group, Layout
from holdsfor.spark.reading import records_of

__all__ = ["DatedBucket", "DatedLayout"]


@dataclass(frozen=True)
class DatedLayout(Layout):
    """The columns of rows that are known between two query times; without the second they are known for good."""

    @property
    def schema(self) -> Any:
        return pa.schema([*super().schema, ("known_from", pa.int64()), ("known_until", pa.int64())])

    @property
    def answer_schema(self) -> Any:
        """Besides, what a row replaces when it comes, whether it goes for nothing, and the last report that has it."""
        more = [("old_start", pa.int64()), ("old_end", pa.int64()), ("is_retracted", pa.bool_())]
        return pa.schema([*super().answer_schema, *more, ("last_report", pa.int64())])


@dataclass(frozen=True)
class DatedBucket(Bucket):
    """Evaluates one stage for one bucket after another, over all query times; its layout is dated."""

    def __call__(self, bucket: int, table: Any) -> Any:
        symbols = Symbols()
        found = revisions(self.session(table, symbols), self.run.queries)
        fluents = (self._intervals(key, each, bucket, symbols) for key, each in found.fluents.items())
        events = (self._points(key, each, bucket, symbols) for key, each in found.events.items())
        return pa.Table.from_batches(chain(fluents, events), self.layout.answer_schema)

    def insert(self, session: Session, group: Group) -> None:
        if group.table.num_rows:
            session.insert_columns((group.name, group.arity), records_of(group, session.symbols))

    def insert_computed(self, session: Session, group: Group) -> None:
        if group.table.num_rows:
            until = group.table["known_until"].combine_chunks().fill_null(NEVER)
            known = group.times("known_from"), until.to_numpy(zero_copy_only=False).astype(np.int64)
            session.insert_computed((group.name, group.arity), table_of(group, session.symbols), *known)

    def _intervals(self, key: Key, found: Versions[FluentTable], bucket: int, symbols: Symbols) -> Any:
        table, rows = found.table, self.owned(("fluent", key), found.table, bucket, symbols)
        old, is_new = found.revises[rows], found.revises[rows] < 0
        times = {
            "start": pa.array(table.starts[rows]),
            "end": pa.array(table.ends[rows]),
            "old_start": pa.array(table.starts[old], mask=is_new),
            "old_end": pa.array(table.ends[old], mask=is_new),
        }
        words = [column[rows] for column in table.keys]
        return self.answers("fluent", key, words, times | _dates(found, rows), symbols)

    def _points(self, key: Key, found: Versions[PointTable], bucket: int, symbols: Symbols) -> Any:
        table, rows = found.table, self.owned(("event", key), found.table, bucket, symbols)
        nothing = pa.nulls(len(rows), pa.int64())
        times = {"start": pa.array(table.times[rows]), "old_start": nothing, "old_end": nothing}
        words = [column[rows] for column in table.columns[:-1]]
        return self.answers("event", key, words, times | _dates(found, rows), symbols)


def _dates(found: Versions[FluentTable] | Versions[PointTable], rows: Int64) -> dict[str, Any]:
    """When some of the rows are known, as columns."""
    known_from, until, last = found.known_from[rows], found.known_until[rows], found.last_report[rows]
    return {
        "known_from": pa.array(known_from),
        "known_until": pa.array(until, mask=until == NEVER),
        "is_retracted": pa.array(found.is_retracted[rows]),
        "last_report": pa.array(last, mask=last < known_from),
    }
