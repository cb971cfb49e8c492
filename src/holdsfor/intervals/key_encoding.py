"""Keys of any type as dense numbers, in the order of their first appearance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.intervals.times import refuse
from holdsfor.kernels.keys import Int64

__all__ = ["concatenate_keys", "number_keys"]

_KEYS = "keys are texts, numbers or dates"


def concatenate_keys(columns: Sequence[Any]) -> Any:
    """The same part of the key of several lists, concatenated.

    The columns must be of one kind: texts, integers, other numbers or dates. A text never equals a number, and integers
    would lose digits as floats.
    """
    kinds = dict.fromkeys(_kind(column) for column in columns if len(column))
    kinds.pop("null", None)
    if len(kinds) > 1:
        raise refuse(f"expected keys of one kind on all sides, found {' and '.join(kinds)}")
    if all(isinstance(column, np.ndarray) for column in columns):
        return np.concatenate([column for column in columns if len(column)] or columns)
    try:
        tables = [pa.table([_without_views(column)], names=["key"]) for column in columns]
        return pa.concat_tables(tables, promote_options="permissive").unify_dictionaries()["key"]
    except pa.ArrowException as error:
        raise refuse(f"expected keys of one type on all sides: {str(error).splitlines()[0].lower()}") from None


def _kind(column: Any) -> str:
    """The kind of a column's values, as needed to compare them."""
    kind = _arrow(column).type
    kind = kind.value_type if pt.is_dictionary(kind) else kind
    if pt.is_string(kind) or pt.is_large_string(kind) or pt.is_string_view(kind):
        return "texts"
    return "integers" if pt.is_integer(kind) and not pt.is_uint64(kind) else str(kind)


def _arrow(column: Any) -> Any:
    if not isinstance(column, np.ndarray):
        return column
    try:
        return pa.array(column)
    except (pa.ArrowException, NotImplementedError):
        raise refuse(f"expected keys that can be compared, found {column.dtype}", _KEYS) from None


def _without_views(column: Any) -> Any:
    """The column with string views, which polars uses, as strings, since few Arrow functions accept views."""
    if isinstance(column, np.ndarray) or not pt.is_string_view(column.type):
        return column
    return column.cast(pa.large_string())


def number_keys(columns: Sequence[Any], n: int) -> tuple[Int64, Int64]:
    """A number from 0 for every row, equal for equal keys, in the order of first appearance, and the first rows.

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
    """A number for every distinct value of a column, and the number of values. Null is a value."""
    array = _arrow(column)
    try:
        if pt.is_dictionary(array.type):
            array = array.cast(array.type.value_type)
        encoded = array.dictionary_encode(null_encoding="encode")
    except (pa.ArrowException, NotImplementedError):
        raise refuse(f"expected keys that can be compared, found {array.type}", _KEYS) from None
    encoded = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    codes: Int64 = encoded.indices.cast(pa.int64()).to_numpy(zero_copy_only=False)
    return codes, len(encoded.dictionary)
