"""Rows of results from Arrow tables: a table of all fluents and events, or the table of one of them.

The table of one fluent is read with its metadata. A text in it is a name, or the term that it reads as: a structure, or
in a column that may have numbers, a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import repeat
from typing import Any

from holdsfor.columns.file_metadata import FileLayout, file_layout, time_unit
from holdsfor.columns.time_type import TimeType
from holdsfor.errors import HoldsforError
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term

__all__ = ["TableRow", "table_rows", "time_type"]

TableRow = tuple[int | None, Term | str, int, int | None, bool]
"""Query time, FVP or event (as a term or text), start, end, and whether it is a fluent."""

_QUERY_TIME = b"holdsfor.query_time"
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?\Z")
_STRUCTURE = re.compile(r"[^\W\d_A-Z]\w*\(.*\)\Z|'.*'\(.*\)\Z", re.DOTALL)


def time_type(table: Any) -> TimeType | None:
    """The type of the times of a table; None if they are integers."""
    import pyarrow as pa  # type: ignore[import-untyped]

    column = next((name for name in ("start", "time") if name in table.column_names), None)
    kind = None if column is None else table.schema.field(column).type
    if kind is None or not pa.types.is_timestamp(kind):
        return None
    unit = time_unit(table.schema.metadata) or ("us" if kind.unit == "ns" else kind.unit)
    return TimeType(unit, kind.tz)  # type: ignore[arg-type]


def table_rows(table: Any) -> list[TableRow] | None:
    """The rows of a table of results; None if its columns are not those of results."""
    layout = file_layout(table.schema.metadata)
    names = table.column_names
    if layout is not None:
        return _typed_rows(table, layout)
    if not {"fvp", "kind", "start", "end"} <= set(names):
        return None
    fluents = [kind == "fluent" for kind in table["kind"].to_pylist()]
    starts, ends = (_time_points(table, name) for name in ("start", "end"))
    return list(zip(_query_times(table), table["fvp"].to_pylist(), starts, ends, fluents, strict=True))


def _typed_rows(table: Any, layout: FileLayout) -> list[TableRow]:
    """The rows of the table of one fluent or event."""
    columns = [_terms(table[name].to_pylist(), is_mixed=name in layout.mixed) for name in layout.arguments]
    n = len(table)
    entities: Sequence[Term] = [Atom(layout.name)] * n
    if columns:
        entities = [Struct(layout.name, row) for row in zip(*columns, strict=True)]
    if layout.is_event:
        times = _time_points(table, "time")
        return list(zip(_query_times(table), entities, times, times, repeat(False, n), strict=True))
    values = _terms(table["value"].to_pylist(), is_mixed="value" in layout.mixed)
    fvps = [Struct("=", pair) for pair in zip(entities, values, strict=True)]
    spans = _time_points(table, "start"), _time_points(table, "end")
    return list(zip(_query_times(table), fvps, *spans, repeat(True, n), strict=True))


def _terms(values: Sequence[Any], *, is_mixed: bool) -> list[Term]:
    """The terms of a column; equal values are one term."""
    known: dict[Any, Term] = {}
    for value in values:
        if value not in known:
            known[value] = _text(value, is_mixed=is_mixed) if isinstance(value, str) else _number(value)
    return [known[value] for value in values]


def _number(value: int | float) -> Term:
    return Float(value) if isinstance(value, float) else Int(value)


def _text(text: str, *, is_mixed: bool) -> Term:
    if _STRUCTURE.match(text) or (is_mixed and _NUMBER.match(text)):
        try:
            return parse_term(text)
        except HoldsforError:
            return Atom(text)
    return Atom(text)


def _query_times(table: Any) -> Sequence[int | None]:
    if "query_time" in table.column_names:
        return _time_points(table, "query_time")
    stated = (table.schema.metadata or {}).get(_QUERY_TIME)
    return [None if stated is None else int(stated)] * len(table)


def _time_points(table: Any, name: str) -> list[Any]:
    """A column of times as time-points: timestamps in the unit of the run."""
    import pyarrow as pa

    column, kind = table[name], time_type(table)
    if kind is not None and pa.types.is_timestamp(column.type):
        column = kind.time_points(column)
    found: list[Any] = column.to_pylist()
    return found
