"""The files of a DataFrame that only reads Parquet files, as the plan of Spark describes them: on the driver.

Spark infers the values of partition columns from folders such as `day=2026-01-01`. They are taken from Spark, so that
a value means the same whether Spark or a worker reads the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["ParquetRelation", "PartitionedFile", "parquet_relation"]

_PLAIN = {
    "string": pa.string(),
    "long": pa.int64(),
    "integer": pa.int32(),
    "short": pa.int16(),
    "byte": pa.int8(),
    "double": pa.float64(),
    "float": pa.float32(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
_PARTITION_TYPES = ("string", "integer", "long", "double", "date")
_FIRST_DAY = date(1970, 1, 1)

Values = tuple[tuple[str, Any], ...]
"""The values of partition columns by name; None is null."""


@dataclass(frozen=True)
class PartitionedFile:
    """A file by its address, with the values of the partition columns."""

    uri: str
    values: Values = ()

    @property
    def shown(self) -> str:
        """The address as Spark and messages show it: the path of a local file."""
        parts = urlsplit(self.uri)
        return unquote(parts.path) if parts.scheme == "file" else unquote(self.uri)


@dataclass(frozen=True)
class ParquetRelation:
    """The files of a table in order of their addresses, and the Arrow types of the wanted columns."""

    files: list[PartitionedFile]
    types: dict[str, Any]
    partitioned_by: tuple[str, ...] = ()


def parquet_relation(frame: DataFrame, columns: Sequence[str]) -> ParquetRelation | None:
    """The files of a DataFrame and the types of some columns; None unless it is a plain table of Parquet files."""
    plan = getattr(getattr(frame, "_jdf", None), "queryExecution", None)
    kinds = {field.name: field.dataType.typeName() for field in frame.schema}
    types = {name: _PLAIN[kinds[name]] for name in columns if kinds.get(name) in _PLAIN}
    relation = None if plan is None or len(types) < len(set(columns)) else _relation(plan().analyzed())
    if relation is None:
        return None
    parts = list(relation.partitionSchema().fieldNames())
    uris: list[str] = sorted(frame.inputFiles())
    if not parts:
        return ParquetRelation([PartitionedFile(uri) for uri in uris], types)
    folders = _folders(relation, parts, kinds)
    if folders is None or any(_folder(uri) not in folders for uri in uris):
        return None
    return ParquetRelation([PartitionedFile(uri, folders[_folder(uri)]) for uri in uris], types, tuple(parts))


def _relation(plan: Any) -> Any:
    """The relation of a plan that only reads Parquet files, else None."""
    while plan.getClass().getSimpleName() == "SubqueryAlias":
        plan = plan.child()
    if plan.getClass().getSimpleName() != "LogicalRelation":
        return None
    relation = plan.relation()
    is_files = relation.getClass().getSimpleName() == "HadoopFsRelation"
    return relation if is_files and relation.fileFormat().toString() == "Parquet" else None


def _folders(relation: Any, parts: Sequence[str], kinds: dict[str, str]) -> dict[str, Values] | None:
    """The values of the partition columns by folder; None if a file may have such a column too, or for other types."""
    in_files = {name.lower() for name in relation.dataSchema().fieldNames()}
    if any(kinds.get(name) not in _PARTITION_TYPES or name.lower() in in_files for name in parts):
        return None
    index = relation.location()
    if index.getClass().getSimpleName() != "InMemoryFileIndex":
        return None
    partitions = index.partitionSpec().partitions()
    found: dict[str, Values] = {}
    for i in range(partitions.size()):
        partition = partitions.apply(i)
        values = tuple((name, _value(partition.values(), j, kinds[name])) for j, name in enumerate(parts))
        found[_normal(partition.path().toUri().toString())] = values
    return found


def _value(row: Any, i: int, kind: str) -> Any:
    if row.isNullAt(i):
        return None
    match kind:
        case "string":
            return str(row.getUTF8String(i).toString())
        case "integer":
            return int(row.getInt(i))
        case "long":
            return int(row.getLong(i))
        case "double":
            return float(row.getDouble(i))
        case _:
            return _FIRST_DAY + timedelta(days=row.getInt(i))


def _folder(uri: str) -> str:
    return _normal(uri.rpartition("/")[0])


def _normal(uri: str) -> str:
    """An address without differences of spelling: `file:/a` and `file:///a` are the same."""
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc}{unquote(parts.path)}"
