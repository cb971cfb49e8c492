"""Arithmetic on columns, with the results of the background engine.

A column of numbers is either all integers or all floats, and most expressions are computed on such columns
(`column_functions.py`). Rows whose variables have different kinds of numbers are computed in groups, one for each
combination of kinds. A group whose results cannot form one column (integers beyond 48 bits, a division that is exact
in some rows only) is computed by the functions of the background engine (`prolog/functions.py`), each for all rows in
turn. Rows in which an expression has no value are left to the background engine, which notes one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.encoding import (
    Symbols,
    float_words,
    integer_values,
    integer_words,
    is_integer,
    is_symbol,
    kind_of_all,
)
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.physical.column_functions import BINARY, SAFE, UNARY, Numbers, is_whole
from holdsfor.physical.exact_arithmetic import NoValue, exact_comparison, exact_words
from holdsfor.physical.rows import Rows
from holdsfor.prolog.functions import CONSTANTS
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term, Var, variables

__all__ = ["COMPARISONS", "NoValue", "compare_columns", "compared", "computed", "number_column", "number_words"]

COMPARISONS: dict[str, Callable[[Numbers, Numbers], NDArray[np.bool_]]] = {
    "<": np.less,
    ">": np.greater,
    "=<": np.less_equal,
    ">=": np.greater_equal,
    "=:=": np.equal,
    "=\\=": np.not_equal,
}
_MAX_DEPTH = 100
_ONE_KIND = np.zeros(1, dtype=np.int64)
_Part: TypeAlias = tuple[Rows, Int64 | None]


# -- all rows --------------------------------------------------------------------------------------------------------


def computed(term: Term, rows: Rows, symbols: Symbols) -> Int64:
    """The words of an expression in every row; raises `NoValue` with the rows in which it has no value."""
    words = np.empty(rows.n, dtype=np.int64)
    for part, positions in _parts(rows, list(variables(term))):
        values = number_column(term, part, symbols)
        found = exact_words(term, part, symbols, positions) if values is None else number_words(values)
        if positions is None:
            return found
        words[positions] = found
    return words


def compared(name: str, left: Term, right: Term, rows: Rows, symbols: Symbols) -> NDArray[np.bool_]:
    """Whether a comparison holds in each row; raises `NoValue` with the rows in which a side has no value."""
    whole = compare_columns(name, left, right, rows, symbols) if rows.n else None
    if whole is not None:
        return whole
    mask = np.empty(rows.n, dtype=bool)
    for part, positions in _parts(rows, list(variables(left, right))):
        found = compare_columns(name, left, right, part, symbols)
        if found is None:
            found = exact_comparison(name, left, right, part, symbols, positions)
        if positions is None:
            return found
        mask[positions] = found
    return mask


def _parts(rows: Rows, names: Sequence[str]) -> Iterator[_Part]:
    """The rows by the kinds of their numbers, with their positions; None for all rows, if they have the same kinds."""
    if rows.n == 0:
        return
    mixed = [kinds for name in names if len(kinds := _kinds(rows.columns[name])) > 1]
    if not mixed:
        yield rows, None
        return
    ids, first = dense_ids(mixed, rows.n)
    order = ids.argsort(kind="stable")
    for positions in np.split(order, np.searchsorted(ids[order], np.arange(1, len(first)))):
        yield rows.keep(names).take(positions), positions


def _kinds(words: Int64) -> Int64:
    """The kind of each word, or a single number if all words have the same kind."""
    if kind_of_all(words) is not None:
        return _ONE_KIND
    return is_integer(words).astype(np.int64) + 2 * is_symbol(words)


# -- rows of the same kinds ------------------------------------------------------------------------------------------


def number_column(term: Term, rows: Rows, symbols: Symbols) -> Numbers | None:
    """The values of an expression in every row, or None if they do not form one column."""
    with np.errstate(all="ignore"):
        values = _column(term, rows, symbols)
    return None if values is None else _in_every_row(values, rows)


def compare_columns(name: str, left: Term, right: Term, rows: Rows, symbols: Symbols) -> NDArray[np.bool_] | None:
    """Whether the comparison holds in each row, or None if a side does not form one column."""
    with np.errstate(all="ignore"):
        a, b = _column(left, rows, symbols), _column(right, rows, symbols)
    if a is None or b is None:
        return None
    holds = COMPARISONS[name](a, b)
    return holds if len(holds) == rows.n else np.repeat(holds, rows.n)


def number_words(values: Numbers) -> Int64:
    """The words of a column of numbers."""
    return integer_words(values) if values.dtype == np.int64 else float_words(values)  # type: ignore[arg-type]


def _in_every_row(values: Numbers, rows: Rows) -> Numbers:
    if len(values) == rows.n:
        return values
    return np.full(rows.n, values[0], np.int64) if is_whole(values) else np.full(rows.n, values[0], np.float64)


def _column(term: Term, rows: Rows, symbols: Symbols, depth: int = 0) -> Numbers | None:
    """The values of an expression, in every row or, if they are all the same, once."""
    if depth > _MAX_DEPTH:
        return None
    match term:
        case Var(name=name):
            return _one_kind(rows.columns[name])
        case Int(value):
            return np.array([value], dtype=np.int64) if abs(value) < SAFE else None
        case Float(value):
            return np.array([value])
        case Atom(name) if name in CONSTANTS:
            return np.array([CONSTANTS[name]])
        case Struct(name=name, args=(argument,)) if name in UNARY:
            operand = _column(argument, rows, symbols, depth + 1)
            return None if operand is None else _safe(UNARY[name](operand))
        case Struct(name=name, args=(left, right)) if name in BINARY:
            a, b = (_column(argument, rows, symbols, depth + 1) for argument in (left, right))
            return None if a is None or b is None else _safe(BINARY[name](a, b))
    return None


def _one_kind(words: Int64) -> Numbers | None:
    """The values of words that are all integers or all floats."""
    match kind_of_all(words):
        case "integer":
            return integer_values(words)
        case "float":
            return words.view(np.float64)
    return None


def _safe(values: Numbers | None) -> Numbers | None:
    """The values if all of them are exact: integers in range, floats that are not NaN or infinite."""
    if values is None or len(values) == 0:
        return values
    if is_whole(values):
        low, high = int(np.minimum.reduce(values)), int(np.maximum.reduce(values))
        return values if low > -SAFE and high < SAFE else None
    return values if np.count_nonzero(np.isfinite(values)) == len(values) else None
