"""Parsing and printing are inverse to each other, and every node has its position.

The laws are for bugs of quoting, of brackets around operators, of tokens that run into each other, of the fast path for
facts, and of wrong spans.
"""

from __future__ import annotations

import math
from itertools import groupby
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from holdsfor.errors import Diagnostics
from holdsfor.syntax import facts
from holdsfor.syntax.facts import MINIMAL_RUN
from holdsfor.syntax.parser import parse_program, parse_term
from holdsfor.syntax.printer import show, show_constant, show_program
from holdsfor.syntax.program import Clause, Directive, FactTable, Program
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Atom, Constant, Float, Struct, Term, Var, list_items, name_and_arity
from tests.properties.terms import plain_constants, programs, spelled_out, terms
from tests.seeds import examples

law = settings(max_examples=examples(50))


def read(text: str) -> Program:
    """The program of a text that must be without errors."""
    diagnostics = Diagnostics()
    program = parse_program(Source("printed", text), diagnostics)
    assert not diagnostics.has_errors, diagnostics.render()
    return program


def by_predicate(program: Program) -> list[Clause | Directive]:
    """The clauses, with facts that follow each other sorted by predicate: their order does not matter."""
    found: list[Clause | Directive] = []
    for is_fact, items in groupby(spelled_out(program), lambda item: isinstance(item, Clause) and item.body is None):
        run = list(items)
        found += sorted(run, key=_predicate) if is_fact else run
    return found


def _predicate(item: Clause | Directive) -> tuple[str, int]:
    assert isinstance(item, Clause)
    return name_and_arity(item.head)


@law
@given(terms)
def test_a_printed_term_reads_as_the_same_term(term: Term) -> None:
    assert parse_term(show(term)) == term


@law
@given(terms)
def test_a_printed_term_may_end_with_a_full_stop(term: Term) -> None:
    assert parse_term(show(term) + " .") == term


@law
@given(st.floats())
def test_every_float_reads_back_to_the_bit(value: float) -> None:
    again = parse_term(show(Float(value)))
    assert isinstance(again, Float)
    assert math.isnan(again.value) if math.isnan(value) else again.value.hex() == (value or 0.0).hex()


@law
@given(programs)
def test_a_printed_program_reads_as_the_same_program(program: Program) -> None:
    assert by_predicate(read(show_program(program))) == by_predicate(program)


@law
@given(programs)
def test_printing_is_stable(program: Program) -> None:
    printed = show_program(program)
    assert show_program(read(printed)) == printed


# -- spans -------------------------------------------------------------------------------------------------------------


def nodes(term: Term) -> list[Term]:
    """The term and all terms written inside it; a list is one node with its items."""
    found: list[Term] = []
    stack = [term]
    while stack:
        here = stack.pop()
        found.append(here)
        if isinstance(here, Struct) and here.name == "[|]" and here.arity == 2:
            items, tail = list_items(here)
            stack.extend(items)
            if tail != Atom("[]"):
                stack.append(tail)
        elif isinstance(here, Struct):
            stack.extend(here.args)
    return found


def without_names(term: Term) -> Term:
    """The term with all anonymous variables called the same."""
    if isinstance(term, Struct):
        return Struct(term.name, tuple(without_names(arg) for arg in term.args))
    return Var("_#0") if isinstance(term, Var) and term.is_anonymous else term


@law
@given(terms)
def test_the_span_of_every_node_covers_its_text(term: Term) -> None:
    for node in nodes(parse_term(show(term))):
        assert node.span is not None, node
        assert without_names(parse_term(node.span.text)) == without_names(node)


@law
@given(programs)
def test_the_span_of_every_clause_covers_its_text(program: Program) -> None:
    read_program = read(show_program(program))
    for item in read_program.items:
        assert item.span is not None
        again = spelled_out(read(item.span.text if isinstance(item, FactTable) else item.span.text + " ."))
        if isinstance(item, FactTable):  # a run may have facts of other predicates between those of the table
            again = [clause for clause in again if _predicate(clause) == (item.name, item.arity)]
        assert again == spelled_out(Program(read_program.source, (item,)))


# -- the fast path for facts -------------------------------------------------------------------------------------------


def _facts(rows: list[tuple[Constant, ...]], separator: str) -> str:
    return separator.join(f"fact({', '.join(map(show_constant, row))})." for row in rows) + separator


def read_one_by_one(text: str) -> Program:
    """The program without the fast path."""
    with patch.object(facts, "MINIMAL_RUN", 10**9):
        return read(text)


@law
@given(st.integers(1, 3).flatmap(lambda arity: st.lists(st.tuples(*[plain_constants] * arity), min_size=1, max_size=5)))
def test_a_table_of_facts_is_equal_to_its_facts(some: list[tuple[Constant, ...]]) -> None:
    rows = (some * MINIMAL_RUN)[: MINIMAL_RUN + 1]
    fast = read(_facts(rows, "\n"))
    slow = read_one_by_one(_facts(rows, "  % one fact at a time\n"))
    assert [type(item) for item in fast.items] == [FactTable]
    assert {type(item) for item in slow.items} == {Clause}
    assert spelled_out(fast) == spelled_out(slow)


_spellings = st.sampled_from(
    [
        *(
            "a",
            "aB_1",
            "é",
            "aé",
            "not",
            "is",
            "X",
            "_",
            "'a b'",
            "'it''s'",
            r"'a\n'",
            "'%'",
            "'.'",
            "'a.'",
            "''",
            '"s"',
        ),
        *("0", "-0", "007", "-1", "- 1", "1.5", "-1.50", "1e5", "1.5e5", "1.5E-5", "0x1F", "0'a", "1_000", "1.0Inf"),
        *(
            "f(a)",
            "[]",
            "[a]",
            "{}",
            "a-b",
            "-a",
            "(a)",
            "a:b",
            "٣",
            "²",
            "'\t'",
            "1.5NaN",
            "9" * 301,
            "0.1" + "0" * 400,
        ),
    ]
)


@law
@given(st.lists(_spellings, min_size=1, max_size=4), st.sampled_from(["", " ", "\n", "\t "]))
def test_consecutive_facts_are_read_like_single_facts(spellings: list[str], layout: str) -> None:
    """This includes facts that the fast path must leave to the parser."""
    plain = [f"fact(a{i})." for i in range(MINIMAL_RUN)]
    special = [f"fact({layout}{spelling}{layout}){layout}." for spelling in spellings]
    fast = read("\n".join([*plain, *special, *plain]) + "\n")
    slow = read_one_by_one("  % alone\n".join([*plain, *special, *plain]))
    assert [_shown(clause) for clause in spelled_out(fast)] == [_shown(clause) for clause in spelled_out(slow)]
    assert len(fast.tables) >= 1
    assert not slow.tables


def _shown(item: object) -> str:
    assert isinstance(item, Clause)
    return show(item.head)
