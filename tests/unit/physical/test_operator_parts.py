"""Every operator has all of its parts: one class in one module, listed, bound, run, described, and scalar or not."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import holdsfor.physical.operators as package
from holdsfor.physical.operators import OPERATORS
from holdsfor.physical.operators.operator import Operator

FOLDER = Path(package.__file__).parent
SHARED = {"__init__", "context", "description", "operator", "scalar", "scalar_patterns"}
"""The modules of the package that no operator is in."""

NOT_SCALAR = {"GroundHead", "JoinBrokenValues", "RangeHead", "RangeOver"}
"""The operators without a form for single bindings: a component that needs one is evaluated in turns."""

named = pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.__name__)


def defined_in(operator: type[Operator], part: str) -> type:
    """The class that an operator has a part from."""
    return next(each for each in operator.__mro__ if part in vars(each))


def is_scalar(operator: type[Operator]) -> bool:
    return any(defined_in(operator, part) is not Operator for part in ("scalar", "scalar_test"))


def test_every_module_has_one_operator_and_the_list_has_them_all() -> None:
    modules = {path.stem for path in FOLDER.glob("*.py")} - SHARED
    assert modules == {operator.__module__.rpartition(".")[2] for operator in OPERATORS}
    assert len(OPERATORS) == len(set(OPERATORS)) == len(modules)


def test_no_operator_is_defined_elsewhere() -> None:
    """Every class below `Operator` is listed, or is a base of operators that are."""
    found, waiting = set[type[Operator]](), [Operator]
    while waiting:
        found |= (more := set(waiting.pop().__subclasses__()))
        waiting += more
    bases = {base for operator in OPERATORS for base in operator.__mro__}
    assert {each.__name__ for each in found if each not in bases and each.__module__.startswith("holdsfor.")} == set()
    assert all(inspect.isabstract(each) for each in found - set(OPERATORS) if each in bases)


@named
def test_an_operator_is_named_as_its_module(operator: type[Operator]) -> None:
    words = operator.__module__.rpartition(".")[2].split("_")
    assert operator.__name__ == "".join(word.capitalize() for word in words)


@named
@pytest.mark.parametrize("part", ["bound_after", "run", "describe"])
def test_an_operator_has_every_part(operator: type[Operator], part: str) -> None:
    assert not inspect.isabstract(operator)
    assert defined_in(operator, part) is not Operator
    assert (operator.__doc__ or "").strip()


def test_the_operators_without_a_scalar_form_are_listed() -> None:
    assert {operator.__name__ for operator in OPERATORS if not is_scalar(operator)} == NOT_SCALAR


def test_no_module_tests_for_one_operator_after_another() -> None:
    """A chain of tests for classes of operators is a method of operators that is missing."""
    names = {operator.__name__ for operator in OPERATORS}
    source = FOLDER.parents[1]
    chains = [
        f"{path.relative_to(source)}:{function.name}"
        for path in sorted(source.rglob("*.py"))
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef) and len(classes_tested(function) & names) > 1
    ]
    assert chains == []


def classes_tested(function: ast.FunctionDef) -> set[str]:
    """The names that a function tests for with `isinstance` or matches as classes."""
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            found |= {each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name)}
        elif isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name):
            found.add(node.cls.id)
    return found
