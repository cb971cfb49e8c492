"""A configuration file sets the options of a run, and so do the parameters in RTEC's file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdsfor.cli.main import main
from holdsfor.views import graphviz
from holdsfor.views.graph import has_graphviz

RULES = """
initiatedAt(on(X)=true, T) :- happensAt(switch_on(X), T).
terminatedAt(on(X)=true, T) :- happensAt(switch_off(X), T).
"""
ANSWER = "% query time 20\nholdsFor(on(l1)=true, [(2,8)]).\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an application; the command runs in another folder."""
    app = tmp_path / "app"
    app.mkdir()
    (app / "rules.prolog").write_text(RULES, encoding="utf-8")
    (app / "lamps.csv").write_text("ts,lamp,state\n1,l1,on\n7,l1,off\n15,l1,x\n", encoding="utf-8")
    (app / "events.csv").write_text("switch_on|1|1|l1\nswitch_off|7|7|l1\n", encoding="utf-8")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return app


def configure(folder: Path, text: str) -> list[str]:
    (folder / "app.toml").write_text(text, encoding="utf-8")
    return ["run", "--config", str(folder / "app.toml")]


OWN = """
rules = "rules.prolog"
input = [
  'lamps.csv: happensAt(switch_on(lamp), ts), state=on',
  'lamps.csv: happensAt(switch_off(lamp), ts), state=off',
]
start = 0
end = "1970-01-01T00:00:20Z"
window = "10s"
final = true
stats = "stats.json"
"""


def test_relative_paths_start_at_the_folder_of_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(configure(folder, OWN)) == 0
    assert capsys.readouterr().out == ANSWER
    assert json.loads((folder / "stats.json").read_text(encoding="utf-8"))["query_times"] == 2


def test_the_command_line_has_precedence_over_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = configure(folder, OWN)
    assert main([*command, "--window", "20", "--no-final", "--format", "jsonl", "--stats", "here.json"]) == 0
    described = {"kind": "fluent", "name": "on", "arguments": ["l1"], "value": "true", "fvp": "on(l1)=true"}
    assert json.loads(capsys.readouterr().out) == {"query_time": 20, **described, "start": 2, "end": 8}
    assert Path("here.json").exists()
    assert not (folder / "stats.json").exists()


def test_an_explicit_default_has_precedence_over_the_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = configure(folder, OWN + "tick = 7\n")
    assert main([*command, "--tick", "1"]) == 0
    assert capsys.readouterr().out == ANSWER


def test_toml_times_and_keys_with_hyphens_are_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = OWN.replace('"1970-01-01T00:00:20Z"', "1970-01-01T00:00:20Z") + 'time-unit = "s"\nset-aside = "odd.jsonl"\n'
    assert main(configure(folder, text)) == 0
    assert capsys.readouterr().out == ANSWER
    assert (folder / "odd.jsonl").read_text(encoding="utf-8") == ""


def test_finer_units_of_time_make_longer_durations(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "lamps.csv").write_text("ts,lamp,state\n1970-01-01T00:00:00.001Z,l1,on\n", encoding="utf-8")
    text = OWN.replace("start = 0", 'start = "1970-01-01"') + 'time_unit = "ms"\ntimes = "integer"\n'
    assert main(configure(folder, text)) == 0
    assert capsys.readouterr().out == "% query time 20000\nholdsFor(on(l1)=true, [(2,inf)]).\n"


# Every parameter of RTEC, in the shape of its defaults.toml.
RTEC = """
[lamps]
event_description = 'rules.prolog'
input_mode = "csv"
input_providers = ['events.csv']
results_directory = "results"
window_size = 10
step = 10
start_time = 0
end_time = 20
clock_tick = 1
goals = []
background_knowledge = []
stream_rate = 1
dependency_graph_flag = false
dependency_graph_directory = 'graphs'
include_input = true

[doors]
event_description = 'doors.prolog'
"""


def test_parameters_of_rtec_set_options(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*configure(folder, RTEC), "--app", "lamps"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "`stream_rate` has no effect" in err
    assert f"wrote {folder / 'results' / 'lamps-intervals.txt'}" in err
    answer = (folder / "results" / "lamps-intervals.txt").read_text(encoding="utf-8")
    assert answer == "% query time 10\nholdsFor(on(l1)=true, [(2,8)]).\n% query time 20\n"
    assert not (folder / "graphs").exists()


def test_the_log_of_rtec_is_written_when_the_command_line_names_the_output(folder: Path) -> None:
    assert main([*configure(folder, RTEC), "--app", "lamps", "-o", "here.txt"]) == 0
    assert Path("here.txt").read_text(encoding="utf-8").startswith("% query time 10\n")
    assert [path.name for path in (folder / "results").iterdir()] == ["lamps-log.jsonl"]


@pytest.mark.skipif(not has_graphviz(), reason="Graphviz is not installed")
def test_the_flag_of_rtec_draws_the_dependency_graph(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = RTEC.replace("dependency_graph_flag = false", "dependency_graph_flag = true")
    assert main([*configure(folder, text), "--app", "lamps"]) == 0
    assert "include_input" not in capsys.readouterr().err
    assert (folder / "graphs" / "lamps.png").read_bytes().startswith(b"\x89PNG")


def test_hf755_a_graph_that_cannot_be_drawn_is_a_warning_and_the_run_continues(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graphviz, "_commands", lambda _: [])
    text = RTEC.replace("dependency_graph_flag = false", "dependency_graph_flag = true")
    assert main([*configure(folder, text), "--app", "lamps"]) == 0
    assert "warning[HF755]: no dependency graph: Graphviz not found" in capsys.readouterr().err
    assert (folder / "results" / "lamps-intervals.txt").exists()
