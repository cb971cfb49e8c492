"""The changes of a query time as columns: a row for each change of an interval or a time-point."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.time_type import TimeType, time_column
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

    from holdsfor.columns.entities import Described

__all__ = ["CHANGE_KINDS", "CHANGE_TIMES", "NOTHING", "ChangeColumns", "change_schema"]

CHANGE_KINDS = ("added", "extended", "shortened", "retracted")
NOTHING = -OPEN
"""The start and the end of a missing interval."""

CHANGE_TIMES = ("old_start", "old_end", "start", "end")


@dataclass(frozen=True)
class ChangeColumns:
    """Changes of FVPs, or of output events, in order.

    `rows` are the positions of their entities, `kinds` positions in `CHANGE_KINDS`. `times` are the start and end
    before the change, and the start and end after it; an open end is `OPEN`.
    """

    entities: Described
    rows: Int64
    kinds: NDArray[np.int8]
    times: tuple[Int64, Int64, Int64, Int64]
    is_of_event: bool

    @property
    def n(self) -> int:
        return len(self.rows)

    def table(self, query_time: int, times: TimeType | None = None) -> pa.Table:
        """A row per change; a missing old or new interval is null, and so is an open end."""
        import pyarrow as pa

        rows, entities = pa.array(self.rows), self.entities
        kinds = pa.DictionaryArray.from_arrays(pa.array(self.kinds), pa.array(CHANGE_KINDS)).dictionary_decode()
        kind = pa.repeat(pa.scalar("event" if self.is_of_event else "fluent"), self.n)
        described = [entities.functors(), entities.args(), entities.values(), entities.names()]
        spans = [time_column(column, times, column == NOTHING) for column in self.times]
        at = time_column(np.full(self.n, query_time, np.int64), times)
        columns = [at, kinds, kind, *(column.take(rows) for column in described), *spans]
        return pa.table(columns, schema=change_schema(times))


def change_schema(times: TimeType | None = None) -> pa.Schema:
    """The columns of changes as a table, the same as those of the CSV lines."""
    import pyarrow as pa

    text, time = pa.string(), pa.int64() if times is None else times.arrow
    described = {"change": text, "kind": text, "name": text, "arguments": pa.list_(text), "value": text, "fvp": text}
    return pa.schema([("query_time", time), *described.items(), *((name, time) for name in CHANGE_TIMES)])
