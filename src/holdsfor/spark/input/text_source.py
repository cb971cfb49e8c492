"""`format("holdsfor")`: text files of RTEC and named pipes as lines, for `spark.read` and `spark.readStream`.

The column `value` has the lines as the readers of `holdsfor.sources` cut them, also those that are not UTF-8. The rules
decide what a line means, so `hf.spark.recognise` and `hf.spark.stream` read the lines, with the readers of the embedded
engine, and set aside lines that do not fit.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa  # type: ignore[import-untyped]
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from holdsfor.errors import DataProblem, Diagnostic, UsageProblem, did_you_mean
from holdsfor.sources.blocks import text_blocks
from holdsfor.sources.file_signatures import refuse_other_formats
from holdsfor.spark.input.pipe_spool import PipeSpool, is_pipe

if TYPE_CHECKING:
    from pyspark.sql.datasource import DataSourceStreamReader
    from pyspark.sql.types import StructType

__all__ = ["NAME", "TextSource", "line_batch", "local_path"]

NAME = "holdsfor"
_OPTIONS = ("path", "spool", "follow", "maxLinesPerTrigger")
_HEAD = 64


class TextSource(DataSource):
    """A text file or a named pipe."""

    @classmethod
    def name(cls) -> str:
        return NAME

    def schema(self) -> str:
        return "value string"

    def reader(self, schema: StructType) -> DataSourceReader:
        options = _checked(self.options)
        return TextFileReader(local_path(options), options.get("spool"))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        options = _checked(self.options)
        path = local_path(options)
        try:
            from holdsfor.spark.input.text_stream import FileStreamReader, PipeStreamReader
        except ImportError:
            message = "a stream of the format `holdsfor` needs Spark 4.2 or later"
            raise UsageProblem(Diagnostic("HF794", message, hint="`spark.readStream.text` reads folders")) from None
        at_most = _positive(options, "maxLinesPerTrigger")
        if is_pipe(path):
            return PipeStreamReader(path, _spool_of(path, options.get("spool")), at_most)
        return FileStreamReader(path, at_most, follows=options.get("follow", "true").lower() == "true")


class TextFileReader(DataSourceReader):
    """Reads a whole file, or a pipe until its last writer closes it.

    One task reads the file: the order of its lines decides what a retraction removes.
    """

    def __init__(self, path: str, spool: str | None) -> None:
        self.path = path
        self.spool = _spool_of(path, spool) if is_pipe(path) else None

    def partitions(self) -> Sequence[InputPartition]:
        if self.spool is None:
            return [InputPartition([self.path])]
        spool = PipeSpool(self.spool, self.path)
        return [InputPartition([piece.path for piece in spool.pieces(0, spool.read_to_end())])]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        with _Files(partition.value) as content:
            refuse_other_formats(content.head, self.path)
            for block in text_blocks(content, self.path):
                yield line_batch(block)


class _Files:
    """The content of files one after another, as a stream of bytes; those with the suffix `.gz` are decompressed."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._left = list(paths)
        self._file: IO[bytes] | gzip.GzipFile | None = None
        self.head = self._next(_HEAD)
        self._first = self.head

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._file is not None:
            self._file.close()

    def read(self, n_bytes: int, /) -> bytes:
        found, self._first = self._first[:n_bytes], self._first[n_bytes:]
        return found + self._next(n_bytes - len(found))

    def _next(self, n_bytes: int) -> bytes:
        found = b""
        while len(found) < n_bytes:
            if self._file is None:
                if not self._left:
                    break
                path = self._left.pop(0)
                self._file = gzip.open(path) if path.endswith(".gz") else Path(path).open("rb")  # noqa: SIM115
            chunk = self._file.read(n_bytes - len(found))
            found += chunk
            if not chunk:
                self._file.close()
                self._file = None
        return found


def line_batch(block: bytes) -> Any:
    """The lines of a block that ends with a line break."""
    lines = block.replace(b"\r\n", b"\n").split(b"\n")
    del lines[-1]
    # Spark carries the bytes of a text as they are; Arrow would refuse those that are not UTF-8.
    return pa.record_batch([pa.array(lines, pa.binary()).view(pa.string())], names=["value"])


def local_path(options: Mapping[str, str]) -> str:
    """The path of a file or pipe of this machine; HF501 and HF794 for others."""
    given = options.get("path")
    if not given:
        hint = 'write `.load("records.txt")`'
        raise UsageProblem(Diagnostic("HF794", "the format `holdsfor` needs a path", hint=hint))
    parts = urlsplit(given)
    if parts.scheme == "file":
        given = unquote(parts.path)
    elif "://" in given:
        message = f"the format `holdsfor` reads files and pipes of this machine, found `{given}`"
        raise UsageProblem(
            Diagnostic("HF794", message, hint="`hf.spark.recognise` and `spark.readStream.text` read it")
        )
    path = Path(given)
    if not path.exists():
        raise DataProblem(Diagnostic("HF501", f"`{given}` not found", hint="give a text file or a named pipe"))
    if path.is_dir():
        hint = "`hf.spark.recognise` and `spark.readStream.text` read folders"
        raise DataProblem(Diagnostic("HF501", f"`{given}` is a folder, expected a file or a named pipe", hint=hint))
    return str(path.absolute())


def _checked(options: Mapping[str, str]) -> dict[str, str]:
    """The options by their names; Spark does not distinguish capital letters."""
    known = {name.lower(): name for name in _OPTIONS}
    for name in options:
        if name.lower() not in known:
            message = f"the format `holdsfor` has no option `{name}`"
            hint = did_you_mean(name, _OPTIONS) or f"its options are {', '.join(f'`{each}`' for each in _OPTIONS)}"
            raise UsageProblem(Diagnostic("HF794", message, hint=hint))
    return {known[name.lower()]: value for name, value in options.items()}


def _spool_of(path: str, spool: str | None) -> str:
    if spool is None:
        message = f"`{path}` is a named pipe, which can be read only once"
        hint = 'write `.option("spool", folder)`: its lines are kept there until they are processed'
        raise UsageProblem(Diagnostic("HF794", message, hint=hint))
    return str(Path(spool.removeprefix("file://").removeprefix("file:")).absolute())


def _positive(options: Mapping[str, str], name: str) -> int | None:
    given = options.get(name)
    if given is not None and not (given.isascii() and given.isdigit() and int(given)):
        message = f"expected a positive number for `{name}`, found `{given}`"
        raise UsageProblem(Diagnostic("HF794", message, hint="leave it out to read all lines that are there"))
    return None if given is None else int(given)
