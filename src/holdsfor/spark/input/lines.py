"""Lines of files to facts, in the workers: text, CSV and JSON lines, block by block.

Spark cuts big files into blocks at line breaks and delivers lines, each with the number of its file and the byte at
which its block begins. Concatenated, these lines are the bytes of the file, and the readers of `holdsfor.sources` parse
them. Only the first block of a CSV file has the header; the other blocks receive it from the probe of the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.columns.encoding import Symbols
from holdsfor.parallel.exchange.facts import Load
from holdsfor.sources.blocks import read_block
from holdsfor.sources.csv_rows import Header
from holdsfor.sources.formats import Format
from holdsfor.sources.inputs import InputReader
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_columns import TextReader
from holdsfor.sources.text_records import SetAside
from holdsfor.spark.input.frame_reader import FILE, SOURCE, ReaderSettings, combined_batches, mapping_of
from holdsfor.spark.input.listing import File
from holdsfor.spark.input.set_aside import FileBlock

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["LINE", "PATH", "LineFile", "LineReader", "are_ordered", "begin_of_file", "lines_of_files", "lines_of_frame"]

_TEXT_SOURCE = "holdsfor"
_NULL = "null"
_IN_ORDER = ("Project", "Filter", "SubqueryAlias")
"""Operators of Spark that keep the rows of a task in order."""

_EARLIEST_FILE = 1_577_836_800_000  # 2020, in milliseconds
_BLOCK_BITS = 22
"""The place of a file in a stream: the bits below its modification. Lines beyond keep their order within the file."""

LINE, BLOCK = "__line", "__block"
"""Columns with a line and its break, and with the byte at which its block begins."""

PATH, IS_FIRST = "__path", "__first"
"""Columns of a stream with the URI of a file, and whether the block of the line is the first one of the file."""


@dataclass(frozen=True)
class LineFile:
    """A file of lines: its path, its format, its header if it has one, and its number in the order of reading.

    `are_dates` is the form of its times, if the probe has found it.
    """

    path: str
    form: Format = "text"
    header: Header | None = None
    order: int = 0
    are_dates: bool | None = None


def lines_of_frame(frame: DataFrame) -> DataFrame:
    """The column `value` of a DataFrame as lines of bytes that end with a line break, with their source in a stream.

    A null value, such as that of a deleted key of a topic, is a null line.

    Lines that Spark reads from a folder as a stream have their file and the place of their block: files come in the
    order of their modification, as Spark takes them, and blocks in their order within a file.
    """
    from pyspark.sql import functions as F

    line = F.concat(F.col("value"), F.lit("\n")).cast("binary").alias(LINE)
    if SOURCE in frame.columns or not _reads_folder(frame):
        return frame.select(line, *(name for name in frame.columns if name == SOURCE))
    block, path = F.col("_metadata.file_block_start"), F.col("_metadata.file_path")
    begin = (begin_of_file() + block).alias(BLOCK)
    places = F.xxhash64(path).alias(FILE), begin, path.alias(PATH), (block == 0).alias(IS_FIRST)
    return frame.select(line, *places)


def begin_of_file() -> Column:
    """The place of the first line of a file in a stream: files come in the order of their modification."""
    from pyspark.sql import functions as F

    modified = F.unix_millis("_metadata.file_modification_time") - F.lit(_EARLIEST_FILE)
    return F.shiftleft(F.greatest(modified, F.lit(0)), _BLOCK_BITS)


def are_ordered(frame: DataFrame) -> bool:
    """Whether one task reads the rows of a DataFrame in the order of a file or pipe: those of `format("holdsfor")`."""
    leaf: Any = None if SOURCE in frame.columns else _leaf(frame)
    match "" if leaf is None else leaf.getClass().getSimpleName():
        case "StreamingRelationV2":
            return bool(leaf.sourceName() == _TEXT_SOURCE)
        case "DataSourceV2Relation":
            return bool(leaf.table().name() == _TEXT_SOURCE)
        case _:
            return False


def _reads_folder(frame: DataFrame) -> bool:
    """Whether the rows of a DataFrame are a stream of the files of a folder."""
    leaf = _leaf(frame)
    is_stream = leaf is not None and leaf.getClass().getSimpleName() == "StreamingRelation"
    return is_stream and leaf.sourceName().startswith("FileSource")


def _leaf(frame: DataFrame) -> Any:
    """The relation that a DataFrame reads, below operators that keep the order of rows; None with Spark Connect."""
    plan = getattr(getattr(frame, "_jdf", None), "queryExecution", None)
    leaf = None if plan is None else plan().analyzed()
    while leaf is not None and leaf.getClass().getSimpleName() in _IN_ORDER:
        leaf = leaf.child()
    return leaf


def lines_of_files(frame: DataFrame) -> DataFrame:
    """The lines of a DataFrame that reads text files, with the number of the file and the beginning of the block."""
    from pyspark.sql import functions as F

    return frame.select(
        F.concat("value", F.lit("\n")).cast("binary").alias(LINE),
        F.xxhash64("_metadata.file_path").alias(FILE),
        F.col("_metadata.file_block_start").alias(BLOCK),
    )


@dataclass(frozen=True)
class LineReader:
    """Reads batches of lines; without `files` all lines have the same place and `form`, and no line numbers."""

    setting: ReaderSettings
    mapping: str | None = None
    files: dict[int, LineFile] = field(default_factory=dict)
    place: FileBlock = FileBlock("text")
    form: Format = "text"

    def __call__(self, batches: Iterable[Any]) -> Iterator[Load]:
        at, n_lines = self.place, 0
        for place, file, lines in self._blocks(batches):
            if place != at:
                yield from self._ended(at, n_lines)
                at, n_lines = place, 0
            input_reader = self.setting.input_reader(place, n_lines)
            is_begin = place.block == 0 and n_lines == 0
            n_lines = self._read(input_reader, file, lines, n_lines, None if is_begin else file.header)
            yield self.setting.load(input_reader, place)
        yield from self._ended(at, n_lines)

    def _blocks(self, batches: Iterable[Any]) -> Iterator[tuple[FileBlock, LineFile, Any]]:
        for table in combined_batches(batches):
            for batch in table.combine_chunks().to_batches():
                yield from self._runs(batch)

    def _runs(self, batch: Any) -> Iterator[tuple[FileBlock, LineFile, Any]]:
        if not self.files and FILE not in batch.schema.names:
            yield self.place, LineFile(self.place.file, self.form), batch.column(LINE)
            return
        for number, begin, rows in _runs(batch):
            if self.files:
                file = self.files[number]
                yield FileBlock(file.path, begin, file.order), file, rows.column(LINE)
            else:
                place = self._place_in_stream(begin, rows)
                yield place, LineFile(place.file, self.form), rows.column(LINE)

    def _place_in_stream(self, begin: int, rows: Any) -> FileBlock:
        path = File(rows.column(PATH)[0].as_py(), 0).path
        return replace(
            self.place, file=path, is_ordered=True, begin=begin, is_numbered=rows.column(IS_FIRST)[0].as_py()
        )

    def _read(self, input_reader: InputReader, file: LineFile, lines: Any, n_before: int, header: Header | None) -> int:
        """Read lines, and return the number of lines read so far in the block."""
        reader = input_reader.line_reader(file.form, file.path, mapping_of(self.mapping), header)
        reader.n_lines = n_before
        if not isinstance(reader, TextReader):
            reader.file_times.are_dates = file.are_dates
        block = _content(_without_nulls(lines, file.path, n_before, input_reader.reading))
        read_block(reader, block)
        return reader.n_lines

    def _ended(self, place: FileBlock, n_lines: int) -> Iterator[Load]:
        if place.block is not None:
            yield Load([place.lines(n_lines)], Symbols())


def _runs(batch: Any) -> Iterator[tuple[int, int, Any]]:
    """The rows of a batch, grouped by file and block."""
    files, blocks = (batch.column(name).to_numpy(zero_copy_only=False) for name in (FILE, BLOCK))
    is_other = (files[1:] != files[:-1]) | (blocks[1:] != blocks[:-1])
    bounds = [0, *(np.flatnonzero(is_other) + 1).tolist(), len(batch)]
    for begin, end in pairwise(bounds):
        if begin < end:
            yield int(files[begin]), int(blocks[begin]), batch.slice(begin, end - begin)


def _without_nulls(lines: Any, file: str, n_before: int, reading: ColumnReading) -> Any:
    """The lines with null ones emptied and set aside; `n_before` lines precede them."""
    if not lines.null_count:
        return lines
    numbers = n_before + 1 + np.flatnonzero(lines.is_null().to_numpy(zero_copy_only=False))
    reading.n_records += len(numbers)
    reading.set_aside += [SetAside(file, number, _NULL, "the value is null") for number in numbers.tolist()]
    return lines.fill_null(pa.scalar(b"\n", lines.type))


def _content(lines: Any) -> bytes:
    """The bytes of all lines, which Arrow already stores as contiguous bytes."""
    kind = np.int64 if pt.is_large_binary(lines.type) else np.int32
    _, offsets, content = lines.buffers()
    bounds = np.frombuffer(offsets, kind)[lines.offset : lines.offset + len(lines) + 1]
    return bytes(memoryview(content)[int(bounds[0]) : int(bounds[-1])]) if len(lines) and content else b""
