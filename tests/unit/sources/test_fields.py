"""Which fields are numbers, terms and atoms."""

from __future__ import annotations

import pytest

from holdsfor.sources.fields import read_field, read_time
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Float, Int


@pytest.mark.parametrize(
    ("text", "value"), [("0", 0), ("7", 7), ("-5", -5), ("-0", 0), ("227574020", 227574020), ("9" * 30, int("9" * 30))]
)
def test_canonical_integers_are_numbers(text: str, value: int) -> None:
    assert read_field(text) == Int(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.50", 1.5), ("-0.25", -0.25), ("0.0", 0.0), ("1e5", 1e5), ("1E5", 1e5), ("1.5e-3", 0.0015), ("2e+3", 2000.0)],
)
def test_canonical_decimals_are_numbers(text: str, value: float) -> None:
    assert read_field(text) == Float(value)


def test_an_integer_and_a_decimal_are_different_constants() -> None:
    assert read_field("3") != read_field("3.0")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "003",
            "-007",
            "00",
            "1.",
            ".5",
            "+5",
            "1_000",
            "0x1F",
            "1e",
            "e5",
            "--5",
            "5-",
            "1.5.2",
            "01.5",
            "12:30",
            "inf",
        ),
        *(
            "Chris",
            "chris",
            "a b",
            "a-b",
            "anti-pollution",
            "X",
            "_",
            "",
            "[]",
            "naïve",
            "٣",
            "１",
            "nan",
            "Infinity",
            "1 2",
        ),
    ],
)
def test_every_other_field_is_an_atom(text: str) -> None:
    assert read_field(text) == Atom(text)


def test_a_number_of_thousands_of_digits_is_a_code() -> None:
    assert read_field("1" * 5_000) == Atom("1" * 5_000)


@pytest.mark.parametrize("text", ["1e999", "-1e999"])
def test_a_decimal_beyond_all_floats_is_not_infinity(text: str) -> None:
    assert read_field(text) == Atom(text)


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("'Chris'", Atom("Chris")),
        ("'003'", Atom("003")),
        ("'it''s'", Atom("it's")),
        ('"a b"', Atom("a b")),
        ("close_ballot(c1,m1)", parse_term("close_ballot(c1,m1)")),
        ("per(close_ballot(C1,m1))", Atom("per(close_ballot(C1,m1))")),
        ("f(3, 'X', [a,1.5])", parse_term("f(3, 'X', [a,1.5])")),
    ],
)
def test_fields_in_the_syntax_of_terms_are_terms(text: str, term: Atom) -> None:
    assert read_field(text) == term


@pytest.mark.parametrize(
    "text", ["f(", "f)", "f(a))", "f(a,)", "'a", "'a'b'", "f(a) and (b)", "f(_)", "f(a). g(b)", "f(%)"]
)
def test_a_malformed_term_is_an_atom(text: str) -> None:
    assert read_field(text) == Atom(text)


def test_a_deeply_nested_field_is_an_atom() -> None:
    text = "f(" * 10_000 + ")" * 10_000
    assert read_field(text) == Atom(text)


@pytest.mark.parametrize(
    ("text", "time"), [("0", 0), ("-5", -5), (str(2**62), 2**62), (str(-(2**62)), -(2**62)), ("17", 17)]
)
def test_times_are_integers_up_to_2_to_the_62(text: str, time: int) -> None:
    assert read_time(text) == time


@pytest.mark.parametrize(
    "text", ["", "1.0", "1e3", "x", "inf", "007", "+5", str(2**62 + 1), str(-(2**62) - 1), "9" * 5_000]
)
def test_every_other_field_is_not_a_time(text: str) -> None:
    assert read_time(text) is None
