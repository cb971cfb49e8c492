"""Records as CSV with a header: a line is a row, and ends at `\\n`, perhaps with `\\r` before it.

Arrow splits the lines into fields. If Arrow returns fewer rows than there are lines, a quote is not closed on its line;
such lines are found by bisection, so that all other lines are still read. Arrow ends a row at any `\\r`, so a line
with a `\\r` inside is set aside. An empty field is missing, and blanks around a field are ignored.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.csv  # type: ignore[import-untyped]

from holdsfor.analysis.names import Names
from holdsfor.columns.encoding import Symbols
from holdsfor.kernels.keys import Int64
from holdsfor.sources.column_mapping import Mapping
from holdsfor.sources.file_times import FileTimes
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.record_rows import Origin, RowReader
from holdsfor.sources.table_layout import Layout, is_header, layout_of
from holdsfor.sources.text_records import SetAside
from holdsfor.sources.times import Clock

__all__ = ["CsvReader", "Header", "csv_batches", "read_header"]

_DELIMITERS = (",", ";", "\t", "|")
_LINE_ENDS = re.compile(rb"\r+\n")


@dataclass(frozen=True)
class Header:
    """The names of the columns, and the delimiter between them."""

    columns: list[str]
    delimiter: str


def read_header(line: str, mapping: Mapping | None) -> Header | None:
    """The header on a line: with the columns of the mapping, or without a mapping those of records; else None."""
    line = line.rstrip("\r\n")
    for delimiter in _DELIMITERS if "\r" not in line else ():
        columns = [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]
        if is_header(columns) if mapping is None else set(mapping.wanted) <= set(columns):
            return Header(columns, delimiter)
    return None


def _first_header(line: str, mapping: Mapping | None) -> Header:
    """The header of a file whose first line it is, or whose header the mapping has."""
    names = None if mapping is None else mapping.header
    if names is None:
        return read_header(line, mapping) or _likeliest_header(line)
    widths = {each: len(next(csv.reader([line], delimiter=each), [])) for each in _DELIMITERS}
    return Header(list(names), max(_DELIMITERS, key=lambda each: (widths[each] == len(names), widths[each])))


def _likeliest_header(line: str) -> Header:
    found = [Header([name.strip() for name in line.split(delimiter)], delimiter) for delimiter in _DELIMITERS]
    return max(found, key=lambda header: len(header.columns))


class CsvReader:
    """Reads the blocks of one text, each of which is UTF-8 and ends with a line break.

    The first block begins with the header, unless a header is given; then all blocks come after the header.
    """

    def __init__(
        self,
        file: str,
        names: Names,
        tick: int,
        symbols: Symbols,
        reading: ColumnReading,
        *,
        mapping: Mapping | None = None,
        clock: Clock | None = None,
        header: Header | None = None,
    ) -> None:
        self.file = file
        self.names = names
        self.mapping = mapping
        self.clock = clock or Clock()
        self.file_times = FileTimes()
        self.reading = reading
        self.rows = RowReader(file, names, tick, symbols, reading, is_mapped=mapping is not None)
        self.n_lines = 0
        self.header = header
        self.layout = Layout({}) if header is None else layout_of(header.columns, mapping, names, file, "term")

    def read(self, block: bytes) -> None:
        """Read the next block."""
        block = _with_line_feeds(block)
        if self.header is None:
            block = self._after_header(block)
        lines = _Lines(block, self.n_lines)
        for part in _all_parts(lines, self.header, self.layout.wanted) if self.header is not None else ():
            self._add(part)
        self.n_lines += lines.n

    def _after_header(self, block: bytes) -> bytes:
        """The lines after the header, which is the first line that is not blank."""
        line, n_before, rest = _first_line(block)
        if line:
            self.header = _first_header(line, self.mapping)
            self.layout = layout_of(self.header.columns, self.mapping, self.names, self.file, "term")
            if self.mapping is not None and self.mapping.header is not None:
                return block
            self.n_lines += n_before + 1
        return rest

    def _add(self, part: _Part) -> None:
        for number, reason in part.misfits:
            self.reading.n_records += 1
            self.reading.set_aside.append(SetAside(self.file, number, part.text(number), reason))
        laid_out = self.layout.apply(part.batch, self.clock, self.file_times)
        numbers = part.numbers[laid_out.rows]
        origin = Origin(numbers, lambda row: part.text(int(numbers[row])), laid_out.faults)
        self.rows.read(laid_out, origin)


def csv_batches(
    blocks: Iterable[bytes], mapping: Mapping
) -> Iterator[tuple[Header, Any, Int64, list[tuple[int, str]]]]:
    """The header of a text, its rows as batches of texts, the line of each row, and the lines that are no rows.

    Contract: blocks are UTF-8 and end with a line break.
    """
    header: Header | None = None
    n_lines = 0
    for block in blocks:
        rest = _with_line_feeds(block)
        if header is None:
            text, n_before, rest = _first_line(rest)
            if text:
                header = _first_header(text, mapping)
                mapping.check(header.columns, "CSV")
                if mapping.header is None:
                    n_lines += n_before + 1
                else:
                    rest = _with_line_feeds(block)
        lines = _Lines(rest, n_lines)
        for part in _all_parts(lines, header, mapping.wanted) if header is not None else ():
            yield header, part.batch, part.numbers, part.misfits  # type: ignore[misc]
        n_lines += lines.n


def _first_line(block: bytes) -> tuple[str, int, bytes]:
    """The first line that is not blank, the number of lines before it, and the lines after it."""
    first = len(block) - len(block.lstrip())
    if first == len(block):
        return "", 0, block
    begin, end = block.rfind(b"\n", 0, first) + 1, block.find(b"\n", first)
    return block[begin:end].decode(), block.count(b"\n", 0, begin), block[end + 1 :]


@dataclass(frozen=True)
class _Lines:
    """Lines of a text, each with its line break, after `n_before` other lines."""

    block: bytes
    n_before: int

    @cached_property
    def n(self) -> int:
        return int(np.count_nonzero(np.frombuffer(self.block, np.uint8) == ord("\n")))

    @cached_property
    def listed(self) -> list[bytes]:
        """The lines one by one, without their line breaks."""
        return self.block.split(b"\n")[:-1]

    @property
    def has_empty(self) -> bool:
        return self.block.startswith(b"\n") or b"\n\n" in self.block

    def halves(self) -> Iterator[_Lines]:
        middle = self.n // 2
        for lines, n_before in ((self.listed[:middle], 0), (self.listed[middle:], middle)):
            yield _Lines(b"\n".join([*lines, b""]), self.n_before + n_before)


@dataclass(frozen=True)
class _Part:
    """Lines split into fields: the rows, their line numbers, and the lines that are not rows."""

    lines: _Lines
    batch: Any
    numbers: Int64
    misfits: list[tuple[int, str]]

    def text(self, number: int) -> str:
        return self.lines.listed[number - self.lines.n_before - 1].decode()


def _with_line_feeds(block: bytes) -> bytes:
    """The block with `\\n` at the end of each line."""
    return _LINE_ENDS.sub(b"\n", block) if b"\r" in block else block


def _all_parts(lines: _Lines, header: Header, wanted: list[str]) -> Iterator[_Part]:
    """The lines as parts; lines with a carriage return inside are misfits of the first one."""
    if b"\r" in lines.block:
        is_broken = [b"\r" in line for line in lines.listed]
        first = lines.n_before + 1
        misfits = [
            (first + i, "a carriage return is not at the end of its line") for i, it in enumerate(is_broken) if it
        ]
        yield _Part(lines, _cut(b"", header, wanted, []), np.zeros(0, np.int64), misfits)
        whole = [b"" if broken else line for line, broken in zip(lines.listed, is_broken, strict=True)]
        lines = _Lines(b"\n".join([*whole, b""]), lines.n_before)
    yield from _parts(lines, header, wanted)


def _parts(lines: _Lines, header: Header, wanted: list[str]) -> Iterator[_Part]:
    """The lines as parts in each of which every line is a row or a misfit."""
    if not lines.block:
        return
    invalid: list[Any] = []
    if b'"' not in lines.block:
        table = _cut(lines.block, header, wanted, invalid)
        if table is not None and len(table) + len(invalid) == lines.n:
            yield _part(lines, table, invalid)
            return
        invalid.clear()
    # An empty row at the end, because an unclosed quote on the last line consumes the next row.
    sentinel = header.delimiter.encode() * (len(header.columns) - 1)
    table = _cut(b"".join((lines.block, sentinel, b"\n")), header, wanted, invalid)
    if table is not None and len(table) + len(invalid) == lines.n + 1:
        yield _part(lines, table.slice(0, len(table) - 1), invalid)
    elif lines.n == 1:
        misfit = (lines.n_before + 1, "a quote is not closed on its line")
        yield _Part(lines, _cut(b"", header, wanted, []), np.zeros(0, np.int64), [misfit])
    else:
        for half in lines.halves():
            yield from _parts(half, header, wanted)


def _part(lines: _Lines, table: Any, invalid: list[Any]) -> _Part:
    batch = table.combine_chunks().to_batches()[0] if len(table) else pa.RecordBatch.from_pylist([], table.schema)
    first = lines.n_before + 1
    # An empty line has no field at all, so it is no row of a table with a column that has all of its fields.
    if not invalid and (any(column.null_count == 0 for column in batch.columns) or not lines.has_empty):
        return _Part(lines, batch, np.arange(first, first + lines.n), [])
    is_row = np.ones(lines.n, np.bool_)
    is_row[[row.number - 1 for row in invalid]] = False
    blank = [i for i in np.flatnonzero(is_row).tolist() if not lines.listed[i].strip()] if lines.has_empty else []
    misfits = [
        (lines.n_before + row.number, f"expected {row.expected_columns} fields, found {row.actual_columns}")
        for row in invalid
        if lines.listed[row.number - 1].strip()
    ]
    kept = np.ones(lines.n, np.bool_)
    kept[blank] = False
    if blank:
        batch = batch.filter(pa.array(kept[is_row]))
    return _Part(lines, batch, first + np.flatnonzero(is_row & kept), misfits)


def _cut(block: bytes, header: Header, wanted: list[str], invalid: list[Any]) -> Any:
    """The wanted columns of the lines as texts, or None if splitting fails; rows of other lengths go to `invalid`."""

    def set_aside(row: Any) -> str:
        invalid.append(row)
        return "skip"

    places = [str(i) for i in range(len(header.columns))]
    schema = {places[header.columns.index(name)]: pa.string() for name in wanted}
    if not block:
        return pa.RecordBatch.from_pylist([], pa.schema([(name, pa.string()) for name in wanted]))
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(block),
            pyarrow.csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=places),
            pyarrow.csv.ParseOptions(
                delimiter=header.delimiter, ignore_empty_lines=False, invalid_row_handler=set_aside
            ),
            pyarrow.csv.ConvertOptions(
                column_types=schema,
                include_columns=list(schema),
                null_values=[""],
                strings_can_be_null=True,
                check_utf8=False,  # blocks are UTF-8
            ),
        )
    except pa.ArrowInvalid:
        return None
    table = table.rename_columns(wanted)
    delimiter = header.delimiter.encode()
    marks = (delimiter + b" ", b" " + delimiter, b"\n ", b" \n")
    has_blanks = block.startswith(b" ") or (b" " in block and any(mark in block for mark in marks))
    return _trimmed(table) if has_blanks else table


def _trimmed(table: Any) -> Any:
    columns = [pc.utf8_trim_whitespace(column) for column in table.columns]
    columns = [pc.if_else(pc.equal(column, ""), None, column) for column in columns]
    return pa.table(dict(zip(table.column_names, columns, strict=True)), schema=table.schema)
