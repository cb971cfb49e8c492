"""FVPs with intervals and events with time-points as columns, and as Arrow tables.

A table of all fluents and events together has texts for arguments and values:

    query_time  time                the query time, if the table has the reports of several
    kind        text                `fluent` or `event`
    name        text                of the fluent or event: `speeding`
    arguments   list of texts       without quotes
    value       text, or null       of the fluent
    fvp         text                the whole FVP or event in the syntax of rules: `speeding(v1)=true`
    start       time                first time-point, or that of the event
    end         time, or null       right-open end, null if it is open; the time-point of the event

The table of one fluent has a typed column for each argument, then `value`, `start` and `end`; the table of one event
has its arguments and `time`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from holdsfor.columns.entities import Described, Entity, EntityParts
from holdsfor.columns.time_type import TimeType, time_column
from holdsfor.columns.typed_values import ColumnType, arrow_type, typed_column
from holdsfor.kernels.concatenation import concatenate_columns
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import OPEN

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

    from holdsfor.columns.encoding import Symbols

__all__ = [
    "Extents",
    "TableLayout",
    "concatenate_extents",
    "result_schema",
    "result_table",
    "typed_schema",
    "typed_table",
]


@dataclass(frozen=True)
class Extents:
    """FVPs with their intervals, or events with their time-points.

    Contract: the first `counts[0]` of `starts` and `ends` belong to `entities[0]`, and so on; an open end is `OPEN`.
    """

    entities: Described
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


class TableLayout(Protocol):
    """The names and types of the arguments of a fluent or event, and the type of the value, None for an event.

    `mixed` are the columns of text that may also have numbers.
    """

    @property
    def key(self) -> tuple[str, int]: ...

    @property
    def arguments(self) -> Sequence[tuple[str, ColumnType]]: ...

    @property
    def value(self) -> ColumnType | None: ...

    @property
    def mixed(self) -> frozenset[str]: ...


def result_schema(times: TimeType | None = None, *, has_query_time: bool = False) -> pa.Schema:
    """The columns of a table of all fluents and events."""
    import pyarrow as pa

    text, time = pa.string(), _arrow_time(times)
    columns = {"kind": text, "name": text, "arguments": pa.list_(text), "value": text, "fvp": text}
    before = [("query_time", time)] if has_query_time else []
    return pa.schema([*before, *columns.items(), ("start", time), ("end", time)])


def result_table(
    fvps: Extents, events: Extents, times: TimeType | None = None, query_time: int | None = None
) -> pa.Table:
    """A row per interval and per time-point. Each FVP and event is formatted once for all its rows."""
    import pyarrow as pa

    schema = result_schema(times, has_query_time=query_time is not None)
    parts = [_rows(query_time, "fluent", fvps, times), _rows(query_time, "event", events, times)]
    return pa.concat_tables(pa.table(part, schema=schema) for part in parts)


def _rows(query_time: int | None, kind: str, found: Extents, times: TimeType | None) -> list[Any]:
    import pyarrow as pa

    entities, n = found.entities, len(found.starts)
    described = [entities.functors(), entities.args(), entities.values(), entities.names()]
    rows = pa.array(np.repeat(np.arange(len(entities)), found.counts))
    at = [] if query_time is None else [time_column(np.full(n, query_time, np.int64), times)]
    spans = [time_column(found.starts, times), time_column(found.ends, times)]
    return [*at, pa.repeat(pa.scalar(kind), n), *(column.take(rows) for column in described), *spans]


def typed_schema(layout: TableLayout, times: TimeType | None = None, *, has_query_time: bool = False) -> pa.Schema:
    """The columns of the table of one fluent or event."""
    import pyarrow as pa

    time = _arrow_time(times)
    columns = [("query_time", time)] if has_query_time else []
    columns += [(name, arrow_type(kind)) for name, kind in layout.arguments]
    if layout.value is None:
        return pa.schema([*columns, ("time", time)])
    return pa.schema([*columns, ("value", arrow_type(layout.value)), ("start", time), ("end", time)])


def typed_table(
    layout: TableLayout,
    words: Sequence[Int64],
    counts: Int64,
    spans: tuple[Int64, Int64],
    symbols: Symbols,
    times: TimeType | None = None,
    query_time: int | None = None,
) -> pa.Table:
    """The table of one fluent, or of one event.

    Contract: `words` are the arguments, and the value of a fluent, of distinct instances; `spans` are the starts and
    ends of their intervals, the first `counts[0]` of the first instance, and so on.
    """
    import pyarrow as pa

    starts, ends = spans
    kinds = [kind for _, kind in layout.arguments] + ([] if layout.value is None else [layout.value])
    rows = pa.array(np.repeat(np.arange(len(counts)), counts))
    columns = [] if query_time is None else [time_column(np.full(len(starts), query_time, np.int64), times)]
    columns += [typed_column(each, symbols, kind).take(rows) for each, kind in zip(words, kinds, strict=True)]
    columns += [time_column(each, times) for each in ((starts,) if layout.value is None else (starts, ends))]
    return pa.table(columns, schema=typed_schema(layout, times, has_query_time=query_time is not None))


def _arrow_time(times: TimeType | None) -> pa.DataType:
    import pyarrow as pa

    return pa.int64() if times is None else times.arrow


def concatenate_extents(parts: Sequence[Extents]) -> Extents:
    """The FVPs or events of all parts, one part after the other."""
    nothing = np.zeros(0, np.int64)
    counts, starts, ends = concatenate_columns(
        [(nothing, nothing, nothing), *((part.counts, part.starts, part.ends) for part in parts)]
    )
    return Extents(EntityParts([part.entities for part in parts]), counts, starts, ends)
