"""Inputs of any kind to columns: text, Parquet and Arrow files, and tables in memory."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from holdsfor.analysis.names import Names
from holdsfor.columns.words import Symbols
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sources.columns import ColumnReading, read_columns, read_table

__all__ = ["read_bytes", "read_inputs", "standard_input"]

_HINT = "give the files with records behind `--input`; `-` is standard input"


def read_inputs(inputs: Iterable[object], names: Names, tick: int, symbols: Symbols) -> ColumnReading:
    """The records of files (paths, or `-` for standard input) and tables, together.

    A table is an Arrow table or any frame that gives itself as an Arrow stream, as those of pandas and polars do.
    """
    reading = ColumnReading()
    for each in inputs:
        if not isinstance(each, str | Path):
            read_table(_completed(_as_table(each)), names, tick, symbols, reading)
        elif Path(each).suffix in (".parquet", ".arrow", ".feather"):
            read_table(_completed(_table_of(str(each))), names, tick, symbols, reading, file=str(each))
        else:
            read_columns(read_bytes(str(each)), str(each), names, tick, symbols, reading)
    reading.settle()
    return reading


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

    if hasattr(frame, "__arrow_c_stream__"):
        return pa.table(frame)
    message = f"expected a file, an Arrow table or a frame, found `{type(frame).__name__}`"
    raise DataProblem(Diagnostic("HF502", message, hint="frames of pandas and polars are read through Arrow"))


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
        return standard_input(_HINT).read() if file == "-" else Path(file).read_bytes()
    except FileNotFoundError:
        raise DataProblem(Diagnostic("HF501", f"`{file}` not found", hint=_HINT, file=file)) from None
    except OSError as error:
        message = f"`{file}` cannot be read: {(error.strerror or str(error)).lower()}"
        raise DataProblem(Diagnostic("HF501", message, hint="records are lines of text", file=file)) from None


def standard_input(hint: str) -> BinaryIO:
    """Standard input, which a process may have been started without."""
    if sys.stdin is None:
        raise DataProblem(Diagnostic("HF501", "standard input is closed", hint=hint, file="-"))
    return sys.stdin.buffer
