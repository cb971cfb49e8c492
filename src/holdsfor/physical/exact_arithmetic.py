"""Arithmetic on columns of any numbers, by the functions of the background engine.

Each function of an expression is applied to whole columns of Python numbers, once for each distinct row. The results
are those of the background engine, and rows without a result raise `NoValue`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from holdsfor.columns.encoding import Symbols
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.physical.rows import Rows
from holdsfor.prolog.arithmetic import COMPARISONS, number_term, value_of
from holdsfor.prolog.functions import CONSTANTS, FUNCTIONS, Number
from holdsfor.prolog.problems import GoalProblem
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term, Var, substitute, variables

__all__ = ["NoValue", "exact_comparison", "exact_words", "number_of", "scalar_expression"]

_MAX_DEPTH = 100


class NoValue(Exception):
    """An expression has no value in some rows."""

    def __init__(self, rows: Int64) -> None:
        super().__init__(rows)
        self.rows = rows


def exact_words(term: Term, rows: Rows, symbols: Symbols, positions: Int64 | None = None) -> Int64:
    """The words of an expression in every row; `positions` are the numbers of the rows in a `NoValue`."""
    ids, values = _distinct_values([term], rows, symbols, positions)
    return _words(values[0], symbols)[ids]


def exact_comparison(
    name: str, left: Term, right: Term, rows: Rows, symbols: Symbols, positions: Int64 | None = None
) -> NDArray[np.bool_]:
    """Whether a comparison holds in every row."""
    ids, (a, b) = _distinct_values([left, right], rows, symbols, positions)
    return np.array(list(map(COMPARISONS[name], a, b)), dtype=bool)[ids]


def _distinct_values(
    terms: Sequence[Term], rows: Rows, symbols: Symbols, positions: Int64 | None
) -> tuple[Int64, list[list[Number]]]:
    """The number of the distinct row of each row, and the values of expressions in the distinct rows."""
    names = list(variables(*terms))
    ids, first = dense_ids([rows.columns[name] for name in names], rows.n)
    terms_of = {name: symbols.terms(rows.columns[name][first]) for name in names}
    try:
        columns = {name: [value_of(term) for term in found] for name, found in terms_of.items()}
        return ids, [_values(term, columns, len(first)) for term in terms]
    except GoalProblem:
        rows_without = np.flatnonzero(_without_value(terms, terms_of, len(first))[ids])
        raise NoValue(rows_without if positions is None else positions[rows_without]) from None


def _values(term: Term, columns: dict[str, list[Number]], n: int, depth: int = 0) -> list[Number]:
    """The values of an expression in every row, function by function."""
    match term:
        case Var(name=name):
            return columns[name]
        case Int() | Float():
            return [term.value] * n
        case Atom(name) if name in CONSTANTS:
            return [CONSTANTS[name]] * n
        case Struct(name=name, args=args) if (name, len(args)) in FUNCTIONS and depth < _MAX_DEPTH:
            return list(map(FUNCTIONS[name, len(args)], *(_values(arg, columns, n, depth + 1) for arg in args)))
    rows = zip(*columns.values(), strict=True) if columns else repeat((), n)
    return [value_of(substitute(term, dict(zip(columns, map(number_term, row), strict=True)))) for row in rows]


def _without_value(terms: Sequence[Term], terms_of: dict[str, list[Term]], n: int) -> NDArray[np.bool_]:
    """The distinct rows in which an expression has no value."""
    found = np.zeros(n, dtype=bool)
    for row in range(n):
        try:
            for term in terms:
                value_of(substitute(term, {name: known[row] for name, known in terms_of.items()}))
        except GoalProblem:
            found[row] = True
    assert found.any(), "an expression without a value has none in some row"
    return found


def _words(values: Sequence[Number], symbols: Symbols) -> Int64:
    return np.fromiter((symbols.word(number_term(value)) for value in values), dtype=np.int64, count=len(values))


# -- single bindings -------------------------------------------------------------------------------------------------


def number_of(word: int, symbols: Symbols) -> Number:
    """The number of a word; a `GoalProblem` if the word is not a number."""
    return value_of(symbols.term(word))


def scalar_expression(term: Term, symbols: Symbols, depth: int = 0) -> Callable[[dict[str, int]], Number]:
    """The value of an expression for a binding of words; a `GoalProblem` if it has none."""
    match term:
        case Var(name=name):
            return lambda binding: number_of(binding[name], symbols)
        case Int() | Float():
            value = term.value
            return lambda binding: value
        case Struct(name=name, args=args) if (name, len(args)) in FUNCTIONS and depth < _MAX_DEPTH:
            function = FUNCTIONS[name, len(args)]
            parts = [scalar_expression(argument, symbols, depth + 1) for argument in args]
            if len(parts) == 1:
                (only,) = parts
                return lambda binding: function(only(binding))
            left, right = parts
            return lambda binding: function(left(binding), right(binding))
    names = tuple(variables(term))
    return lambda binding: value_of(substitute(term, {name: symbols.term(binding[name]) for name in names}))
