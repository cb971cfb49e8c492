"""Terms and clauses made of tokens, and the diagnostics for invalid ones."""

from __future__ import annotations

import pytest

from holdsfor.errors import Diagnostics, SyntaxProblem
from holdsfor.syntax.parser import parse_program, parse_term
from holdsfor.syntax.printer import show, show_program
from holdsfor.syntax.program import Clause, Directive, FactTable
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Atom, Int, Struct, Term, Var, conjuncts, list_items
from tests.fuzz.laws import time_limit
from tests.unit.syntax.reading import errors, only_error, program


def written_out(term: Term) -> str:
    """The term without operators: every structure as `name(args)`."""
    if isinstance(term, Struct):
        return f"{show(Atom(term.name)).strip('()')}({','.join(map(written_out, term.args))})"
    return show(term).strip("()")


# -- operators ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:-b,c", ":-(a,','(b,c))"),
        ("a,b;c->d", ";(','(a,b),->(c,d))"),
        ("a,b,c", "','(a,','(b,c))"),
        ("a-b-c", "-(-(a,b),c)"),
        ("a-b+c", "+(-(a,b),c)"),
        ("a^b^c", "^(a,^(b,c))"),
        ("2*3+4*5", "+(*(2,3),*(4,5))"),
        ("2*(3+4)", "*(2,+(3,4))"),
        ("X is 7 mod 3 + 1", "is(X,+(mod(7,3),1))"),
        ("a:b:c", ":(a,:(b,c))"),
        ("a=b,c=d", "','(=(a,b),=(c,d))"),
        ("x=y:z", "=(x,:(y,z))"),
        ("p:-q;r", ":-(p,;(q,r))"),
        ("a|b", ";(a,b)"),
        ("a=..b", "=..(a,b)"),
        ("X@<Y", "@<(X,Y)"),
        ("f(a:-b)", "f(:-(a,b))"),
        ("f((a,b))", "f(','(a,b))"),
        ("[a:-b|c]", "'[|]'(:-(a,b),c)"),
        ("{a,b}", "{}(','(a,b))"),
    ],
)
def test_operators_bind_by_priority_and_type(text: str, expected: str) -> None:
    assert written_out(parse_term(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\+a,b", "','(\\+(a),b)"),
        ("\\+a=b", "\\+(=(a,b))"),
        ("\\+(a),b", "','(\\+(a),b)"),
        ("\\+ (a,b)", "\\+(','(a,b))"),
        ("\\+ \\+a", "\\+(\\+(a))"),
        ("not a", "not(a)"),
        ("not a=b", "not(=(a,b))"),
        ("not(a),b", "','(not(a),b)"),
        ("not not a", "not(not(a))"),
        ("a:-not b,c", ":-(a,','(not(b),c))"),
        ("-a", "-(a)"),
        ("- -a", "-(-(a))"),
        ("-a^b", "-(^(a,b))"),
        ("-(a)^b", "^(-(a),b)"),
        ("- (a)*b", "*(-(a),b)"),
        ("dynamic a/1,b/2", "dynamic(','(/(a,1),/(b,2)))"),
    ],
)
def test_prefix_operators(text: str, expected: str) -> None:
    assert written_out(parse_term(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-1", "-1"),
        ("- 1", "-(1)"),
        ("-(1)", "-(1)"),
        ("a-1", "-(a,1)"),
        ("a - 1", "-(a,1)"),
        ("a -1", "-(a,1)"),
        ("a- 1", "-(a,1)"),
        ("a- -1", "-(a,-1)"),
        ("1-1", "-(1,1)"),
        ("X is 3-2", "is(X,-(3,2))"),
        ("[-1]", "'[|]'(-1,[])"),
        ("f(-1,- 1)", "f(-1,-(1))"),
        ("2-(-1)", "-(2,-1)"),
        ("-1+2", "+(-1,2)"),
        ("- 1+2", "+(-(1),2)"),
        ("-1^2", "^(-1,2)"),
        ("+1", "+(1)"),
    ],
)
def test_a_minus_sign_belongs_to_a_number_only_where_an_operand_begins_and_without_a_space(
    text: str, expected: str
) -> None:
    assert written_out(parse_term(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-", "-"),
        ("f(+,-,\\+)", "f(+,-,\\+)"),
        ("[is,mod|=]", "'[|]'(is,'[|]'(mod,=))"),
        ("X = -", "=(X,-)"),
        ("- = X", "=(-,X)"),
        ("\\+ = X", "=(\\+,X)"),
        ("(dynamic)", "dynamic"),
        ("[-]", "'[|]'(-,[])"),
        ("-(a,b)", "-(a,b)"),
        ("=(a,b)", "=(a,b)"),
        ("is(a,b)", "is(a,b)"),
        ("'-'(1)", "-(1)"),
        ("-(-)", "-(-)"),
    ],
)
def test_operators_may_be_names(text: str, expected: str) -> None:
    assert written_out(parse_term(text)) == expected


def test_a_quoted_operator_is_a_name() -> None:
    with pytest.raises(SyntaxProblem, match="expected an operator"):
        parse_term("a '-' b")


def test_tokens_may_stand_close_together() -> None:
    assert parse_term("If\\=[]") == Struct("\\=", (Var("If"), Atom("[]")))
    assert parse_term("anti-pollution") == Struct("-", (Atom("anti"), Atom("pollution")))
    assert parse_term("X=..[f|Xs]").name == "=.."  # type: ignore[union-attr]
    assert parse_term("I\\==[]") == Struct("\\==", (Var("I"), Atom("[]")))


@pytest.mark.parametrize(
    "text", ["a = b = c", "a :- b :- c", "a < b < c", "a ** b ** c", "x = y is z", "(a --> b) --> c --> d"]
)
def test_operators_that_do_not_associate_are_refused(text: str) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        parse_term(text)
    assert next(iter(caught.value.diagnostics)).code == "HF113"


def test_a_list_may_have_a_tail() -> None:
    items, tail = list_items(parse_term("[a, b | T]"))
    assert (items, tail) == ([Atom("a"), Atom("b")], Var("T"))
    assert list_items(parse_term("[a|[b|[]]]")) == ([Atom("a"), Atom("b")], Atom("[]"))


def test_curly_brackets_are_a_structure() -> None:
    assert parse_term("{}") == Atom("{}")
    assert parse_term("{a}") == Struct("{}", (Atom("a"),))


# -- op/3 --------------------------------------------------------------------------------------------------------------


def test_a_directive_adds_an_operator_for_the_following_clauses() -> None:
    clauses = program(":- op(700, xfx, near).\na :- x near y.").clauses
    assert clauses[0].body == Struct("near", (Atom("x"), Atom("y")))
    assert errors("a :- x near y.\n:- op(700, xfx, near).")


def test_a_directive_adds_several_operators_of_any_kind() -> None:
    head = program(":- op(200, fy, [neg, opp]).\n:- op(500, yfx, plus).\na(neg opp x plus y plus z).").clauses[0].head
    assert written_out(head) == "a(plus(plus(neg(opp(x)),y),z))"


def test_priority_zero_takes_an_operator_away() -> None:
    assert errors(":- op(0, xfx, =).\na :- x = y.")


@pytest.mark.parametrize(
    "directive",
    ["op(1300, xfx, a)", "op(x, xfx, a)", "op(700, foo, a)", "op(700, xfx, ',')", "op(700, xfx, 3)", "op(1)"],
)
def test_an_impossible_operator_changes_nothing(directive: str) -> None:
    assert program(f":- {directive}.\nb :- x = y, z.").clauses[0].body == parse_term("x = y, z")


def test_operators_of_one_text_are_not_known_in_another() -> None:
    program(":- op(700, xfx, near).")
    assert errors("a :- x near y.")


@pytest.mark.parametrize(
    "text",
    [
        ":- op(700, xfx, near).\na(x near y).\n",
        ":- op(200, xfx, =).\na(x + y = z).\n",
        ":- op(0, xfx, =).\na('='(x, y)).\n",
        ":- op(800, xfx, +).\na((x = y) + z).\n",
        ":- op(200, fy, neg).\na(neg, neg x).\n",
    ],
)
def test_a_program_with_other_operators_is_printed_with_them(text: str) -> None:
    read = program(text)
    assert program(show_program(read)).items == read.items


# -- clauses -----------------------------------------------------------------------------------------------------------


def test_clauses_and_directives_stand_in_the_order_of_the_text() -> None:
    items = program("a. :- b. c :- d. ").items
    assert items == (Clause(Atom("a")), Directive(Atom("b")), Clause(Atom("c"), Atom("d")))


def test_a_query_is_no_directive() -> None:
    assert program("?- a.").items == (Clause(Struct("?-", (Atom("a"),))),)


def test_a_run_of_facts_is_a_table() -> None:
    (table,) = program("".join(f"speed(v{i}, {i}).\n" for i in range(100))).items
    assert isinstance(table, FactTable)
    assert (table.name, table.arity, len(table)) == ("speed", 2, 100)
    assert table.columns[1][99] == Int(99)


def test_a_run_has_a_table_for_each_predicate_and_ends_where_a_rule_begins() -> None:
    facts = "".join(f"a({i}).\n" for i in range(100))
    items = program(facts + "b(1).\n" + facts + "a(X) :- b(X).\n" + facts).items
    assert [type(item) for item in items] == [FactTable, FactTable, Clause, FactTable]
    assert [len(item) for item in items if isinstance(item, FactTable)] == [200, 1, 100]


def test_a_fact_with_very_many_arguments_does_not_hang() -> None:
    with time_limit(10):
        (fact,) = program("fact(" + ",".join(["a"] * 100_000) + ").\n").items
    assert isinstance(fact, Clause)
    assert isinstance(fact.head, Struct)
    assert fact.head.arity == 100_000


def test_very_many_predicates_of_one_fact_each_are_read() -> None:
    assert len(program("".join(f"p{i}(a, {i}).\n" for i in range(5_000))).items) == 5_000


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("a", "HF110", "clause has no end: expected `.`, found the end of the text"),
        ("a :- b, .", "HF106", "expected a term, found the end of the clause"),
        ("a :- .", "HF106", "expected a term, found the end of the clause"),
        ("a b.", "HF106", "expected an operator or `.`, found `b`"),
        ("a).", "HF106", "expected an operator or `.`, found `)`"),
        ("f(a.", "HF107", "bracket is not closed: expected `)`, found the end of the clause"),
        ("f([a, b).", "HF106", "expected `]` to close the `[` of line 1, or an operator, found `)`"),
        ("f(a", "HF107", "bracket is not closed: expected `)`, found the end of the text"),
        ("[a", "HF107", "bracket is not closed: expected `]`, found the end of the text"),
        ("{a", "HF107", "bracket is not closed: expected `}`, found the end of the text"),
        ("f().", "HF106", "expected a term, found `)`"),
        ("f(,a).", "HF106", "expected a term, found `,`"),
        ("[a|].", "HF106", "expected a term, found `]`"),
        ("[a|b|c].", "HF106", "expected `]` to close the `[` of line 1, or an operator, found `|`"),
        ("X.", "HF108", "expected a name as the head of a clause, found `X`"),
        ("X :- a.", "HF108", "expected a name as the head of a clause, found `X`"),
        ("3.", "HF108", "expected a name as the head of a clause, found `3`"),
        ("[].", "HF108", "expected a name as the head of a clause, found `[]`"),
        ("a --> b.", "HF109", "grammar rules (`-->`) are not part of the language"),
        ("F(a).", "HF106", "expected an operator, found `(`"),
        ("a :- F(b).", "HF106", "expected an operator, found `(`"),
        ("f (a).", "HF106", "expected an operator or `.`, found `(`"),
        (".", "HF106", "expected a term, found the end of the clause"),
    ],
)
def test_every_error_names_the_expected_and_the_found_token(text: str, code: str, message: str) -> None:
    error = only_error(text)
    assert (error.code, error.message) == (code, message)


def test_a_missing_full_stop_is_suspected_where_the_next_clause_begins() -> None:
    error = only_error("a :- b\nc :- d.\n")
    assert error.hint == "is the `.` at the end of the previous clause missing?"
    assert error.span
    assert error.span.line == 2


def test_a_variable_as_a_name_is_explained() -> None:
    assert "a variable cannot be a name" in (only_error("a :- F(b).").hint or "")


def test_all_errors_are_reported_and_the_clauses_around_them_survive() -> None:
    text = "a(1).\nb(.\nc(2).\nd e.\n'f.\ng(3).\nh :- `.\ni(4).\nX.\nj(5).\nk"
    diagnostics = Diagnostics()
    read = parse_program(Source("text", text), diagnostics)
    assert [show(clause.head) for clause in read.clauses] == ["a(1)", "c(2)", "g(3)", "i(4)", "j(5)"]
    assert [(d.code, d.span and d.span.line) for d in diagnostics.in_order()] == [
        ("HF106", 2),
        ("HF106", 4),
        ("HF104", 5),
        ("HF102", 7),
        ("HF108", 9),
        ("HF110", 11),
    ]


def test_an_error_is_shown_with_its_line_and_a_caret() -> None:
    assert only_error("a.\nb :- c d.\n").render() == (
        "error[HF106]: expected an operator or `.`, found `d`\n"
        "  --> text:2:8\n"
        "  |\n"
        "2 | b :- c d.\n"
        "  |        ^\n"
        "hint: is a `,` missing before it?"
    )


def test_an_invalid_term_is_a_problem() -> None:
    for text in ("", "  ", "% only a comment", "a b", "a. b.", "/* open"):
        with pytest.raises(SyntaxProblem):
            parse_term(text)


# -- size --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opened", "closed"), [("(", ")"), ("[", "]"), ("{", "}"), ("f(", ")"), ("[a|", "]"), ("- (", ")"), ("\\+(", ")")]
)
@pytest.mark.parametrize("is_closed", [True, False])
def test_brackets_nested_too_deeply_are_one_error(opened: str, closed: str, is_closed: bool) -> None:
    text = "a(" + opened * 20_000 + "x" + (closed * 20_000 if is_closed else "") + ").\nb.\n"
    error = only_error(text)
    assert error.code == "HF112"
    assert error.hint


def test_brackets_may_be_nested_as_deep_as_people_write() -> None:
    for opened, closed in ("()", "[]", "{}"):
        text = "a(" + opened * 100 + "x" + closed * 100 + ")"
        assert parse_term(show(parse_term(text))) == parse_term(text)


def test_a_long_conjunction_is_read_and_printed() -> None:
    text = "a :- " + ", ".join(f"b{i}" for i in range(20_000)) + "."
    (clause,) = program(text).clauses
    assert clause.body is not None
    assert len(conjuncts(clause.body)) == 20_000
    assert show(clause.body).count(",") == 19_999


def test_a_long_list_is_read_and_printed() -> None:
    (clause,) = program("a([" + ",".join(str(i) for i in range(20_000)) + "]).").clauses
    assert isinstance(clause.head, Struct)
    items, tail = list_items(clause.head.args[0])
    assert (len(items), tail) == (20_000, Atom("[]"))
    assert parse_term(show(clause.head)) == clause.head
    assert hash(parse_term(show(clause.head))) == hash(clause.head)


def printed_without_recursion(term: Term) -> str | None:
    """The printed term; pytest itself would take minutes over the traceback of a `RecursionError`."""
    try:
        return show(term)
    except RecursionError:
        return None


@pytest.mark.parametrize(
    "text",
    [
        "1" + "+2-3" * 3_000,
        "a" + ":b" * 3_000,
        "a" + "=b,c" * 3_000,
        "- " * 3_000 + "a",
        "\\+ " * 3_000 + "a",
        "not " * 3_000 + "a",
        "f(a:-b;c->d,e:=f=g:h+i*j^x)",
        "f(a:-b;c->d,e:=f=g:h+i*j^" * 100 + "x" + ")" * 100,
    ],
    ids=["sums", "colons", "equations", "minus", "negations", "nots", "priorities", "priorities in brackets"],
)
def test_a_long_expression_is_read_and_printed_or_refused(text: str) -> None:
    """Every term that can be parsed can be printed, compared and hashed."""
    try:
        term = parse_term(text)
    except SyntaxProblem as problem:
        codes = [diagnostic.code for diagnostic in problem.diagnostics]
        if codes != ["HF112"]:
            raise
        return
    printed = printed_without_recursion(term)
    assert printed is not None, "printing recurses too deeply"
    assert parse_term(printed) == term
    assert hash(parse_term(text)) == hash(term)
