"""The benchmarks start: every module can be imported, and the one of recognition measures a small stream."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
MODULES = sorted(path.stem for path in FOLDER.glob("*.py"))


@pytest.fixture(autouse=True)
def as_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Benchmarks import each other as scripts do: from their own folder."""
    monkeypatch.syspath_prepend(str(FOLDER))
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.parametrize("name", MODULES)
def test_every_benchmark_can_be_imported(name: str) -> None:
    importlib.import_module(name)


def test_recognition_measures_a_small_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    recognition = importlib.import_module("recognition")
    monkeypatch.setattr(recognition, "SLICE", 20)
    monkeypatch.setattr(recognition, "REPETITIONS", 1)
    row = recognition.measured(recognition.Work("small", "ctm", 2, 1_000, 500, 1.0))
    assert row["records"] > 0
    assert row["ratio_to_reference"] > 0


def test_windows_of_a_stream_do_not_change_what_is_settled() -> None:
    stream = importlib.import_module("streams").generated("ctm", 2, 1_000)
    assert stream.n_intervals(None) == stream.n_intervals(100) > 0
    run = stream.run(500, 100)
    assert run.queries == list(range(100, run.last + 1, 100))
