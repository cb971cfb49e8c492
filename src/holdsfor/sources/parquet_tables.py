"""Parquet files as Arrow tables: only the columns that are read, and texts by dictionary where they repeat.

A column of few distinct texts has a small dictionary page in its file. Arrow then copies numbers instead of texts, and
each text is looked up once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.sources.nested_columns import field_path, has_field

__all__ = ["open_parquet", "read_parquet"]

_LARGEST_DICTIONARY = 1 << 16  # bytes; a writer ends a dictionary that becomes large, and the rest is texts


def read_parquet(file: str, wanted: Collection[str] = (), plain: Collection[str] = ()) -> Any:
    """The table of a file: only the wanted columns if some are wanted and the file has them, else all columns.

    The columns `plain` are not read as dictionaries.
    """
    with open_parquet(file, plain) as opened:
        return opened.read(_chosen(opened.schema_arrow, wanted), use_threads=False)


def open_parquet(file: str, plain: Collection[str] = (), **settings: Any) -> Any:
    """A file whose columns of few distinct texts are read as dictionaries, except the columns `plain`."""
    opened = pq.ParquetFile(file, **settings)
    repeating = [name for name in _repeating_texts(opened) if name not in plain]
    if not repeating:
        return opened
    with opened:
        return pq.ParquetFile(file, metadata=opened.metadata, read_dictionary=repeating, **settings)


def _chosen(schema: Any, wanted: Collection[str]) -> list[str] | None:
    """The columns that have the wanted columns and fields; None if one of them is missing or none is wanted."""
    columns: dict[str, None] = {}
    for name in wanted:
        path = field_path(name, schema.names, partial(has_field, schema)) or [name]
        if schema.names.count(path[0]) != 1:
            return None
        columns[path[0]] = None
    return list(columns) or None


def _repeating_texts(opened: Any) -> Iterator[str]:
    """The columns of texts with a small dictionary in every row group."""
    schema, metadata = opened.schema_arrow, opened.metadata
    texts = {field.name for field in schema if pt.is_string(field.type) or pt.is_large_string(field.type)}
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    for number in range(metadata.num_columns if texts and groups else 0):
        name = metadata.schema.column(number).path
        if name in texts and all(_has_small_dictionary(group.column(number)) for group in groups):
            yield name


def _has_small_dictionary(column: Any) -> bool:
    if not column.has_dictionary_page or column.dictionary_page_offset is None:
        return False
    return bool(column.data_page_offset - column.dictionary_page_offset <= _LARGEST_DICTIONARY)
