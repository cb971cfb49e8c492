"""Parquet files that the workers open themselves.

Spark reads a table into rows and then converts the rows for Python, which costs more than the engine. If a DataFrame
consists only of Parquet files that every worker can open, with columns of plain types, Spark distributes numbers of
*pieces* of the files, and the workers read the pieces with Arrow. Texts stay dictionaries, as they are in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.errors import DataProblem, Diagnostic

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["RowGroups", "local_files", "pieces_of", "tables_of"]

_PLAIN = {
    "string": pa.string(),
    "long": pa.int64(),
    "integer": pa.int32(),
    "short": pa.int16(),
    "byte": pa.int8(),
    "double": pa.float64(),
    "float": pa.float32(),
}
_MOST_FILES = 4096
_ROWS = 1 << 20


@dataclass(frozen=True)
class RowGroups:
    """Consecutive row groups of a file, with the number of rows before and in them."""

    file: str
    first: int
    last: int
    n_before: int
    n: int


def local_files(frame: DataFrame) -> list[str] | None:
    """The files of a DataFrame, if it is a plain table of local Parquet files; else None."""
    plan = getattr(getattr(frame, "_jdf", None), "queryExecution", None)
    if plan is None or any(field.dataType.typeName() not in _PLAIN for field in frame.schema):
        return None
    relation = _relation(plan().analyzed())
    if relation is None or relation.partitionSchema().length():
        return None
    places = [urlsplit(file) for file in frame.inputFiles()]
    if len(places) > _MOST_FILES or any(place.scheme != "file" for place in places):
        return None
    return sorted(unquote(place.path) for place in places)


def _relation(plan: Any) -> Any:
    """The relation of a plan that only reads Parquet files, else None."""
    while plan.getClass().getSimpleName() == "SubqueryAlias":
        plan = plan.child()
    if plan.getClass().getSimpleName() != "LogicalRelation":
        return None
    relation = plan.relation()
    is_files = relation.getClass().getSimpleName() == "HadoopFsRelation"
    return relation if is_files and relation.fileFormat().toString() == "Parquet" else None


def pieces_of(frame: DataFrame, files: Sequence[str], n_tasks: int) -> list[RowGroups] | None:
    """The pieces of the files, about four per task; None if a file lacks a column of the DataFrame."""
    with ThreadPoolExecutor(8) as pool:
        opened = list(pool.map(_footer, files))
    wanted = {field.name: _PLAIN[field.dataType.typeName()] for field in frame.schema}
    if any(footer is None or not _has(footer, wanted) for footer in opened):
        return None
    footers = [(file, footer) for file, footer in zip(files, opened, strict=True) if footer is not None]
    n_rows = sum(footer.num_rows for _, footer in footers)
    most = min(2 * _ROWS, max(_ROWS // 8, n_rows // max(1, 4 * n_tasks)))
    return [piece for file, footer in footers for piece in _cut(file, footer, most)]


def _footer(file: str) -> Any:
    try:
        return pq.read_metadata(file)
    except (OSError, pa.ArrowException):
        return None


def _has(footer: Any, wanted: dict[str, Any]) -> bool:
    """Whether a file has columns of these types; a text may be stored as a dictionary."""
    schema = footer.schema.to_arrow_schema()
    kinds = {name: schema.field(name).type for name in wanted if schema.get_field_index(name) >= 0}
    return all(name in kinds and _is(kinds[name], kind) for name, kind in wanted.items())


def _is(found: Any, kind: Any) -> bool:
    found = found.value_type if pt.is_dictionary(found) else found
    return bool(found == kind or (pt.is_string(kind) and (pt.is_large_string(found) or pt.is_string_view(found))))


def _cut(file: str, footer: Any, most: int) -> Iterator[RowGroups]:
    first = n_before = n = 0
    for group in range(footer.num_row_groups):
        rows = footer.row_group(group).num_rows
        if n and n + rows > most:
            yield RowGroups(file, first, group, n_before, n)
            first, n_before, n = group, n_before + n, 0
        n += rows
    if n:
        yield RowGroups(file, first, footer.num_row_groups, n_before, n)


def tables_of(pieces: Iterable[RowGroups], columns: Sequence[str]) -> Iterator[tuple[RowGroups, int, Any]]:
    """The rows of pieces as tables of bounded size, each with the number of rows before it in the file.

    A file that cannot be read is HF501.
    """
    for piece in pieces:
        try:
            yield from _tables(piece, columns)
        except (OSError, pa.ArrowException) as problem:
            message = f"`{piece.file}` cannot be read: {str(problem).splitlines()[0]}"
            raise DataProblem(Diagnostic("HF501", message)) from None


def _tables(piece: RowGroups, columns: Sequence[str]) -> Iterator[tuple[RowGroups, int, Any]]:
    with pq.ParquetFile(piece.file) as plain:
        texts = [name for name in columns if _is(plain.schema_arrow.field(name).type, pa.string())]
    with pq.ParquetFile(piece.file, read_dictionary=texts) as file:
        n_before = piece.n_before
        for groups in _together(file.metadata, piece):
            table = file.read_row_groups(groups, columns=list(columns), use_threads=False)
            yield piece, n_before, table
            n_before += table.num_rows


def _together(metadata: Any, piece: RowGroups) -> Iterator[list[int]]:
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
