"""FVPs with intervals and events with time-points as columns, and as an Arrow table.

query_time  integer             the query time of the result
kind        text                `fvp` or `event`
name        text                the whole term: `speeding(v1)=true`
functor     text                of the fluent or event: `speeding`
args        list of texts       its arguments
value       text, or null       of the fluent
start       integer             first time-point, or that of the event
end         integer, or null    right-open end, null if it is open; the time-point of the event
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from holdsfor.columns.entities import Entity
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

__all__ = ["Extents", "concatenate_extents", "result_schema", "result_table"]


@dataclass(frozen=True)
class Extents:
    """FVPs with their intervals, or events with their time-points.

    Contract: the first `counts[0]` of `starts` and `ends` belong to `entities[0]`, and so on; an open end is `OPEN`.
    """

    entities: Sequence[Entity]
    counts: Int64
    starts: Int64
    ends: Int64

    def intervals(self) -> Iterator[tuple[Entity, list[int], list[int | None]]]:
        """Each entity with the starts and the ends of its intervals; an open end is None."""
        starts = self.starts.tolist()
        ends = [None if end == OPEN else end for end in self.ends.tolist()]
        for entity, a, b in self._bounds():
            yield entity, starts[a:b], ends[a:b]

    def times(self) -> Iterator[tuple[Entity, list[int]]]:
        """Each entity with its time-points."""
        starts = self.starts.tolist()
        for entity, a, b in self._bounds():
            yield entity, starts[a:b]

    def _bounds(self) -> Iterator[tuple[Entity, int, int]]:
        last = np.cumsum(self.counts).tolist()
        return zip(self.entities, [0, *last], last, strict=False)


def result_schema() -> pa.Schema:
    """The columns of a result."""
    import pyarrow as pa

    text, time = pa.string(), pa.int64()
    columns = {"query_time": time, "kind": text, "name": text, "functor": text, "args": pa.list_(text), "value": text}
    return pa.schema([*columns.items(), ("start", time), ("end", time)])


def result_table(query_time: int, fvps: Extents, events: Extents) -> pa.Table:
    """A row per interval and per time-point. Each FVP and event is formatted once for all its rows."""
    import pyarrow as pa

    parts = [_rows(query_time, "fvp", fvps), _rows(query_time, "event", events)]
    return pa.concat_tables(pa.table(part, schema=result_schema()) for part in parts)


def _rows(query_time: int, kind: str, found: Extents) -> list[Any]:
    import pyarrow as pa

    described = [
        pa.array([entity.name for entity in found.entities], pa.string()),
        pa.array([entity.functor for entity in found.entities], pa.string()),
        pa.array([entity.args for entity in found.entities], pa.list_(pa.string())),
        pa.array([entity.value for entity in found.entities], pa.string()),
    ]
    rows = pa.array(np.repeat(np.arange(len(found.entities)), found.counts))
    ends = pa.array(found.ends, mask=found.ends == OPEN)
    n = len(found.starts)
    fixed = [pa.array(np.full(n, query_time, np.int64)), pa.repeat(pa.scalar(kind), n)]
    return [*fixed, *(column.take(rows) for column in described), pa.array(found.starts), ends]


def concatenate_extents(parts: Sequence[Extents]) -> Extents:
    """The FVPs or events of all parts, one part after the other."""
    nothing = np.zeros(0, np.int64)
    counts, starts, ends = concatenate_columns(
        [(nothing, nothing, nothing), *((part.counts, part.starts, part.ends) for part in parts)]
    )
    return Extents([entity for part in parts for entity in part.entities], counts, starts, ends)
