"""The metrics of a stream: what Prometheus reads, and that the dashboard reads these metrics only."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from dataclasses import replace
from pathlib import Path

import pytest

from holdsfor.errors import HoldsforError
from holdsfor.spark.streaming.batch_progress import BatchProgress
from holdsfor.spark.streaming.decisions import Decision
from holdsfor.spark.streaming.metrics import MetricsServer
from holdsfor.spark.streaming.stage_costs import StageCost
from holdsfor.spark.streaming.state_files import StreamFiles
from tests.apps.data import ROOT

HOSTILE = 'a"b\\c\nholdsfor_lag 7'
_SAMPLE = re.compile(r'(\w+)(?:\{(\w+)="((?:[^"\\\n]|\\.)*)"\})? (\S+)')


def read_metrics(url: str) -> dict[tuple[str, str | None], float]:
    """The samples by name and value of the label, read as Prometheus reads them."""
    with urllib.request.urlopen(url, timeout=10) as answer:
        lines = answer.read().decode().splitlines()
    found = {}
    for line in lines:
        if line.startswith("# "):
            continue
        match = _SAMPLE.fullmatch(line)
        assert match, line
        name, _, text, value = match.groups()
        label = text and re.sub(r"\\(.)", lambda escape: {"n": "\n"}.get(escape[1], escape[1]), text)
        assert (name, label) not in found
        found[name, label] = float(value)
    return found


def progress(folder: Path, batch: int, seconds: float) -> BatchProgress:
    sources = {"0/north": 45, HOSTILE: 41}
    decision = Decision(batch, 0, 30, 40, sources, {}, ("0/north",))
    counts = {"read": 100, "late": 3, "set aside": 1, "changes": 7, "settled": 2}
    stages = {1: StageCost(0.75, 40 + batch), 2: StageCost(0.25, 2)}
    phases = {"read": 0.2, "evaluate": 0.5}
    return BatchProgress(decision, counts, seconds, phases, StreamFiles(str(folder)), stages=stages)


def test_metrics_have_sums_and_last_values(tmp_path: Path) -> None:
    (tmp_path / "state/1/0").mkdir(parents=True)
    (tmp_path / "state/1/0/1.state").write_bytes(b"12345")
    with MetricsServer(0) as server:
        assert read_metrics(server.url)["holdsfor_batch_seconds_count", None] == 0
        server(progress(tmp_path, 0, 0.4))
        server(progress(tmp_path, 1, 2.0))
        found = read_metrics(server.url)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{server.url}/other", timeout=10)
    assert found["holdsfor_records_total", "read"] == 200
    assert found["holdsfor_records_total", "set aside"] == 2
    assert ("holdsfor_records_total", "changes") not in found
    assert (found["holdsfor_changes_total", None], found["holdsfor_settled_total", None]) == (14, 4)
    assert found["holdsfor_phase_seconds_total", "evaluate"] == 1.0
    assert [found["holdsfor_batch_seconds_bucket", le] for le in ("0.25", "0.5", "1.5", "2.5", "+Inf")] == [
        0,
        1,
        1,
        2,
        2,
    ]
    assert (found["holdsfor_batch", None], found["holdsfor_query_time", None], found["holdsfor_lag", None]) == (
        1,
        40,
        1,
    )
    assert found["holdsfor_state_bytes", None] == 5
    assert (found["holdsfor_state_rows", "1"], found["holdsfor_stage_seconds_total", "1"]) == (41, 1.5)
    assert found["holdsfor_source_arrival", HOSTILE] == 41
    assert (found["holdsfor_source_idle", "0/north"], found["holdsfor_source_idle", HOSTILE]) == (1, 0)


def test_a_port_that_is_in_use_is_refused() -> None:
    with MetricsServer(0) as server, pytest.raises(HoldsforError, match=r"HF796.*the port \d+ cannot be used"):
        MetricsServer(int(server.url.rpartition(":")[2].partition("/")[0]))
    with pytest.raises(HoldsforError, match="HF796"):
        MetricsServer(123456)


def test_the_dashboard_reads_metrics_that_are_served(tmp_path: Path) -> None:
    board = json.loads((ROOT / "docs/grafana/stream.json").read_text(encoding="utf-8"))
    used = set(re.findall(r"holdsfor_\w+", json.dumps([panel["targets"] for panel in board["panels"]])))
    with MetricsServer(0) as server:
        server(progress(tmp_path, 0, 0.4))
        served = {name for name, _ in read_metrics(server.url)}
    assert used <= served
    assert served - used <= {"holdsfor_batch", "holdsfor_batch_seconds_sum", "holdsfor_batch_seconds_count"}


def test_progress_is_a_line_of_json_or_text(tmp_path: Path) -> None:
    shown = progress(tmp_path, 3, 2.0)
    content = json.loads(shown.as_json())
    assert (content["batch"], content["query_time"], content["arrival"], content["lag"]) == (3, 40, 41, 1)
    assert (content["read"], content["records_per_second"], content["state_bytes"]) == (100, 50, 0)
    assert (content["read_seconds"], content["idle"]) == (0.2, ["0/north"])
    assert (content["state_rows"], content["stage_1_seconds"], content["stage_2_seconds"]) == (45, 0.75, 0.25)
    assert shown.as_text() == (
        "micro-batch 3: query time 40, 1 behind the records, 100 records read, 50/s, 3 late, 1 set aside, 7 changes, "
        "2 settled, state 45 rows, 0 bytes, read 0.2 s, evaluate 0.5 s, stage 1 0.8 s, stage 2 0.2 s"
    )
    waiting = replace(shown, stages={})
    assert waiting.as_text().endswith("2 settled, state 0 bytes, read 0.2 s, evaluate 0.5 s")
    assert "state_rows" not in json.loads(waiting.as_json())
