"""The standard order of terms on columns, against the order of the background engine."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.encoding import Symbols
from holdsfor.physical.standard_order import standard_ranks
from holdsfor.prolog import standard_order_key
from holdsfor.syntax.terms import Atom, Float, Int, Str, Struct, Term
from tests.unit.kernels.lists import law

_constants: st.SearchStrategy[Term] = st.one_of(
    st.builds(Int, st.sampled_from([0, 1, -1, 2, 2**48, 2**49 - 1])),
    st.builds(Float, st.sampled_from([0.0, 1.0, -1.5, math.inf, -math.inf, math.nan])),
    st.builds(Atom, st.sampled_from(["a", "b", "Z", "", "é", "😀", "\uffff", "ab"])),
    st.builds(Str, st.sampled_from(["a", ""])),
)
_terms = st.recursive(
    _constants,
    lambda inner: st.builds(
        Struct, st.sampled_from(["f", "g"]), st.lists(inner, min_size=1, max_size=2).map(lambda args: tuple(args))
    ),
    max_leaves=8,
)


@law
@given(st.lists(st.one_of(_terms, st.builds(Int, st.sampled_from([2**60, -(2**60)]))), max_size=12))
def test_ranks_order_words_as_the_background_engine_orders_terms(terms: list[Term]) -> None:
    symbols = Symbols()
    ranks = standard_ranks(symbols.words(terms), symbols).tolist()
    keys = [standard_order_key(term) for term in terms]
    for i, one in enumerate(keys):
        for j, other in enumerate(keys):
            assert (ranks[i] < ranks[j]) == (one < other), (terms[i], terms[j])
