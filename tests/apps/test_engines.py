"""Both engines give the expected answers of every application, the columnar one in one window and in many."""

from __future__ import annotations

import pytest

from holdsfor.cli.main import main
from holdsfor.runtime import windows
from tests.apps.runs import RUNS


@pytest.mark.parametrize("name", RUNS)
def test_the_rules_have_no_warnings(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *RUNS[name].files]) == 0
    assert capsys.readouterr().out == "no errors, no warnings\n"


@pytest.mark.parametrize("name", RUNS)
def test_the_reference_gives_the_expected_answer(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RUNS[name].arguments, "--engine", "reference", "--format", "jsonl"]) == 0
    printed = capsys.readouterr()
    assert printed.out == RUNS[name].expected
    assert [line for line in printed.err.splitlines() if "pending at the end" not in line] == []


@pytest.mark.parametrize("name", RUNS)
def test_one_query_gives_the_expected_answer(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RUNS[name].arguments, "--engine", "columnar", "--format", "jsonl"]) == 0
    assert capsys.readouterr().out == RUNS[name].expected


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("n_records", [1, 1_000_000], ids=["short", "long"])
def test_windows_settle_the_expected_answer(
    name: str, n_records: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "_WORTH_A_WINDOW", n_records)
    options = ["--engine", "columnar", "--format", "jsonl", "--window", str(RUNS[name].window), "--final"]
    assert main([*RUNS[name].arguments, *options]) == 0
    assert capsys.readouterr().out == RUNS[name].expected
