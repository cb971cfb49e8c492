"""Keys of any type as dense numbers, in the order of their first appearance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.intervals.times import refuse
from holdsfor.kernels.keys import Int64

__all__ = ["number_keys", "together"]


def together(columns: Sequence[Any]) -> Any:
    """The same part of the key of several lists, one behind the other."""
    if all(isinstance(column, np.ndarray) for column in columns):
        return np.concatenate(columns)
    try:
        tables = [pa.table([_without_views(column)], names=["key"]) for column in columns]
        return pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()["key"]
    except pa.ArrowException:
        found = " and ".join(dict.fromkeys(str(getattr(column, "type", "an array")) for column in columns))
        raise refuse(f"expected keys of one type on all sides, found {found}") from None


def _without_views(column: Any) -> Any:
    """The column with views of texts as texts, as polars has them: Arrow can do little with views."""
    if isinstance(column, np.ndarray) or not pt.is_string_view(column.type):
        return column
    return column.cast(pa.large_string())


def number_keys(columns: Sequence[Any], n: int) -> tuple[Int64, Int64]:
    """A number from 0 for every row, equal for equal keys, in the order of their first appearance, and that row.

    Without columns all rows have the key 0.
    """
    numbers = np.zeros(n, dtype=np.int64)
    for i, column in enumerate(columns):
        codes, n_codes = _codes(column)
        numbers = codes if i == 0 else _codes(numbers * n_codes + codes)[0]
    first = np.empty(int(numbers.max()) + 1 if n else 0, dtype=np.int64)
    first[numbers[::-1]] = np.arange(n, dtype=np.int64)[::-1]
    return numbers, first


def _codes(column: Any) -> tuple[Int64, int]:
    """A number for every different value of a column, and how many there are. Null is a value."""
    try:
        array = pa.array(column) if isinstance(column, np.ndarray) else column
        if pt.is_dictionary(array.type):
            array = array.cast(array.type.value_type)
        encoded = array.dictionary_encode(null_encoding="encode")
    except (pa.ArrowException, NotImplementedError):
        kind = column.dtype if isinstance(column, np.ndarray) else column.type
        raise refuse(f"expected keys that can be compared, found {kind}", "keys are texts, numbers or dates") from None
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    codes: Int64 = encoded.indices.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return codes, len(encoded.dictionary)
