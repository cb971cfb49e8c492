"""Division of the inputs of a run into parts, which the processes take one after another.

Files of lines are divided at line breaks, tables by rows. A table in memory reaches the other processes as a file.
Inputs that cannot be divided, such as compressed files, are parts by themselves; standard input and Python objects are
read by the process that has them. There are more parts than processes, so a process that starts late reads less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.analysis.names import Names
from holdsfor.columns.encoding import Symbols
from holdsfor.parallel.processes.pool import NeedsOneProcess
from holdsfor.sources.blocks import read_block, text_blocks
from holdsfor.sources.column_mapping import Mapping as Described
from holdsfor.sources.csv_rows import CsvReader, Header
from holdsfor.sources.file_signatures import refuse_other_formats
from holdsfor.sources.formats import TABLES, Format, format_of_suffix
from holdsfor.sources.input_files import split_description
from holdsfor.sources.input_sizes import n_rows, size_of_file
from holdsfor.sources.input_streams import frame_table, is_table_stream
from holdsfor.sources.inputs import InputReader, Opened, open_input, split_input, text_form
from holdsfor.sources.python_objects import Event, Fluent
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.times import Clock
from holdsfor.syntax.source import LONGEST_LINE

__all__ = ["LinePart", "Part", "RowPart", "WholePart", "claimed", "divide", "reusable"]

_HEAD = 1 << 16
_BYTES_OF_A_PART = 1 << 20, 1 << 24  # least and most
_ROWS_OF_A_PART = 1 << 16, 1 << 19
_PARTS_OF_A_PROCESS = 16


@dataclass(frozen=True)
class LinePart:
    """The lines of a file from one byte up to another; `description` is that of its columns."""

    source: int
    file: str
    form: Format
    description: str | None
    begin: int
    end: int
    header: Header | None = None

    @property
    def is_first(self) -> bool:
        return self.begin == 0


@dataclass(frozen=True)
class RowPart:
    """Rows of a table in a file; `name` is the name of the input in messages."""

    source: int
    file: str
    form: Format
    description: str | None
    name: str
    first: int
    n: int
    mixed: frozenset[str] = frozenset()
    of_objects: bool = False

    @property
    def is_first(self) -> bool:
        return self.first == 0


@dataclass(frozen=True)
class WholePart:
    """An input that one process reads; only the process that has it, unless it `is_movable`."""

    source: int
    each: object
    form: Format | None = None
    is_movable: bool = True
    is_first: bool = True


Part = LinePart | RowPart | WholePart


def reusable(each: object) -> object:
    """An input that can be read twice: one-time iterators as lists, frames and streams as Arrow tables."""
    if isinstance(each, tuple) and len(each) == 2 and not isinstance(each[0], Event | Fluent):
        return reusable(each[0]), each[1]
    if hasattr(each, "__arrow_c_stream__"):
        return frame_table(each)
    if is_table_stream(each):
        return each.to_table()  # type: ignore[attr-defined]
    is_one = isinstance(each, str | Path | bytes | dict | Event | Fluent)
    return list(each) if isinstance(each, Iterable) and not is_one else each


@dataclass(frozen=True)
class _Divider:
    """Divides inputs for `n` processes; tables in memory are written to `folder`."""

    names: Names
    tick: int
    form: Format | None
    n: int
    folder: str

    def parts(self, source: int, each: object) -> list[Part]:
        """The parts of an input, in the order of reading."""
        file, description = _described(each)
        if file is None:
            return self._of_objects(source, each)
        form = self.form or format_of_suffix(file)
        if size_of_file(file) is None:
            raise NeedsOneProcess(f"`{file}` can be read only once, or not at all")
        if file.endswith(".gz") or form in ("orc", "arrow"):
            return [WholePart(source, each, self.form)]
        if form == "parquet":
            return self._of_rows(RowPart(source, file, form, description, file, 0, n_rows(file)))
        return self._of_lines(source, file, form, description)

    def _of_lines(self, source: int, file: str, form: Format | None, description: str | None) -> list[Part]:
        mapping = _mapping(file, description)
        with Path(file).open("rb") as opened:
            head = _head(opened)
            refuse_other_formats(head, file)
            form = text_form(form, head, file, mapping, self.names)
            header = self._header(head, file, mapping) if form == "csv" else None
            size = Path(file).stat().st_size
            cuts = list(_cuts(opened, size, self._n_parts(size, *_BYTES_OF_A_PART)))
        return [
            LinePart(source, file, form, description, begin, end, header if begin else None)
            for begin, end in pairwise(cuts)
        ]

    def _n_parts(self, size: int, least: int, most: int) -> int:
        return -(-size // min(max(size // (self.n * _PARTS_OF_A_PROCESS), least), most)) or 1

    def _header(self, head: bytes, file: str, mapping: Described | None) -> Header | None:
        """The header of a CSV file, found by its reader."""
        reader = InputReader(self.names, self.tick, Symbols(), ColumnReading(), Clock()).line_reader(
            "csv", file, mapping
        )
        for block in text_blocks(head, file):
            read_block(reader, block)
        return reader.header if isinstance(reader, CsvReader) else None

    def _of_rows(self, whole: RowPart) -> list[Part]:
        n_parts = self._n_parts(whole.n, *_ROWS_OF_A_PART)
        bounds = [whole.n * i // n_parts for i in range(n_parts + 1)]
        return [replace(whole, first=a, n=b - a) for a, b in pairwise(bounds)]

    def _of_objects(self, source: int, each: object) -> list[Part]:
        opened = open_input(each, self.names, self.form)
        if opened.form not in TABLES:
            return [WholePart(source, opened, is_movable=False)]
        file = str(Path(self.folder) / f"input{source}.arrow")
        _write_table(file, opened)
        description = each[1] if isinstance(each, tuple) and isinstance(each[1], str) else None
        rows = RowPart(source, file, "arrow", description, opened.file, 0, opened.content.num_rows, opened.mixed)
        return self._of_rows(replace(rows, of_objects=opened.of_objects))


def divide(inputs: Sequence[object], names: Names, tick: int, form: Format | None, n: int, folder: str) -> list[Part]:
    """The parts of all inputs, in the order of reading. HF5xx for an input that does not fit."""
    divider = _Divider(names, tick, form, n, folder)
    return [part for source, each in enumerate(inputs) for part in divider.parts(source, each)]


def claimed(parts: Mapping[int, Part], folder: Path, first: int = 0) -> Iterator[tuple[int, Part]]:
    """The parts, by number, that no other process has claimed; a claim is a file with the number of the part.

    The parts from `first` on are claimed one after the other, and after the last one those before `first`, from behind:
    the processes begin at different parts, so each of them reads most of its parts in the order of the input.
    """
    behind = [(number, part) for number, part in parts.items() if number >= first]
    before = [(number, part) for number, part in parts.items() if number < first]
    for number, part in (*behind, *reversed(before)):
        try:
            (folder / f"part{number}").touch(exist_ok=False)
        except FileExistsError:
            continue
        yield number, part


def _described(each: object) -> tuple[str | None, str | None]:
    """The file of an input, and the description of its columns as text; no file for tables and objects."""
    source, description = (
        each if isinstance(each, tuple) and len(each) == 2 and isinstance(each[1], str) else (each, None)
    )
    if isinstance(source, Path):
        return str(source), description
    if not isinstance(source, str):
        return None, None
    return (source, description) if description is not None else split_description(source)


def _mapping(file: str, description: str | None) -> Described | None:
    return None if description is None else split_input((file, description))[1]


def _head(opened: Any) -> bytes:
    """The first lines of a file, at least up to the first line that is not blank."""
    size = _HEAD
    while True:
        opened.seek(0)
        content: bytes = opened.read(size)
        lines = content if len(content) < size else content[: content.rfind(b"\n") + 1]
        if lines.strip() or len(content) < size:
            return lines
        if len(content) - len(lines) > LONGEST_LINE:
            return content
        size *= 4


def _cuts(opened: Any, size: int, n: int) -> Iterator[int]:
    """The bounds of `n` parts of a file, each at a line break."""
    yield 0
    before = 0
    for i in range(1, n):
        opened.seek(max(before, size * i // n))
        while (piece := opened.readline(_HEAD)) and not piece.endswith(b"\n"):
            continue
        before = min(opened.tell(), size)
        yield before
    yield size


def _write_table(file: str, opened: Opened) -> None:
    with pa.OSFile(file, "wb") as sink, pa.ipc.new_file(sink, opened.content.schema) as writer:
        writer.write_table(opened.content)
