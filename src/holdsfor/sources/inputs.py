"""Inputs of any kind to columns: text, Parquet and Arrow files, and tables in memory."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from holdsfor.analysis.names import Names
from holdsfor.columns.words import Symbols
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sources.columns import ColumnReading, read_columns, read_table
from holdsfor.sources.objects import Event, Fluent, table_of

__all__ = ["read_bytes", "read_frame", "read_input", "read_inputs"]

_HINT = "give the files with records behind `--input`; `-` is standard input"


def read_inputs(inputs: Iterable[object], names: Names, tick: int, symbols: Symbols) -> ColumnReading:
    """The records of files (paths, or `-` for standard input) and tables, together.

    A table is an Arrow table or any frame that gives itself as an Arrow stream, as those of pandas and polars do.
    Records may also be Python objects or lines of text.
    """
    reading = ColumnReading()
    for each in inputs:
        read_input(each, names, tick, symbols, reading)
    reading.settle()
    return reading


def read_input(given: object, names: Names, tick: int, symbols: Symbols, reading: ColumnReading) -> None:
    """Add the records of a file, a table, or Python objects to the reading; nothing is settled."""
    if isinstance(given, str | Path) and Path(given).suffix in (".parquet", ".arrow", ".feather"):
        read_table(_completed(_table_of(str(given))), names, tick, symbols, reading, file=str(given))
    elif isinstance(given, str | Path):
        read_columns(read_bytes(str(given)), str(given), names, tick, symbols, reading)
    elif hasattr(given, "__arrow_c_stream__"):
        read_frame(given, names, tick, symbols, reading)
    else:
        _read_objects(given, names, tick, symbols, reading)


def read_frame(frame: object, names: Names, tick: int, symbols: Symbols, reading: ColumnReading) -> None:
    """Add the records of an Arrow table or of a frame; columns that may be left out may be missing."""
    read_table(_completed(_as_table(frame)), names, tick, symbols, reading)


def _read_objects(given: object, names: Names, tick: int, symbols: Symbols, reading: ColumnReading) -> None:
    """Read an `Event` or `Fluent`, or several, or lines of text."""
    objects = [given] if isinstance(given, Event | Fluent) else _listed(given)
    lines = [each for each in objects if isinstance(each, str)]
    records = [each for each in objects if isinstance(each, Event | Fluent)]
    if len(records) == len(objects):
        read_table(table_of(records), names, tick, symbols, reading, file="records")
    elif len(lines) == len(objects):
        read_columns("\n".join(lines).encode(), "lines", names, tick, symbols, reading)
    else:
        odd = next(each for each in objects if not isinstance(each, Event | Fluent if records else str))
        message = f"expected an `Event`, a `Fluent` or a line of text, found `{type(odd).__name__}`"
        hint = "records are all objects or all lines of text" if records or lines else None
        raise DataProblem(Diagnostic("HF502", message, hint=hint))


def _listed(given: object) -> list[object]:
    if isinstance(given, Iterable) and not isinstance(given, bytes | Mapping):
        return list(given)
    message = f"expected a file, an Arrow table, a frame or records, found `{type(given).__name__}`"
    raise DataProblem(Diagnostic("HF502", message, hint="frames of pandas and polars are read through Arrow"))


def _completed(table: Any) -> Any:
    """The table with the columns that may be left out: records arrive when they occur, events have no end or value."""
    import pyarrow as pa  # type: ignore[import-untyped]

    if "start" in table.column_names and "arrival" not in table.column_names:
        table = table.append_column("arrival", table["start"])
    for name, kind in (("end", pa.int64()), ("value", pa.string())):
        if name not in table.column_names:
            table = table.append_column(name, pa.nulls(table.num_rows, kind))
    return table


def _as_table(frame: object) -> Any:
    import pyarrow as pa

    return pa.table(frame)


def _table_of(file: str) -> Any:
    import pyarrow as pa
    import pyarrow.feather  # type: ignore[import-untyped]
    import pyarrow.parquet  # type: ignore[import-untyped]

    try:
        read = pyarrow.parquet.read_table if Path(file).suffix == ".parquet" else pyarrow.feather.read_table
        return read(file)
    except FileNotFoundError:
        raise DataProblem(Diagnostic("HF501", f"`{file}` not found", hint=_HINT, file=file)) from None
    except (OSError, pa.ArrowInvalid) as error:
        message = f"`{file}` cannot be read: {str(error).splitlines()[0].lower()}"
        hint = "is it a whole Parquet or Arrow file?"
        raise DataProblem(Diagnostic("HF501", message, hint=hint, file=file)) from None


def read_bytes(file: str) -> bytes:
    """The content of an input file; `-` is standard input."""
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except FileNotFoundError:
        raise DataProblem(Diagnostic("HF501", f"`{file}` not found", hint=_HINT, file=file)) from None
    except OSError as error:
        message = f"`{file}` cannot be read: {(error.strerror or str(error)).lower()}"
        raise DataProblem(Diagnostic("HF501", message, hint="records are lines of text", file=file)) from None
