"""Records as an Arrow table, the form of Parquet files and data frames.

`holdsfor.sources.table_layout` lists the columns. The columns `end`, `value`, `op` and the arguments may be missing if
all their values would be null. Texts may be dictionary-encoded, and each is an atom, unless the column has another
kind. Numbers are numbers; times are integers or timestamps. A row that does not fit is set aside, with its row number
as the line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.analysis.names import Names
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import DataProblem, Diagnostic, Diagnostics
from holdsfor.sources.column_mapping import Mapping
from holdsfor.sources.file_times import FileTimes
from holdsfor.sources.input_streams import TableStream
from holdsfor.sources.nested_columns import outer_columns, with_nested_columns
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.record_rows import Origin, RowReader
from holdsfor.sources.table_layout import TIMES, Layout, layout_of
from holdsfor.sources.times import Clock, is_time_type
from holdsfor.sources.typed_columns import is_constant_type, is_text_type

__all__ = ["check_types", "read_table", "schema_without_views"]

_BATCH = 1 << 18


def read_table(
    table: Any,
    names: Names,
    tick: int,
    symbols: Symbols,
    reading: ColumnReading,
    *,
    file: str = "table",
    mapping: Mapping | None = None,
    clock: Clock | None = None,
    n_before: int = 0,
    mixed: frozenset[str] = frozenset(),
    file_times: FileTimes | None = None,
) -> None:
    """Add the records of an Arrow table to the reading; `reading.settle()` then applies the retractions.

    The table is an Arrow table or a `TableStream`, which is read in batches of the same rows. A table that lacks the
    columns of records, or of the mapping, is HF502 or HF505. `n_before` is the number of rows before the table, if it
    is a part of a larger one, with the `file_times` of all its parts. The columns `mixed` contain fields as in a text
    file.
    """
    if mapping is not None:
        mapping.refuse_header(file)
    rowless = with_nested_columns(table.schema.empty_table(), () if mapping is None else mapping.wanted)
    layout = replace(layout_of(rowless.column_names, mapping, names, file), mixed=mixed)
    schema = _with_plain_times(schema_without_views(rowless.select(layout.wanted).schema), layout)
    check_types(schema, layout, file)
    clock, file_times = clock or Clock(), file_times or FileTimes(is_typed=True)
    reader = RowReader(file, names, tick, symbols, reading, is_mapped=mapping is not None)
    if mapping is not None:
        reader.text_uses.check_columns(mapping.record, _texts(schema, layout))
    n_rows = n_before
    for batch in _batches(table, schema):
        laid_out = layout.apply(batch, clock, file_times)
        reader.read(laid_out, Origin(n_rows + 1 + laid_out.rows, None, laid_out.faults))
        reading.end_of_block()
        n_rows += len(batch)


def _texts(schema: Any, layout: Layout) -> dict[str, str]:
    """The columns of texts."""
    found = layout.texts
    return {ours: theirs for ours, theirs in found.items() if is_text_type(schema.field(theirs).type)}


def check_types(schema: Any, layout: Layout, file: str) -> None:
    """Refuse columns of types that are no constants or times (HF502)."""
    diagnostics = Diagnostics()
    for ours, theirs in (*layout.columns.items(), *(("arg", column) for column, _ in layout.conditions)):
        kind = schema.field(theirs).type
        if not (_is_allowed(kind, ours) or (ours == "end" and layout.has_lengths and pt.is_duration(kind))):
            message = f"expected {_expected(ours)} in column `{theirs}`, found {kind}"
            diagnostics.append(Diagnostic("HF502", message, hint="cast the column first", file=file))
    if diagnostics.has_errors:
        raise DataProblem(diagnostics)


def _expected(column: str) -> str:
    if column in ("name", "op"):
        return "text"
    if column == "revision":
        return "text or integers"
    return "integers or timestamps" if column in TIMES else "text, numbers, booleans or dates"


def _is_allowed(kind: Any, column: str) -> bool:
    if column in TIMES:
        return is_time_type(kind) and not (column == "start" and pt.is_null(kind))
    kind = kind.value_type if pt.is_dictionary(kind) else kind
    if pt.is_null(kind):
        return column != "name"
    if column in ("name", "op"):
        return is_text_type(kind)
    return bool(is_text_type(kind) or pt.is_integer(kind)) if column == "revision" else is_constant_type(kind)


def schema_without_views(schema: Any) -> Any:
    """The schema with string views as strings, since few Arrow functions accept views."""
    return pa.schema(zip(schema.names, map(_without_view, schema.types), strict=True))


def _with_plain_times(schema: Any, layout: Layout) -> Any:
    """The schema with times that are not dictionary-encoded."""
    times = {layout.columns[ours] for ours in TIMES if ours in layout.columns}
    kinds = [
        each.type.value_type if each.name in times and pt.is_dictionary(each.type) else each.type for each in schema
    ]
    return pa.schema(zip(schema.names, kinds, strict=True))


def _without_view(kind: Any) -> Any:
    if pt.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _without_view(kind.value_type), kind.ordered)
    return pa.large_string() if pt.is_string_view(kind) else kind


def _batches(table: Any, schema: Any) -> Iterator[Any]:
    """The rows of a table in batches of equal size, with the columns and types of a schema."""
    if isinstance(table, TableStream):
        parts = _equal_parts(table.batches(outer_columns(table.schema, schema.names)))
    else:
        parts = (table.slice(first, _BATCH) for first in range(0, len(table), _BATCH))
    for part in parts:
        chosen = with_nested_columns(part, schema.names).select(schema.names)
        yield from chosen.cast(schema).combine_chunks().to_batches(max_chunksize=_BATCH)


def _equal_parts(batches: Iterable[Any]) -> Iterator[Any]:
    """Batches as tables of equal size; the last may be shorter."""
    waiting: list[Any] = []
    n_waiting = 0
    for batch in batches:
        first = 0
        while n_waiting + len(batch) - first >= _BATCH:
            n = _BATCH - n_waiting
            yield pa.Table.from_batches([*waiting, batch.slice(first, n)])
            first, waiting, n_waiting = first + n, [], 0
        if first < len(batch):
            waiting.append(batch.slice(first))
            n_waiting += len(batch) - first
    if waiting:
        yield pa.Table.from_batches(waiting)
