"""Parquet files that are added to a folder, as a stream of rows.

Spark takes a folder `day=1` for a partition by a column `day`, and then skips or refuses files in other folders. Here
all files below the folder are read, and the columns of partitions come from the paths of the files: null for a file
outside. The files at the first start of a stream decide the columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.spark.input.frame_sources import quoted
from holdsfor.spark.output.folders import HadoopFiles

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

__all__ = ["ParquetColumns", "parquet_columns", "parquet_stream"]

_AUTHORITY = r"^(?:[^:/]+:(?://[^/]*)?)?"
_NULL = "__HIVE_DEFAULT_PARTITION__"
_NO_ESCAPE = "%(?![0-9A-Fa-f]{2})"
_LARGEST_INT, _LARGEST_BIGINT = (1 << 31) - 1, (1 << 63) - 1
_PATTERNS = {
    kind: re.compile(pattern, re.ASCII)
    for kind, pattern in {
        "int": r"[+-]?\d+",
        "double": r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?",
        "date": r"\d{4}-\d\d-\d\d",
        "timestamp": r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?",
    }.items()
}
"""The types of partition columns whose values all match."""


@dataclass(frozen=True)
class ParquetColumns:
    """The columns of the Parquet files below a folder: those stored in the files, as JSON, and those of partitions."""

    stored: str
    partitions: dict[str, str]


def parquet_columns(spark: SparkSession, path: str) -> ParquetColumns:
    """The columns of the files below a folder; a folder without Parquet files is HF501."""
    from pyspark.errors import AnalysisException

    try:
        files = spark.read.option("recursiveFileLookup", "true").parquet(path)
    except AnalysisException as problem:
        if problem.getCondition() != "UNABLE_TO_INFER_SCHEMA":
            raise
        message = f"`{path}` has no Parquet file, and the first one decides the columns of the stream"
        raise DataProblem(Diagnostic("HF501", message, hint="add a file before the first start")) from None
    depth = _depth(HadoopFiles(spark, path).root)
    folders = {_names(urlsplit(uri).path)[depth:-1] for uri in files.inputFiles()}
    stored = {name.lower() for name in files.columns}
    found = {name: kind for name, kind in partition_types(sorted(folders)).items() if name.lower() not in stored}
    return ParquetColumns(files.schema.json(), found)


def parquet_stream(spark: SparkSession, reader: DataStreamReader, path: str, columns: ParquetColumns) -> DataFrame:
    """The rows of the Parquet files below a folder; the reader reads the files in all folders inside."""
    from pyspark.sql.types import StructType

    stored = StructType.fromJson(json.loads(columns.stored))
    rows = reader.schema(stored).parquet(path)
    if not columns.partitions:
        return rows
    inside = _folders_inside(HadoopFiles(spark, path).root)
    found = (_value_in(inside, name).try_cast(kind).alias(name) for name, kind in columns.partitions.items())
    return rows.select(*(quoted(name) for name in stored.names), *found)


def partition_types(folders: Iterable[Sequence[str]]) -> Mapping[str, str]:
    """The columns of partitions with their types, from the names of the folders of files.

    The types are those that Spark takes.

    >>> partition_types([["a", "n=1", "day=1", "at=2026-03-01"], ["day=2.5", "at=2026-03-01 12:00", "rate=50%"]])
    {'n': 'int', 'day': 'double', 'at': 'timestamp', 'rate': 'string'}
    """
    values: dict[str, set[str]] = {}
    for names in folders:
        for name, is_partition, value in (each.partition("=") for each in names):
            if is_partition and name and value:
                values.setdefault(unquote(name), set()).add(unquote(value))
    return {name: _type_of(found - {_NULL}) for name, found in values.items()}


def _type_of(values: set[str]) -> str:
    matching = (
        kind for kind, pattern in _PATTERNS.items() if values and all(pattern.fullmatch(value) for value in values)
    )
    kind = next(matching, "string")
    if kind != "int":
        return kind
    longest = max(abs(int(value)) for value in values)
    return "int" if longest <= _LARGEST_INT else "bigint" if longest <= _LARGEST_BIGINT else "string"


def _depth(root: str) -> int:
    """The number of names in a path, which may be a pattern."""
    return len(_names(re.sub(_AUTHORITY, "", root)))


def _names(path: str) -> tuple[str, ...]:
    return tuple(unquote(each) for each in path.split("/") if each)


def _folders_inside(root: str) -> Column:
    """The path of a file from a folder on, which may be a pattern; names and values in it are escaped."""
    from pyspark.sql import functions as F

    path = _unescaped(F.col("_metadata.file_path"))
    return F.regexp_extract(path, f"{_AUTHORITY}(?:/+[^/]+){{{_depth(root)}}}(/.*)$", 1)


def _value_in(folders: Column, name: str) -> Column:
    """The value of a partition column in the path of a file, null if the path has none."""
    from pyspark.sql import functions as F

    found = F.regexp_extract(folders, f"/{re.escape(_escaped(name))}=([^/]*)/", 1)
    value = _unescaped(found)
    return F.when((found == "") | (value == _NULL), F.lit(None)).otherwise(value)


def _unescaped(text: Column) -> Column:
    """A text without its escapes; a `%` that begins none is itself."""
    from pyspark.sql import functions as F

    return F.url_decode(F.replace(F.regexp_replace(text, _NO_ESCAPE, "%25"), F.lit("+"), F.lit("%2B")))


def _escaped(name: str) -> str:
    """The name of a column as Spark writes it into the names of folders.

    >>> _escaped("day of/week")
    'day of%2Fweek'
    """
    return re.sub(r"[\x00-\x1f\x7f\"#%'*/:=?\\{\[\]^]", lambda found: f"%{ord(found[0]):02X}", name)
