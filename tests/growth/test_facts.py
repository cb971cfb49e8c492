"""The layout of facts does not matter: facts of several predicates on a line and comments take the fast path too."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from holdsfor.errors import Diagnostics
from holdsfor.syntax import facts, parser
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.program import Program
from holdsfor.syntax.source import Source
from holdsfor.syntax.terms import Atom, Constant, Struct
from holdsfor.syntax.tokens import tokens_of_clause

LAYOUTS = {
    "one a line": "ves({0}, a{1}).\nown('O {1}').\n",
    "two on a line": "ves({0},a{1}). own( 'O {1}' ).\n",
    "comments": 'ves({0}, a{1}). % the p. of it\n/* and\n the q. */ own("O {1}").% end\n',
    "spread": "ves( {0}\n , a{1} )\n. own('O {1}') .\n\n",
}


def written(layout: str, n: int) -> str:
    return "".join(LAYOUTS[layout].format(i, i % 7) for i in range(n))


def parsed(text: str) -> tuple[Program, int]:
    """The program, and the number of clauses that the ordinary parser reads."""
    read = 0

    def counting(source: Source, at: int) -> object:
        nonlocal read
        read += 1
        return tokens_of_clause(source, at)

    with patch.object(parser, "tokens_of_clause", counting):
        diagnostics = Diagnostics()
        program = parse_program(Source("facts", text), diagnostics)
    assert len(diagnostics) == 0
    return program, read


def rows(program: Program) -> dict[str, list[tuple[Constant, ...]]]:
    """The facts of every predicate, in order."""
    found: dict[str, list[tuple[Constant, ...]]] = {}
    for table in program.tables:
        found.setdefault(table.name, []).extend(zip(*table.columns, strict=True))
    for clause in program.clauses:
        assert isinstance(clause.head, Struct)
        found.setdefault(clause.head.name, []).append(clause.head.args)  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_takes_the_fast_path_and_has_the_same_facts(layout: str) -> None:
    text = written(layout, 200)
    fast, read = parsed(text)
    assert read <= 2
    with patch.object(facts, "MINIMAL_RUN", 10**9):
        slow, n_clauses = parsed(text)
    assert n_clauses == 400
    assert rows(fast) == rows(slow)
    assert rows(fast)["own"][1] == (Atom("O 1"),)


def test_rules_and_declarations_between_facts_are_read_by_the_ordinary_parser() -> None:
    text = written("two on a line", 40) + "initially(f(a)=true).\ngrounding(e(a)).\nr(X) :- ves(X, _).\n"
    program, read = parsed(text + written("two on a line", 40))
    assert read == 3
    assert [len(table) for table in program.tables] == [40, 40, 40, 40]


def test_short_runs_are_matched_once() -> None:
    """A file of rules with few facts between them: no text is matched again for every fact of a short run."""
    text = ("ves(1, a). " * 60 + "r(X) :- ves(X, _).\n") * 20
    matched, run = 0, facts._RUN

    class Counting:
        def match(self, text: str, at: int) -> object:
            nonlocal matched
            found = run.match(text, at)
            matched += 0 if found is None else found.end() - at
            return found

    with patch.object(facts, "_RUN", Counting()):
        parsed(text)
    assert matched <= len(text)
