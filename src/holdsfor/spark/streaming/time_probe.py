"""The form of the times of a stream, found in its first micro-batches: integers, or dates with or without an offset.

The form decides the type of the times in the output, and how workers read a date without an offset. The type of a
column shows it; for texts in columns and in JSON lines, the first of them are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from holdsfor.analysis.names import Names
from holdsfor.columns.encoding import Symbols
from holdsfor.sources.inputs import InputReader
from holdsfor.sources.json_rows import JsonLinesReader
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.times import Clock
from holdsfor.spark.input.frame_reader import ReaderSettings, mapping_of
from holdsfor.spark.input.frame_sources import FrameSource, time_forms
from holdsfor.spark.input.lines import LINE, LineReader

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["TimeForm", "time_form"]

_PEEKED = 100


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
    found = next((form for form in lines if form.has_offset is not None), None)
    has_only_lines = all(isinstance(reader, LineReader) for reader in readers)
    return found or TimeForm(None, is_final=has_only_lines and all(form.is_final for form in lines))


def _of_lines(reader: LineReader, part: DataFrame, settings: ReaderSettings) -> TimeForm:
    """The form of the times in the first JSON lines."""
    block = b"".join(bytes(row[0]) for row in part.select(LINE).limit(_PEEKED).collect())
    names: Names = settings.rules.compiled().names
    clock = Clock(settings.unit, zone=settings.zone)
    input_reader = InputReader(names, settings.tick, Symbols(), ColumnReading(), clock)
    lines = input_reader.line_reader("jsonl", reader.place.file, mapping_of(reader.mapping))
    assert isinstance(lines, JsonLinesReader)
    lines.read(block)
    return TimeForm(None if clock.time_type is None else clock.has_offset, lines.file_times.are_dates is not None)
