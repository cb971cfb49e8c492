"""Rows of intervals, not merged: sorted by key and start, with the caller's row numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.intervals.key_encoding import concatenate_keys, number_keys
from holdsfor.intervals.times import SAME_KIND, Kind, flat, is_arrow, refuse, span_of
from holdsfor.kernels.keys import Int64
from holdsfor.kernels.packing import packing_for
from holdsfor.kernels.sweep import Keyed

__all__ = ["KeyedRows", "read_rows"]

Columns = tuple[Any, Any, Any]
"""Starts, ends, and the keys: None, a column or a list of columns."""


@dataclass(frozen=True)
class KeyedRows:
    """Intervals by key and start; `order[k]` is the caller's row of the k-th interval."""

    ordered: Keyed
    order: Int64

    def __len__(self) -> int:
        return len(self.order)


def read_rows(sources: Columns, targets: Columns) -> tuple[KeyedRows, KeyedRows]:
    """Sources and targets with the same numbers for the same keys. The targets of a key must not overlap."""
    one, two = _spans(sources, "of the sources"), _spans(targets, "of the targets")
    if one[2] != two[2]:
        raise refuse(f"expected times of one kind, found {one[2]} and {two[2]}", SAME_KIND)
    keys = _numbers(_key_columns(sources[2]), len(one[0]), _key_columns(targets[2]), len(two[0]))
    found = _sorted(keys[0], one[0], one[1]), _sorted(keys[1], two[0], two[1])
    _refuse_overlaps(found[1])
    return found


def _spans(columns: Columns, which: str) -> tuple[Int64, Int64, Kind]:
    return span_of(_column(columns[0]), _column(columns[1]), which)


def _column(column: Any) -> Any:
    """A column as an array of NumPy or, if it is an Arrow object, of Arrow."""
    if not is_arrow(column):
        return flat(column)
    array = pa.chunked_array(column) if hasattr(column, "__arrow_c_stream__") else pa.array(column)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _key_columns(keys: Any) -> list[Any]:
    """The parts of the keys. A list or tuple of columns has several parts; any other value is one column."""
    if keys is None:
        return []
    if isinstance(keys, list | tuple) and keys and not isinstance(keys[0], str | int | float | np.generic | None):
        return [_column(key) for key in keys]
    return [_column(keys)]


def _numbers(one: list[Any], n_one: int, two: list[Any], n_two: int) -> tuple[Int64, Int64]:
    if len(one) != len(two):
        raise refuse(f"expected as many columns of keys for both sides, found {len(one)} and {len(two)}")
    for columns, n, which in ((one, n_one, "sources"), (two, n_two, "targets")):
        for column in columns:
            if len(column) != n:
                raise refuse(f"expected as many keys as {which}, found {len(column)} and {n}")
    columns_of_both = [concatenate_keys((a, b)) for a, b in zip(one, two, strict=True)]
    numbers, _ = number_keys(columns_of_both, n_one + n_two)
    return numbers[:n_one], numbers[n_one:]


def _sorted(keys: Int64, starts: Int64, ends: Int64) -> KeyedRows:
    n_keys = int(keys.max()) + 1 if len(keys) else 1
    packed = starts if n_keys == 1 else packing_for(n_keys, starts).pack(keys, starts)
    if (packed[1:] >= packed[:-1]).all():
        return KeyedRows((keys, starts, ends), np.arange(len(keys), dtype=np.int64))
    order = np.argsort(packed)
    ordered_keys = keys if n_keys == 1 else keys[order]
    return KeyedRows((ordered_keys, starts[order], ends[order]), order)


def _refuse_overlaps(rows: KeyedRows) -> None:
    keys, starts, ends = rows.ordered
    clash = np.flatnonzero((keys[1:] == keys[:-1]) & (ends[:-1] > starts[1:]))
    if len(clash) == 0:
        return
    one, two = sorted(int(row) for row in rows.order[clash[0] : clash[0] + 2])
    more = f", and {len(clash) - 1:,} more" if len(clash) > 1 else ""
    message = f"expected targets of one key that do not overlap, found rows {one} and {two} that do{more}"
    hint = "compare them as sources, or merge them first: `holdsfor.intervals.merge`"
    raise UsageProblem(Diagnostic("HF762", message, hint=hint))
