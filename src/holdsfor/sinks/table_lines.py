"""Arrow tables as lines of CSV or JSON, as columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.sinks.row_texts import as_json, csv_row
from holdsfor.sinks.text_columns import Texts, csv_names, json_names, text_block, times_as_text
from holdsfor.sinks.time_formats import ShowTime, as_integer, time_type_of

__all__ = ["table_lines"]

_BLOCK = 1 << 17


def table_lines(table: Any, form: str, shown: ShowTime = as_integer, *, has_header: bool) -> Iterator[str]:
    """The rows of a table as lines of `csv` or `jsonl`, in blocks; `shown` writes timestamps.

    >>> table = pa.table({"vessel": ["A 1"], "end": pa.array([None], pa.int64())})
    >>> list(table_lines(table, "csv", has_header=True)), list(table_lines(table, "jsonl", has_header=False))
    (['vessel,end', 'A 1,'], ['{"vessel": "A 1", "end": null}'])
    """
    if has_header and form == "csv":
        yield csv_row(*table.column_names)
    for first in range(0, len(table), _BLOCK):
        rows = table.slice(first, _BLOCK).combine_chunks()
        yield (_csv_block if form == "csv" else _json_block)(rows, shown)


def _csv_block(rows: Any, shown: ShowTime) -> str:
    parts: list[Texts] = []
    for column in rows.columns:
        texts = _texts(column, shown)
        parts += [",", csv_names(texts) if pa.types.is_string(column.type) else texts]
    return text_block(*(pc.fill_null(part, "") if isinstance(part, pa.Array) else part for part in parts[1:]))


def _json_block(rows: Any, shown: ShowTime) -> str:
    parts: list[Texts] = []
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        is_quoted = pa.types.is_string(column.type) or pa.types.is_timestamp(column.type)
        texts = json_names(_texts(column, shown)) if is_quoted else _texts(column, shown)
        parts += [f"{', ' if parts else '{'}{as_json(name)}: ", pc.fill_null(texts, "null")]
    return text_block(*parts, "}")


def _texts(column: Any, shown: ShowTime) -> Texts:
    """The values of a column as text; nulls stay nulls."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kind = time_type_of(shown)
    if kind is None or not pa.types.is_timestamp(array.type):
        return array.cast(pa.string())
    times: Any = np.asarray(kind.time_points(array).fill_null(0))
    return pc.if_else(array.is_valid(), times_as_text(times, shown), pa.scalar(None, pa.string()))
