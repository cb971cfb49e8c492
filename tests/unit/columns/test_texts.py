"""Texts of whole columns, against the printer one term at a time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.texts import argument_texts, entity_texts, is_compound_name, term_texts, value_texts
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Float, Int, Str, Struct, Term
from tests.unit.kernels.lists import law

_names = st.sampled_from(
    [
        "a",
        "bus_7",
        "is",
        "mod",
        "-",
        "+",
        "&&",
        "Chris",
        "",
        "[]",
        "{}",
        "é",
        "a b",
        "it's",
        "\n",
        "x(",
        "=",
        "😀",
        "\ud800",
    ]
)
_constants: st.SearchStrategy[Term] = st.one_of(
    st.builds(Int, st.sampled_from([0, -5, 2**60, -(2**60)])),
    st.builds(Float, st.sampled_from([0.5, -1e300])),
    st.builds(Atom, _names),
    st.builds(Str, st.sampled_from(["a", '"'])),
)
_functors = st.sampled_from(["f", "g", "+", "-", "=", ":-", "[|]", "{}", "Big", "\\+"])
_terms = st.recursive(
    _constants,
    lambda inner: st.builds(Struct, _functors, st.lists(inner, min_size=1, max_size=2).map(lambda args: tuple(args))),
    max_leaves=5,
)
_columns = st.lists(_terms, min_size=1, max_size=30)


@law
@given(_columns)
def test_terms_are_written_as_the_printer_writes_them(terms: list[Term]) -> None:
    symbols = Symbols()
    words = symbols.words(terms)
    assert term_texts(words, symbols).to_pylist() == [show(term) for term in terms]
    assert argument_texts(words, symbols).to_pylist() == [show(Struct("f", (term,)))[2:-1] for term in terms]
    assert value_texts(words, symbols).to_pylist() == [show(Struct("=", (Atom("x"), term)))[1:] for term in terms]


@law
@given(_names, _columns, st.integers(0, 2))
def test_entities_are_written_as_the_printer_writes_them(name: str, terms: list[Term], arity: int) -> None:
    if not is_compound_name(name, arity):
        return
    symbols, n = Symbols(), len(terms)
    columns = [symbols.words(terms[i:] + terms[:i]) for i in range(arity)]
    values = symbols.words(terms[::-1])
    for i, text in enumerate(entity_texts(name, columns, values, n, symbols).to_pylist()):
        arguments = tuple(symbols.term(int(column[i])) for column in columns)
        fluent = Struct(name, arguments) if arguments else Atom(name)
        assert text == show(Struct("=", (fluent, terms[::-1][i])))
    events = entity_texts(name, columns, None, n, symbols).to_pylist()
    assert len(events) == n
    assert arity or set(events) == {show(Atom(name))}


def test_many_structures_are_written_as_columns() -> None:
    symbols = Symbols()
    terms: list[Term] = [Struct("p", (Int(i), Struct("q", (Atom("-"), Float(i / 4))))) for i in range(50)]
    assert term_texts(symbols.words(terms), symbols).to_pylist() == [show(term) for term in terms]
