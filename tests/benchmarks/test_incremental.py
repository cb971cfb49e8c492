"""The benchmark of late records: its streams are whole, and both evaluations get the same records."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

from holdsfor.generators import Corrections, Lateness, model_of, pieces

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The benchmark, imported as scripts are: from their own folder."""
    monkeypatch.syspath_prepend(str(FOLDER))
    for path in FOLDER.glob("*.py"):
        monkeypatch.delitem(sys.modules, path.stem, raising=False)
    return importlib.import_module("incremental")


def test_every_record_is_in_the_batch_of_the_first_query_time_after_its_arrival(benchmark: Any) -> None:
    late = Lateness(0.3, "gamma", (2, 2000))
    model, queries = model_of("fleet", entities=20, seed=1), [7200, 10_800, 14_400]
    found = list(benchmark.batches(model, queries, late, Corrections(0.1, late)))
    assert [at for at, _ in found] == queries
    before = -1
    n_records = 0
    for at, content in found:
        arrivals = [int(line.split(b"|")[1]) for line in content.splitlines()]
        assert all(before < arrival <= at for arrival in arrivals)
        before, n_records = at, n_records + len(arrivals)
    stream = pieces(model, queries[-1] + 1, 1, late, corrections=Corrections(0.1, late))
    assert n_records == sum(int((piece.arrival <= queries[-1]).sum()) for piece in stream)


def test_two_evaluations_from_scratch_have_the_same_results(benchmark: Any) -> None:
    app = benchmark.OTHERS[-1]
    window = benchmark.window_of(app, 20, 4)
    size = benchmark.Size(records=400, incremental="off")
    pairs = benchmark.measured(app, size, window, benchmark.lateness(0.2, window.length / 2))
    row = pairs.row()
    assert row["pairs"] == 9
    assert row["late"] > 0
    assert 0.2 < row["gain"] < 5
    assert 200 < row["records"] < 800


def test_a_burst_is_of_one_entity_or_of_each(benchmark: Any) -> None:
    model, window = model_of("maritime", entities=6, seed=1), benchmark.Window(1000, 100)
    for is_of_one, n_entities in ((True, 1), (False, 6)):
        lines = benchmark.burst(model, 60, window, 5000, is_of_one=is_of_one).decode().splitlines()
        assert len(lines) == 60
        assert len({line.split("|")[3] for line in lines}) == n_entities
        assert all(4000 < int(line.split("|")[2]) <= 4900 for line in lines)
