"""Every shape of the catalogue of cliffs has an answer, and the shapes use every operator of the engine."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.physical.interval_operators import INTERVAL_OPERATORS
from holdsfor.physical.operators import OPERATORS
from holdsfor.physical.operators.operator import all_operators
from holdsfor.physical.plan import PlannedComponent
from holdsfor.runtime.session import EngineSession

FOLDER = Path(__file__).parents[2] / "benchmarks"
SMALL = {"row": 120, "entity": 3, "rule": 6, "window": 3}


@pytest.fixture
def cliffs(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark, imported as scripts are: from their own folder."""
    monkeypatch.syspath_prepend(str(FOLDER))
    for path in FOLDER.glob("*.py"):
        monkeypatch.delitem(sys.modules, path.stem, raising=False)
    return importlib.import_module("cliffs")


def test_the_catalogue_names_every_shape_once(cliffs: Any) -> None:
    names = [(shape.family, shape.name) for shape in cliffs.CATALOGUE]
    assert len(names) == len(set(names)) >= 60


def test_every_shape_has_an_answer(cliffs: Any) -> None:
    """The applications have tests of their own."""
    shapes = [shape for shape in cliffs.CATALOGUE if not shape.name.startswith("the application")]
    assert [shape.name for shape in shapes if not shape.case(SMALL[shape.dimension]).start()()] == []


def operators(component: PlannedComponent) -> Iterator[object]:
    yield from component.point_operators
    for rule in component.interval_rules:
        yield from all_operators(rule.head.tests)
        for operator in rule.operators:
            yield operator
            yield from (inner for plan in operator.plans for inner in all_operators(plan))


def test_the_shapes_use_every_operator(cliffs: Any) -> None:
    programs = {shape.program(6).rules for shape in cliffs.CATALOGUE if shape.program is not None}
    sessions = (EngineSession(compile_text(rules, "shape"), start=0) for rules in programs)
    components = (component for session in sessions for component in session.rules.program.components)
    used = {type(operator) for component in components for operator in operators(component)}
    every: tuple[type[object], ...] = (*OPERATORS, *INTERVAL_OPERATORS)
    assert [each for each in every if each not in used] == []


def test_growth_is_the_largest_step_of_the_cost_of_a_row(cliffs: Any) -> None:
    shape = cliffs.CATALOGUE[0]
    points = [cliffs.Point(n, n, 0, seconds) for n, seconds in ((10, 1.0), (100, 10.0), (1_000, 500.0))]
    found = cliffs.Measured(shape, tuple(points))
    assert found.growth == 5.0
    assert found.is_cliff
    assert "**cliff**" in cliffs.row_of(found)[-1]
    small = cliffs.measured(shape, [20, 40])
    assert [point.n_rows for point in small.points] == [20, 40]
    assert all(point.n_output > 0 for point in small.points)


def test_measurements_are_kept_for_a_later_run(cliffs: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the same sizes; others are measured."""
    shape = cliffs.CATALOGUE[0]
    points = tuple(cliffs.Point(step * shape.n, 5, 2, 0.5) for step in cliffs.STEPS)
    known = [cliffs.as_json(cliffs.Measured(shape, points))]
    monkeypatch.setattr(cliffs, "measured", lambda shape, sizes: cliffs.Measured(shape, points[:2]))
    (kept,) = cliffs.results_of([shape], 1, known)
    assert kept.points == points
    (again,) = cliffs.results_of([shape], 10, known)
    assert again.points == points[:2]
