"""Every interval operator has all of its parts: one class in one module, listed, run and described."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import holdsfor.physical.interval_operators as package
from holdsfor.physical.interval_operators import INTERVAL_OPERATORS
from holdsfor.physical.interval_operators.operator import IntervalOperator

FOLDER = Path(package.__file__).parent
SHARED = {"__init__", "alignment", "context", "cut_inputs", "enumerate_instances", "head", "interval_terms", "operator"}
"""The modules of the package that no operator is in."""

named = pytest.mark.parametrize("operator", INTERVAL_OPERATORS, ids=lambda operator: operator.__name__)


def test_every_module_has_one_operator_and_the_list_has_them_all() -> None:
    modules = {path.stem for path in FOLDER.glob("*.py")} - SHARED
    assert modules == {operator.__module__.rpartition(".")[2] for operator in INTERVAL_OPERATORS}
    assert {*_concrete(IntervalOperator.__subclasses__())} == {*INTERVAL_OPERATORS}


def _concrete(operators: Iterable[type[IntervalOperator]]) -> Iterator[type[IntervalOperator]]:
    """The classes that are not abstract among some classes of operators and their subclasses."""
    for operator in operators:
        if not inspect.isabstract(operator):
            yield operator
        yield from _concrete(operator.__subclasses__())


@named
def test_an_operator_is_named_as_its_module(operator: type[IntervalOperator]) -> None:
    words = operator.__module__.rpartition(".")[2].split("_")
    assert operator.__name__ == "".join(word.capitalize() for word in words)


@named
@pytest.mark.parametrize("part", ["inputs", "run", "describe"])
def test_an_operator_has_every_part(operator: type[IntervalOperator], part: str) -> None:
    assert not inspect.isabstract(operator)
    assert getattr(operator, part) is not getattr(IntervalOperator, part)
    assert (operator.__doc__ or "").strip()
