"""The functions of arithmetic on Python numbers, with the semantics of SWI-Prolog.

Integers are unbounded (up to `MAX_BITS`, so that no expression can fill the memory). `/` of two integers is an integer
if exact and a float otherwise; a float that overflows or is undefined is an error, unless an operand was already
infinite or undefined.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable
from typing import Any, TypeAlias

from holdsfor.prolog.problems import GoalProblem

__all__ = ["CONSTANTS", "FUNCTIONS", "MAX_BITS", "Number"]

Number: TypeAlias = int | float

MAX_BITS = 1_000_000


def _no_value(message: str) -> GoalProblem:
    return GoalProblem("HF604", message)


def _integer(value: Number) -> int:
    if isinstance(value, int):
        return value
    raise GoalProblem("HF603", f"expected an integer, found `{value}`")


def _bounded(bits: int) -> None:
    if bits > MAX_BITS:
        raise _no_value(f"the result is an integer of more than {MAX_BITS:,} bits")


def _finite(result: float, *operands: Number) -> float:
    """The float; an error if finite operands made it infinite or undefined."""
    if result - result == 0 or not all(map(math.isfinite, operands)):
        return result
    raise _no_value("the result is undefined" if math.isnan(result) else "the result is too large for a float")


def _binary(function: Callable[[Any, Any], Number]) -> Callable[[Number, Number], Number]:
    """The function for all numbers, given a function for integers and for floats without overflow."""

    def apply(left: Number, right: Number) -> Number:
        try:
            result = function(left, right)
        except OverflowError:
            raise _no_value("the result is too large for a float") from None
        return result if type(result) is int else _finite(result, left, right)

    return apply


def _multiply(left: Number, right: Number) -> Number:
    if type(left) is int and type(right) is int:
        _bounded(left.bit_length() + right.bit_length() - 1)
    return left * right


def _divide(left: Number, right: Number) -> Number:
    if right == 0:
        if math.isnan(left):
            return math.nan
        raise _no_value("division by zero")
    if type(left) is int and type(right) is int and left % right == 0:
        return left // right
    return left / right


def _divisor(function: Callable[[int, int], int]) -> Callable[[Number, Number], Number]:
    """The function on integers with a second operand other than zero."""

    def apply(left: Number, right: Number) -> int:
        left, right = _integer(left), _integer(right)
        if right == 0:
            raise _no_value("division by zero")
        return function(left, right)

    return apply


def _quotient(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: int, right: int) -> int:
    return left - right * _quotient(left, right)


def _integers(function: Callable[[int, int], int]) -> Callable[[Number, Number], Number]:
    return lambda left, right: function(_integer(left), _integer(right))


def _shift_left(left: int, right: int) -> int:
    if right < 0:
        return left >> -right
    _bounded(left.bit_length() + right)
    return left << right


def _shift_right(left: int, right: int) -> int:
    return left >> right if right >= 0 else _shift_left(left, -right)


def _power(left: Number, right: Number) -> Number:
    """`**`: of integers an integer, or a float when the exponent is negative."""
    if type(left) is int and type(right) is int and (right >= 0 or left in (1, -1)):
        return _integer_power(left, right)
    return _float_power(left, right)


def _caret(left: Number, right: Number) -> Number:
    """`^`: of integers an integer or an error."""
    if type(left) is int and type(right) is int:
        if right < 0 and left not in (1, -1):
            message = "division by zero" if left == 0 else f"`{left}^({right})` is not an integer"
            raise GoalProblem("HF604" if left == 0 else "HF603", message, "use `**` for a float result")
        return _integer_power(left, right)
    return _float_power(left, right)


def _integer_power(left: int, right: int) -> int:
    if left in (1, -1):
        return left if right % 2 else 1
    _bounded(left.bit_length() * right)
    return int(left**right)


def _float_power(left: Number, right: Number) -> float:
    if left == 0 and right < 0:
        raise _no_value("division by zero")
    try:
        return math.pow(left, right)
    except ValueError:
        raise _no_value("the result is undefined") from None


def _real(function: Callable[..., float]) -> Callable[..., Number]:
    """The function on floats, with an error where it is undefined."""

    def apply(*operands: Number) -> float:
        try:
            return _finite(function(*map(float, operands)), *operands)
        except ValueError:
            raise _no_value("the result is undefined") from None
        except ZeroDivisionError:
            raise _no_value("division by zero") from None
        except OverflowError:
            raise _no_value("the result is too large for a float") from None

    return apply


def _rounded(function: Callable[[float], int]) -> Callable[[Number], Number]:
    """The function from floats to integers; integers are unchanged."""

    def apply(value: Number) -> int:
        if isinstance(value, int):
            return value
        if not math.isfinite(value):
            raise _no_value(f"`{value}` has no integer value")
        return function(value)

    return apply


def _half_away(value: float) -> int:
    whole = math.trunc(value)
    return whole + (0 if abs(value - whole) < 0.5 else int(math.copysign(1, value)))


def _sign(value: Number) -> Number:
    if isinstance(value, int):
        return (value > 0) - (value < 0)
    return math.copysign(1.0, value) if value else value


def _integer_part(value: Number) -> Number:
    return value if isinstance(value, int) or not math.isfinite(value) else float(math.trunc(value))


def _fractional_part(value: Number) -> Number:
    return 0 if isinstance(value, int) else math.modf(value)[0]


def _logarithm(base: float, value: float) -> float:
    return math.log(value) / math.log(base)


CONSTANTS: dict[str, Number] = {
    "pi": math.pi,
    "e": math.e,
    "inf": math.inf,
    "infinite": math.inf,
    "nan": math.nan,
    "epsilon": sys.float_info.epsilon,
}

FUNCTIONS: dict[tuple[str, int], Callable[..., Number]] = {
    ("+", 2): _binary(operator.add),
    ("-", 2): _binary(operator.sub),
    ("*", 2): _binary(_multiply),
    ("/", 2): _binary(_divide),
    ("**", 2): _binary(_power),
    ("^", 2): _binary(_caret),
    ("//", 2): _divisor(_quotient),
    ("rem", 2): _divisor(_remainder),
    ("mod", 2): _divisor(operator.mod),
    ("div", 2): _divisor(operator.floordiv),
    (">>", 2): _integers(_shift_right),
    ("<<", 2): _integers(_shift_left),
    ("/\\", 2): _integers(operator.and_),
    ("\\/", 2): _integers(operator.or_),
    ("xor", 2): _integers(operator.xor),
    ("gcd", 2): _integers(math.gcd),
    ("min", 2): lambda a, b: b if b < a else a,
    ("max", 2): lambda a, b: b if b > a else a,
    ("atan2", 2): _real(math.atan2),
    ("atan", 2): _real(math.atan2),
    ("copysign", 2): _real(math.copysign),
    ("log", 2): _real(_logarithm),
    ("truncate", 1): _rounded(math.trunc),
    ("trunc", 1): _rounded(math.trunc),
    ("integer", 1): _rounded(_half_away),
    ("round", 1): _rounded(_half_away),
    ("ceiling", 1): _rounded(math.ceil),
    ("floor", 1): _rounded(math.floor),
    ("+", 1): lambda a: a,
    ("-", 1): operator.neg,
    ("\\", 1): lambda a: ~_integer(a),
    ("abs", 1): abs,
    ("sign", 1): _sign,
    ("float", 1): _real(float),
    ("float_integer_part", 1): _integer_part,
    ("float_fractional_part", 1): _fractional_part,
    ("sqrt", 1): _real(math.sqrt),
    ("exp", 1): _real(math.exp),
    ("log", 1): _real(math.log),
    ("log2", 1): _real(math.log2),
    ("sin", 1): _real(math.sin),
    ("cos", 1): _real(math.cos),
    ("tan", 1): _real(math.tan),
    ("cot", 1): _real(lambda value: 1 / math.tan(value)),
    ("asin", 1): _real(math.asin),
    ("acos", 1): _real(math.acos),
    ("atan", 1): _real(math.atan),
    ("succ", 1): lambda a: _integer(a) + 1,
    ("plus", 2): _binary(operator.add),
}
