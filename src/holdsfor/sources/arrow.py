"""Records as an Arrow table, the form of Parquet files and data frames.

`holdsfor.sources.table_layout` lists the columns. The columns `end`, `value`, `op` and the arguments may be missing if
all their values would be null. Texts may be dictionary-encoded, and each is an atom, unless the column has another
kind. Numbers are numbers; times are integers or timestamps. A row that does not fit is set aside, with its row number
as the line.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.analysis.names import Names
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import DataProblem, Diagnostic, Diagnostics
from holdsfor.sources.column_mapping import Mapping
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.record_rows import Origin, RowReader
from holdsfor.sources.table_layout import TIMES, Layout, layout_of
from holdsfor.sources.times import Clock, is_time_type
from holdsfor.sources.typed_columns import is_text_type

__all__ = ["read_table"]

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
) -> None:
    """Add the records of an Arrow table to the reading; `reading.settle()` then applies the retractions.

    A table that lacks the columns of records, or of the mapping, is HF502 or HF505. `n_before` is the number of rows
    before the table, if it is a part of a larger one. The columns `mixed` contain fields as in a text file.
    """
    layout = replace(layout_of(table.schema.names, mapping, names, file), mixed=mixed)
    table = _without_views(table.select(layout.wanted))
    _check_types(table.schema, layout, file)
    clock = clock or Clock()
    reader = RowReader(file, names, tick, symbols, reading, is_mapped=mapping is not None)
    if mapping is not None:
        reader.text_uses.check_columns(mapping.record, _texts(table.schema, layout))
    n_rows = n_before
    for batch in table.combine_chunks().to_batches(max_chunksize=_BATCH):
        laid_out = layout.apply(batch, clock)
        reader.read(laid_out, Origin(n_rows + 1 + laid_out.rows, None, laid_out.faults))
        n_rows += len(batch)


def _texts(schema: Any, layout: Layout) -> dict[str, str]:
    """The columns of texts."""
    found = layout.texts
    return {ours: theirs for ours, theirs in found.items() if is_text_type(schema.field(theirs).type)}


def _check_types(schema: Any, layout: Layout, file: str) -> None:
    diagnostics = Diagnostics()
    for ours, theirs in (*layout.columns.items(), *(("arg", column) for column, _ in layout.conditions)):
        kind = schema.field(theirs).type
        if not _is_allowed(kind, ours):
            message = f"expected {_expected(ours)} in column `{theirs}`, found {kind}"
            diagnostics.append(Diagnostic("HF502", message, hint="cast the column first", file=file))
    if diagnostics.has_errors:
        raise DataProblem(diagnostics)


def _expected(column: str) -> str:
    if column in ("name", "op"):
        return "text"
    return "integers or timestamps" if column in TIMES else "text or numbers"


def _is_allowed(kind: Any, column: str) -> bool:
    if column in TIMES:
        return is_time_type(kind) and not (column == "start" and pt.is_null(kind))
    kind = kind.value_type if pt.is_dictionary(kind) else kind
    is_text = pt.is_string(kind) or pt.is_large_string(kind)
    if pt.is_null(kind):
        return column != "name"
    return is_text or (column not in ("name", "op") and (pt.is_integer(kind) or pt.is_floating(kind)))


def _without_views(table: Any) -> Any:
    """The table with string views as strings, since few Arrow functions accept views."""
    kinds = [pa.large_string() if pt.is_string_view(field.type) else field.type for field in table.schema]
    return table.cast(pa.schema(zip(table.schema.names, kinds, strict=True)))
