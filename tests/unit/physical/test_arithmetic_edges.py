"""Every arithmetic function at the edges of numbers: columns have the values of the background engine, bit by bit.

Columns mix integers and floats, numbers of all sizes, NaN and infinity. A row without a value is found, and no other.
"""

from __future__ import annotations

import math
import random
from itertools import product

import pytest

from holdsfor.columns.encoding import Symbols
from holdsfor.errors import ExecutionProblem
from holdsfor.physical.arithmetic import COMPARISONS, NoValue, compared, computed, number_column, number_words
from holdsfor.physical.exact_arithmetic import scalar_expression
from holdsfor.physical.rows import Rows
from holdsfor.prolog import evaluate
from holdsfor.prolog.arithmetic import COMPARISONS as EXACT
from holdsfor.prolog.functions import FUNCTIONS
from holdsfor.prolog.problems import GoalProblem
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term, Var, substitute

INTEGERS = [0, 1, -1, 2, 3, -7, 47, 48, 64, -64, 2**24, 2**47, 2**48, -(2**48), 2**49 - 1, -(2**49), 2**53 + 1, 2**64]
FLOATS = [0.0, -0.0, 0.5, -0.5, 1.0, -2.5, 0.1, 1e-320, 1e15, 1e18, -1e300, 1.7e308, math.inf, -math.inf, math.nan]
EDGES: list[Term] = [*map(Int, INTEGERS), *map(Float, FLOATS), Atom("pi")]
TAME: list[Term] = [term for term in EDGES if not isinstance(term, Int) or abs(term.value) < 2**24]


def value(expression: Term, row: dict[str, Term]) -> Term | None:
    try:
        return evaluate(substitute(expression, row))
    except ExecutionProblem:
        return None


def word(term: Term | None, symbols: Symbols) -> int | None:
    return None if term is None else symbols.word(term)


def applied(name: str, arity: int) -> Term:
    return Struct(name, (Var("A"), Var("B"))[:arity])


def tables(arity: int, name: str) -> list[dict[str, Term]]:
    values = TAME if name in ("<<", "**", "^", ">>") else EDGES
    every = list(product(values, repeat=arity))
    chosen = every if arity == 1 else random.Random(name).sample(every, 150)
    return [dict(zip("AB", row, strict=False)) for row in chosen]


def rows_of(table: list[dict[str, Term]], symbols: Symbols) -> Rows:
    return Rows(len(table), {name: symbols.words(row[name] for row in table) for name in table[0]})


@pytest.mark.parametrize(("name", "arity"), sorted(FUNCTIONS))
def test_a_function_has_the_values_of_the_background_engine_in_every_row(name: str, arity: int) -> None:
    symbols, expression = Symbols(), applied(name, arity)
    table = tables(arity, name)
    expected = [value(expression, row) for row in table]
    good = [i for i, each in enumerate(expected) if each is not None]
    rows = rows_of([table[i] for i in good], symbols)
    assert computed(expression, rows, symbols).tolist() == [word(expected[i], symbols) for i in good]
    scalar = scalar_expression(expression, symbols)
    for row, each in zip(table, expected, strict=True):
        binding = {variable: symbols.word(term) for variable, term in row.items()}
        if each is None:
            with pytest.raises(GoalProblem):
                scalar(binding)
            with pytest.raises(NoValue):
                computed(expression, rows_of([row], symbols), symbols)


@pytest.mark.parametrize(("name", "arity"), sorted(FUNCTIONS))
def test_a_column_of_one_kind_has_exact_values_or_is_none(name: str, arity: int) -> None:
    symbols, expression = Symbols(), applied(name, arity)
    for row in tables(arity, name):
        column = number_column(expression, rows_of([row, row], symbols), symbols)
        if column is not None:
            assert number_words(column).tolist() == [word(value(expression, row), symbols)] * 2


@pytest.mark.parametrize("name", sorted(COMPARISONS))
def test_comparisons_of_all_numbers_are_exact(name: str) -> None:
    symbols, table = Symbols(), tables(2, name)
    expected = [
        EXACT[name](a.value, b.value) for row in table for a, b in [tuple(evaluate(row[variable]) for variable in "AB")]
    ]
    assert compared(name, Var("A"), Var("B"), rows_of(table, symbols), symbols).tolist() == expected


def test_all_rows_without_a_value_are_named() -> None:
    symbols = Symbols()
    table: list[dict[str, Term]] = [{"A": Int(i % 7 + 1)} for i in range(50)]
    table[31], table[40], table[7] = {"A": Float(0.0)}, {"A": Float(2.0)}, {"A": Float(0.0)}
    with pytest.raises(NoValue) as problem:
        computed(Struct("/", (Int(1), Var("A"))), rows_of(table, symbols), symbols)
    assert problem.value.rows.tolist() == [7, 31]


@pytest.mark.parametrize("name", ["sin", "cos", "tan", "exp", "log", "atan", "sqrt"])
def test_functions_of_many_floats_agree_in_the_last_bit(name: str) -> None:
    symbols, draw = Symbols(), random.Random(7)
    table: list[dict[str, Term]] = [{"A": Float(draw.uniform(1e-3, 300))} for _ in range(2_000)]
    expression = applied(name, 1)
    found = symbols.terms(computed(expression, rows_of(table, symbols), symbols))
    assert found == [value(expression, row) for row in table]


def test_powers_of_many_floats_agree_in_the_last_bit() -> None:
    symbols, draw = Symbols(), random.Random(8)
    table: list[dict[str, Term]] = [
        {"A": Float(draw.uniform(0, 90)), "B": Float(draw.choice([2.0, 0.5, 1.7]))} for _ in range(2_000)
    ]
    expression = applied("**", 2)
    found = symbols.terms(computed(expression, rows_of(table, symbols), symbols))
    assert found == [value(expression, row) for row in table]
