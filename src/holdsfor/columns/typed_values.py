"""Constants as Arrow columns of integers, of floats or of texts without quotes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from holdsfor.columns.encoding import Symbols, as_numbers, is_integer, is_symbol, symbol_numbers
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.kernels.keys import Int64
from holdsfor.syntax.printer import show

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

__all__ = ["ColumnType", "arrow_type", "plain_texts", "typed_column"]

ColumnType = Literal["int64", "float64", "text"]


def arrow_type(kind: ColumnType) -> pa.DataType:
    """The Arrow type of a column."""
    import pyarrow as pa

    return pa.string() if kind == "text" else pa.int64() if kind == "int64" else pa.float64()


def typed_column(words: Int64, symbols: Symbols, kind: ColumnType) -> pa.Array:
    """The constants as a column of a type; an integer that the type cannot represent is HF624.

    Contract: the constants have the type of the column.

    >>> from holdsfor.syntax.terms import Atom, Int
    >>> symbols = Symbols()
    >>> typed_column(symbols.words([Atom("A 1"), Atom("pub"), Int(3)]), symbols, "text").to_pylist()
    ['A 1', 'pub', '3']
    """
    import pyarrow as pa

    if kind == "text":
        return plain_texts(words, symbols)
    if is_integer(words).all() or (kind == "float64" and not is_symbol(words).any()):
        return pa.array(as_numbers(words)).cast(arrow_type(kind), safe=True)
    return pa.array([_number(term, kind) for term in symbols.terms(words)], arrow_type(kind))


def _number(term: Any, kind: ColumnType) -> int | float:
    assert hasattr(term, "value"), f"{show(term)} in a column of numbers"
    value: int | float = term.value
    if isinstance(value, float):
        assert kind == "float64", f"{value} in a column of integers"
        return value
    if (kind == "int64" and not -(2**63) <= value < 2**63) or (kind == "float64" and int(float(value)) != value):
        message = f"the integer {value} does not fit into a column of {kind}"
        raise DataProblem(Diagnostic("HF624", message, hint="describe the input column as text: `column:text`"))
    return value if kind == "int64" else float(value)


def plain_texts(words: Int64, symbols: Symbols) -> pa.Array:
    """The constants as texts: names without quotes, numbers and structures as in rules."""
    import pyarrow as pa

    if is_integer(words).all():
        return pa.array(as_numbers(words)).cast(pa.string())
    named = is_symbol(words)
    if named.all():
        return _symbol_texts(words, symbols)
    from holdsfor.columns.texts import term_texts

    texts = pa.concat_arrays([term_texts(words[~named], symbols), _symbol_texts(words[named], symbols)])
    place = np.empty(len(words), dtype=np.int64)
    place[~named] = np.arange(np.count_nonzero(~named))
    place[named] = np.arange(np.count_nonzero(named)) + np.count_nonzero(~named)
    return texts.take(pa.array(place))


def _symbol_texts(words: Int64, symbols: Symbols) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    from holdsfor.columns.texts import term_texts

    names = symbols.plain_texts.names().take(pa.array(symbol_numbers(words)))
    if not names.null_count:
        return names
    others = names.is_null()
    return pc.replace_with_mask(names, others, term_texts(words[others.to_numpy(zero_copy_only=False)], symbols))
