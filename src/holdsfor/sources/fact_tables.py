"""Tables as background knowledge: `vessels.csv: vessel(mmsi, type, length)` has a fact for each row.

The columns are described as for records (`holdsfor.sources.column_mapping`), and have the same constants. A row
that does not fit is left out and counted. The facts stay columns (`holdsfor.columns.constant_columns`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.constant_columns import ConstantColumn
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.kernels.keys import Int64
from holdsfor.sources.arrow import check_types, schema_without_views
from holdsfor.sources.blocks import readable_lines
from holdsfor.sources.column_mapping import Mapping as Described
from holdsfor.sources.column_mapping import read_fact_mapping
from holdsfor.sources.csv_rows import csv_batches
from holdsfor.sources.formats import format_of_suffix
from holdsfor.sources.input_streams import frame_table
from holdsfor.sources.inputs import table_of_file, text_stream, whole_text
from holdsfor.sources.json_rows import object_columns, read_objects
from holdsfor.sources.nested_columns import nested_value, with_nested_columns
from holdsfor.sources.numerals import Lexicon
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.record_rows import constant_words
from holdsfor.sources.set_aside_reasons import ReasonCounts, SetAsideLimit
from holdsfor.sources.table_layout import LaidOut, Layout, fact_layout
from holdsfor.sources.text_records import SetAside
from holdsfor.sources.times import Clock
from holdsfor.syntax.program import FactTable, Program
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Struct

__all__ = ["ReadFacts", "fact_program", "read_fact_table"]

_BATCH = 1 << 18


@dataclass
class ReadFacts:
    """The facts of a table, and the rows that do not fit, counted by reason."""

    file: str
    table: FactTable
    n_rows: int
    left_out: ReasonCounts = field(default_factory=ReasonCounts)

    @property
    def warning(self) -> str | None:
        """The sentence about rows that are left out, if there are any."""
        if not self.left_out.n:
            return None
        facts = f"`{self.table.name}/{self.table.arity}`"
        return f"{self.left_out.n:,} of {self.n_rows:,} rows are no facts of {facts}: {self.left_out.summary()}"


def read_fact_table(data: object, description: str, clock: Clock | None = None) -> ReadFacts:
    """The facts of a file, an Arrow table, a frame or a list of dictionaries; HF510 if no row fits.

    >>> rows = [{"mmsi": 227574020, "type": "fishing"}, {"mmsi": 227574021, "type": None}]
    >>> found = read_fact_table(rows, "vessel(mmsi, type)")
    >>> list(found.table.columns[0]), found.left_out.n
    ([Int(value=227574020)], 1)
    """
    described = read_fact_mapping(description)
    lexicon = Lexicon(Symbols(), n_separators=0)
    file = str(data) if isinstance(data, str | Path) else "table"
    arity = described.record.arity
    columns: list[list[Int64]] = [[] for _ in range(arity)]
    found = ReadFacts(file, FactTable(described.record.name, tuple([] for _ in range(arity))), 0)
    for part in _parts(data, described, file, clock or Clock(), found):
        words, faults = _words(part.laid_out, arity, lexicon)
        faults |= part.faults
        _leave_out(faults, part, found)
        kept = np.ones(len(part.laid_out.batch), np.bool_)
        kept[list(faults)] = False
        for column, more in zip(columns, words, strict=True):
            column.append(more if not faults else more[kept])
        found.n_rows += len(part.laid_out.batch)
    SetAsideLimit().check(found.n_rows, found.left_out)
    whole = [np.concatenate(parts) if parts else np.zeros(0, np.int64) for parts in columns]
    facts = tuple(ConstantColumn(words, lexicon.symbols) for words in whole)
    found.table = FactTable(described.record.name, facts)
    return found


def fact_program(table: FactTable, name: str) -> Program:
    """A program of facts only."""
    return Program(Source(name, ""), (table,))


# -- rows of any form --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """Rows of a table, their line numbers and texts, and faults found so far."""

    laid_out: LaidOut
    lines: Int64
    faults: dict[int, str] = field(default_factory=dict)


def _parts(data: object, described: Described, file: str, clock: Clock, found: ReadFacts) -> Iterator[_Part]:
    if hasattr(data, "__arrow_c_stream__"):
        yield from _table_parts(frame_table(data), described, file, clock)
    elif isinstance(data, str | Path):
        form = format_of_suffix(file)
        if form in ("parquet", "orc", "arrow"):
            yield from _table_parts(table_of_file(file, form), described, file, clock)
        elif form == "jsonl":
            yield from _object_parts(_objects_of(file, described, found), described, file, clock)
        else:
            yield from _csv_parts(file, described, clock, found)
    else:
        yield from _object_parts(_dictionaries(data, described), described, file, clock)


def _table_parts(table: Any, described: Described, file: str, clock: Clock) -> Iterator[_Part]:
    table = with_nested_columns(table, described.wanted)
    layout = fact_layout(table.schema.names, described, file)
    table = table.select(layout.wanted)
    table = table.cast(schema_without_views(table.schema))
    check_types(table.schema, layout, file)
    n_rows = 0
    for batch in table.combine_chunks().to_batches(max_chunksize=_BATCH):
        laid_out = layout.apply(batch, clock)
        yield _Part(laid_out, n_rows + 1 + laid_out.rows)
        n_rows += len(batch)


def _csv_parts(file: str, described: Described, clock: Clock, found: ReadFacts) -> Iterator[_Part]:
    layout: Layout | None = None
    for header, batch, numbers, misfits in csv_batches([_utf8(file, found)], described):
        layout = layout or fact_layout(header.columns, described, file, "term")
        found.n_rows += len(misfits)
        found.left_out.add(SetAside(file, number, "", reason) for number, reason in misfits)
        laid_out = layout.apply(batch, clock)
        yield _Part(laid_out, numbers[laid_out.rows])


def _utf8(file: str, found: ReadFacts) -> bytes:
    """The content of a file with lines that no row can be emptied and left out."""
    unreadable = ColumnReading()
    content = readable_lines(whole_text(text_stream(file), file), file, 0, unreadable)
    found.n_rows += len(unreadable.set_aside)
    found.left_out.add(unreadable.set_aside)
    return content


Numbered = tuple[int, Mapping[str, Any]]


def _objects_of(file: str, described: Described, found: ReadFacts) -> Iterator[Numbered]:
    wanted = tuple(described.wanted)
    for number, each in read_objects(_utf8(file, found), wanted, described.optional_columns):
        if isinstance(each, str):
            found.n_rows += 1
            found.left_out.add([SetAside(file, number, "", each)])
        else:
            yield number, each


def _dictionaries(data: object, described: Described) -> Iterator[Numbered]:
    if not isinstance(data, Iterable) or isinstance(data, bytes | Mapping):
        message = f"expected a file, a table or a list of dictionaries, found `{type(data).__name__}`"
        raise DataProblem(Diagnostic("HF502", message))
    for number, each in enumerate(data, start=1):
        if not isinstance(each, Mapping):
            message = f"expected a dictionary as row {number} of the facts, found `{type(each).__name__}`"
            raise DataProblem(Diagnostic("HF502", message))
        yield number, {name: _value(each, name) for name in described.wanted}


def _value(row: Mapping[str, Any], name: str) -> Any:
    return row[name] if name in row else nested_value(row, name)[1]


def _object_parts(rows: Iterable[Numbered], described: Described, file: str, clock: Clock) -> Iterator[_Part]:
    listed = list(rows)
    layout = fact_layout(described.wanted, described, file)
    columns = {name: [row[name] for _, row in listed] for name in layout.wanted}
    arrays, mixed, faults = object_columns(columns, layout)
    laid_out = replace(layout, mixed=mixed).apply(pa.RecordBatch.from_pydict(arrays), clock)
    lines = np.array([number for number, _ in listed], np.int64)[laid_out.rows]
    yield _Part(laid_out, lines, {i: faults[row] for i, row in enumerate(laid_out.rows.tolist()) if row in faults})


# -- constants ---------------------------------------------------------------------------------------------------------


def _words(laid_out: LaidOut, arity: int, lexicon: Lexicon) -> tuple[list[Int64], dict[int, str]]:
    """The words of the arguments, and the rows that do not fit."""
    faults = dict(laid_out.faults)
    columns: list[Int64] = []
    for ours in (f"arg{i + 1}" for i in range(arity)):
        words, there = constant_words(laid_out, ours, lexicon)
        theirs = laid_out.columns.get(ours, ours)
        for row in np.flatnonzero(~there).tolist():
            faults.setdefault(row, f"`{theirs}` is null")
        for row in _structures(words, lexicon.symbols).tolist():
            faults.setdefault(row, f"expected text or a number as `{theirs}`")
        columns.append(words)
    return columns, faults


def _structures(words: Int64, symbols: Symbols) -> Int64:
    """The rows whose constant is a structure."""
    structures = [word for word in np.unique(words).tolist() if -(2**50) <= word < 0 and _is_structure(word, symbols)]
    return np.flatnonzero(np.isin(words, structures)) if structures else np.zeros(0, np.int64)


def _is_structure(word: int, symbols: Symbols) -> bool:
    return isinstance(symbols.term(word), Struct)


def _leave_out(faults: Mapping[int, str], part: _Part, found: ReadFacts) -> None:
    rows = sorted(faults)
    contents = part.laid_out.batch.take(pa.array(rows, pa.int64())).to_pylist() if rows else []
    for row, content in zip(rows, contents, strict=True):
        text = ", ".join(str(value) for value in list(content.values())[:-1])
        found.left_out.add([SetAside(found.file, int(part.lines[row]), text, faults[row])])
