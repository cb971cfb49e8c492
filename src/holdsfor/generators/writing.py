"""Rows to files: `|`-separated text, or Parquet.

The text has one record per line, in the format of RTEC. The Parquet file is the same in long form, one row per record
in order of arrival:

    name        string   of the event or fluent
    arrival     int64    time-point
    start       int64    time-point of an event or of a fluent at a time-point; start of an interval
    end         int64    end of an interval (right-open); null if the record is not an interval
    value       string   of the fluent; null for an event
    arg1 …      string   arguments; null if the record has fewer
    op          string   `-` for a retraction, else null; only with corrections
    revision    int64    id of a revision, else null; only with corrections

Strings are dictionary-encoded, column by column. A column of fields as in the text, with numbers or structures, has the
suffix `:term` in its name: `arg1:term`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from numpy.typing import NDArray

from holdsfor.generators.coded_records import NONE, CodedRecords, Vocabulary

_PLAIN = re.compile(r"[A-Za-z]\w*\Z", re.ASCII)
"""Texts that are the same constant as a text and as a field."""

__all__ = ["to_table", "write_parquet", "write_text"]


def write_text(pieces: Iterable[CodedRecords], vocabulary: Vocabulary, file: IO[bytes]) -> int:
    """Write the records as lines and return their number. Lines are joined column-wise, in native code."""
    # Each record begins with the previous line break: a join puts its separator between fields only.
    names = pa.array([f"\n{sign}{name}" for sign in ("", "-") for name in vocabulary.names])
    values = pa.array(vocabulary.values, pa.string())
    args = [pa.array(texts, pa.string()) for texts in vocabulary.args]
    n_records = 0
    for rows in pieces:
        if not len(rows):
            continue
        signed = rows.name + rows.is_retraction * np.int32(len(vocabulary.names))
        columns = [names.take(signed), pa.array(rows.arrival).cast(pa.string())]
        columns += [pa.array(rows.start).cast(pa.string()), _or_null(rows.end).cast(pa.string())]
        columns += [values.take(_or_null(rows.value))]
        columns += [texts.take(_or_null(rows.args[:, i])) for i, texts in enumerate(args)]
        lines = pc.binary_join_element_wise(*columns, "|", null_handling="skip")
        content = memoryview(lines.buffers()[2])
        file.write(content if n_records else content[1:])
        n_records += len(rows)
    if n_records:
        file.write(b"\n")
    return n_records


def write_parquet(
    pieces: Iterable[CodedRecords], vocabulary: Vocabulary, path: Path, *, has_corrections: bool = False
) -> int:
    """Write the records as a Parquet file, one row group per piece, and return their number."""
    n_records = 0
    dictionaries, columns = _dictionaries(vocabulary), _constant_columns(vocabulary)
    schema = to_table([], vocabulary, has_corrections=has_corrections).schema
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for rows in pieces:
            writer.write_table(_table(rows, dictionaries, columns, has_corrections=has_corrections))
            n_records += len(rows)
    return n_records


def to_table(pieces: Sequence[CodedRecords], vocabulary: Vocabulary, *, has_corrections: bool = False) -> Any:
    """The records as an Arrow table, with the columns of the Parquet file."""
    dictionaries, columns = _dictionaries(vocabulary), _constant_columns(vocabulary)
    if not pieces:
        names = ["name", "arrival", "start", "end", *columns]
        text = pa.dictionary(pa.int32(), pa.string())
        types = [text, pa.int64(), pa.int64(), pa.int64(), text, *(text for _ in vocabulary.args)]
        more = [("op", pa.string()), ("revision", pa.int64())] if has_corrections else []
        return pa.schema([*zip(names, types, strict=True), *more]).empty_table()
    parts = [_table(rows, dictionaries, columns, has_corrections=has_corrections) for rows in pieces]
    return pa.concat_tables(parts)


def _dictionaries(vocabulary: Vocabulary) -> list[Any]:
    return [pa.array(texts, pa.string()) for texts in (vocabulary.names, vocabulary.values, *vocabulary.args)]


def _constant_columns(vocabulary: Vocabulary) -> list[str]:
    """The names of the columns of values and arguments, with their kind if they do not contain texts only."""
    texts = {"value": vocabulary.values, **{f"arg{i + 1}": args for i, args in enumerate(vocabulary.args)}}
    return [name if all(map(_PLAIN.match, some)) else f"{name}:term" for name, some in texts.items()]


def _table(rows: CodedRecords, dictionaries: Sequence[Any], constants: Sequence[str], *, has_corrections: bool) -> Any:
    names, values, *args = dictionaries
    columns = {
        "name": _texts(rows.name, names),
        "arrival": pa.array(rows.arrival),
        "start": pa.array(rows.start),
        "end": _or_null(rows.end),
        constants[0]: _texts(rows.value, values),
    }
    for i, texts in enumerate(args):
        columns[constants[i + 1]] = _texts(rows.args[:, i], texts)
    if has_corrections:
        columns["op"] = pa.array(np.where(rows.is_retraction, "-", ""), mask=~rows.is_retraction)
        columns["revision"] = _or_null(rows.revision)
    return pa.table(columns)


def _texts(codes: NDArray[Any], texts: Any) -> Any:
    """The texts of the codes, dictionary-encoded; a dictionary larger than the piece is reduced to it."""
    if len(texts) > len(codes):
        return texts.take(_or_null(codes)).dictionary_encode()
    return pa.DictionaryArray.from_arrays(_or_null(codes), texts)


def _or_null(codes: NDArray[Any]) -> Any:
    return pa.array(np.ascontiguousarray(codes), mask=codes == NONE)
