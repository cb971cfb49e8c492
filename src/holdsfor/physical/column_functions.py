"""The functions of arithmetic on columns of one kind of number, with the results of `prolog/functions.py`, bit by bit.

A function returns None if a row has no result, or if results would be of two kinds or leave the range of integer words.
Functions that IEEE 754 does not define exactly (`sin`, `**` and others) are called for every value from Python's
`math`, because those of numpy may differ in the last bit.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from holdsfor.kernels.keys import Int64

__all__ = ["BINARY", "SAFE", "UNARY", "Numbers", "is_whole"]

Numbers: TypeAlias = NDArray[np.float64] | Int64
SAFE = 2.0**48
"""Integers below this size, their sums and differences are exact as int64, as float64 and as words."""

_Unary: TypeAlias = Callable[[Numbers], Numbers | None]
_Binary: TypeAlias = Callable[[Numbers, Numbers], Numbers | None]


def is_whole(values: Numbers) -> bool:
    """Whether the column has integers."""
    return values.dtype == np.int64


def _size(values: Numbers) -> float:
    """The size of the largest number."""
    return float(abs(values).max()) if len(values) else 0.0


# -- functions of floats ---------------------------------------------------------------------------------------------


def _mapped(function: Callable[..., float]) -> Callable[..., Numbers | None]:
    """The function of `math` for every row."""

    def apply(*operands: Numbers) -> Numbers | None:
        n = max(map(len, operands))
        columns = [np.broadcast_to(column.astype(np.float64), n).tolist() for column in operands]
        try:
            return np.array(list(map(function, *columns)), dtype=np.float64)
        except (ValueError, OverflowError, ZeroDivisionError):
            return None

    return apply


def _root(a: Numbers) -> Numbers | None:
    return None if (a < 0).any() else np.sqrt(a.astype(np.float64))


def _float_power(a: Numbers, b: Numbers) -> Numbers | None:
    return None if ((a == 0) & (b < 0)).any() else _mapped(math.pow)(a, b)


def _sign(a: Numbers) -> Numbers:
    return np.sign(a) if is_whole(a) else np.where(a == 0, a, np.copysign(1.0, a))


# -- functions from floats to integers -------------------------------------------------------------------------------


def _to_integer(rounding: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> _Unary:
    def apply(a: Numbers) -> Numbers | None:
        if is_whole(a):
            return a
        if not (abs(a) < SAFE).all():
            return None
        return rounding(a).astype(np.int64)  # type: ignore[arg-type]

    return apply


def _half_away(a: NDArray[np.float64]) -> NDArray[np.float64]:
    whole: NDArray[np.float64] = np.trunc(a)
    up: NDArray[np.float64] = np.sign(a) * (abs(a - whole) >= 0.5)
    return whole + up


# -- functions of integers -------------------------------------------------------------------------------------------


def _integers(function: Callable[[Int64, Int64], Numbers | None]) -> _Binary:
    """The function for integers; other numbers have no result."""

    def apply(a: Numbers, b: Numbers) -> Numbers | None:
        return function(a, b) if is_whole(a) and is_whole(b) else None  # type: ignore[arg-type]

    return apply


def _by_divisor(function: Callable[[Int64, Int64], Int64]) -> _Binary:
    return _integers(lambda a, b: None if (b == 0).any() else function(a, b))


def _quotient(a: Int64, b: Int64) -> Int64:
    return np.where((a % b != 0) & ((a < 0) != (b < 0)), a // b + 1, a // b)


def _remainder(a: Int64, b: Int64) -> Int64:
    return a - b * _quotient(a, b)


def _integer_power(a: Int64, b: Int64) -> Numbers | None:
    if len(b) == 0 or (b < 0).any() or math.log2(max(2.0, _size(a))) * float(b.max()) >= 48:
        return None
    result: Int64 = a**b
    return result


def _shift(a: Int64, b: Int64) -> Numbers | None:
    """`<<`, or `>>` for negative shifts."""
    if len(b) == 0 or _size(b) > 48 or _size(a) * 2.0 ** max(0, int(b.max())) >= SAFE:
        return None
    return np.where(b >= 0, a << np.maximum(b, 0), a >> np.maximum(-b, 0))


def _complement(a: Numbers) -> Numbers | None:
    return np.bitwise_not(a) if is_whole(a) else None


# -- functions of both -----------------------------------------------------------------------------------------------


def _times(a: Numbers, b: Numbers) -> Numbers | None:
    return None if is_whole(a) and is_whole(b) and _size(a) * _size(b) >= SAFE else a * b


def _divide(a: Numbers, b: Numbers) -> Numbers | None:
    if (b == 0).any():
        return None
    if not (is_whole(a) and is_whole(b)):
        return a / b
    exact = a % b == 0
    if exact.all():
        return a // b
    return None if exact.any() else a / b


def _power(a: Numbers, b: Numbers) -> Numbers | None:
    if is_whole(a) and is_whole(b):
        return _integer_power(a, b)  # type: ignore[arg-type]
    return _float_power(a, b)


def _one_of(is_better: Callable[[Numbers, Numbers], NDArray[np.bool_]]) -> _Binary:
    def apply(a: Numbers, b: Numbers) -> Numbers | None:
        return np.where(is_better(b, a), b, a) if a.dtype == b.dtype else None

    return apply


UNARY: dict[str, _Unary] = {
    "-": np.negative,
    "+": lambda a: a,
    "\\": _complement,
    "abs": np.abs,
    "sign": _sign,
    "succ": lambda a: a + 1 if is_whole(a) else None,
    "float": lambda a: a.astype(np.float64),
    "float_integer_part": lambda a: a if is_whole(a) else np.trunc(a) + 0.0,
    "float_fractional_part": lambda a: np.zeros_like(a) if is_whole(a) else np.modf(a)[0],
    "floor": _to_integer(np.floor),
    "ceiling": _to_integer(np.ceil),
    "truncate": _to_integer(np.trunc),
    "trunc": _to_integer(np.trunc),
    "integer": _to_integer(_half_away),
    "round": _to_integer(_half_away),
    "sqrt": _root,
    "exp": _mapped(math.exp),
    "log": _mapped(math.log),
    "log2": _mapped(math.log2),
    "sin": _mapped(math.sin),
    "cos": _mapped(math.cos),
    "tan": _mapped(math.tan),
    "cot": _mapped(lambda value: 1 / math.tan(value)),
    "asin": _mapped(math.asin),
    "acos": _mapped(math.acos),
    "atan": _mapped(math.atan),
}
BINARY: dict[str, _Binary] = {
    "+": operator.add,
    "-": operator.sub,
    "plus": operator.add,
    "*": _times,
    "/": _divide,
    "//": _by_divisor(_quotient),
    "rem": _by_divisor(_remainder),
    "mod": _by_divisor(operator.mod),
    "div": _by_divisor(operator.floordiv),
    "<<": _integers(_shift),
    ">>": _integers(lambda a, b: _shift(a, -b)),
    "/\\": _integers(operator.and_),
    "\\/": _integers(operator.or_),
    "xor": _integers(operator.xor),
    "gcd": _integers(np.gcd),
    "min": _one_of(np.less),
    "max": _one_of(np.greater),
    "**": _power,
    "^": _power,
    "atan2": _mapped(math.atan2),
    "atan": _mapped(math.atan2),
    "copysign": lambda a, b: np.copysign(a.astype(np.float64), b.astype(np.float64)),
    "log": _mapped(lambda base, value: math.log(value) / math.log(base)),
}
