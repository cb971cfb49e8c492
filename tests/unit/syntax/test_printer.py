"""Quotes, brackets and spaces of printed terms."""

from __future__ import annotations

import math

import pytest

from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show, show_clause, show_constant, show_program
from holdsfor.syntax.program import Clause
from holdsfor.syntax.terms import Atom, Float, Int, Str, Struct, Term, Var
from tests.unit.syntax.reading import program


@pytest.mark.parametrize("name", ["a", "aB_1", "é", "[]", "{}", "!", "#", "=@#", "名前"])
def test_plain_names_are_printed_without_quotes(name: str) -> None:
    assert show(Atom(name)) == name


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("Chris", "'Chris'"),
        ("", "''"),
        ("a b", "'a b'"),
        ("_x", "'_x'"),
        ("003", "'003'"),
        ("it's", r"'it\'s'"),
        ('"', "'\"'"),
        ("a\nb", r"'a\nb'"),
        ("a\\b", r"'a\\b'"),
        ("\0", r"'\0\'"),
        ("\x01", r"'\x1\'"),
        (".", "'.'"),
        ("a.b", "'a.b'"),
        ("%", "'%'"),
        ("/*", "'/*'"),
        ("É", "'É'"),
        ("[|]", "'[|]'"),
        ("a-b", "'a-b'"),
    ],
)
def test_other_names_are_quoted(name: str, printed: str) -> None:
    assert show(Atom(name)) == printed
    assert parse_term(printed) == Atom(name)


@pytest.mark.parametrize(
    ("value", "printed"), [("", '""'), ("a b", '"a b"'), ('"', r'"\""'), ("it's", '"it\'s"'), ("\n", r'"\n"')]
)
def test_strings_are_in_double_quotes(value: str, printed: str) -> None:
    assert show(Str(value)) == printed


@pytest.mark.parametrize(
    ("value", "printed"),
    [(1.5, "1.5"), (3.0, "3.0"), (1e22, "1.0e+22"), (1e-7, "1.0e-07"), (math.inf, "1.0Inf"), (-math.inf, "-1.0Inf")],
)
def test_floats_always_have_a_point(value: float, printed: str) -> None:
    assert show(Float(value)) == printed
    assert show(Float(math.nan)) == "1.5NaN"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "a=b",
            "a-b-c",
            "a-(b-c)",
            "2*(3+4)",
            "a:-b",
            "\\+a",
            "\\+ (a,b)",
            "not a",
            "-a",
            "- -a",
            "-(1)",
            "- 1^2",
            "-1^2",
        ),
        *(
            "1-1",
            "1- -1",
            "a= \\+",
            "f(a,b)",
            "f((a,b))",
            "f((a:-b))",
            "[a,b|T]",
            "[(a,b)]",
            "{a,b}",
            "(a,b)",
            "f(-)",
            "[-]",
        ),
        *(
            "-(-)",
            "- = -",
            "1 mod 2",
            "a= \\b",
            "\\ \\a",
            "X is Y",
            "a=..b",
            "-(a)",
            "f(;)",
            "(a;b)->c",
            "a->b;c",
            "(a:-b):-c",
        ),
        *(
            ":-a",
            "(dynamic)=3",
            "f(:-)",
            "f(',')",
            "','",
            "'|'(a,b)",
            "'|'",
            "[a|'|']",
            "'[]'(a)",
            "'{}'(a,b)",
            "- 'a'",
            "+1",
        ),
        *(
            "a:b:c",
            "(a:b):c",
            "2**3",
            "(2**3)**4",
            "2^3^4",
            "(2^3)^4",
            "- (2^3)",
            "- (1.5**x)",
            "(- 2)^3",
            "'$'(a)",
            "# = #",
        ),
    ],
)
def test_operators_are_printed_with_the_brackets_and_spaces_they_need(text: str) -> None:
    term = parse_term(text)
    assert parse_term(show(term)) == term


@pytest.mark.parametrize(
    "text",
    [
        "happy(chris)=true",
        "a:-b,c",
        "\\+a",
        "[a,b|T]",
        "1+2*3",
        "X is 7 mod 3",
        "a- -1",
        "f(_,X)",
        "{a}",
        "location('Chris')=pub",
    ],
)
def test_canonical_text_is_printed_unchanged(text: str) -> None:
    assert show(parse_term(text)).replace(" :- ", ":-") == text


def test_operators_as_operands_are_in_brackets_and_as_arguments_are_not() -> None:
    assert show(Struct("=", (Atom("-"), Atom("+")))) == "(-)=(+)"
    assert show(Struct("f", (Atom("-"),))) == "f(-)"


def test_an_anonymous_variable_is_an_underscore() -> None:
    assert show(parse_term("f(_, _, _x)")) == "f(_,_,_x)"
    assert show(Var("X")) == "X"


@pytest.mark.parametrize("name", ["[]", "{}"])
def test_brackets_as_a_functor_are_quoted(name: str) -> None:
    term = Struct(name, (Atom("a"), Atom("b")))
    assert parse_term(show(term)) == term


@pytest.mark.parametrize("operand", [Struct("^", (Int(1), Int(2))), Struct("**", (Float(1.5), Atom("x")))])
def test_a_minus_before_a_number_that_is_not_its_own_is_kept_apart(operand: Term) -> None:
    term = Struct("-", (operand,))
    assert parse_term(show(term)) == term


def test_constants_are_printed_alone() -> None:
    assert [show_constant(c) for c in (Atom("A"), Int(-3), Float(0.5), Str("s"))] == ["'A'", "-3", "0.5", '"s"']


# -- clauses -----------------------------------------------------------------------------------------------------------


def test_a_clause_has_one_goal_a_line() -> None:
    (clause,) = program("a(X):-b(X),\\+c,(d;e).").clauses
    assert show_clause(clause) == "a(X) :-\n    b(X),\n    \\+c,\n    (d;e)."


@pytest.mark.parametrize(
    "text",
    [
        "a :- (b, c), d.",
        "a :- ((b, c), d), e.",
        "a :- (b :- c), d.",
        "# .",
        "a :- X = # .",
        "a :- X = \\+ .",
        ":- # .",
        ":- (a --> b).",
        ":- (a :- b).",
        "(a, b).",
        "(a ; b) :- c.",
        "(- ) :- c.",
        "{a}.",
        "[a, b] :- c.",
        "!.",
    ],
)
def test_a_printed_clause_reads_as_the_same_clause(text: str) -> None:
    read = program(text)
    assert program(show_program(read)).items == read.items


def test_a_clause_that_ends_in_a_symbol_keeps_its_full_stop() -> None:
    assert program(show_clause(Clause(Atom("#")))).items == (Clause(Atom("#")),)


def test_a_table_of_facts_is_printed_one_fact_a_line() -> None:
    text = "".join(f"speed('V{i}',{i}).\n" for i in range(70))
    read = program(text)
    assert len(read.tables) == 1
    assert show_program(read) == text


def test_an_empty_program_is_an_empty_text() -> None:
    assert show_program(program("% nothing")) == ""
