"""Conversion of lists of intervals from the caller's form to keyed columns and back.

Keys of any type become dense numbers in the order of their first appearance, the same over all lists of a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.arrow_stream import ArrowStream
from holdsfor.errors import did_you_mean
from holdsfor.intervals.forms import Columns
from holdsfor.intervals.key_encoding import concatenate_keys, number_keys
from holdsfor.intervals.times import SAME_KIND, Kind, flat, refuse, span_of
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.sweep import Keyed

__all__ = ["CallerLists", "read_lists"]

Form = Literal["arrays", "arrow", "pandas", "polars"]
_FORMS = "a list of intervals is arrays `(starts, ends, key, …)`, an Arrow table, or a frame of pandas or polars"


@dataclass(frozen=True)
class CallerLists:
    """The lists of a call as keyed columns, and the caller's form for the result."""

    lists: list[Keyed]
    n_keys: int
    kind: Kind
    form: Form
    names: tuple[str, ...]
    times: tuple[str, str]
    keys: list[Any]
    """A column for each part of the key: the caller's keys, by number."""

    def to_caller(self, result: Keyed) -> Columns | ArrowStream:
        """A keyed list in the form of the caller's first list."""
        numbers, starts, ends = result
        if self.form == "arrays":
            return (self.kind.to_numpy(starts), self.kind.to_numpy(ends), *(key[numbers] for key in self.keys))
        columns = [column.take(pa.array(numbers)) for column in self.keys]
        spans = [self.kind.to_arrow(starts), self.kind.to_arrow(ends)]
        table = pa.table([*columns, *spans], names=[*self.names, *self.times])
        frame: ArrowStream = _frame(table, self.form)
        return frame


def read_lists(lists: Sequence[Any], keys: str | Sequence[str] | None, times: tuple[str, str]) -> CallerLists:
    """The lists of a call, which must have one form, times of one kind and the same parts of the key."""
    if not lists:
        raise refuse("expected at least one list of intervals, found none", _FORMS)
    forms = {_form(each): None for each in lists}
    if len(forms) > 1 and "arrays" in forms:
        raise refuse("expected lists of one form, found arrays and tables", _FORMS)
    form = next(iter(forms))
    names = _names(keys)
    if form == "arrays":
        if names:
            raise refuse("expected no names of keys with arrays", "give arrays of keys after the ends")
        parts = [_of_arrays(each, _which(i, len(lists))) for i, each in enumerate(lists)]
    else:
        tables = [_table(each) for each in lists]
        if keys is None:
            names = tuple(name for name in tables[0].column_names if name not in times)
        parts = [_of_table(each, names, times, _which(i, len(lists))) for i, each in enumerate(tables)]
    return _numbered(parts, form, names, times)


def _names(keys: str | Sequence[str] | None) -> tuple[str, ...]:
    names = () if keys is None else (keys,) if isinstance(keys, str) else keys
    if not isinstance(names, tuple | list) or not all(isinstance(name, str) for name in names):
        raise refuse(f"expected names of columns as keys, found `{keys}`")
    return tuple(names)


def _which(i: int, n: int) -> str:
    return f"of list {i + 1}" if n > 1 else "of the list"


def _form(given: object) -> Form:
    if isinstance(given, tuple) and not any(isinstance(column, tuple) for column in given):
        return "arrays"
    if isinstance(given, tuple | list):
        raise refuse("expected arrays `(starts, ends)`, found pairs", "`zip(*pairs)` gives starts and ends")
    package = type(given).__module__.partition(".")[0]
    if package == "pandas" and hasattr(given, "columns"):
        return "pandas"
    if hasattr(given, "__arrow_c_stream__") and not hasattr(given, "type"):
        return "polars" if package == "polars" else "arrow"
    raise refuse(f"expected a list of intervals, found `{type(given).__name__}`", _FORMS)


def _table(given: Any) -> Any:
    """The Arrow table of a frame, without the index of a pandas frame."""
    is_pandas = _form(given) == "pandas"
    return pa.Table.from_pandas(given, preserve_index=False) if is_pandas else pa.table(given)


def _frame(table: pa.Table, form: Form) -> Any:
    if form == "pandas":
        import pandas  # type: ignore[import-not-found, import-untyped, unused-ignore]

        # Plain columns of pandas have no nulls: large integers would become floats.
        is_open = any(table[name].null_count and pt.is_integer(table[name].type) for name in table.column_names)
        return table.to_pandas(types_mapper={pa.int64(): pandas.Int64Dtype()}.get if is_open else None)
    if form == "polars":
        import polars  # type: ignore[import-not-found, unused-ignore]

        return polars.from_arrow(table)
    return table


@dataclass(frozen=True)
class _Part:
    starts: Int64
    ends: Int64
    kind: Kind
    keys: list[Any]


def _of_arrays(given: Sequence[Any], which: str) -> _Part:
    if len(given) < 2:
        raise refuse(f"expected arrays of starts and ends {which}, found {len(given)}", _FORMS)
    starts, ends, *keys = (flat(column) for column in given)
    begins, stops, kind = span_of(starts, ends, which)
    for key in keys:
        if len(key) != len(begins):
            raise refuse(f"expected as many keys as starts {which}, found {len(key)} and {len(begins)}")
    return _Part(begins, stops, kind, keys)


def _of_table(table: Any, names: Sequence[str], times: tuple[str, str], which: str) -> _Part:
    for name in (*times, *names):
        _check_column(name, table.column_names, which)
    starts, ends = (_whole(table[name]) for name in times)
    begins, stops, kind = span_of(starts, ends, which)
    return _Part(begins, stops, kind, [table[name] for name in names])


def _check_column(name: str, found: list[str], which: str) -> None:
    if name not in found:
        hint = did_you_mean(name, found) or "there are " + (", ".join(f"`{other}`" for other in found) or "none")
        raise refuse(f"column `{name}` {which} not found", hint)
    if found.count(name) > 1:
        raise refuse(f"column `{name}` {which} occurs more than once")


def _whole(column: Any) -> Any:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _numbered(parts: list[_Part], form: Form, names: tuple[str, ...], times: tuple[str, str]) -> CallerLists:
    kinds = list(dict.fromkeys(part.kind for part in parts))
    if len(kinds) > 1:
        raise refuse(f"expected times of one kind, found {kinds[0]} and {kinds[1]}", SAME_KIND)
    widths = list(dict.fromkeys(len(part.keys) for part in parts))
    if len(widths) > 1:
        raise refuse(f"expected keys of {widths[0]} parts in every list, found one with {widths[1]}")
    columns = [concatenate_keys(column) for column in zip(*(part.keys for part in parts), strict=True)]
    numbers, rows = number_keys(columns, sum(len(part.starts) for part in parts))
    edges = np.cumsum([0, *(len(part.starts) for part in parts)])
    lists = [(numbers[edges[i] : edges[i + 1]], part.starts, part.ends) for i, part in enumerate(parts)]
    keys = [column[rows] if form == "arrays" else column.take(pa.array(rows)) for column in columns]
    return CallerLists(lists, len(rows) if columns else 1, kinds[0], form, names, times, keys)
