"""Parquet files that the workers open themselves.

Spark reads a table into rows and then converts the rows for Python, which costs more than the engine. If a DataFrame
consists only of Parquet files, and the columns of records have plain types, Spark distributes numbers of *pieces* of
the files, and the workers read the pieces with Arrow. Texts stay dictionaries, as they are in the file.

Files are opened through the file systems of Arrow: local and shared folders, HDFS, and object stores with credentials
in the environment. The driver opens the footers first. If it cannot, or if a file has other columns, Spark reads the
table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.fs as pafs  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.spark.input.parquet_relation import ParquetRelation, PartitionedFile

__all__ = ["RowGroups", "pieces_of", "tables_of"]

_ROWS = 1 << 20
_AT_ONCE = 32
_ALIASES = {"s3a": "s3", "s3n": "s3"}
_LEGACY = b"org.apache.spark.legacy"
"""The beginning of keys in footers of files whose old times Spark has to convert."""


@dataclass(frozen=True)
class RowGroups:
    """Consecutive row groups of a file, with the number of rows before and in them."""

    source: PartitionedFile
    first: int
    last: int
    n_before: int
    n: int


# -- on the driver -----------------------------------------------------------------------------------------------------


def pieces_of(relation: ParquetRelation, n_tasks: int) -> list[RowGroups] | None:
    """The pieces of the files, about four per task; None if a file cannot be opened here or has other columns."""
    own = {name: kind for name, kind in relation.types.items() if name not in relation.partitioned_by}
    if not own or not _can_open(relation.files):
        return None
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        footers = list(pool.map(_footer, relation.files))
    found = [(file, footer) for file, footer in zip(relation.files, footers, strict=True) if footer is not None]
    if len(found) < len(footers) or not all(_has(footer, own) for _, footer in found):
        return None
    n_rows = sum(footer.num_rows for _, footer in found)
    most = min(2 * _ROWS, max(_ROWS // 8, n_rows // max(1, 4 * n_tasks)))
    return [piece for file, footer in found for piece in _cut(file, footer, most)]


def _can_open(files: Sequence[PartitionedFile]) -> bool:
    """Whether Arrow has the file systems of all files."""
    try:
        for scheme, place in {urlsplit(file.uri)[:2] for file in files}:
            file_system(scheme, place)
    except (OSError, ValueError, NotImplementedError, ImportError):
        return False
    return True


def _footer(file: PartitionedFile) -> Any:
    try:
        with _opened(file) as opened:
            return pq.read_metadata(opened)
    except (OSError, pa.ArrowException):
        return None


def _has(footer: Any, wanted: Mapping[str, Any]) -> bool:
    """Whether a file has columns of these types; a text may be stored as a dictionary."""
    if any(key.startswith(_LEGACY) for key in footer.metadata or ()):
        return False
    schema = footer.schema.to_arrow_schema()
    kinds = {name: schema.field(name).type for name in wanted if schema.get_field_index(name) >= 0}
    return all(name in kinds and _is(kinds[name], kind) for name, kind in wanted.items())


def _is(found: Any, kind: Any) -> bool:
    found = found.value_type if pt.is_dictionary(found) else found
    if pt.is_timestamp(kind):
        return bool(pt.is_timestamp(found) and found.unit in ("ms", "us") and (found.tz is None) == (kind.tz is None))
    return bool(found == kind or (pt.is_string(kind) and (pt.is_large_string(found) or pt.is_string_view(found))))


def _cut(file: PartitionedFile, footer: Any, most: int) -> Iterator[RowGroups]:
    first = n_before = n = 0
    for group in range(footer.num_row_groups):
        rows = footer.row_group(group).num_rows
        if n and n + rows > most:
            yield RowGroups(file, first, group, n_before, n)
            first, n_before, n = group, n_before + n, 0
        n += rows
    if n:
        yield RowGroups(file, first, footer.num_row_groups, n_before, n)


# -- file systems ------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=32)
def file_system(scheme: str, place: str) -> Any:
    """The file system of addresses, made once per process."""
    if scheme == "file":
        return pafs.LocalFileSystem()
    return pafs.FileSystem.from_uri(arrow_address(f"{scheme}://{place}/"))[0]


def arrow_address(address: str) -> str:
    """An address of Hadoop as Arrow names it.

    >>> arrow_address("s3a://bucket/state")
    's3://bucket/state'
    """
    scheme, separator, rest = address.partition("://")
    return f"{_ALIASES.get(scheme, scheme)}{separator}{rest}"


def _opened(file: PartitionedFile) -> Any:
    """A file for reading at random positions; in an object store, paths begin with the name of the bucket."""
    scheme, place, path, *_ = urlsplit(file.uri)
    system = file_system(scheme, place)
    has_buckets = system.type_name in ("s3", "gcs", "abfs")
    return system.open_input_file(f"{place}{unquote(path)}" if has_buckets else unquote(path))


# -- in the workers ----------------------------------------------------------------------------------------------------


def tables_of(pieces: Iterable[RowGroups], types: Mapping[str, Any]) -> Iterator[tuple[RowGroups, int, Any]]:
    """The rows of pieces as tables of bounded size, each with the number of rows before it in the file.

    The tables have the columns of `types`. A file that cannot be read is HF501.
    """
    for piece in pieces:
        try:
            yield from _tables(piece, types)
        except (OSError, pa.ArrowException) as problem:
            message = f"`{piece.source.shown}` cannot be read: {str(problem).splitlines()[0]}"
            raise DataProblem(Diagnostic("HF501", message)) from None


def _tables(piece: RowGroups, types: Mapping[str, Any]) -> Iterator[tuple[RowGroups, int, Any]]:
    values = dict(piece.source.values)
    columns = [name for name in types if name not in values]
    texts = [name for name in columns if pt.is_string(types[name])]
    with _opened(piece.source) as opened, pq.ParquetFile(opened, read_dictionary=texts) as file:
        n_before = piece.n_before
        for groups in _combined_row_groups(file.metadata, piece):
            table = file.read_row_groups(groups, columns=columns, use_threads=False)
            yield piece, n_before, _with_values(table, values, types)
            n_before += table.num_rows


def _with_values(table: Any, values: Mapping[str, Any], types: Mapping[str, Any]) -> Any:
    """The columns of `types`: those of a file, with the units of Spark, and those of its folder."""
    n = table.num_rows
    return pa.table(
        {
            name: _constant(values[name], kind, n) if name in values else _as_spark(table.column(name), kind)
            for name, kind in types.items()
        }
    )


def _constant(value: Any, kind: Any, n: int) -> Any:
    if value is None or not pt.is_string(kind):
        return pa.repeat(pa.scalar(value, kind), n)
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int8)), pa.array([value], kind))


def _as_spark(column: Any, kind: Any) -> Any:
    return column.cast(kind) if pt.is_timestamp(kind) else column


def _combined_row_groups(metadata: Any, piece: RowGroups) -> Iterator[list[int]]:
    """Row groups combined into reads of a useful size."""
    groups: list[int] = []
    n = 0
    for group in range(piece.first, piece.last):
        groups.append(group)
        n += metadata.row_group(group).num_rows
        if n >= _ROWS:
            yield groups
            groups, n = [], 0
    if groups:
        yield groups
