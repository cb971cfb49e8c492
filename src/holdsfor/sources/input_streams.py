"""Inputs that are read in pieces: only a block of a text, or some batches of a table, are in memory.

The pieces are those of the same input read as a whole, so records that do not fit and errors are the same. A file that
turns out to be damaged after its first pieces were read is `BrokenInput`.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sources.formats import Format
from holdsfor.sources.whole_lines import ByteStream

__all__ = [
    "BrokenInput",
    "FilePiece",
    "TableStream",
    "TextStream",
    "broken_table",
    "broken_text",
    "frame_table",
    "is_table_stream",
    "table_stream",
]

_ROWS = 1 << 16
_BUFFER = 1 << 20


class BrokenInput(DataProblem):
    """An input that cannot be read to its end."""


def broken_text(file: str, error: Exception) -> BrokenInput:
    """The error of a text that cannot be read."""
    message = f"`{file}` cannot be read: {(getattr(error, 'strerror', None) or str(error)).lower()}"
    return BrokenInput(Diagnostic("HF501", message, hint="records are lines of text", file=file))


def broken_table(file: str, error: Exception) -> BrokenInput:
    """The error of a table that cannot be read."""
    message = f"`{file}` cannot be read: {str(error).splitlines()[0].lower()}"
    hint = "is it a whole Parquet, ORC or Arrow file?"
    return BrokenInput(Diagnostic("HF501", message, hint=hint, file=file))


class TextStream:
    """A text that is read in pieces; `head` are its first bytes, `close` closes its `resource`."""

    def __init__(
        self, file: str, stream: ByteStream, n_head: int, resource: IO[bytes] | gzip.GzipFile | None = None
    ) -> None:
        self._file = file
        self._stream = stream
        self._resource = resource
        self._rest = b""
        self.head = self._rest = self.read(n_head)

    @staticmethod
    def of_file(file: str, n_head: int) -> TextStream:
        """The content of a file, decompressed if its suffix is `.gz`."""
        opened = gzip.open(file) if file.endswith(".gz") else Path(file).open("rb")  # noqa: SIM115
        return TextStream(file, opened, n_head, opened)

    def read(self, n_bytes: int) -> bytes:
        """The next bytes, fewer only at the end."""
        found, self._rest = self._rest[:n_bytes], self._rest[n_bytes:]
        if len(found) == n_bytes:
            return found
        try:
            return found + self._stream.read(n_bytes - len(found))
        except (OSError, EOFError, ValueError, zlib.error) as error:
            self.close()
            raise broken_text(self._file, error) from None

    def __enter__(self) -> TextStream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        if self._resource is not None:
            self._resource.close()


class FilePiece:
    """The bytes of a file from `begin` up to `end` as a stream."""

    def __init__(self, path: str, begin: int, end: int) -> None:
        self._file = Path(path).open("rb")  # noqa: SIM115
        self._file.seek(begin)
        self._left = end - begin

    def __enter__(self) -> FilePiece:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def read(self, n_bytes: int) -> bytes:
        """The next bytes, fewer only at the end."""
        found = self._file.read(min(n_bytes, self._left))
        self._left -= len(found)
        return found


@dataclass(frozen=True)
class TableStream:
    """A table that is read in batches: its schema, and a function from columns to the batches with these columns.

    `named` maps columns of the table to columns of `source`, if they have other names.
    """

    schema: Any
    source: Callable[[list[str]], Iterable[Any]]
    named: dict[str, str] | None = None

    def batches(self, columns: list[str]) -> Iterator[Any]:
        """The batches of the table with some of its columns."""
        if self.named is None:
            yield from self.source(columns)
            return
        for batch in self.source(list(dict.fromkeys(self.named[column] for column in columns))):
            yield batch.select([self.named[column] for column in columns]).rename_columns(columns)

    def renamed(self, named: dict[str, str]) -> TableStream:
        """The table with some columns, under other names: `named` maps each to its name in this table."""
        import pyarrow as pa  # type: ignore[import-untyped]

        fields = [self.schema.field(theirs).with_name(ours) for ours, theirs in named.items()]
        return replace(self, schema=pa.schema(fields), named=named)


def is_table_stream(source: object) -> bool:
    """Whether an object is read in batches: a dataset, a scanner or a reader of batches."""
    return hasattr(source, "read_next_batch") or (hasattr(source, "to_batches") and not hasattr(source, "num_rows"))


def frame_table(frame: object) -> Any:
    """A frame as an Arrow table; HF502 if Arrow has no type for a column."""
    import pyarrow as pa

    try:
        return pa.table(frame)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        what = re.search(r"Conversion failed for column (.*) with type", str(error))
        column = "a column" if what is None else f"column `{what[1]}`"
        message = f"{column} has values of several types: {str(error.args[0]).rstrip('.')}"
        hint = 'make them numbers or texts first: `pd.to_numeric(column, errors="coerce")`, `column.astype(str)`'
        raise DataProblem(Diagnostic("HF502", message, hint=hint)) from None


def table_stream(source: object, form: Format | None = None) -> TableStream | None:
    """A file of a table, a dataset, a scanner or a reader of batches; None if it can only be read as a whole."""
    if isinstance(source, str):
        return {"parquet": _parquet, "orc": _orc, "arrow": _arrow}[form or "arrow"](source)
    return _dataset(source) if not hasattr(source, "read_next_batch") else _reader(source)


def _dataset(source: Any) -> TableStream:
    """The batches of a dataset, with few batches ahead, or of a scanner."""
    if hasattr(source, "projected_schema"):
        return TableStream(source.projected_schema, _selecting(source.to_batches))
    ahead = {"batch_size": _ROWS, "batch_readahead": 2, "fragment_readahead": 1}
    return TableStream(source.schema, lambda columns: source.to_batches(columns=columns, **ahead))


def _reader(source: Any) -> TableStream:
    return TableStream(source.schema, _selecting(lambda: source))


def _selecting(batches: Callable[[], Iterable[Any]]) -> Callable[[list[str]], Iterator[Any]]:
    return lambda columns: (batch.select(columns) for batch in batches())


@contextmanager
def _naming(file: str) -> Iterator[None]:
    """Errors while a file is read, as errors of that input."""
    import pyarrow as pa

    try:
        yield
    except (OSError, pa.ArrowInvalid) as error:
        raise broken_table(file, error) from None


def _parquet(file: str) -> TableStream:
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    def batches(columns: list[str]) -> Iterator[Any]:
        with _naming(file), pq.ParquetFile(file, buffer_size=_BUFFER, pre_buffer=False) as opened:
            yield from opened.iter_batches(_ROWS, columns=columns, use_threads=False)

    with pq.ParquetFile(file) as opened:
        return TableStream(opened.schema_arrow, batches)


def _orc(file: str) -> TableStream:
    from pyarrow import orc

    def batches(columns: list[str]) -> Iterator[Any]:
        with _naming(file):
            opened = orc.ORCFile(file)
            for stripe in range(opened.nstripes):
                yield opened.read_stripe(stripe, columns).select(columns)

    return TableStream(orc.ORCFile(file).schema, batches)


def _arrow(file: str) -> TableStream | None:
    """The batches of an Arrow file; None for the older format of Feather files."""
    import pyarrow as pa

    def batches(columns: list[str]) -> Iterator[Any]:
        with _naming(file), pa.OSFile(file) as source:
            opened = pa.ipc.open_file(source)
            for number in range(opened.num_record_batches):
                yield opened.get_batch(number).select(columns)

    try:
        with pa.OSFile(file) as source:
            return TableStream(pa.ipc.open_file(source).schema, batches)
    except pa.ArrowInvalid:
        return None
