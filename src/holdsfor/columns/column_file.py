"""Columns of integers in a temporary file, as narrow as their content allows.

The file is in the folder for temporary files (`TMPDIR`). It has no name, so it ends with the process, also if the
process is killed. Columns are read with positioned reads and not mapped into memory: the kernel may cache them,
but they do not count as memory of the process.
"""

from __future__ import annotations

import errno
import os
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdsfor.kernels.keys import Int64

__all__ = ["ColumnFile", "StoredColumn", "naming_temporary_files"]

_NARROW = ((1 << 8, np.uint8), (1 << 16, np.uint16), (1 << 32, np.uint32))


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """A column of `n` integers in a file: from `offset` on, each is to be added to `base`. A constant has no kind."""

    n: int
    base: int
    kind: np.dtype[Any] | None
    offset: int


class ColumnFile:
    """Appends columns to a temporary file and reads parts of them.

    >>> file = ColumnFile()
    >>> column = file.append(np.array([1_000_000, 1_000_002]))
    >>> column.kind, file.read(column, 1, 2)
    (dtype('uint8'), array([1000002]))
    >>> file.close()
    """

    def __init__(self) -> None:
        with naming_temporary_files():
            self._file = tempfile.TemporaryFile(prefix="holdsfor-", buffering=0)  # noqa: SIM115
        self.close = weakref.finalize(self, self._file.close)
        """Removes the file; otherwise it is removed with this object."""
        self.size = 0

    def append(self, column: Int64) -> StoredColumn:
        """Write a column."""
        low, high = (int(column.min()), int(column.max())) if len(column) else (0, 0)
        if low == high:
            return StoredColumn(len(column), low, None, 0)
        kind = next((np.dtype(kind) for size, kind in _NARROW if high - low < size), None)
        stored = StoredColumn(len(column), 0 if kind is None else low, kind or np.dtype(np.int64), self.size)
        self._write(column if kind is None else (column - low).astype(kind))
        return stored

    def _write(self, content: np.ndarray[Any, Any]) -> None:
        rest = memoryview(content.tobytes())
        while rest:
            with naming_temporary_files():
                n_written = os.pwrite(self._file.fileno(), rest, self.size)
            self.size += n_written
            rest = rest[n_written:]

    def read(self, column: StoredColumn, first: int, last: int) -> Int64:
        """The rows of a column from `first` up to and without `last`."""
        if column.kind is None:
            return np.full(last - first, column.base, dtype=np.int64)
        size = column.kind.itemsize
        content = bytearray((last - first) * size)
        rest, at = memoryview(content), column.offset + first * size
        while rest:
            n_read = os.preadv(self._file.fileno(), [rest], at)
            assert n_read, "the file has all columns"
            rest, at = rest[n_read:], at + n_read
        found = np.frombuffer(content, column.kind).astype(np.int64, copy=False)
        if column.base:
            found += column.base
        return found

    def truncate(self, size: int) -> None:
        """Remove the columns after the first `size` bytes."""
        self._file.truncate(size)
        self.size = size


@contextmanager
def naming_temporary_files() -> Iterator[None]:
    """Name the folder for temporary files in an `OSError`; that of a full disk has no name."""
    try:
        yield
    except OSError as error:
        folder = f"{tempfile.gettempdir()} (temporary files, see TMPDIR)"
        raise OSError(error.errno or errno.EIO, error.strerror or str(error), folder) from None
