"""Reading of parts in a process, and the summary of the records read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from holdsfor.analysis.sorts import Place
from holdsfor.parallel.processes.parts import LinePart, Part, RowPart
from holdsfor.sources.arrow import read_table
from holdsfor.sources.blocks import read_block, text_blocks
from holdsfor.sources.column_mapping import read_mapping
from holdsfor.sources.file_times import FileTimes
from holdsfor.sources.input_streams import FilePiece
from holdsfor.sources.inputs import InputReader, LineReader, Opened, open_input
from holdsfor.sources.number_checks import TypedColumn
from holdsfor.sources.place_kinds import PlaceKinds
from holdsfor.sources.text_columns import TextReader
from holdsfor.sources.text_records import SetAside
from holdsfor.sources.whole_lines import stream_blocks

__all__ = ["PartSummary", "ReadSummary", "have_one_form", "numbered", "read_parts"]


@dataclass(frozen=True)
class PartSummary:
    """The records of a part that do not fit, with lines counted from its beginning, and its number of lines.

    `are_dates` is the form of its times.
    """

    number: int
    source: int
    set_aside: list[SetAside]
    n_lines: int
    are_dates: bool | None


@dataclass(frozen=True)
class ReadSummary:
    """The records that a process has read: counts, the extent in time, and properties of columns and times.

    `kinds` are the kinds of constants by place, `has_offset` is the form of times, `are_arguments` whether only
    arguments are dates and times, and `time_columns` the units and zones of columns of times.
    """

    parts: list[PartSummary]
    n_records: int
    unused: Counter[str]
    extent: tuple[int | None, int | None]
    kinds: PlaceKinds
    has_offset: bool | None
    has_retractions: bool
    are_arguments: bool
    time_columns: set[tuple[str | None, str | None]]


def read_parts(parts: Iterable[tuple[int, Part]], input_reader: InputReader) -> ReadSummary:
    """Read the parts of a process, and settle their records."""
    reading = input_reader.reading
    found: list[PartSummary] = []
    typed: dict[Place, TypedColumn] = {}
    readers: dict[int, LineReader] = {}
    for number, part in parts:
        n_lines, are_dates = _read(part, input_reader, readers)
        found.append(PartSummary(number, part.source, list(reading.set_aside), n_lines, are_dates))
        reading.set_aside.clear()
        typed |= reading.typed if part.is_first else {}
        reading.typed.clear()
    has_retractions = bool(reading.revisions) or any(each.retractions is not None for each in reading.unsettled())
    kinds = PlaceKinds(input_reader.names.joins.joined).extended(reading.pieces, typed, input_reader.symbols)
    reading.settle()
    return ReadSummary(
        found,
        reading.n_records,
        reading.unused,
        reading.extent(input_reader.tick),
        kinds,
        input_reader.clock.has_offset,
        has_retractions,
        input_reader.clock.are_arguments,
        input_reader.clock.columns,
    )


def _read(part: Part, input_reader: InputReader, readers: dict[int, LineReader]) -> tuple[int, bool | None]:
    """Read a part, and return its number of lines and the form of its times.

    The parts of a file have one reader with one table of constants.
    """
    if isinstance(part, LinePart):
        if part.source not in readers:
            mapping = None if part.description is None else read_mapping(part.description)
            readers[part.source] = input_reader.line_reader(part.form, part.file, mapping, part.header)
        return _read_lines(part, readers[part.source])
    if isinstance(part, RowPart):
        return 0, _read_rows(part, input_reader)
    opened = part.each if isinstance(part.each, Opened) else open_input(part.each, input_reader.names, part.form)
    input_reader.add(opened)
    return 0, None


def _read_lines(part: LinePart, reader: LineReader) -> tuple[int, bool | None]:
    reader.n_lines = 0
    if not isinstance(reader, TextReader):
        reader.file_times = FileTimes()
    with FilePiece(part.file, part.begin, part.end) as content:
        for block in text_blocks(content, part.file) if part.is_first else stream_blocks(content):
            read_block(reader, block)
    return reader.n_lines, None if isinstance(reader, TextReader) else reader.file_times.are_dates


def _read_rows(part: RowPart, input_reader: InputReader) -> bool | None:
    """Read the rows of a part, and return the form of its times."""
    given = (input_reader.names, input_reader.tick, input_reader.symbols, input_reader.reading)
    mapping = None if part.description is None else read_mapping(part.description)
    file_times = FileTimes(is_typed=True, of_objects=part.of_objects)
    read_table(
        _rows(part),
        *given,
        file=part.name,
        mapping=mapping,
        clock=input_reader.clock,
        n_before=part.first,
        mixed=part.mixed,
        file_times=file_times,
    )
    return file_times.are_dates


def _rows(part: RowPart) -> Any:
    """The rows of a part as a table; of a Parquet file, only the row groups that contain them are read."""
    if part.form == "arrow":
        with pa.memory_map(part.file) as source:
            return pa.ipc.open_file(source).read_all().slice(part.first, part.n)
    groups, first = _row_groups(part.file, part.first, part.first + part.n)
    return _row_group_table(part.file, groups).slice(part.first - first, part.n)


@lru_cache(maxsize=1)
def _row_group_table(file: str, groups: tuple[int, ...]) -> Any:
    """Row groups of a file as a table; the next part of a process is often in the same row groups."""
    with pq.ParquetFile(file) as opened:
        return opened.read_row_groups(list(groups), use_threads=False)


def _row_groups(file: str, first: int, last: int) -> tuple[tuple[int, ...], int]:
    """The row groups that contain some rows, and the number of rows before them."""
    metadata = pq.read_metadata(file)
    groups: list[int] = []
    before, begin = 0, first
    for number in range(metadata.num_row_groups):
        n = metadata.row_group(number).num_rows
        if before < last and before + n > first:
            begin = before if not groups else begin
            groups.append(number)
        before += n
    return tuple(groups), begin


def have_one_form(summaries: Iterable[ReadSummary]) -> bool:
    """Whether the times of each file have the same form in all its parts."""
    parts = [part for summary in summaries for part in summary.parts if part.are_dates is not None]
    return len({(part.source, part.are_dates) for part in parts}) == len({part.source for part in parts})


def numbered(summaries: Iterable[ReadSummary]) -> Iterator[SetAside]:
    """The records that do not fit, with their lines in the whole input, in the order of reading."""
    for part, n_before in _with_lines_before(summaries):
        yield from (replace(each, line=each.line + n_before) for each in part.set_aside)


def _with_lines_before(summaries: Iterable[ReadSummary]) -> Iterator[tuple[PartSummary, int]]:
    """The parts in the order of reading, each with the number of lines before it in its input."""
    n_before: Counter[int] = Counter()
    for part in sorted((part for summary in summaries for part in summary.parts), key=lambda part: part.number):
        yield part, n_before[part.source]
        n_before[part.source] += part.n_lines
