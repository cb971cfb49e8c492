"""The list of passes: their names, the required ones, and the effect of switching off a lint."""

from __future__ import annotations

import pytest

from holdsfor.analysis.lints import LINTS
from holdsfor.analysis.pipeline import PASSES, analyse, compile_files
from holdsfor.errors import Diagnostics, UsageProblem
from holdsfor.syntax.parser import parse_program
from holdsfor.syntax.source import Source
from tests.apps.runs import RUNS

OPTIONAL = [each.name for each in PASSES if not each.required]
SUSPECT = """
initiatedAt(f(X)=true, T) :- happensAt(e(X, Y), T).
initiatedAt(f(X)=true, T) :- happensAt(e(X, Y), T).
initiatedAt(g(X)=true, T) :- happensAt(d(X), T), holdsAt(h(X)=true, T), missing(X).
"""


def codes(*without: str) -> list[str]:
    """The codes of the warnings about some rules."""
    diagnostics = Diagnostics()
    analyse([parse_program(Source("rules", SUSPECT), diagnostics)], diagnostics, without)
    return sorted(diagnostic.code for diagnostic in diagnostics)


def test_names_are_unique_and_only_lints_can_be_switched_off() -> None:
    assert len({each.name for each in PASSES}) == len(PASSES)
    assert [lint.__name__ for lint in LINTS] == OPTIONAL


def test_a_lint_that_is_switched_off_says_nothing_and_others_say_the_same() -> None:
    every = codes()
    assert set(every) == {"HF301", "HF304", "HF306", "HF308", "HF310"}
    expected = {"unknown_fluents": "HF301", "duplicate_clauses": "HF306", "singletons": "HF308"}
    for name, code in expected.items():
        assert codes(name) == [each for each in every if each != code]
    assert codes(*OPTIONAL) == []


@pytest.mark.parametrize("name", RUNS)
def test_lints_do_not_change_what_rules_mean(name: str) -> None:
    one, other = (compile_files(RUNS[name].files, without=each) for each in ((), OPTIONAL))
    assert [str(part) for part in (one.names, one.graph, one.levels)] == [
        str(part) for part in (other.names, other.graph, other.levels)
    ]
    assert str(one.moments) == str(other.moments)


@pytest.mark.parametrize("name", ["singleton", "check_safety", "fold_facts"])
def test_a_required_pass_cannot_be_switched_off_and_the_error_lists_the_others(name: str) -> None:
    with pytest.raises(UsageProblem) as problem:
        codes(name)
    assert all(f"`{each}`" in problem.value.diagnostics.render() for each in OPTIONAL)
