"""Rows whose numbers may have no result in arithmetic, found column by column.

The test is approximate on the safe side: it finds every row in which an operand is zero, negative or a fraction, and a
few others. `analysis/computed_texts.py` then decides for these rows one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from holdsfor.analysis.number_risks import Risk
from holdsfor.columns.encoding import integer_values, is_integer, is_symbol
from holdsfor.kernels.keys import Int64
from holdsfor.syntax.terms import Float, Int, Struct, Term, Var, variables

__all__ = ["may_fail"]

Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]
Pair = tuple[Floats, Floats]

_TOLERANCE = 1e-9
_EXACT = ("+", "-", "*", "abs", "min", "max")


def may_fail(risk: Risk, columns: Mapping[int | str, Int64]) -> Flags:
    """The rows in which an operand may be at risk.

    >>> from holdsfor.columns.encoding import float_words, integer_words
    >>> may_fail(Risk("zero", Struct("-", (Var("0"), Int(5)))), {0: integer_words(np.array([4, 5, 6]))})
    array([False,  True, False])
    """
    used = {name: columns[name if name == "value" else int(name)] for name in variables(risk.operand)}
    if risk.kind == "fraction":
        return _may_be_fraction(risk.operand, used)
    with np.errstate(all="ignore"):
        value, size = _value(risk.operand, used)
        margin = _TOLERANCE * size
        match risk.kind:
            case "zero":
                is_safe = np.abs(value) > margin
            case "negative":
                is_safe = value >= margin
            case "not positive":
                is_safe = value > margin
            case "beyond one":
                is_safe = np.abs(value) < 1 - _TOLERANCE * (1 + size)
    found: Flags = ~is_safe  # a value that is not a number is at risk, too
    return found


def _may_be_fraction(operand: Term, used: Mapping[str, Int64]) -> Flags:
    if not _is_whole_of_wholes(operand):
        return np.ones(len(next(iter(used.values()))), np.bool_)
    found: Flags = np.logical_or.reduce([~is_integer(words) for words in used.values()])
    return found


def _is_whole_of_wholes(operand: Term) -> bool:
    """Whether an expression of integers is an integer."""
    match operand:
        case Var() | Int():
            return True
        case Struct(name=name, args=args) if name in _EXACT:
            return all(map(_is_whole_of_wholes, args))
    return False


def _value(expression: Term, used: Mapping[str, Int64]) -> Pair:
    """The value of an expression in floating point, NaN if it is not known, and the size of its largest part."""
    match expression:
        case Int() | Float():
            number = np.float64(expression.value)
            return np.asarray(number), np.asarray(np.abs(number))
        case Var(name=name):
            numbers = _numbers(used[name])
            return numbers, np.abs(numbers)
        case Struct(name="-", args=(only,)):
            value, size = _value(only, used)
            return -value, size
        case Struct(name=name, args=(left, right)) if name in _COMBINED:
            (a, size_a), (b, size_b) = _value(left, used), _value(right, used)
            return _COMBINED[name](a, b), size_a * size_b if name == "*" else size_a + size_b
        case Struct(name="abs", args=(only,)):
            value, size = _value(only, used)
            return np.abs(value), size
    unknown = np.full(len(next(iter(used.values()))), np.nan)
    return unknown, unknown


_COMBINED: dict[str, Callable[[Floats, Floats], Floats]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}


def _numbers(words: Int64) -> Floats:
    """Words as floats, NaN for symbols; integers of words are exact."""
    are_integers = is_integer(words)
    numbers = words.copy().view(np.float64)
    numbers[are_integers] = integer_values(words[are_integers])
    numbers[is_symbol(words)] = np.nan
    return numbers
