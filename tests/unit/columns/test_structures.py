"""Structures by columns: the words that their terms have, put together, and their arguments, taken apart."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.words import Symbols
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term
from tests.unit.kernels.lists import law

CONSTANTS: list[Term] = [Atom("a"), Atom("b"), Int(3), Int(2**60), Float(3.0), Struct("f", (Atom("a"), Int(3)))]
ROWS = st.lists(st.tuples(st.sampled_from(CONSTANTS), st.sampled_from(CONSTANTS)), max_size=6)


@law
@given(st.lists(ROWS, max_size=4))
def test_structures_put_together_are_those_of_their_terms(portions: list[list[tuple[Term, Term]]]) -> None:
    symbols = Symbols()
    for rows in portions:
        columns = [symbols.words(row[i] for row in rows) for i in range(2)]
        words = symbols.structures("f", 2).words(columns, len(rows))
        assert symbols.terms(words) == [Struct("f", row) for row in rows]


@law
@given(st.lists(ROWS, max_size=4))
def test_structures_taken_apart_have_the_arguments_they_were_made_of(portions: list[list[tuple[Term, Term]]]) -> None:
    """Among others: of another name, of another arity, and constants."""
    symbols = Symbols()
    for rows in portions:
        terms = [Struct("f", row) for row in rows] + [Struct("g", row) for row in rows] + [a for a, _ in rows]
        is_such = [isinstance(term, Struct) and term.name == "f" for term in terms]
        found, arguments = symbols.structures("f", 2).arguments(symbols.words(terms))
        assert found.tolist() == [i for i, such in enumerate(is_such) if such]
        expected = [term.args for term in terms if isinstance(term, Struct) and term.name == "f"]
        assert list(zip(*map(symbols.terms, arguments), strict=True)) == expected


def test_without_symbols_nothing_is_a_structure() -> None:
    found, arguments = Symbols().structures("f", 1).arguments(np.array([5, 6]))
    assert len(found) == 0
    assert [len(column) for column in arguments] == [0]
