"""The form of the times of a stream, found in its first micro-batches: integers, or dates with or without an offset.

The form decides the type of the times in the output, and how workers read a date without an offset. The type of a
column shows it; for texts in columns, in JSON lines and in CSV files, the first of them are read. If none of these
fits, all of the micro-batch are read, until one does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from holdsfor.analysis.names import Names
from holdsfor.columns.encoding import Symbols
from holdsfor.sources.blocks import read_block
from holdsfor.sources.inputs import InputReader
from holdsfor.sources.json_rows import JsonLinesReader
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.times import Clock
from holdsfor.spark.input.frame_reader import ReaderSettings, mapping_of
from holdsfor.spark.input.frame_sources import FrameSource, time_forms
from holdsfor.spark.input.lines import LINE, LineReader
from holdsfor.spark.input.whole_files import WholeFileReader

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["TimeForm", "time_form"]

_PEEKED = 100
_PEEKED_FILES = 10
_HEAD = 1 << 16


@dataclass(frozen=True)
class TimeForm:
    """Whether the times of records have an offset, None for integers; `is_final` when a time has been read."""

    has_offset: bool | None
    is_final: bool


def time_form(sources: Sequence[FrameSource], parts: Sequence[DataFrame], settings: ReaderSettings) -> TimeForm:
    """The form of the times in the rows of a micro-batch, one DataFrame for each source."""
    forms = time_forms([replace(source, frame=part) for source, part in zip(sources, parts, strict=True)])
    if forms.has_offset is not None:
        return TimeForm(forms.has_offset, is_final=True)
    readers = [source.reader(settings) for source in sources]
    lines = [
        _of_lines(reader, part, settings)
        for reader, part in zip(readers, parts, strict=True)
        if isinstance(reader, LineReader) and reader.form == "jsonl"
    ]
    lines += [
        _of_files(reader, part, settings)
        for reader, part in zip(readers, parts, strict=True)
        if isinstance(reader, WholeFileReader)
    ]
    found = next((form for form in lines if form.has_offset is not None), None)
    has_only_lines = all(isinstance(reader, LineReader | WholeFileReader) for reader in readers)
    return found or TimeForm(None, is_final=has_only_lines and all(form.is_final for form in lines))


def _of_lines(reader: LineReader, part: DataFrame, settings: ReaderSettings) -> TimeForm:
    """The form of the times in the first JSON lines that fit."""
    from pyspark.sql import functions as F

    form = TimeForm(None, is_final=False)
    for lines in _peeked(part.select(LINE).where(F.col(LINE).isNotNull()), _PEEKED):
        input_reader = _input_reader(settings)
        clock = input_reader.clock
        line_reader = input_reader.line_reader("jsonl", reader.place.file, mapping_of(reader.mapping))
        assert isinstance(line_reader, JsonLinesReader)
        read_block(line_reader, b"".join(lines))
        has_times = line_reader.file_times.are_dates is not None
        form = TimeForm(None if clock.time_type is None else clock.has_offset, has_times)
        if form.is_final or form.has_offset is not None:
            break
    return form


def _of_files(reader: WholeFileReader, part: DataFrame, settings: ReaderSettings) -> TimeForm:
    """The form of the times in the first lines of some CSV files."""
    from pyspark.sql import functions as F

    form = TimeForm(None, is_final=False)
    for heads in _peeked(part.select(F.substring(LINE, 1, _HEAD)), _PEEKED_FILES):
        input_reader, has_records = _input_reader(settings), False
        for head in heads:
            reader.read(input_reader, "", head[: head.rfind(b"\n") + 1] if len(head) == _HEAD else head)
            has_records |= input_reader.reading.n_records > len(input_reader.reading.set_aside)
        clock = input_reader.clock
        form = TimeForm(None if clock.time_type is None else clock.has_offset, has_records)
        if form.is_final:
            break
    return form


def _peeked(column: DataFrame, n: int) -> Iterator[list[bytes]]:
    """The values of a column in lists of `n`; one job reads the first list."""
    first = [bytes(row[0]) for row in column.limit(n).collect()]
    yield first
    if len(first) == n:
        rows = column.toLocalIterator()
        while more := [bytes(row[0]) for row in islice(rows, n)]:
            yield more


def _input_reader(settings: ReaderSettings) -> InputReader:
    """A reader whose clock shows the form of the times that it has read."""
    names: Names = settings.rules.compiled().names
    return InputReader(names, settings.tick, Symbols(), ColumnReading(), Clock(settings.unit, zone=settings.zone))
