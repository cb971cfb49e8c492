"""Predicates on text and on the structure of terms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.prolog.programs import answers, engine, problem, values

CASES: list[tuple[str, list[str]]] = [
    ("atom_codes(abc, X)", ["[97,98,99]"]),
    ("atom_codes(X, [97, 98])", ["ab"]),
    ("atom_chars(X, [a, b])", ["ab"]),
    ("atom_chars(123, X)", ["['1','2','3']"]),
    ("char_code(X, 97)", ["a"]),
    ("char_code(a, X)", ["97"]),
    ("atom_length(hello, X)", ["5"]),
    ("atom_length('', X)", ["0"]),
    ("atom_concat(ab, cd, X)", ["abcd"]),
    ("atom_concat(X, cd, abcd)", ["ab"]),
    ("atom_concat(ab, X, abcd)", ["cd"]),
    ("atom_concat(X, Y, ab)", ["''", "a", "ab"]),
    ("atom_concat(a, 1, X)", ["a1"]),
    ("sub_atom(hello, 1, 3, _, X)", ["ell"]),
    ("sub_atom(hello, _, 2, 0, X)", ["lo"]),
    ("sub_atom(hello, X, _, _, l)", ["2", "3"]),
    ("sub_atom(abc, B, 2, A, X)", ["ab", "bc"]),
    ("sub_atom(ab, _, _, _, X)", ["''", "a", "ab", "''", "b", "''"]),
    ("sub_atom(abc, 2, X, 5, _)", []),
    ("sub_atom(abc, 0, X, 1, _)", ["2"]),
    ("atom_number('12', X)", ["12"]),
    ("atom_number('1.5', X)", ["1.5"]),
    ("atom_number('0x1F', X)", ["31"]),
    ("atom_number(foo, X)", []),
    ("atom_number(X, 5)", ["'5'"]),
    ("number_codes(X, [49, 50])", ["12"]),
    ("number_codes(12, X)", ["[49,50]"]),
    ("atom_string(abc, X)", ["abc"]),
    ('atom_string(X, "abc")', ["abc"]),
    ('number_string(X, "12")', ["12"]),
    ('string_concat("ab", "cd", X)', ["abcd"]),
    ('string_length("abc", X)', ["3"]),
    ('string_to_atom("abc", X)', ["abc"]),
    ("string_to_atom(X, abc)", ["abc"]),
    ("string_chars(X, [a, b])", ["ab"]),
    ('atomic_list_concat([a, 1, "s"], X)', ["a1s"]),
    ("atomic_list_concat([a, b, c], '-', X)", ["'a-b-c'"]),
    ("atomic_list_concat(X, '-', 'a-b-c')", ["[a,b,c]"]),
    ("atomic_list_concat([a, X], '-', 'a-b')", ["b"]),
    ('split_string("a,b;c", ",;", "", X)', ["[a,b,c]"]),
    ('split_string(" a ", "", " ", X)', ["[a]"]),
    ("upcase_atom(abC, X)", ["'ABC'"]),
    ("downcase_atom('ABc', X)", ["abc"]),
    ("term_to_atom(f(a, 'B c'), X)", ["'f(a,\\'B c\\')'"]),
    ("term_to_atom(X, 'g(Y, Y)')", ["g(_G1,_G1)"]),
    ("format(atom(X), '~w-~a~n~d ~q~~ ~p', [f('A'), 'b c', 3, 'd e', \"s\"])", ["'f(\\'A\\')-b c\\n3 \\'d e\\'~ s'"]),
    ("format(atom(X), 'no arguments', [])", ["'no arguments'"]),
    ("format(atom(X), '~w', single)", ["single"]),
    ("f(a, b) =.. X", ["[f,a,b]"]),
    ("X =.. [f, a, b]", ["f(a,b)"]),
    ("a =.. X", ["[a]"]),
    ("X =.. [3]", ["3"]),
    ("functor(f(a, b), X, 2)", ["f"]),
    ("functor(f(a, b), f, X)", ["2"]),
    ("functor(X, f, 2)", ["f(_G1,_G2)"]),
    ("functor(X, 3, 0)", ["3"]),
    ("functor(3, X, 0)", ["3"]),
    ("arg(1, f(a, b), X)", ["a"]),
    ("arg(X, f(a, b, a), a)", ["1", "3"]),
    ("arg(3, f(a, b), X)", []),
    ("copy_term(f(A, B, A), X)", ["f(_G1,_G2,_G1)"]),
    ("term_variables(f(A, g(B, A)), L), length(L, X)", ["2"]),
    ("succ(X, 4)", ["3"]),
    ("succ(3, X)", ["4"]),
    ("succ(X, 0)", []),
    ("plus(1, X, 3)", ["2"]),
    ("plus(X, 1, 3)", ["2"]),
]


@pytest.mark.parametrize(("goal", "expected"), CASES)
def test_predicates_on_text_and_structure(goal: str, expected: list[str]) -> None:
    assert values("", goal) == expected


TYPES = {
    "var": ["X"],
    "nonvar": ["a", "1", "1.5", '"s"', "f(x)", "[]", "[a]"],
    "atom": ["a", '"s"', "[]"],
    "number": ["1", "1.5"],
    "integer": ["1"],
    "float": ["1.5"],
    "atomic": ["a", "1", "1.5", '"s"', "[]"],
    "compound": ["f(x)", "[a]"],
    "callable": ["a", '"s"', "f(x)", "[]", "[a]"],
    "is_list": ["[]", "[a]"],
    "string": ["a", '"s"', "[]"],
    "ground": ["a", "1", "1.5", '"s"', "f(x)", "[]", "[a]"],
}


@pytest.mark.parametrize("name", TYPES)
def test_type_tests(name: str) -> None:
    terms = ["X", "a", "1", "1.5", '"s"', "f(x)", "[]", "[a]"]
    assert [term for term in terms if answers("", f"{name}({term})")] == TYPES[name]


def test_output_is_accepted_and_discarded(capsys: pytest.CaptureFixture[str]) -> None:
    assert answers("", "write(a), print(b), writeln(c), nl, tab(3), format(x), format('~w', [y])") == ["yes"]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("goal", "message"),
    [
        ("format(atom(_), '~w', [])", "there are fewer arguments than the format takes"),
        ("format(atom(_), 'x', [1])", "there are more arguments than the format takes"),
        ("format(atom(_), '~z', [1])", "`~z` is not a format directive"),
        ("number_codes(_, [0'a])", "expected the text of a number, found `a`"),
        ("term_to_atom(_, 'f(')", "expected the text of a term, found `f(`"),
        ("atomic_list_concat(_, '', abc)", "a text cannot be split at the empty atom"),
        ("atom_length(f(x), _)", "expected an atom, string or number, found `f(x)`"),
        ("_ =.. []", "expected a list with a name, found `[]`"),
        ("_ =.. [f(x), 1]", "expected an atom, found `f(x)`"),
        ("succ(-1, _)", "expected a natural number, found `-1`"),
    ],
)
def test_problems_of_text_and_structure(goal: str, message: str) -> None:
    code, text, _ = problem("", goal)
    assert code == "HF603"
    assert text.startswith(message)


ENGINE = engine()


@given(st.text(alphabet="abc", max_size=6), st.text(alphabet="abc", min_size=1, max_size=2))
def test_sub_atom_finds_every_occurrence(text: str, part: str) -> None:
    expected = [str(at) for at in range(len(text)) if text.startswith(part, at)]
    assert values(ENGINE, f"sub_atom('{text}', X, _, _, '{part}')") == expected


@given(st.text(alphabet="ab-", max_size=8))
def test_splitting_and_joining_are_inverse(text: str) -> None:
    goal = f"atomic_list_concat(Parts, '-', '{text}'), atomic_list_concat(Parts, '-', X), X == '{text}'"
    assert len(values(ENGINE, goal)) == 1
