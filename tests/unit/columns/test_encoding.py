"""Words: every constant is decoded unchanged, and words are equal exactly if the constants are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.encoding import (
    Symbols,
    as_numbers,
    float_words,
    integer_values,
    integer_words,
    is_integer,
    is_number,
    is_symbol,
)
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Float, Int, Str, Struct, Term, list_term
from tests.unit.kernels.lists import law

EDGE = 2**49
_names = st.sampled_from(["a", "3", "3.0", "", "X y", "[]", "é"])
_constants = st.one_of(
    st.builds(Atom, _names),
    st.builds(Str, _names),
    st.builds(Int, st.one_of(st.integers(-4, 4), st.integers(-(2**70), 2**70))),
    st.builds(Int, st.sampled_from([EDGE, EDGE - 1, EDGE + 1, -EDGE, -EDGE - 1, -EDGE + 1, 2**63, -(2**63)])),
    st.builds(Float, st.floats(allow_nan=False)),
    st.builds(Float, st.sampled_from([0.0, 3.0, -3.0, 5e-324, 1e308, math.inf, -math.inf, float(EDGE)])),
)
ground_terms: st.SearchStrategy[Term] = st.recursive(
    _constants,
    lambda inner: st.one_of(
        st.builds(Struct, st.sampled_from(["f", "k", "=", "[|]"]), st.tuples(inner, inner)),
        st.builds(list_term, st.lists(inner, max_size=3)),
    ),
    max_leaves=6,
)


def kind_of(words: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[str]:
    masks = {"symbol": is_symbol(words), "integer": is_integer(words)}
    names = [[name for name, mask in masks.items() if mask[i]] for i in range(len(words))]
    assert all(len(each) <= 1 for each in names)
    return [each[0] if each else "float" for each in names]


@law
@given(st.lists(ground_terms, max_size=8))
def test_terms_are_decoded_unchanged(terms: list[Term]) -> None:
    symbols = Symbols()
    assert symbols.terms(symbols.words(terms)) == terms


@law
@given(ground_terms, ground_terms)
def test_words_are_equal_exactly_when_the_terms_are(one: Term, other: Term) -> None:
    symbols = Symbols()
    assert (symbols.word(one) == symbols.word(other)) == (one == other)


@law
@given(st.lists(ground_terms, max_size=8))
def test_words_do_not_change_when_words_are_added(terms: list[Term]) -> None:
    symbols = Symbols()
    before = symbols.words(terms).tolist()
    symbols.words([Atom(f"more{i}") for i in range(5)])
    assert symbols.words(terms).tolist() == before


def test_three_and_three_point_zero_are_different() -> None:
    symbols = Symbols()
    words = symbols.words([Int(3), Float(3.0), Atom("3"), Str("3"), parse_term("f(3)"), parse_term("f(3.0)")])
    assert len(set(words.tolist())) == 6
    assert kind_of(words) == ["integer", "float", "symbol", "symbol", "symbol", "symbol"]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (0, "integer"),
        (-1, "integer"),
        (EDGE - 1, "integer"),
        (EDGE, "symbol"),
        (-EDGE, "integer"),
        (-EDGE - 1, "symbol"),
        (2**63, "symbol"),
    ],
)
def test_integers_of_ordinary_size_need_no_table(value: int, kind: str) -> None:
    symbols = Symbols()
    words = symbols.words([Int(value)])
    assert kind_of(words) == [kind]
    assert len(symbols) == (kind == "symbol")
    assert symbols.terms(words) == [Int(value)]


@pytest.mark.parametrize("value", [0.0, 1.5, -1.5, 5e-324, -5e-324, 1.7976931348623157e308, math.inf, -math.inf])
def test_floats_are_their_own_bits(value: float) -> None:
    symbols = Symbols()
    word = symbols.word(Float(value))
    assert word == int(np.float64(value).view(np.int64))
    assert kind_of(np.array([word])) == ["float"]
    assert symbols.term(word) == Float(value)
    assert len(symbols) == 0


def test_both_zeros_are_one_word() -> None:
    symbols = Symbols()
    assert symbols.word(Float(-0.0)) == symbols.word(Float(0.0)) != symbols.word(Int(0))


def test_nan_is_one_word_and_not_a_symbol() -> None:
    """Negative NaNs have the bit patterns of symbols, which the words of floats avoid."""
    bits = np.array([0x7FF8000000000000, 0x7FF8000000000001, -(2**51), -(2**50), -1], dtype=np.int64)
    words = float_words(bits.view(np.float64))
    assert len(set(words.tolist())) == 1
    assert kind_of(words) == ["float"] * 5
    term = Symbols().term(int(words[0]))
    assert isinstance(term, Float)
    assert math.isnan(term.value)


@law
@given(st.lists(st.integers(-EDGE, EDGE - 1)))
def test_integer_words_and_values_are_inverse(values: list[int]) -> None:
    column = np.array(values, dtype=np.int64)
    words = integer_words(column)
    assert is_integer(words).all()
    assert is_number(words).all()
    assert integer_values(words).tolist() == values
    assert words.tolist() == [Symbols().word(Int(value)) for value in values]


@pytest.mark.parametrize("value", [EDGE, -EDGE - 1, 2**62])
def test_integers_that_are_too_large_have_no_integer_word(value: int) -> None:
    with pytest.raises(OverflowError):
        integer_words(np.array([0, value], dtype=np.int64))


@law
@given(st.lists(st.one_of(st.integers(-EDGE, EDGE - 1), st.floats(allow_nan=False))))
def test_numbers_have_their_values(values: list[int | float]) -> None:
    words = Symbols().words(Int(v) if isinstance(v, int) else Float(v) for v in values)
    numbers = as_numbers(words)
    assert numbers.tolist() == values
    assert numbers.dtype == (np.int64 if all(isinstance(v, int) for v in values) else np.float64)


def test_a_structure_is_found_by_name_and_arity() -> None:
    symbols = Symbols()
    word = symbols.word(parse_term("k(a)"))
    assert symbols.structure(word, "k", 1) == parse_term("k(a)")
    assert symbols.structure(word, "k", 2) is None
    assert symbols.structure(word, "f", 1) is None
    assert symbols.structure(symbols.word(Atom("k")), "k", 1) is None
    assert symbols.structure(symbols.word(Int(3)), "k", 1) is None
