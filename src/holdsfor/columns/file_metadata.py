"""Metadata of result files, from which the exact terms and time-points of results are read again.

Parquet stores seconds as milliseconds, so the unit of time-points is in the metadata. The table of one fluent or event
has the name, the columns of the arguments, and the columns that may have both texts and numbers. Formats without
metadata have a `TableDescription` elsewhere: the files of a folder in `_tables.json`, a table of DuckDB in its comment.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

    from holdsfor.columns.result_table import TableLayout
    from holdsfor.columns.time_type import TimeType

__all__ = [
    "TABLES_FILE",
    "FileLayout",
    "TableDescription",
    "described_table",
    "file_layout",
    "table_metadata",
    "time_metadata",
    "time_unit",
]

TABLES_FILE = "_tables.json"
"""The file with the descriptions of the tables of a folder; other readers ignore names that begin with `_`."""

_TABLE = "holdsfor.table"
_TIME_UNIT = "holdsfor.time_unit"


@dataclass(frozen=True)
class FileLayout:
    """The table of one fluent or event, as described by its metadata."""

    name: str
    arguments: tuple[str, ...]
    mixed: frozenset[str]
    is_event: bool

    @property
    def key(self) -> tuple[str, int]:
        """The name and arity of the fluent or event."""
        return self.name, len(self.arguments)


@dataclass(frozen=True)
class TableDescription:
    """The metadata of a table, and the types of its columns, for formats that store neither."""

    metadata: dict[str, str]
    types: dict[str, str]

    @classmethod
    def of(cls, schema: pa.Schema) -> TableDescription:
        """The description of a table with metadata."""
        metadata = {key.decode(): value.decode() for key, value in (schema.metadata or {}).items()}
        return cls(metadata, {field.name: str(field.type) for field in schema})

    def as_json(self) -> dict[str, Any]:
        return {"metadata": self.metadata, "types": self.types}

    @classmethod
    def from_json(cls, given: Any) -> TableDescription | None:
        """The inverse of `as_json`; None for anything else."""
        match given:
            case {"metadata": {"holdsfor.table": str()} as metadata, "types": dict() as types}:
                return cls(metadata, types)
        return None


def described_table(description: TableDescription, columns: Mapping[str, Any]) -> pa.Table:
    """A table with the types and metadata of its description; times are integers or timestamps of any unit."""
    import pyarrow as pa

    fields = [pa.field(name, _arrow_type(kind)) for name, kind in description.types.items()]
    arrays = [_with_type(columns[field.name], field.type) for field in fields]
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=description.metadata))


def _arrow_type(name: str) -> pa.DataType:
    """The type of a column of results by its name."""
    import pyarrow as pa

    if name.startswith("timestamp["):
        unit, _, zone = name.removeprefix("timestamp[").removesuffix("]").partition(", tz=")
        return pa.timestamp(unit, zone or None)
    return {"int64": pa.int64(), "double": pa.float64()}.get(name, pa.string())


def _with_type(column: Any, kind: pa.DataType) -> Any:
    """A column with a type; a timestamp without a zone is in UTC, like those of results."""
    import pyarrow as pa

    if pa.types.is_timestamp(column.type) and pa.types.is_timestamp(kind):
        column = column.cast(pa.timestamp(kind.unit, column.type.tz)).cast(pa.int64())
    return column.cast(kind)


def time_metadata(times: TimeType | None) -> dict[str, str]:
    """The unit of timestamps."""
    return {} if times is None else {_TIME_UNIT: times.unit}


def table_metadata(layout: TableLayout, times: TimeType | None) -> dict[str, str]:
    """The metadata of the table of one fluent or event."""
    described = {
        "name": layout.key[0],
        "arguments": [name for name, _ in layout.arguments],
        "mixed": sorted(layout.mixed),
        "is_event": layout.value is None,
    }
    return {_TABLE: json.dumps(described, ensure_ascii=False), **time_metadata(times)}


def time_unit(metadata: Mapping[bytes, bytes] | None) -> str | None:
    """The unit of time-points, None if the metadata has none."""
    found = (metadata or {}).get(_TIME_UNIT.encode())
    return None if found is None else found.decode()


def file_layout(metadata: Mapping[bytes, bytes] | None) -> FileLayout | None:
    """The layout of the table of one fluent or event; None for other tables."""
    stated = (metadata or {}).get(_TABLE.encode())
    if stated is None:
        return None
    given: dict[str, Any] = json.loads(stated)
    return FileLayout(given["name"], tuple(given["arguments"]), frozenset(given["mixed"]), given["is_event"])
