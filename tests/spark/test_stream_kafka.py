"""From topic to topic: records in two partitions of a real broker have the changes of one engine."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from tests.apps.data import ROOT
from tests.seeds import ROTATION
from tests.spark import kafka, readme_stream
from tests.spark.conftest import why_not
from tests.spark.random_stream import RULES, STEP, changes_of_rows, expected_changes, random_batches
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


def test_records_that_kafka_deleted_before_they_were_read_stop_the_stream(tmp_path: Path) -> None:
    reason = why_not() or kafka.why_not()
    if reason is not None:
        pytest.skip(reason)
    (tmp_path / "rules.prolog").write_text(RICH, encoding="utf-8")
    lines = [f"0 {line}" for batch in BATCHES for line in batch]
    jars = ",".join(map(str, kafka.connector_jars()))
    command = [sys.executable, "-m", "holdsfor", "spark", "stream", str(tmp_path / "rules.prolog"), "--window", "20"]
    command += ["--step", "10", "--start", "0", "--buckets", "2", "--conf", f"spark.jars={jars}", "--once"]
    command += ["-o", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "checkpoint")]
    with kafka.running(tmp_path) as broker, kafka.Producer(broker.address, "records") as producer:
        command += ["--input", f"kafka://{broker.address}/records"]

        def run() -> subprocess.CompletedProcess[str]:
            return subprocess.run(
                command, env=kafka.job_environment(), cwd=ROOT, capture_output=True, text=True, check=False
            )

        producer.write(lines[:5])
        first = run()
        assert first.returncode == 0, first.stderr[-3000:]
        producer.write(lines[5:])
        producer.delete("records")
        producer.create("records", [[1]])
        producer.write(["0 heartbeat|99|99"])
        stopped = run()
    assert stopped.returncode == 1
    assert stopped.stderr.startswith("error[HF621]: Spark could not finish the run: Some data may have been lost")
    assert "hint: Kafka has deleted records before the stream read them" in stopped.stderr


def arrivals(lines: list[str]) -> list[int]:
    return [int(line.split("|")[1]) for line in lines]


def in_partitions(lines: list[str], n: int, chance: random.Random) -> list[str]:
    """Records in random partitions, with a last record in each, so that no partition is behind the others."""
    last = max(arrivals(lines))
    ends = [f"{partition} heartbeat|{last}|{last}" for partition in range(n)]
    return [*(f"{chance.randrange(n)} {line}" for line in lines), *ends]


def test_brokers_that_restart_leaders_that_move_and_added_partitions_lose_nothing(tmp_path: Path) -> None:
    """Two brokers: one is killed and started again, so that the other leads its partitions; then partitions are added.

    A partition counts as a source from its first record on, so added ones begin with a record that is not late.
    """
    reason = why_not() or kafka.why_not()
    if reason is not None:
        pytest.skip(reason)
    print(f"seed {ROTATION}")
    chance = random.Random(ROTATION)
    batches = random_batches(chance, 12)
    parts = [[line for batch in batches[i : i + 4] for line in batch] for i in (0, 4, 8)]
    (tmp_path / "rules.prolog").write_text(RULES, encoding="utf-8")
    both = [[1, 2], [2, 1]]
    with ExitStack() as running:
        first = running.enter_context(kafka.Broker(tmp_path).running())
        second = running.enter_context(kafka.Broker(tmp_path, joins=first).running())
        producer = running.enter_context(kafka.Producer(first.address, "records"))
        for topic in ("records", "changes"):
            producer.create(topic, both)
        assert producer.leaders("records") == [1, 2]
        producer.write(in_partitions(parts[0], 2, chance))
        stream = running.enter_context(streaming(first.address, tmp_path))
        stream.reaches(parts[0])
        second.kill()
        producer.write(in_partitions(parts[1], 2, chance))
        stream.reaches(parts[1])
        assert producer.leaders("records") == [1, 1]
        second.start()
        producer.extend("records", both)
        reached = max(arrivals(parts[1]))
        producer.write([f"{partition} heartbeat|{reached}|{reached}" for partition in (2, 3)])
        stream.has_sources(4)
        producer.write(in_partitions(parts[2], 4, chance))
        stream.reaches(parts[2])
        messages = kafka.messages(first.address, "changes")
    found = [json.loads(value) for value in dict(messages).values()]
    assert changes_of_rows(found) == expected_changes(batches)
    assert len(messages) == len(found), "no micro-batch was repeated"


class RunningStream:
    """A stream from topic to topic, which prints its progress."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def reaches(self, lines: list[str]) -> None:
        """Wait for the last query time that is due with some records."""
        last = (max(arrivals(lines)) - 1) // STEP * STEP
        while self._progress()["query_time"] != last:
            continue

    def has_sources(self, n: int) -> None:
        while self._progress()["sources"] != n:
            continue

    def _progress(self) -> dict[str, int]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the stream has ended"
        found: dict[str, int] = json.loads(line)
        return found


@contextmanager
def streaming(address: str, folder: Path) -> Iterator[RunningStream]:
    """A stream that is killed at the end of the block."""
    jars = ",".join(map(str, kafka.connector_jars()))
    command = [sys.executable, "-m", "tests.spark.kafka_stream", address, jars]
    command += [str(folder / "rules.prolog"), str(folder / "checkpoint")]
    with (folder / "stream.log").open("wb") as log:
        process = subprocess.Popen(
            command, env=kafka.job_environment(), cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True
        )
    try:
        yield RunningStream(process)
    finally:
        process.kill()
        process.communicate()
