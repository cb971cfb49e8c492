"""From topic to topic: records in two partitions of a real broker have the changes of one engine."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
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
        command = [sys.executable, "-m", "tests.spark.kafka_job", broker.address, jars]
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
        with kafka.Producer(broker.address, "trips") as producer:
            producer.write([f"0 {message}" for message in readme_stream.messages()])
        jars = ",".join(map(str, kafka.connector_jars()))
        command = [
            sys.executable,
            "-m",
            "holdsfor",
            *readme_stream.arguments(f"kafka://{broker.address}/trips", tmp_path),
        ]
        command += ["--once", "--conf", f"spark.jars={jars}"]
        done = subprocess.run(
            command, env=kafka.job_environment(), cwd=ROOT, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr[-3000:]
    changes = pq.read_table(tmp_path / "changes")
    assert readme_stream.applied(changes) == readme_stream.results_of_the_file()


def test_a_stream_continues_after_its_broker_was_down(tmp_path: Path) -> None:
    """The broker is killed between two halves of the records, for longer than a trigger, while the stream runs."""
    reason = why_not() or kafka.why_not()
    if reason is not None:
        pytest.skip(reason)
    (tmp_path / "rules.prolog").write_text(RICH, encoding="utf-8")
    lines = [line for batch in BATCHES for line in batch]
    records = [*(f"{number % 2} {line}" for number, line in enumerate(lines)), "0 heartbeat|99|99", "1 heartbeat|99|99"]
    jars = ",".join(map(str, kafka.connector_jars()))
    command = [sys.executable, "-m", "holdsfor", "spark", "stream", str(tmp_path / "rules.prolog"), "--window", "20"]
    command += ["--step", "10", "--start", "0", "--buckets", "2", "--conf", f"spark.jars={jars}"]
    command += ["-o", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "checkpoint"), "--progress", "json"]
    with kafka.running(tmp_path) as broker:
        with kafka.Producer(broker.address, "records") as producer:
            producer.write(records[:5])
        command += ["--input", f"kafka://{broker.address}/records"]
        stream = subprocess.Popen(command, env=kafka.job_environment(), cwd=ROOT, stderr=subprocess.PIPE, text=True)
        try:
            assert stream.stderr is not None
            assert json.loads(stream.stderr.readline())["read"] == 5
            broker.kill()
            time.sleep(10)
            assert stream.poll() is None, "the stream waits for its broker"
            broker.start()
            with kafka.Producer(broker.address, "records") as producer:
                producer.write(records[5:])
            reached = None
            while reached != 90:
                reached = json.loads(stream.stderr.readline())["query_time"]
            stream.send_signal(signal.SIGTERM)
            assert stream.wait(60) == 130
        finally:
            stream.kill()
            stream.communicate()
    rows = pq.read_table(tmp_path / "out").to_pylist()
    found = [(row["query_time"], row["op"], row["fvp"], (row["start"], row["end"])) for row in rows]
    expected = [(at, *change) for at, changes in CHANGES.items() for change in changes]
    assert sorted(found, key=str) == sorted(expected, key=str)
