"""The execution log of query times, averages and waits; and the output of goals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from holdsfor.cli.main import main
from tests.unit.cli.processes import rules
from tests.unit.cli.test_rtec_modes import configured

RECORDS = "switch_on|3|3|a\nswitch_off|12|12|a\nswitch_on|12|12|b\n"
FIGURES = [
    {"query_time": 5, "records": 1, "fvps": 1, "intervals": 1, "time_points": 2, "events": 0},
    {"query_time": 10, "records": 0, "fvps": 1, "intervals": 1, "time_points": 5, "events": 0},
    {"query_time": 15, "records": 2, "fvps": 2, "intervals": 2, "time_points": 2, "events": 0},
]


def logged(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def without_seconds(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    assert all(line["seconds"] >= 0 for line in lines)
    return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]


def run(folder: Path, *options: str) -> Path:
    (folder / "records.txt").write_text(RECORDS, encoding="utf-8")
    log = folder / "log.jsonl"
    assert main(["run", rules(folder), "--input", str(folder / "records.txt"), "--log", str(log), *options]) == 0
    return log


@pytest.mark.parametrize("more", [[], ["--live"], ["--replay", "max"]])
def test_every_query_time_is_logged(more: list[str], tmp_path: Path) -> None:
    log = run(tmp_path, "--start", "0", "--window", "5", *more)
    found = without_seconds(logged(log))
    assert [line["query_time"] for line in found] == [5, 10, 15]
    assert [
        {**line, "time_points": 2 if line["query_time"] == 15 else line["time_points"]} for line in found
    ] == FIGURES


def test_averages_are_those_of_the_log(tmp_path: Path) -> None:
    stats = tmp_path / "stats.json"
    log = run(tmp_path, "--start", "0", "--window", "5", "--stats", str(stats))
    averages = json.loads(stats.read_text(encoding="utf-8"))["per_query_time"]
    for name, average in averages.items():
        values = [line[name] for line in logged(log)]
        mean = sum(values) / len(values)
        assert average["mean"] == pytest.approx(mean, abs=1e-5)
        deviation = (sum((value - mean) ** 2 for value in values) / len(values)) ** 0.5
        assert average["standard_deviation"] == pytest.approx(deviation, abs=1e-5)


@pytest.mark.parametrize("engine", ["columnar", "reference"])
def test_a_run_without_windows_logs_one_query_time(engine: str, tmp_path: Path) -> None:
    (line,) = without_seconds(logged(run(tmp_path, "--engine", engine, "--start", "0")))
    assert line == {"query_time": 12, "records": 3, "fvps": 2, "intervals": 2, "time_points": 9, "events": 0}


def test_the_results_directory_of_rtec_gets_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "records").write_text(RECORDS, encoding="utf-8")
    assert main([*configured(tmp_path, 1000), "--replay", "max"]) == 0
    log = tmp_path / "results" / "lamps-log.jsonl"
    assert f"wrote {log}" in capsys.readouterr().err
    assert [line["query_time"] for line in logged(log)] == [10, 20]


def test_goals_print_to_standard_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    goals = ["writeln('hello world')", "format('~w is ~q~n', [a, 'B'])", "(write(1), tab(2), print(f(x)), nl)"]
    goals += ["write(user_error, x), nl(user_error)", "format('~t~w~10||', [x])", "writeq('A b'), nl"]
    run(tmp_path, *(part for goal in goals for part in ("--goal", goal)))
    out, err = capsys.readouterr()
    assert err == "hello world\na is 'B'\n1  f(x)\nx\n~t~w~10|| x\n'A b'\n"
    assert "hello" not in out
