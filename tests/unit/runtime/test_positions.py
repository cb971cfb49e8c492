"""Positions, distances and areas in rules: the same on every engine, from every form of areas."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem, ExecutionProblem
from holdsfor.prolog.areas import METRES_PER_DEGREE, haversine
from holdsfor.sources.area_files import read_areas
from tests.unit.runtime.comparison import engine_answer, reference_answer

RULES = """
happensAt(inside(V, A), T) :- happensAt(at(V, La, Lo), T), in_area(La, Lo, A).
happensAt(docked(V), T) :- happensAt(at(V, La, Lo), T), in_area(La, Lo, port).
happensAt(outside(V), T) :- happensAt(at(V, La, Lo), T), \\+ in_area(La, Lo, _).
happensAt(near(V, A), T) :- happensAt(at(V, La, Lo), T), near_area(La, Lo, 30000, A).
happensAt(close(V, A), T) :- happensAt(at(V, La, Lo), T), reach(V, M), near_area(La, Lo, M, A), \\+ in_area(La, Lo, A).
happensAt(away(V, D), T) :- happensAt(at(V, La, Lo), T), distance(La, Lo, 48, -5, M), D is round(M).
initiatedAt(in(V, A)=true, T) :- happensAt(at(V, La, Lo), T), in_area(La, Lo, A).
terminatedAt(in(V, A)=true, T) :- happensAt(at(V, La, Lo), T), holdsAt(in(V, A)=true, T), \\+ in_area(La, Lo, A).
reach(v0, 5000). reach(v1, 50000.5).
"""
AREAS = {
    "port": "POLYGON ((-5 48, -4 48, -4 49, -5 49, -5 48))",
    "bay": "POLYGON ((-4.5 48.5, -3 48.5, -3 50, -4.5 48.5))",
    "buoys": "MULTIPOINT ((-5 48), (-2 49))",
    "hole": "POLYGON ((-8 46, -1 46, -1 51, -8 51, -8 46), (-6 47, -2 47, -2 50, -6 50, -6 47))",
}


def geojson(name: str = "name") -> dict[str, Any]:
    port = {"type": "Polygon", "coordinates": [[[-5, 48], [-4, 48], [-4, 49], [-5, 49], [-5, 48]]]}
    return {
        "type": "FeatureCollection",
        "features": [{"type": "Feature", "properties": {name: "port"}, "geometry": port}],
    }


@pytest.mark.parametrize("seed", range(6))
def test_the_engine_has_the_positions_of_the_reference(seed: int) -> None:
    """On corners and edges, inside and outside, for integers and floats, in one window and in many."""
    pytest.importorskip("shapely")
    pick = random.Random(seed)
    rules = hf.load_text(RULES).with_areas(AREAS)

    def coordinate(low: int, high: int) -> float | int:
        return pick.choice([pick.randint(low, high), pick.uniform(low, high), pick.randint(2 * low, 2 * high) / 2])

    records = [hf.Event("at", f"v{pick.randint(0, 2)}", coordinate(45, 52), coordinate(-9, 0), at=i) for i in range(25)]
    expected = reference_answer(rules, records, 0, 24)
    assert engine_answer(rules, records, start=0, end=24) == expected
    assert engine_answer(rules, records, start=0, end=24, window=5) == expected
    assert {name.split("(")[0] for name in expected} >= {"inside", "outside", "near", "away", "in"}


def test_the_boundary_is_inside_and_metres_are_on_a_sphere() -> None:
    pytest.importorskip("shapely")
    rules = hf.load_text(
        "happensAt(inside(X), T) :- happensAt(at(X, La, Lo), T), in_area(La, Lo, port).\n"
        "happensAt(near(X, M), T) :- happensAt(at(X, La, Lo), T), limit(M), near_area(La, Lo, M, port).\n"
        f"limit({METRES_PER_DEGREE * 1.0001}). limit({METRES_PER_DEGREE * 0.9999})."
    ).with_areas(AREAS)
    found = hf.recognise(rules, [hf.Event("at", "edge", 48, -4.5, at=1), hf.Event("at", "north", 50.0, -4.5, at=2)])
    assert [str(event) for event in found.times if "inside" in str(event)] == [str(hf.term("inside(edge)"))]
    assert sum("near(north" in str(event) for event in found.times) == 1
    assert haversine(0, 0, 0, 180) == pytest.approx(20_015_114.35, abs=1)


def test_areas_have_many_forms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shapely = pytest.importorskip("shapely")
    port = shapely.from_wkt(AREAS["port"])
    (tmp_path / "a.geojson").write_text(json.dumps(geojson()), encoding="utf-8")
    (tmp_path / "b.geojson").write_text(json.dumps(geojson("zone")), encoding="utf-8")
    (tmp_path / "a.csv").write_text(f'name,wkt\nport,"{AREAS["port"]}"\n', encoding="utf-8")
    pq.write_table(pa.table({"name": ["port"], "geometry": [shapely.to_wkb(port)]}), tmp_path / "a.parquet")
    rules = hf.load_text("happensAt(in(V, A), T) :- happensAt(at(V, La, Lo), T), in_area(La, Lo, A).")
    forms: list[Any] = [
        *(str(tmp_path / f"a.{form}") for form in ("geojson", "csv", "parquet")),
        geojson(),
        {"port": port},
    ]
    for data in forms:
        found = hf.recognise(rules.with_areas(data), hf.Event("at", "v", 48.5, -4.5, at=1))
        assert found.happens_at("in(v,port)") == [1]
    (tmp_path / "r.prolog").write_text("happensAt(in(V, A), T) :- happensAt(at(V, La, Lo), T), in_area(La, Lo, A).")
    (tmp_path / "e.txt").write_text("at|1|1|v|48.5|-4.5\n", encoding="utf-8")
    run = ["run", str(tmp_path / "r.prolog"), "--input", str(tmp_path / "e.txt"), "--areas"]
    for jobs in ("1", "2"):
        assert main([*run, f"{tmp_path / 'b.geojson'}: zone", "--jobs", jobs]) == 0
        assert "happensAt(in(v,port), [1])." in capsys.readouterr().out


def test_a_definition_of_the_same_name_comes_first() -> None:
    rules = hf.load_text("happensAt(in(V), T) :- happensAt(at(V, X, Y), T), in_area(X, Y, V).\nin_area(3, 4, v).")
    assert hf.recognise(rules, hf.Event("at", "v", 3, 4, at=1)).happens_at("in(v)") == [1]


@pytest.mark.parametrize(
    ("areas", "message"),
    [(None, "there are no areas"), ({"a": "POLYGON ((0 0"}, "is not a geometry")],
)
def test_wrong_areas_are_an_error_of_the_run(areas: Any, message: str) -> None:
    pytest.importorskip("shapely")
    rules = hf.load_text("happensAt(in(V, A), T) :- happensAt(at(V, La, Lo), T), in_area(La, Lo, A).")
    with pytest.raises(ExecutionProblem, match=message):
        hf.recognise(rules if areas is None else rules.with_areas(areas), hf.Event("at", "v", 3, 4, at=1))


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (geojson("zone"), "name", r"feature 1 of `GeoJSON` has no property `name`[\s\S]*its properties are `zone`"),
        ({"type": "Point"}, "name", "has no features"),
        ({}, "name", "there are no areas"),
        ({"a": 3}, "name", "expected a geometry as the area `a`, found `int`"),
        (3, "name", "found `int`"),
        ("nowhere.geojson", "name", "`nowhere.geojson` not found"),
    ],
)
def test_areas_that_cannot_be_read_are_an_error(data: Any, name: str, message: str) -> None:
    with pytest.raises(DataProblem, match=message):
        read_areas(data, name)
