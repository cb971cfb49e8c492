"""Inputs of any kind to columns: text, CSV, JSON lines, Parquet, ORC and Arrow files, tables, Python objects."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, BinaryIO, TypedDict, Unpack

from holdsfor.analysis.names import Names
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import DataProblem, Diagnostic, Hint
from holdsfor.sources.blocks import read_block, readable_lines, text_blocks
from holdsfor.sources.column_mapping import Mapping, read_mapping
from holdsfor.sources.column_roles import columns_by_role
from holdsfor.sources.csv_rows import CsvReader, Header
from holdsfor.sources.file_signatures import refuse_other_formats
from holdsfor.sources.file_times import FileTimes
from holdsfor.sources.formats import HEAD, TABLES, Format, format_of_suffix, format_of_text
from holdsfor.sources.input_facts import input_fact_columns
from holdsfor.sources.input_files import INPUT_HINT, not_found, split_description
from holdsfor.sources.input_streams import (
    BrokenInput,
    TableStream,
    TextStream,
    broken_table,
    broken_text,
    frame_table,
    is_table_stream,
    table_stream,
)
from holdsfor.sources.json_rows import JsonLinesReader
from holdsfor.sources.parquet_tables import read_parquet
from holdsfor.sources.place_kinds import PlaceKinds
from holdsfor.sources.python_objects import Event, Fluent, mixed_columns, table_of
from holdsfor.sources.revision_ids import RevisionRecord, unmatched_revisions
from holdsfor.sources.spilled_reading import SpilledReading
from holdsfor.sources.table_layout import time_columns
from holdsfor.sources.text_columns import ColumnReading, TextReader, read_table
from holdsfor.sources.text_records import Reading, read_text_records
from holdsfor.sources.times import Clock, Unit
from holdsfor.sources.unreadable import Unreadable, refuse_if_all

__all__ = [
    "InputReader",
    "LineReader",
    "Opened",
    "ReadingOptions",
    "listed_together",
    "open_input",
    "read_facts",
    "read_inputs",
    "split_input",
    "standard_input",
    "table_of_file",
    "text_form",
    "text_stream",
    "whole_text",
]

LineReader = TextReader | CsvReader | JsonLinesReader


@dataclass(frozen=True)
class Opened:
    """An input before its records are read: the content of a text, or a table, perhaps with `mixed` columns.

    The content may be a stream, which is read once. It may be made `of_objects` of Python.
    """

    file: str
    form: Format
    mapping: Mapping | None
    content: Any
    mixed: frozenset[str] = frozenset()
    of_objects: bool = False


def open_input(each: object, names: Names, forced: Format | None = None, *, in_pieces: bool = False) -> Opened:
    """Open a file, perhaps with a mapping after a colon, a table, a pair of either and a mapping, or records.

    Texts are streams, and so are datasets, scanners and readers of batches; with `in_pieces`, files of tables, too.
    """
    if isinstance(each, tuple) and len(each) == 2 and isinstance(each[1], dict):
        return Opened("table", "arrow", None, _renamed(*each))
    source, mapping = split_input(each)
    if hasattr(source, "__arrow_c_stream__") or is_table_stream(source):
        return Opened("table", "arrow", mapping, _as_table(source))
    if not isinstance(source, str | Path) and mapping is None:
        return _opened_records(source)
    if not isinstance(source, str | Path):
        message = f"columns are those of a file or a table, found `{type(source).__name__}`"
        hint = _frame_hint(source) or "give records without a description of columns"
        raise DataProblem(Diagnostic("HF505", message, hint=hint))
    file = str(source)
    form = forced or format_of_suffix(file)
    if form is not None and form in TABLES:
        return Opened(file, form, mapping, table_of_file(file, form, mapping, in_pieces=in_pieces))
    if not file.strip():
        raise DataProblem(Diagnostic("HF501", "an input without a name", hint=INPUT_HINT))
    content = text_stream(file)
    try:
        refuse_other_formats(content.head, file)
        return Opened(file, text_form(form, content.head, file, mapping, names), mapping, content)
    except DataProblem:
        content.close()
        raise


def text_form(form: Format | None, content: bytes, file: str, mapping: Mapping | None, names: Names) -> Format:
    """The format of a text, as given or else by its first line; HF505 for a mapping of a format without columns."""
    form = form or format_of_text(content, file, mapping, names)
    if form == "text" and mapping is not None:
        message = f"`{file}` is read as text, which has no columns to choose from"
        hint = Hint("leave out the columns", on_command_line="leave out `--input-format text`, or the columns")
        raise DataProblem(Diagnostic("HF505", message, hint=hint))
    return form


def split_input(each: object) -> tuple[object, Mapping | None]:
    """An input without the description of its columns, and the description, if there is one."""
    if isinstance(each, tuple) and len(each) == 2 and isinstance(each[1], str):
        return each[0], read_mapping(each[1])
    if not isinstance(each, str):
        return each, None
    file, mapping = split_description(each)
    return file, None if mapping is None else read_mapping(mapping)


@dataclass(frozen=True)
class InputReader:
    """The settings that the inputs of a run share: names of the rules, tick, symbols, reading and clock."""

    names: Names
    tick: int
    symbols: Symbols
    reading: ColumnReading
    clock: Clock

    def add(self, opened: Opened) -> None:
        """Add the records of an input."""
        if opened.form in TABLES:
            given = (opened.content, self.names, self.tick, self.symbols, self.reading)
            file_times = FileTimes(is_typed=True, of_objects=opened.of_objects)
            read_table(
                *given,
                file=opened.file,
                mapping=opened.mapping,
                clock=self.clock,
                mixed=opened.mixed,
                file_times=file_times,
            )
            return
        with opened.content if isinstance(opened.content, TextStream) else nullcontext():
            reader = self.line_reader(opened.form, opened.file, opened.mapping)
            for block in text_blocks(opened.content, opened.file):
                read_block(reader, block)
                self.reading.end_of_block()

    def line_reader(self, form: Format, file: str, mapping: Mapping | None, header: Header | None = None) -> LineReader:
        """A reader for the lines of an input, by blocks that are UTF-8 and end with a line break.

        `header` is the header of a CSV file whose blocks begin after it.
        """
        given = (file, self.names, self.tick, self.symbols, self.reading)
        if form == "csv":
            return CsvReader(*given, mapping=mapping, clock=self.clock, header=header)
        if form == "jsonl":
            return JsonLinesReader(*given, mapping=mapping, clock=self.clock)
        return TextReader(*given)


class ReadingOptions(TypedDict, total=False):
    """How inputs are read: the format of all of them, the unit of time if it is given, and the zone of local times.

    An input that cannot be read is an error; with a list `unreadable`, it is added to the list if another input can be
    read.
    """

    form: Format | None
    unit: Unit | None
    zone: str | None
    unreadable: list[Unreadable] | None


def read_inputs(
    inputs: Iterable[object],
    names: Names,
    tick: int,
    symbols: Symbols,
    *,
    on_disk: bool = False,
    **options: Unpack[ReadingOptions],
) -> ColumnReading:
    """The records of files (paths, or `-` for standard input) and tables, together.

    A table is an Arrow table or any frame with an Arrow stream, such as those of pandas and polars. Records may also be
    Python objects or lines of text. With `on_disk`, inputs are read in pieces, and their records are on disk.
    """
    kinds = PlaceKinds(names.joins.joined)
    reading = SpilledReading(symbols=symbols, kinds=kinds) if on_disk else ColumnReading()
    input_reader = InputReader(names, tick, symbols, reading, _clock(options))

    def add(each: object) -> None:
        mark = None if options.get("unreadable") is None else reading.mark()
        try:
            input_reader.add(open_input(each, names, options.get("form"), in_pieces=on_disk))
        except BrokenInput:
            if mark is not None:
                reading.rewind(mark)
            raise

    _add_each(inputs, add, options.get("unreadable"))
    given = input_fact_columns(names, tick, symbols)
    if isinstance(reading, SpilledReading):
        reading.finish(names, given)
    else:
        if reading.typed:
            kinds.extended(reading.pieces, reading.typed, symbols).check(names.joins)
        reading.settle(given)
    reading.time_type = input_reader.clock.time_type
    reading.has_moments = input_reader.clock.has_offset is not None
    return reading


def _clock(options: ReadingOptions) -> Clock:
    return Clock(options.get("unit", "s"), zone=options.get("zone"))


def read_facts(inputs: Iterable[object], names: Names, tick: int, **options: Unpack[ReadingOptions]) -> Reading:
    """The records of `read_inputs` one by one; a separate, slow reader reads the texts."""
    reading, clock = Reading(), _clock(options)
    kinds = PlaceKinds()
    revisions: list[RevisionRecord] = []

    def add(each: object) -> None:
        nonlocal kinds
        opened = open_input(each, names, options.get("form"))
        if opened.form == "text":
            content = readable_lines(whole_text(opened.content, opened.file), opened.file, 0, reading)
            read_text_records(content.decode().split("\n"), opened.file, names, tick, reading)
        else:
            input_reader = InputReader(names, tick, Symbols(), ColumnReading(), clock)
            input_reader.add(opened)
            kinds = kinds.extended((), input_reader.reading.typed, input_reader.symbols)
            revisions.extend(input_reader.reading.revisions)
            _add_facts(input_reader, reading)

    _add_each(inputs, add, options.get("unreadable"))
    kinds.with_facts(reading.inserted()).check(names.joins)
    reading.unmatched += unmatched_revisions(revisions)
    reading.time_type, reading.has_moments = clock.time_type, clock.has_offset is not None
    return reading


def _add_each(inputs: Iterable[object], add: Callable[[object], None], unreadable: list[Unreadable] | None) -> None:
    """Add inputs in order; if there is a list `unreadable`, continue after an input that cannot be read."""
    listed = list(inputs)
    if unreadable is None:
        for each in listed:
            add(each)
        return
    sources = [split_input(each)[0] for each in listed]
    for source in sources:
        if isinstance(source, str | Path) and str(source) != "-" and not Path(source).exists():
            raise not_found(str(source))
    for each, source in zip(listed, sources, strict=True):
        try:
            add(each)
        except DataProblem as problem:
            unreadable.append(Unreadable.because(str(source), problem))
    refuse_if_all(unreadable, len(listed) - len(unreadable))


def _add_facts(input_reader: InputReader, reading: Reading) -> None:
    found = input_reader.reading
    reading.n_records += found.n_records
    reading.unused += found.unused
    reading.set_aside += found.set_aside
    reading.add_operations(found.operations(input_reader.symbols))


def listed_together(inputs: Iterable[object]) -> Iterator[object]:
    """The inputs, with a list for consecutive `Event` and `Fluent` objects: one table of many records is fast."""
    for are_records, group in groupby(inputs, key=lambda each: isinstance(each, Event | Fluent)):
        if are_records:
            yield list(group)
        else:
            yield from group


def _opened_records(given: object) -> Opened:
    """An `Event` or `Fluent`, or several, or lines of text."""
    objects = [given] if isinstance(given, Event | Fluent) else _listed(given)
    lines = [each for each in objects if isinstance(each, str)]
    records = [each for each in objects if isinstance(each, Event | Fluent)]
    if len(records) == len(objects):
        return Opened("records", "arrow", None, table_of(records), mixed_columns(records), of_objects=True)
    if len(lines) == len(objects):
        return Opened("lines", "text", None, "\n".join(lines).encode(errors="surrogatepass"))
    odd = next(each for each in objects if not isinstance(each, Event | Fluent if records else str))
    message = f"expected an `Event`, a `Fluent` or a line of text, found `{type(odd).__name__}`"
    hint = "records are all objects or all lines of text" if records or lines else None
    raise DataProblem(Diagnostic("HF502", message, hint=hint))


def _listed(given: object) -> list[object]:
    if isinstance(given, Iterable) and not isinstance(given, bytes | dict):
        return list(given)
    message = f"expected a file, an Arrow table, a frame or records, found `{type(given).__name__}`"
    hint = _frame_hint(given) or "frames of pandas and polars are read through Arrow"
    raise DataProblem(Diagnostic("HF502", message, hint=hint))


def _frame_hint(given: object) -> str | None:
    """A hint for a frame that has no rows yet, such as a lazy frame of polars, or that is on Spark."""
    if hasattr(given, "mapInArrow"):
        return "`hf.spark.recognise` takes DataFrames of Spark"
    return "collect the frame first: `frame.collect()`" if hasattr(given, "collect") else None


def _as_table(frame: object) -> Any:
    return table_stream(frame) if is_table_stream(frame) else frame_table(frame)


def _renamed(source: object, named: dict[str, str]) -> Any:
    """A table with its columns renamed to those of records."""
    if not hasattr(source, "__arrow_c_stream__") and not is_table_stream(source):
        message = f"expected a table with the names of its columns, found `{type(source).__name__}`"
        described = "the columns of a file are described as text: `happensAt(event(column, …), column)`"
        hint = _frame_hint(source) or described
        raise DataProblem(Diagnostic("HF505", message, hint=hint))
    table = _as_table(source)
    columns = columns_by_role(named, table.schema.names)
    if isinstance(table, TableStream):
        return table.renamed(columns)
    return table.select(list(columns.values())).rename_columns(list(columns))


def table_of_file(file: str, form: Format, mapping: Mapping | None = None, *, in_pieces: bool = False) -> Any:
    """The table of a Parquet, ORC or Arrow file, or a stream of its rows; HF501 if the file cannot be read.

    With a mapping, columns that it does not mention may be missing.
    """
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.feather  # type: ignore[import-untyped]
    import pyarrow.orc  # type: ignore[import-untyped]
    import pyarrow.parquet  # type: ignore[import-untyped]

    modules = {"parquet": pyarrow.parquet, "orc": pyarrow.orc, "arrow": pyarrow.feather}
    is_file = Path(file).is_file()
    try:
        stream = table_stream(file, form) if in_pieces and is_file else None
        if stream is None and is_file and form == "parquet":
            return read_parquet(file, () if mapping is None else mapping.wanted, time_columns(mapping))
        return modules[form].read_table(file) if stream is None else stream
    except FileNotFoundError:
        raise not_found(file) from None
    except (OSError, pa.ArrowInvalid) as error:
        raise broken_table(file, error) from None


def whole_text(content: bytes | TextStream, file: str) -> bytes:
    """The lines of a text, in memory."""
    with content if isinstance(content, TextStream) else nullcontext():
        return b"".join(text_blocks(content, file))


def text_stream(file: str) -> TextStream:
    """The content of an input file, decompressed if its suffix is `.gz`; `-` is standard input."""
    with _opening(file):
        if file == "-":
            return TextStream(file, standard_input(INPUT_HINT), HEAD)
        return TextStream.of_file(file, HEAD)


@contextmanager
def _opening(file: str) -> Iterator[None]:
    """Errors of opening and reading a file, as errors of that input."""
    try:
        yield
    except FileNotFoundError:
        raise not_found(file) from None
    except IsADirectoryError:
        hint = "runs over files take folders; a live run follows single files"
        raise DataProblem(Diagnostic("HF501", f"`{file}` is a directory", hint=hint, file=file)) from None
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise broken_text(file, error) from None


def standard_input(hint: str) -> BinaryIO:
    """Standard input, or HF501 if the process has no standard input."""
    if sys.stdin is None:
        raise DataProblem(Diagnostic("HF501", "standard input is closed", hint=hint, file="-"))
    return sys.stdin.buffer
