"""Arithmetic on columns, where it is exact and of one kind.

A column of numbers is either all integers or all floats. The result is `None` if it would mix the two, leave the range
of integer words, or need a function that is not implemented here; the caller then uses the background engine row by
row.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.encoding import Symbols, as_numbers, float_words, integer_words, is_integer, is_symbol
from holdsfor.kernels.keys import Int64
from holdsfor.physical.rows import Rows
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term, Var

__all__ = ["COMPARISONS", "compare_columns", "number_column", "number_words"]

Numbers: TypeAlias = NDArray[np.float64] | Int64
_SAFE = 2.0**48

COMPARISONS: dict[str, Callable[[Numbers, Numbers], NDArray[np.bool_]]] = {
    "<": np.less,
    ">": np.greater,
    "=<": np.less_equal,
    ">=": np.greater_equal,
    "=:=": np.equal,
    "=\\=": np.not_equal,
}
_CONSTANTS = {"inf": math.inf, "infinite": math.inf, "pi": math.pi, "e": math.e}


def number_column(term: Term, rows: Rows, symbols: Symbols) -> Numbers | None:
    """The values of an expression in every row, or None if they do not form one column."""
    with np.errstate(all="ignore"):
        values = _column(term, rows, symbols)
    return None if values is None else _in_every_row(values, rows)


def _in_every_row(values: Numbers, rows: Rows) -> Numbers:
    if len(values) == rows.n:
        return values
    return np.full(rows.n, values[0], np.int64) if _whole(values) else np.full(rows.n, values[0], np.float64)


def _column(term: Term, rows: Rows, symbols: Symbols) -> Numbers | None:
    """The values of an expression, in every row or, if they are all the same, once."""
    match term:
        case Var(name=name):
            return _one_kind(rows.columns[name])
        case Int(value):
            return np.array([value], dtype=np.int64) if abs(value) < _SAFE else None
        case Float(value):
            return np.array([value])
        case Atom(name) if name in _CONSTANTS:
            return np.array([_CONSTANTS[name]])
        case Struct(name=name, args=(argument,)) if name in _UNARY:
            operand = _column(argument, rows, symbols)
            return None if operand is None else _safe(_UNARY[name](operand))
        case Struct(name=name, args=(left, right)) if name in _BINARY:
            a, b = _column(left, rows, symbols), _column(right, rows, symbols)
            return None if a is None or b is None else _safe(_BINARY[name](a, b))
    return None


def _one_kind(words: Int64) -> Numbers | None:
    """The values of words that are all integers or all floats."""
    whole = is_integer(words)
    if whole.all():
        return as_numbers(words) if len(words) else None
    return None if whole.any() or is_symbol(words).any() else as_numbers(words)


def _safe(values: Numbers | None) -> Numbers | None:
    """The values if all of them are exact: integers in range, floats that are not NaN or infinite."""
    if values is None or len(values) == 0:
        return values
    if values.dtype == np.int64:
        return values if abs(values).max() < _SAFE else None
    return values if np.isfinite(values).all() else None


def _whole(values: Numbers) -> bool:
    return values.dtype == np.int64


def _same_kind(operation: Callable[[Numbers, Numbers], Numbers]) -> Callable[[Numbers, Numbers], Numbers | None]:
    def apply(a: Numbers, b: Numbers) -> Numbers | None:
        return operation(a, b) if a.dtype == b.dtype else None

    return apply


def _times(a: Numbers, b: Numbers) -> Numbers | None:
    if _whole(a) and _whole(b) and len(a) and float(abs(a).max()) * float(abs(b).max()) >= _SAFE:
        return None
    return a * b


def _divide(a: Numbers, b: Numbers) -> Numbers | None:
    if len(b) and (b == 0).any():
        return None
    if not (_whole(a) and _whole(b)):
        return a / b
    exact = a % b == 0
    if exact.all():
        return a // b
    return None if exact.any() else a / b


def _power(a: Numbers, b: Numbers) -> Numbers | None:
    if _whole(a) or _whole(b):
        if not (_whole(a) and _whole(b)) or len(b) == 0 or (b < 0).any():
            return None
        if math.log2(max(2.0, float(abs(a).max()))) * float(b.max()) >= 48:
            return None
        return a**b
    return None if (a < 0).any() or ((a == 0) & (b < 0)).any() else a**b


def _integers_only(operation: Callable[[Int64, Int64], Int64]) -> Callable[[Numbers, Numbers], Numbers | None]:
    def apply(a: Numbers, b: Numbers) -> Numbers | None:
        if a.dtype != np.int64 or b.dtype != np.int64 or (len(b) and (b == 0).any()):
            return None
        return operation(a, b)  # type: ignore[arg-type]

    return apply


def _to_integer(rounding: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Callable[[Numbers], Numbers | None]:
    def apply(a: Numbers) -> Numbers | None:
        if _whole(a):
            return a
        if len(a) and not (abs(a) < _SAFE).all():
            return None
        return rounding(a).astype(np.int64)  # type: ignore[arg-type]

    return apply


def _half_away(a: NDArray[np.float64]) -> NDArray[np.float64]:
    whole: NDArray[np.float64] = np.trunc(a)
    up: NDArray[np.float64] = np.sign(a) * (abs(a - whole) >= 0.5)
    return whole + up


def _root(a: Numbers) -> Numbers | None:
    return None if len(a) and (a < 0).any() else np.sqrt(a.astype(np.float64))


_UNARY: dict[str, Callable[[Numbers], Numbers | None]] = {
    "-": np.negative,
    "+": lambda a: a,
    "abs": np.abs,
    "sqrt": _root,
    "float": lambda a: a.astype(np.float64),
    "floor": _to_integer(np.floor),
    "ceiling": _to_integer(np.ceil),
    "truncate": _to_integer(np.trunc),
    "integer": _to_integer(_half_away),
    "round": _to_integer(_half_away),
}
_BINARY: dict[str, Callable[[Numbers, Numbers], Numbers | None]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": _times,
    "/": _divide,
    "//": _integers_only(lambda a, b: np.where((a % b != 0) & ((a < 0) != (b < 0)), a // b + 1, a // b)),
    "mod": _integers_only(lambda a, b: a % b),
    "min": _same_kind(np.minimum),
    "max": _same_kind(np.maximum),
    "**": _power,
    "^": _power,
}


def compare_columns(name: str, left: Term, right: Term, rows: Rows, symbols: Symbols) -> NDArray[np.bool_] | None:
    """Whether the comparison holds in each row, or None if columns cannot evaluate it."""
    with np.errstate(all="ignore"):
        a, b = _column(left, rows, symbols), _column(right, rows, symbols)
    if a is None or b is None:
        return None
    holds = COMPARISONS[name](a, b)
    return holds if len(holds) == rows.n else np.repeat(holds, rows.n)


def number_words(values: Numbers) -> Int64:
    """The words of a column of numbers."""
    return integer_words(values) if values.dtype == np.int64 else float_words(values)  # type: ignore[arg-type]
