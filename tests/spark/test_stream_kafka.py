"""From topic to topic: records in two partitions of a real broker have the changes of one engine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from tests.apps.data import ROOT
from tests.spark import kafka, readme_stream
from tests.spark.conftest import why_not
from tests.spark.test_streams import BATCHES, CHANGES, RICH

pytestmark = pytest.mark.long


def test_a_topic_of_records_becomes_a_topic_of_changes(tmp_path: Path) -> None:
    reason = why_not() or kafka.why_not()
    if reason is not None:
        pytest.skip(reason)
    lines = [line for batch in BATCHES for line in batch]
    # The slowest partition decides which query times are due, so both end with a late arrival.
    records = [*(f"{number % 2} {line}" for number, line in enumerate(lines)), "0 heartbeat|99|99", "1 heartbeat|99|99"]
    (tmp_path / "records.txt").write_text("\n".join(records), encoding="utf-8")
    (tmp_path / "rules.prolog").write_text(RICH, encoding="utf-8")
    with kafka.running(tmp_path) as broker:
        jars = ",".join(map(str, kafka.connector_jars()))
        command = [sys.executable, "-m", "tests.spark.kafka_job", broker, jars]
        command += [str(tmp_path / name) for name in ("rules.prolog", "records.txt", "checkpoint")]
        done = subprocess.run(
            command, env=kafka.job_environment(), cwd=ROOT, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr[-3000:]
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    found = {(row["query_time"], row["op"], row["fvp"], (row["start"], row.get("end"))) for row in rows}
    assert found == {(at, *change) for at, changes in CHANGES.items() for change in changes}
    assert len(rows) == len(found)


def test_the_command_of_the_readme_reads_a_topic(tmp_path: Path) -> None:
    reason = why_not() or kafka.why_not()
    if reason is not None:
        pytest.skip(reason)
    with kafka.running(tmp_path) as broker:
        with kafka.Producer(broker, "trips") as producer:
            producer.write([f"0 {message}" for message in readme_stream.messages()])
        jars = ",".join(map(str, kafka.connector_jars()))
        command = [sys.executable, "-m", "holdsfor", *readme_stream.arguments(f"kafka://{broker}/trips", tmp_path)]
        command += ["--once", "--conf", f"spark.jars={jars}"]
        done = subprocess.run(
            command, env=kafka.job_environment(), cwd=ROOT, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr[-3000:]
    changes = pq.read_table(tmp_path / "changes")
    assert readme_stream.applied(changes) == readme_stream.results_of_the_file()
