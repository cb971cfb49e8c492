"""Inputs with descriptions of their columns, from the command line and from a configuration file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main

NEAR = "initiatedAt(seen(V)=true, T) :- happensAt(ping(V), T), holdsAt(near(V, port)=yes, T)."
PINGS, AREAS = "happensAt(ping(v), ts)", "happensAt(position(mmsi:integer, lat:number, lon:number), ts)"
SQUARE = {"type": "Polygon", "coordinates": [[[-5, 48], [-4, 48], [-4, 49], [-5, 49], [-5, 48]]]}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    feature = {"type": "Feature", "properties": {"PID": 7}, "geometry": SQUARE}
    contents = {
        "near.prolog": NEAR,
        "docked.prolog": ("happensAt(docked(V, Zone), T) :- happensAt(position(V, La, Lo), T), in_area(La, Lo, Zone)."),
        "near.csv": "v,place,from,to\nx,port,1,20\n",
        "pings.csv": "v,ts,kind\nx,5,ping\nx,9,ping\n",
        "positions.csv": "mmsi,lat,lon,ts\n1,48.5,-4.5,1\n",
        "areas.geojson": json.dumps({"type": "FeatureCollection", "features": [feature]}),
    }
    for name, text in contents.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


WRONG = ["happensAt(pong(v), ts)", "happens(ping(v), ts)", "happensAt(ping(vv), ts)"]
LIVE = ["--live", "--window", "9", "-o", "out.csv"]
RUNS = [["-o", "out/"], ["-o", "out.csv"], ["--jobs", "2"], ["--engine", "reference"]]


@pytest.mark.parametrize(("options", "wrong"), [*((run, text) for run in RUNS for text in WRONG), (LIVE, WRONG[0])])
def test_nothing_is_written_if_one_of_two_descriptions_is_wrong(
    options: list[str], wrong: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = [f"pings.csv: {PINGS}", f"pings.csv: {wrong}"]
    assert main(["run", "near.prolog", "--input", *inputs, *options]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("error[HF505]")) == ("", 1)
    assert not (folder / "out").exists()
    assert not (folder / "out.csv").exists()


def test_a_fluent_that_an_input_describes_is_not_unknown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    inputs = ["--input", 'near.csv: holdsFor(near(v, place)="yes", [(from, to)])', f"pings.csv: {PINGS}"]
    assert main(["run", "near.prolog", *inputs]) == 0
    out, err = capsys.readouterr()
    assert "seen(x)=true" in out
    assert "HF301" not in err
    assert main(["check", "near.prolog", *inputs]) == 0
    assert "HF301" not in capsys.readouterr().out
    assert main(["check", "near.prolog", "--input", inputs[2]]) == 0
    assert "HF301" in capsys.readouterr().out


def test_a_live_run_takes_one_file_with_several_descriptions(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "near.prolog").write_text("happensAt(both(V), T) :- happensAt(ping(V), T), happensAt(pong(V), T).")
    inputs = ["--input", f"pings.csv: {PINGS}", "pings.csv: happensAt(pong(v), ts)"]
    assert main(["run", "near.prolog", *inputs, "--window", "10"]) == 0
    expected = capsys.readouterr().out
    assert "both(x)" in expected
    assert main(["run", "near.prolog", *inputs, "--window", "10", "--live"]) == 0
    assert capsys.readouterr().out == expected


@pytest.mark.parametrize("output", ["tables/", "tables"])
def test_a_folder_in_a_configuration_file_is_a_folder(output: str, folder: Path) -> None:
    described = f'rules = "docked.prolog"\ninput = "positions.csv: {AREAS}"\nareas = "areas.geojson: PID"\n'
    (folder / "run.toml").write_text(f'{described}output = "{output}"\n')
    assert main(["run", "--config", "run.toml"]) == 0
    assert (folder / "tables").is_dir() == output.endswith("/")


def test_the_property_of_an_area_keeps_its_type_and_the_name_of_its_variable(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = hf.load("docked.prolog").with_areas("areas.geojson: PID")
    result = hf.recognise(rules, f"positions.csv: {AREAS}")
    assert result.columns.events["docked", 2].arguments == (("mmsi", "int64"), ("zone", "int64"))
    assert result.happens_at("docked(1, 7)") == [1]
    by_number: Any = {7.5: SQUARE}
    floats = hf.load("docked.prolog").with_areas(by_number)
    assert hf.recognise(floats, f"positions.csv: {AREAS}").happens_at("docked(1, 7.5)") == [1]
    with pytest.raises(hf.errors.DataProblem, match=r"hint: its properties are `PID`: write `areas.geojson: PID`"):
        hf.load("docked.prolog").with_areas("areas.geojson")
    assert main(["check", "docked.prolog", "--areas", "areas.geojson: PID"]) == 0
    assert capsys.readouterr().out == "no errors, no warnings\n"
    assert main(["check", "docked.prolog", "--areas", "areas.geojson: zone"]) == 2
    assert "HF511" in capsys.readouterr().err
