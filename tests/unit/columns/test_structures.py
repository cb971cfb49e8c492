"""Structures as columns: composing and decomposing are inverse, and other words are ignored."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.structures import structures_of
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Float, Int, Struct, Term
from tests.unit.kernels.lists import law

_constants: st.SearchStrategy[Term] = st.one_of(
    st.sampled_from([Atom("a"), Atom("b"), Float(0.0), Float(2.5)]),
    st.integers(-2, 2).map(Int),
    st.sampled_from([Int(2**60), Struct("f", (Int(1), Atom("a"))), Struct("g", (Int(1), Atom("a")))]),
)
_rows = st.lists(st.tuples(_constants, _constants), max_size=10)


@law
@given(st.lists(_rows, min_size=1, max_size=3))
def test_structures_have_the_words_of_their_terms(batches: list[list[tuple[Term, Term]]]) -> None:
    symbols = Symbols()
    pairs = structures_of(symbols, "f", 2)
    for rows in batches:
        columns = [symbols.words(row[i] for row in rows) for i in range(2)]
        words = pairs.words(columns, len(rows))
        assert symbols.terms(words) == [Struct("f", row) for row in rows]
        is_such, parts = pairs.arguments(words)
        assert is_such.all()
        assert [part.tolist() for part in parts] == [column.tolist() for column in columns]


@law
@given(st.lists(st.lists(st.one_of(_constants, _rows.map(lambda rows: Struct("f", sum(rows, ())))), max_size=8)))
def test_only_structures_of_the_name_and_arity_have_arguments(batches: list[list[Term]]) -> None:
    symbols = Symbols()
    for terms in batches:
        is_such, parts = structures_of(symbols, "f", 2).arguments(symbols.words(terms))
        expected = [term for term in terms if isinstance(term, Struct) and term.name == "f" and len(term.args) == 2]
        assert [term for term, fits in zip(terms, is_such.tolist(), strict=True) if fits] == expected
        assert [symbols.terms(part) for part in parts] == [[term.args[i] for term in expected] for i in range(2)]


def test_words_of_a_view_are_decomposed_after_a_reset_of_the_table() -> None:
    symbols = Symbols()
    old = symbols.words([parse_term("p(a)"), parse_term("p(b)")])
    structures_of(symbols, "p", 1)
    before = symbols.reset()
    symbols.words([parse_term("q"), parse_term("r")])
    is_such, (arguments,) = structures_of(before, "p", 1).arguments(old)
    assert is_such.all()
    assert before.terms(arguments) == [parse_term("a"), parse_term("b")]
