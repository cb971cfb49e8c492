"""Every benchmark can be imported, and the benchmark of recognition measures a small stream."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from holdsfor.runtime import domain_members
from holdsfor.runtime import session as session_module

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
    row = recognition.measured(recognition.Work("small", "ctm", 2, 1_000, 500))
    assert row["records"] > 0
    assert row["ratio_to_reference"] > 0


def test_windows_of_a_stream_do_not_change_the_settled_result() -> None:
    stream = importlib.import_module("streams").generated("ctm", 2, 1_000)
    assert stream.n_intervals(None) == stream.n_intervals(100) > 0
    run = stream.run(500, 100)
    assert run.queries == list(range(100, run.last + 1, 100))


@pytest.mark.parametrize("rules", ["without domain", "dynamic domain"])
def test_new_entities_take_no_more_memory_than_the_window(rules: str, monkeypatch: pytest.MonkeyPatch) -> None:
    new_entities = importlib.import_module("new_entities")
    monkeypatch.setattr(new_entities, "PER_STEP", 50)
    monkeypatch.setattr(session_module, "_ROOM", 100)
    monkeypatch.setattr(domain_members, "_ROOM", 100)
    found = new_entities.measured(100, 10, new_entities.PROGRAMS[rules])
    assert found[-1]["entities"] == 10 * found[0]["entities"]
    assert found[-1]["numbered"] <= 3 * found[0]["numbered"]
    assert found[-1]["members"] <= 1_000
    assert found[-1]["snapshot_bytes"] <= 1.2 * found[0]["snapshot_bytes"]
