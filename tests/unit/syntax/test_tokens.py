"""How characters make up tokens, and where a clause ends."""

from __future__ import annotations

import math

import pytest

from holdsfor.errors import SyntaxProblem
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Atom, Float, Int, Str, Struct, Var
from holdsfor.syntax.tokens import LexicalProblem, Token, skip_layout, tokens_of_clause
from tests.unit.syntax.reading import only_error, program


def tokens(text: str) -> list[Token]:
    return tokens_of_clause(Source("text", text), 0)


def texts(text: str) -> list[str]:
    return [token.text for token in tokens(text)]


# -- layout and comments -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "a.",
        "  a.",
        "% note\na.",
        "%\na.",
        "/* note */a.",
        "/**/a.",
        "/* a. */ a.",
        "/* ** / */\n% b.\n\ta.",
        "%a%b\r\na.",
    ],
)
def test_comments_and_white_space_are_passed_over(text: str) -> None:
    assert texts(text) == ["a", "."]


def test_a_comment_may_stand_between_any_two_tokens() -> None:
    assert texts("f(/* one */ a, % two\n b)/*three*/.") == ["f", "(", "a", ",", "b", ")", "."]


def test_comments_do_not_nest() -> None:
    assert texts("/* /* */ a.") == ["a", "."]


def test_a_comment_sign_in_quotes_is_text() -> None:
    assert texts("'%'. ") == ["%", "."]
    assert texts("'/*'. ") == ["/*", "."]


def test_a_name_and_a_bracket_after_a_comment_are_not_a_call() -> None:
    with pytest.raises(SyntaxProblem, match="expected an operator"):
        parse_term("f/* */(a)")


def test_a_comment_that_is_not_closed_is_one_error_at_its_beginning() -> None:
    error = only_error("a.\n/* b.\nc.\n")
    assert (error.code, error.span and error.span.line) == ("HF103", 2)


def test_an_unclosed_comment_includes_comments_that_begin_inside_it() -> None:
    """Otherwise the rest of the text is searched again for each of them."""
    assert only_error("a. /* " * 2_000).code == "HF103"


def test_layout_ends_at_the_end_of_the_text() -> None:
    assert skip_layout(Source("text", "  % all"), 0) == 7


# -- the end of a clause -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.", ["a", "."]),
        ("a.b", ["a", ".", "b"]),
        ("a.% b", ["a", "."]),
        ("a.\n", ["a", "."]),
        ("X=..", ["X", "=.."]),
        ("X=.. .", ["X", "=..", "."]),
        ("X = Y.", ["X", "=", "Y", "."]),
        ("[].", ["[", "]", "."]),
        ("X=[].", ["X", "=", "[", "]", "."]),
        ("1.", ["1", "."]),
        ("1.5.", ["1.5", "."]),
        ("'a'.", ["a", "."]),
        ("!.", ["!", "."]),
        ("a:-b.", ["a", ":-", "b", "."]),
    ],
)
def test_a_full_stop_ends_a_clause_only_before_layout_and_not_in_a_symbol(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_only_a_full_stop_before_layout_is_an_end() -> None:
    assert [token.kind for token in tokens("a.b.")] == ["atom", "atom", "atom", "end"]


# -- names and variables -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a", "aB_1", "é", "ß", "名前", "\\+", "=..", "#", "@<", "!", ";", "ǅ"])
def test_names_need_no_quotes(name: str) -> None:
    assert parse_term(name + " ") == Atom(name)


@pytest.mark.parametrize("name", ["X", "Xy_1", "_x", "_X", "É", "_1"])
def test_variables_begin_with_an_upper_case_letter_or_an_underscore(name: str) -> None:
    assert parse_term(name) == Var(name)


def test_each_anonymous_variable_is_another() -> None:
    first, second = program("a(_, _).").clauses[0].head.args  # type: ignore[union-attr]
    assert first != second
    assert isinstance(first, Var)
    assert first.is_anonymous


# -- quotes and escapes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("'Chris'", "Chris"),
        ("''", ""),
        ("'it''s'", "it's"),
        ("''''", "'"),
        ("''''''", "''"),
        (r"'it\'s'", "it's"),
        ("'\"'", '"'),
        ("'\"\"'", '""'),
        ("'a\"\"b'", 'a""b'),
        (r"'a\nb\tc\\d'", "a\nb\tc\\d"),
        (r"'\a\b\f\v\e\s\`\r'", "\a\b\f\v\x1b `\r"),
        (r"'\x41\'", "A"),
        (r"'\x41\b'", "Ab"),
        (r"'\x1F600\!'", "😀!"),
        (r"'\101\'", "A"),
        (r"'\101\8'", "A8"),
        (r"'\0\'", "\0"),
        (r"'\u00e9'", "é"),
        (r"'\U0001F600'", "😀"),
        ("'a\\\nb'", "ab"),
        ("'名 前'", "名 前"),
    ],
)
def test_quoted_names_and_their_escapes(text: str, name: str) -> None:
    assert parse_term(text) == Atom(name)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('""', ""),
        ('"a b"', "a b"),
        ('"say ""hi"""', 'say "hi"'),
        (r'"say \"hi\""', 'say "hi"'),
        ('"it\'s"', "it's"),
        ("\"''\"", "''"),
        ("\"a''b\"", "a''b"),
        (r'"\x41\"', "A"),
    ],
)
def test_strings_and_their_escapes(text: str, value: str) -> None:
    assert parse_term(text) == Atom(value)
    assert parse_term(text, has_strings=True) == Str(value)


@pytest.mark.parametrize(
    "escape", [r"\q", r"\z", r"\x", r"\8", r"\u12", r"\xd800\ ", r"\x110000\ ", r"\xffffffffffff\ "]
)
def test_an_unknown_escape_is_an_error_with_a_hint(escape: str) -> None:
    error = only_error(f"a('{escape}').\nb.")
    assert error.code == "HF105"
    assert error.hint
    assert "backslash" in error.hint


def test_the_caret_is_under_the_unknown_escape() -> None:
    error = only_error(r"a('ok\n then \q').")
    assert error.span
    assert error.span.text == r"\q"


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_quote_that_is_not_closed_on_its_line_is_an_error(quote: str) -> None:
    error = only_error(f"a({quote}b).\nc(d).\n")
    assert error.code == "HF104"
    assert error.span
    assert error.span.column == 3


# -- numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("007", 7),
        ("1_000_000", 1_000_000),
        ("0x1F", 31),
        ("0xff", 255),
        ("0o17", 15),
        ("0b101", 5),
        ("0'a", 97),
        ("0' ", 32),
        ("0'''", 39),
        ("0'\"", 34),
        (r"0'\n", 10),
        (r"0'\\", 92),
        (r"0'\'", 39),
        (r"0'\x41\ ", 65),
        (r"0'\101\ ", 65),
        ("0'é", 233),
        ("-5", -5),
        ("-0x10", -16),
        ("99999999999999999999", 99999999999999999999),
    ],
)
def test_integers(text: str, value: int) -> None:
    assert parse_term(text) == Int(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5),
        ("1.50", 1.5),
        ("1e5", 1e5),
        ("1.0e-7", 1e-7),
        ("1.0E+3", 1e3),
        ("-2.5", -2.5),
        ("1.0Inf", math.inf),
    ],
)
def test_floats(text: str, value: float) -> None:
    assert parse_term(text) == Float(value)


def test_infinity_has_a_sign_and_there_is_a_float_that_is_no_number() -> None:
    assert parse_term("-1.0Inf") == Float(-math.inf)
    nan = parse_term("1.5NaN")
    assert isinstance(nan, Float)
    assert math.isnan(nan.value)


def test_an_integer_and_a_float_are_different_constants() -> None:
    assert parse_term("3") != parse_term("3.0")


def test_a_number_before_a_full_stop_is_an_integer() -> None:
    assert program("a(1). b(2).").clauses[1].head == Struct("b", (Int(2),))


@pytest.mark.parametrize("number", ["1" * 10_000, "-" + "1" * 10_000, "0x" + "f" * 10_000, "0b" + "1" * 100_000])
def test_a_number_with_too_many_digits_is_an_error(number: str) -> None:
    error = only_error(f"a({number}).\nb.")
    assert error.code == "HF111"


def test_a_long_float_is_read() -> None:
    assert parse_term("0." + "1" * 10_000) == Float(0.1111111111111111)


# -- characters that are no tokens -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a(`b`).", "unexpected character ```"),
        ("a(\0).", "unexpected NUL character"),
        ("a(\ufeff).", "unexpected character `U+FEFF`"),
        ("a(€).", "unexpected character `€`"),
        ("a(\x01).", "unexpected character `U+0001`"),
    ],
)
def test_a_character_that_begins_no_token_is_named(text: str, message: str) -> None:
    error = only_error(text)
    assert (error.code, error.message) == ("HF102", message)
    assert error.span
    assert error.span.column == 3


def test_a_lexical_problem_carries_its_diagnostic() -> None:
    with pytest.raises(LexicalProblem) as caught:
        tokens("a €.")
    assert caught.value.diagnostic.code == "HF102"


def test_a_token_has_a_position_and_the_layout_before_it() -> None:
    a, plus, b = tokens("a +b")
    assert [(t.start, t.end, t.follows_layout) for t in (a, plus, b)] == [(0, 1, False), (2, 3, True), (3, 4, False)]
