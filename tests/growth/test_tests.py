"""Arithmetic and comparisons of terms are evaluated in columns: no goal is proved, however many rows there are."""

from __future__ import annotations

import pytest

import holdsfor as hf
from holdsfor.prolog.functions import FUNCTIONS
from tests.growth.test_joins import LINEAR
from tests.growth.work import counted, growth


def measurements(n: int) -> list[str]:
    """Integers and floats in one column."""
    return [f"m|{t}|{t}|v{t % 7}|{t % 13 + 1 if t % 3 else t / 8}" for t in range(1, n + 1)]


def proved(rules: str, records: list[str]) -> int:
    """The number of goals that the background engine proves."""
    with counted() as work:
        hf.recognise(hf.load_text(rules), records)
    return work.goals


_INTEGERS = {"//", "rem", "mod", "div", ">>", "<<", "/\\", "\\/", "xor", "gcd", "\\", "succ"}


@pytest.mark.parametrize(("name", "arity"), sorted(FUNCTIONS))
def test_every_function_is_evaluated_in_columns(name: str, arity: int) -> None:
    number = "truncate(X) + 2" if name in _INTEGERS else "1 / (X + 2)"
    call = f"'{name}'({', '.join([number] * arity)})".replace("\\", "\\\\")
    rules = f"happensAt(out(V,Y), T) :- happensAt(m(V,X), T), Y is {call}."
    assert proved(rules, measurements(30)) == 0


@pytest.mark.parametrize("comparison", ["V @< W", "V @>= W", "V == W", "V \\== W", "V \\= W", "f(V) @< f(W)"])
def test_terms_are_compared_in_columns(comparison: str) -> None:
    rules = f"happensAt(pair(V,W), T) :- happensAt(m(V,_), T), happensAt(m(W,_), T), {comparison}."
    assert proved(rules, measurements(30)) == 0


def test_a_comparison_of_terms_comes_before_a_product() -> None:
    rules = """
happensAt(three(V,W,X), T) :- happensAt(m(V,_), T), happensAt(m(W,_), T), happensAt(n(X), T), V @< W.
"""

    def records(n: int) -> list[str]:
        return [*measurements(n), *(f"n|{t}|{t}|x{i}" for t in range(1, n + 1) for i in range(9))]

    with counted() as work:
        hf.recognise(hf.load_text(rules), records(40))
    assert work.rows < 3 * 40
    assert growth(rules, records, 20) < LINEAR
