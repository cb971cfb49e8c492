"""The columnar engine gives the expected answers of every application, in one window and in many."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from holdsfor.cli.main import main

APPS = Path(__file__).parents[2] / "apps"
RUNS = {
    "toy": ["--start", "0", "--end", "30"],
    "ctm": ["--start", "0", "--end", "100"],
    "activity": ["--tick", "40", "--start", "0"],
    "maritime": ["--start", "0"],
}
WINDOWS = {"toy": 7, "ctm": 30, "activity": 800, "maritime": 90_000}


def run(app: str, *options: str) -> list[str]:
    rules = [str(path) for path in sorted((APPS / app).glob("*.prolog")) if "brest" not in path.name]
    arguments = ["run", *rules, "--input", str(APPS / app / "events.txt"), *RUNS[app]]
    return [*arguments, "--engine", "columnar", "--format", "jsonl", *options]


def without_query_time(text: str) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in text.splitlines()]
    return [{name: value for name, value in line.items() if name != "query_time"} for line in lines]


@pytest.mark.parametrize("app", RUNS)
def test_one_query_gives_the_expected_answer(app: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(run(app)) == 0
    assert capsys.readouterr().out == (APPS / app / "expected.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize("app", RUNS)
def test_windows_settle_the_expected_answer(app: str, capsys: pytest.CaptureFixture[str]) -> None:
    window = str(WINDOWS[app])
    assert main(run(app, "--window", window, "--final")) == 0
    expected = without_query_time((APPS / app / "expected.jsonl").read_text(encoding="utf-8"))
    assert without_query_time(capsys.readouterr().out) == expected
