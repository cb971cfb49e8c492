"""The sizes of inputs before they are read."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from holdsfor.sources.formats import TABLES, format_of_suffix
from holdsfor.sources.input_files import split_description
from holdsfor.sources.input_streams import is_table_stream

__all__ = ["are_large", "estimated_records", "n_rows", "size_of_file"]

_BYTES_OF_A_RECORD = 24
_BYTES_OF_A_ROW = 6  # of a compressed table
_MANY = 500_000
"""Records that take more memory than the program itself."""


def are_large(inputs: Sequence[object]) -> bool:
    """Whether inputs may be too large to be loaded as a whole: many records, or streams of unknown size."""
    sources = [each[0] if isinstance(each, tuple) and each else each for each in inputs]
    return any(source == "-" or is_table_stream(source) for source in sources) or estimated_records(inputs) >= _MANY


def estimated_records(inputs: Sequence[object]) -> int:
    """An estimate of the number of records, from the sizes of files and tables; an unknown size counts as 0."""
    return sum(map(_estimate, inputs))


def _estimate(each: object) -> int:
    source = each[0] if isinstance(each, tuple) and each else each
    if hasattr(source, "num_rows"):
        return int(source.num_rows)
    if not isinstance(source, str | Path):
        return len(source) if hasattr(source, "__len__") else 0
    file = split_description(source)[0] if isinstance(source, str) else str(source)
    size = size_of_file(file) or 0
    if format_of_suffix(file) == "parquet":
        return n_rows(file)
    return size // (_BYTES_OF_A_ROW if format_of_suffix(file) in TABLES or file.endswith(".gz") else _BYTES_OF_A_RECORD)


def n_rows(file: str) -> int:
    try:
        return int(pq.read_metadata(file).num_rows)
    except (OSError, pa.ArrowInvalid):
        return 0


def size_of_file(file: str) -> int | None:
    """The size of a regular file, None for pipes, sockets and files that are not there."""
    try:
        found = Path(file).stat()
    except (OSError, ValueError):
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
