"""Arithmetic on columns: the value that the background engine computes in every row, or no column at all.

No column is always correct, because the background engine then evaluates row by row. A wrong number, a wrong kind of
number or a value where the background engine finds none is an error. A test at the end checks that the ordinary cases
do have columns.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdsfor.columns.encoding import Symbols
from holdsfor.errors import ExecutionProblem
from holdsfor.physical.arithmetic import COMPARISONS, compare_columns, number_column, number_words
from holdsfor.physical.rows import Rows
from holdsfor.prolog import evaluate
from holdsfor.prolog.arithmetic import COMPARISONS as EXACT_COMPARISONS
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Float, Int, Struct, Term, Var, substitute
from tests.unit.kernels.lists import law

Number = Int | Float
Table = list[tuple[Number, ...]]
NAMES = ("A", "B")

_small = st.builds(Int, st.integers(-9, 9))
_large = st.builds(Int, st.sampled_from([2**24, -(2**24), 2**47, 2**48, -(2**48), 2**49 - 1, -(2**49)]))
_quarters = st.builds(lambda n: Float(n / 4), st.integers(-40, 40))
_integers = st.one_of(_small, _large)
_columns = st.sampled_from([_small, _integers, _quarters])

_leaves: st.SearchStrategy[Term] = st.one_of(st.sampled_from([Var("A"), Var("B")]), _small, _quarters)
_UNARY = ["-", "+", "abs", "sqrt", "float", "floor", "ceiling", "truncate", "integer", "round", "sign", "log"]
_BINARY = ["+", "-", "*", "/", "//", "mod", "min", "max", "**", "^", "rem", "div"]


def _applied(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.one_of(
        st.builds(Struct, st.sampled_from(_UNARY), st.tuples(inner)),
        st.builds(Struct, st.sampled_from(_BINARY), st.tuples(inner, inner)),
    )


expressions = st.recursive(_leaves, _applied, max_leaves=4)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Rows of two numbers; every column is of one kind."""
    columns = [draw(_columns) for _ in NAMES]
    return draw(st.lists(st.tuples(*columns), min_size=1, max_size=4))


def rows_of(table: Table, symbols: Symbols) -> Rows:
    columns = {name: symbols.words(row[i] for row in table) for i, name in enumerate(NAMES)}
    return Rows(len(table), columns)


def evaluated(expression: Term, row: tuple[Number, ...]) -> Number | None:
    """The value in one row, or None."""
    try:
        return evaluate(substitute(expression, dict(zip(NAMES, row, strict=True))))
    except ExecutionProblem:
        return None


def check(expression: Term, table: Table) -> None:
    symbols = Symbols()
    values = number_column(expression, rows_of(table, symbols), symbols)
    if values is None:
        return
    expected = [evaluated(expression, row) for row in table]
    assert symbols.terms(number_words(values)) == expected


def is_tame(expression: Term) -> bool:
    """Whether exponents are small, so that nothing overflows."""
    if not isinstance(expression, Struct):
        return True
    if expression.name in ("**", "^"):
        return expression.args[1] in (Int(0), Int(1), Int(2), Float(0.5))
    return all(map(is_tame, expression.args))


@law
@given(expressions.filter(is_tame), tables())
@example(parse_term("A mod B"), [(Int(-7), Int(3)), (Int(7), Int(-3))])
@example(parse_term("A // B"), [(Int(-7), Int(2)), (Int(7), Int(-2)), (Int(-8), Int(2))])
@example(parse_term("A / B"), [(Int(8), Int(2)), (Int(7), Int(2))])
@example(parse_term("A / B"), [(Int(1), Int(0))])
@example(parse_term("A / B"), [(Float(1.0), Float(0.0))])
@example(parse_term("A * B"), [(Int(2**24), Int(2**24))])
@example(parse_term("A + B"), [(Int(2**49 - 1), Int(2**49 - 1))])
@example(parse_term("-A"), [(Int(-(2**49)), Int(0))])
@example(parse_term("round(A)"), [(Float(-2.5), Int(0)), (Float(2.5), Int(0)), (Float(-0.25), Int(0))])
@example(parse_term("sqrt(A)"), [(Int(-1), Int(0))])
@example(parse_term("max(A, B)"), [(Int(2), Float(2.0))])
@example(parse_term("A ** 2"), [(Int(2**24), Int(0)), (Int(3), Int(0))])
@example(parse_term("A - B"), [(Float(0.25), Int(3))])
def test_a_column_has_the_values_of_the_rows(expression: Term, table: Table) -> None:
    check(expression, table)


@law
@given(st.sampled_from(sorted(COMPARISONS)), expressions.filter(is_tame), expressions.filter(is_tame), tables())
def test_a_comparison_holds_in_the_rows_in_which_it_is_true(name: str, left: Term, right: Term, table: Table) -> None:
    symbols = Symbols()
    mask = compare_columns(name, left, right, rows_of(table, symbols), symbols)
    if mask is None:
        return
    values = [(evaluated(left, row), evaluated(right, row)) for row in table]
    expected = [a is not None and b is not None and EXACT_COMPARISONS[name](a.value, b.value) for a, b in values]
    assert mask.tolist() == expected


def test_atoms_structures_and_integers_beyond_words_have_no_column() -> None:
    symbols = Symbols()
    for text in ("a", "k(a)", "1000000000000000000"):
        rows = Rows(2, {"A": symbols.words([Int(1), parse_term(text)])})
        assert number_column(Var("A"), rows, symbols) is None


def test_no_rows_have_no_column() -> None:
    symbols = Symbols()
    assert number_column(Var("A"), Rows(0, {"A": np.empty(0, dtype=np.int64)}), symbols) is None


@pytest.mark.parametrize(
    "text",
    [
        *("A + B", "A - B * 2", "A // 3", "A mod 5", "abs(A)", "max(A, B)", "min(A, 4)", "A ** 2", "-A", "float(A)"),
        *("F + A", "F * F", "F / 2", "sqrt(F)", "truncate(F)", "round(F / 4)", "floor(F) mod 3", "F < 3", "pi * F"),
    ],
)
def test_ordinary_arithmetic_has_columns(text: str) -> None:
    symbols = Symbols()
    columns = {
        "A": symbols.words([Int(7), Int(-7), Int(0)]),
        "B": symbols.words([Int(2), Int(3), Int(-5)]),
        "F": symbols.words([Float(2.5), Float(0.0), Float(9.75)]),
    }
    term = parse_term(text)
    assert isinstance(term, Struct)
    if term.name in COMPARISONS:
        left, right = term.args
        assert compare_columns(term.name, left, right, Rows(3, columns), symbols) is not None
    else:
        assert number_column(term, Rows(3, columns), symbols) is not None


@pytest.mark.parametrize(
    ("text", "table"),
    [
        pytest.param("A + 1", [(Int(1), Int(0)), (Float(2.5), Int(0))], id="integers and floats in one column"),
        pytest.param("A * 10", [(Float(1e308), Int(0))], id="a float that overflows"),
        pytest.param("A ** B", [(Float(0.0), Float(-1.0))], id="a power that divides by zero"),
        pytest.param("inf - inf + A", [(Int(1), Int(0))], id="an undefined float"),
        pytest.param("A ** 400", [(Int(10), Int(0))], id="an integer power that is too large for a float"),
        pytest.param("round(A)", [(Float(math.nextafter(0.5, 0)), Int(0))], id="the largest float below a half"),
    ],
)
def test_columns_at_the_edges_of_arithmetic(text: str, table: Table) -> None:
    check(parse_term(text), table)
