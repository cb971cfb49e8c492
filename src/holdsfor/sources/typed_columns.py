"""Columns of an Arrow table as columns of another kind: texts as numbers, numbers as texts.

The constants of an argument or a value have few types. Other Arrow types become one of them:

    bool                the atoms `true` and `false`
    date                the atom in ISO 8601: `2026-03-01`
    decimal             an integer if its type has no decimal places, else the float of its digits: 1.50 is 1.5
    dictionary          its values
    null, NaN           missing
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sources.column_kinds import EXACT, read_integer, read_number
from holdsfor.sources.numerals import whole_numbers
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Float, Int

__all__ = [
    "as_integers",
    "as_numbers",
    "as_plain",
    "as_texts",
    "decoded",
    "is_constant_type",
    "is_text_type",
    "text_column",
    "without_nan",
]

_CANONICAL = r"^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,30})?$"
_CANONICAL_INTEGER = r"^-?(0|[1-9][0-9]{0,17})$"


def text_column(texts: Sequence[Any]) -> Any:
    """Texts of Python as a column; HF502 for a text with half of a character (a surrogate)."""
    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError as error:
        message = f"the text `{error.object}` has half of a character, such as `\\ud800`"
        raise DataProblem(Diagnostic("HF502", message, hint="texts are characters of Unicode")) from None


def is_text_type(kind: Any) -> bool:
    """Whether an Arrow type is text, perhaps dictionary-encoded."""
    kind = kind.value_type if pt.is_dictionary(kind) else kind
    return bool(pt.is_string(kind) or pt.is_large_string(kind))


def is_constant_type(kind: Any) -> bool:
    """Whether the values of an Arrow type, perhaps dictionary-encoded, are constants."""
    kind = kind.value_type if pt.is_dictionary(kind) else kind
    return is_text_type(kind) or any(is_such(kind) for is_such in _CONSTANT_TYPES)


_CONSTANT_TYPES = (
    *(pt.is_null, pt.is_boolean, pt.is_integer, pt.is_floating, pt.is_decimal, pt.is_date, pt.is_timestamp),
)


def decoded(array: Any) -> Any:
    """A column without its dictionary."""
    return array.dictionary_decode() if pt.is_dictionary(array.type) else array


def without_nan(array: Any) -> Any:
    """A column with null for NaN."""
    if pt.is_floating(array.type) and len(array) and np.isnan(array.to_numpy(zero_copy_only=False)).any():
        return pc.if_else(pc.is_nan(array), None, array)
    return array


def as_plain(array: Any) -> Any:
    """A column of booleans, dates or decimals as texts or numbers; other columns unchanged."""
    kind = array.type
    if pt.is_dictionary(kind):
        values = as_plain(array.dictionary)
        return array if values is array.dictionary else pa.DictionaryArray.from_arrays(array.indices, values)
    if pt.is_boolean(kind) or pt.is_date32(kind):
        return array.cast(pa.string())
    if pt.is_date64(kind):
        return array.cast(pa.date32()).cast(pa.string())
    if pt.is_decimal(kind):
        return _of_decimals(array)
    return array


def _of_decimals(array: Any) -> Any:
    """Decimals as integers if they fit into 64 bits, or as the floats that are nearest to them."""
    if array.type.scale > 0:
        return array.cast(pa.string()).cast(pa.float64())
    try:
        return array.cast(pa.int64())
    except pa.ArrowInvalid:
        return array


def as_numbers(array: Any, column: str) -> tuple[Any, dict[int, str]]:
    """A column of texts as fields that are numbers, and the errors of the rows whose text is not a number."""
    return _as_fields(array, column, _CANONICAL, read_number, "a number")


def as_integers(array: Any, column: str) -> tuple[Any, dict[int, str]]:
    """A column of texts or numbers as integers, and the errors of the rows that are not whole numbers."""
    if is_text_type(array.type):
        return _as_fields(array, column, _CANONICAL_INTEGER, read_integer, "an integer")
    array = decoded(array)
    if not pt.is_floating(array.type):
        return array, {}
    array = array.cast(pa.float64())
    values = array.fill_null(0.0).to_numpy(zero_copy_only=False)
    is_whole = (values == np.floor(values)) & (np.abs(values) <= EXACT)
    wrong = np.flatnonzero(~is_whole).tolist()
    faults = {row: f"expected an integer as `{column}`, found `{float(values[row])!r}`" for row in wrong}
    there = array.is_valid().to_numpy(zero_copy_only=False) & is_whole
    return pa.array(np.where(is_whole, values, 0).astype(np.int64), mask=~there), faults


def _as_fields(
    array: Any, column: str, canonical: str, read: Callable[[str], Int | Float | None], expected: str
) -> tuple[Any, dict[int, str]]:
    """A column of texts as fields of constants, and the errors of the rows whose text is not such a constant.

    A text that matches `canonical` is its own field.
    """
    whole = None if pt.is_dictionary(array.type) or array.null_count else whole_numbers(array)
    if whole is not None:
        return pa.array(whole), {}
    encoded = array if pt.is_dictionary(array.type) else array.dictionary_encode()
    if pc.all(pc.match_substring_regex(encoded.dictionary, canonical)).as_py() is not False:
        return array, {}
    texts = encoded.dictionary.to_pylist()
    numbers = [None if text is None else read(text) for text in texts]
    fields = pa.array([None if number is None else show(number) for number in numbers], pa.string())
    indices = encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)
    is_wrong = np.array([number is None and text is not None for number, text in zip(numbers, texts, strict=True)])
    wrong = np.flatnonzero(is_wrong[indices] & encoded.indices.is_valid().to_numpy(zero_copy_only=False))
    faults = {row: f"expected {expected} as `{column}`, found `{texts[indices[row]]}`" for row in wrong.tolist()}
    return pa.DictionaryArray.from_arrays(encoded.indices, fields), faults


def as_texts(array: Any) -> Any:
    """A column of numbers as texts."""
    if pt.is_dictionary(array.type):
        array = array.dictionary_decode()
    return pa.array([None if value is None else str(value) for value in array.to_pylist()], pa.string())
