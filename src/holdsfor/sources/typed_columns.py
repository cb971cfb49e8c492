"""Columns of an Arrow table as columns of another kind: texts as numbers, numbers as texts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.sources.column_kinds import read_number
from holdsfor.syntax.printer import show

__all__ = ["as_numbers", "as_texts", "is_text_type"]

_CANONICAL = r"^-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,30})?$"


def is_text_type(kind: Any) -> bool:
    """Whether an Arrow type is text, perhaps dictionary-encoded."""
    kind = kind.value_type if pt.is_dictionary(kind) else kind
    return bool(pt.is_string(kind) or pt.is_large_string(kind))


def as_numbers(array: Any, column: str) -> tuple[Any, dict[int, str]]:
    """A column of texts as fields that are numbers, and the errors of the rows whose text is not a number."""
    encoded = array if pt.is_dictionary(array.type) else array.dictionary_encode()
    if pc.all(pc.match_substring_regex(encoded.dictionary, _CANONICAL)).as_py() is not False:
        return array, {}
    texts = encoded.dictionary.to_pylist()
    numbers = [None if text is None else read_number(text) for text in texts]
    fields = pa.array([None if number is None else show(number) for number in numbers], pa.string())
    indices = encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)
    is_wrong = np.array([number is None and text is not None for number, text in zip(numbers, texts, strict=True)])
    wrong = np.flatnonzero(is_wrong[indices] & encoded.indices.is_valid().to_numpy(zero_copy_only=False))
    faults = {row: f"expected a number as `{column}`, found `{texts[indices[row]]}`" for row in wrong.tolist()}
    return pa.DictionaryArray.from_arrays(encoded.indices, fields), faults


def as_texts(array: Any) -> Any:
    """A column of numbers as texts."""
    if pt.is_dictionary(array.type):
        array = array.dictionary_decode()
    return pa.array([None if value is None else str(value) for value in array.to_pylist()], pa.string())
