"""Arithmetic: the values of SWI-Prolog, and of Python where the two agree."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.errors import ExecutionProblem
from holdsfor.prolog import evaluate
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Float, Int, Struct, Term
from tests.unit.prolog.programs import holds, problem, values

VALUES = {
    "7 / 2": "3.5",
    "6 / 2": "3",
    "6.0 / 2": "3.0",
    "7 // 2": "3",
    "-7 // 2": "-3",
    "-7 div 2": "-4",
    "-7 mod 2": "1",
    "-7 rem 2": "-1",
    "7 mod -2": "-1",
    "2 ** 3": "8",
    "2 ** -1": "0.5",
    "2 ** 3.0": "8.0",
    "2 ^ 10": "1024",
    "1 ^ -1": "1",
    "-1 ^ -3": "-1",
    "0 ** 0": "1",
    "2 ^ 100": str(2**100),
    "max(2, 3.0)": "3.0",
    "min(2, 3.0)": "2",
    "abs(-3)": "3",
    "sign(-2.5)": "-1.0",
    "sign(7)": "1",
    "gcd(12, 18)": "6",
    "sqrt(16)": "4.0",
    "exp(0)": "1.0",
    "log(1)": "0.0",
    "log2(8)": "3.0",
    "log(2, 8)": "3.0",
    "sin(0)": "0.0",
    "cos(0)": "1.0",
    "atan2(0, 1)": "0.0",
    "atan(0, 1)": "0.0",
    "copysign(2, -0.0)": "2.0",
    "-(0.0)": "0.0",
    "ceiling(1.2)": "2",
    "floor(-1.2)": "-2",
    "round(2.5)": "3",
    "round(-2.5)": "-3",
    "integer(0.49999999999999994)": "0",
    "truncate(-1.7)": "-1",
    "trunc(1.7)": "1",
    "integer(1e20)": "100000000000000000000",
    "float(3)": "3.0",
    "float_integer_part(-2.5)": "-2.0",
    "float_fractional_part(-2.5)": "-0.5",
    "float_fractional_part(inf)": "0.0",
    "5 >> 1": "2",
    "1 << 70": str(1 << 70),
    "-5 >> 1": "-3",
    "5 /\\ 6": "4",
    "5 \\/ 6": "7",
    "5 xor 6": "3",
    "\\ 5": "-6",
    "- (3)": "-3",
    "+ 3": "3",
    "[5]": "5",
    "inf": "1.0Inf",
    "inf - 1": "1.0Inf",
    "cot(1.0)": show(Float(1 / math.tan(1.0))),
    "succ(3)": "4",
    "plus(1, 2)": "3",
}


@pytest.mark.parametrize("expression", VALUES)
def test_values(expression: str) -> None:
    assert show(evaluate(parse_term(expression))) == VALUES[expression]
    assert values("", f"X is {expression}") == [VALUES[expression]]


def test_constants() -> None:
    assert evaluate(parse_term("pi")) == Float(math.pi)
    assert evaluate(parse_term("e")) == Float(math.e)
    assert math.isnan(evaluate(parse_term("nan")).value)
    assert evaluate(parse_term("infinite")) == Float(math.inf)
    assert evaluate(parse_term("epsilon")) == Float(2.0**-52)


@pytest.mark.parametrize(
    ("expression", "code", "message"),
    [
        ("1 / 0", "HF604", "division by zero"),
        ("1 / 0.0", "HF604", "division by zero"),
        ("1 mod 0", "HF604", "division by zero"),
        ("0 ** -1", "HF604", "division by zero"),
        ("0.0 ** -1", "HF604", "division by zero"),
        ("cot(0)", "HF604", "division by zero"),
        ("log(0)", "HF604", "the result is undefined"),
        ("asin(2)", "HF604", "the result is undefined"),
        ("(-8) ** 0.5", "HF604", "the result is undefined"),
        ("1e308 * 10", "HF604", "the result is too large for a float"),
        ("exp(1000)", "HF604", "the result is too large for a float"),
        ("2 ** 10000 * 1.0", "HF604", "the result is too large for a float"),
        ("10 ** (10 ** 10)", "HF604", "the result is an integer of more than 1,000,000 bits"),
        ("1 << 100000000", "HF604", "the result is an integer of more than 1,000,000 bits"),
        ("integer(inf)", "HF604", "`inf` has no integer value"),
        ("2 ^ -1", "HF603", "`2^(-1)` is not an integer"),
        ("1.0 mod 2", "HF603", "expected an integer, found `1.0`"),
        ("foo", "HF603", "expected a number, found `foo`"),
        ("sqroot(4)", "HF603", "`sqroot/1` is not an arithmetic function"),
        ('"a"', "HF603", "expected a number, found `a`"),
        ('"abc"', "HF603", "expected a number, found `abc`"),
        ("X + 1", "HF602", "a variable of an arithmetic expression is not bound"),
    ],
)
def test_expressions_without_a_value(expression: str, code: str, message: str) -> None:
    with pytest.raises(ExecutionProblem) as raised:
        evaluate(parse_term(expression))
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code, diagnostic.message.rpartition(" in ")[0]) == (code, message)
    assert problem("", f"Y is {expression}")[0] == code


def test_an_unknown_function_is_offered_the_nearest() -> None:
    assert problem("", "X is sqr(4)")[2] == "did you mean `sqrt`?"


@pytest.mark.parametrize(
    "goal",
    [
        "1 =:= 1.0",
        "1 < 2",
        "2 =< 2",
        "3 > 2.5",
        "inf > 10 ** 400",
        "-inf < 0",
        "1 =\\= 2",
        "2 + 1 >= 3",
        "nan =\\= nan",
    ],
)
def test_comparison_is_by_value(goal: str) -> None:
    assert holds(goal)


def test_is_compares_when_its_left_side_is_bound() -> None:
    assert holds("3 is 1 + 2")
    assert not holds("3.0 is 1 + 2")
    assert holds("X = 3, X is 1 + 2")


def test_a_deep_expression_has_a_value() -> None:
    term: Term = Int(1)
    for _ in range(100_000):
        term = Struct("+", (term, Int(1)))
    assert evaluate(term) == Int(100_001)


INTEGERS = st.integers(-(10**6), 10**6)


def _expressions() -> st.SearchStrategy[tuple[Term, int]]:
    """Expressions with the value Python gives them."""
    leaves = INTEGERS.map(lambda n: (Int(n), n))
    return st.recursive(
        leaves, lambda inner: st.tuples(st.sampled_from("+-*"), inner, inner).map(_combined), max_leaves=12
    )


def _combined(parts: tuple[str, tuple[Term, int], tuple[Term, int]]) -> tuple[Term, int]:
    name, (left, a), (right, b) = parts
    value = a + b if name == "+" else a - b if name == "-" else a * b
    return Struct(name, (left, right)), value


@given(_expressions())
def test_integer_expressions_agree_with_python(case: tuple[Term, int]) -> None:
    term, value = case
    assert evaluate(term) == Int(value)
    assert values("", f"X is {show(term)}") == [str(value)]


@given(INTEGERS, INTEGERS.filter(bool))
def test_division_laws(a: int, b: int) -> None:
    def value(name: str) -> int:
        result = evaluate(Struct(name, (Int(a), Int(b)))).value
        assert isinstance(result, int)
        return result

    assert value("div") * b + value("mod") == a
    assert value("//") * b + value("rem") == a
    assert value("div") == a // b
    assert value("//") == math.trunc(Fraction(a, b))


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers())
def test_mixed_comparison_is_exact(a: float, b: int) -> None:
    left = Float(a)
    assert holds(f"{show(left)} < {b}") == (a < b)
