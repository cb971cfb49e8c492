"""Streams that end with a signal, and query times that depend on the clock of the driver."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.spark.streaming import micro_batches
from holdsfor.spark.streaming.decisions import DecisionLog
from holdsfor.spark.streaming.state_files import StreamFiles
from tests.spark.test_streams import RICH, Collected, read_lines, write_batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_signal_ends_a_stream_after_the_current_micro_batch(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules, checkpoint = tmp_path / "rules.prolog", tmp_path / "checkpoint"
    rules.write_text(RICH, encoding="utf-8")
    folder = write_batches(tmp_path / "records", [[f"win|{at}|{at}|ann"] for at in range(5, 205, 10)])
    arguments = ["spark", "stream", str(rules), "--input", folder, "--window", "20", "--step", "10", "--start", "0"]
    arguments += ["-o", str(tmp_path / "out"), "--checkpoint", str(checkpoint), "--buckets", "1"]
    evaluated = micro_batches.MicroBatches._evaluated

    def interrupted(self: Any, batch: Any, phases: Any, kept: Any) -> Any:
        if phases.batch == 1:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.5)
        return evaluated(self, batch, phases, kept)

    monkeypatch.setattr(micro_batches.MicroBatches, "_evaluated", interrupted)
    assert main([*arguments, "--max-per-batch", "1"]) == 130
    assert [line.partition(":")[0] for line in capsys.readouterr().err.splitlines()] == [
        "micro-batch 0",
        "micro-batch 1",
        "stopped",
    ]
    assert sorted(path.name for path in (checkpoint / "commits").glob("[0-9]*")) == ["0", "1"]
    monkeypatch.undo()
    assert main([*arguments, "--max-per-batch", "50", "--once"]) == 0
    rows = spark.read.parquet(str(tmp_path / "out")).collect()
    assert [(row.query_time, row.fvp, row.start) for row in rows] == [(10, "rich(ann)=true", 6)]
    assert "query time 190" in capsys.readouterr().err.splitlines()[-1]


def test_a_trigger_is_checked_before_spark_starts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["spark", "stream", "rules.prolog", "--input", str(tmp_path), "--window", "20", "-o", "out"]
    assert main([*arguments, "--checkpoint", "state", "--trigger", "5 parsecs"]) == 2
    assert "expected a time such as `10s` or `5 minutes` for `--trigger`, found `5 parsecs`" in capsys.readouterr().err


def test_a_number_of_files_in_a_micro_batch_is_positive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "rules.prolog"
    rules.write_text(RICH, encoding="utf-8")
    arguments = ["spark", "stream", str(rules), "--input", str(tmp_path), "--window", "20", "-o", "out"]
    assert main([*arguments, "--checkpoint", "state", "--max-per-batch", "0"]) == 2
    assert "expected at least 1 file or record in a micro-batch, found 0" in capsys.readouterr().err


class Clock:
    """A wall clock that the test sets."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def until_failed(writer: Any) -> None:
    """Run a query until its function fails."""
    from pyspark.errors import StreamingQueryException

    query = writer.start()
    try:
        with pytest.raises(StreamingQueryException, match="enough"):
            query.awaitTermination(60)
    finally:
        query.stop()


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock(1000.0)
    monkeypatch.setattr("holdsfor.spark.streaming.micro_batches.time.time", clock)
    return clock


@pytest.mark.long
def test_a_repeated_micro_batch_repeats_the_idleness_of_a_source(
    spark: SparkSession, tmp_path: Path, clock: Clock
) -> None:
    one = write_batches(tmp_path / "one", [["win|5|5|ann"]])
    other = write_batches(tmp_path / "other", [["win|7|7|eve"]])
    found = Collected()

    def writer() -> Any:
        inputs = [read_lines(spark, one), read_lines(spark, other)]
        stream = hf.spark.stream(inputs, hf.load_text(RICH), window=20, step=10, start=0, buckets=1, idle="1m")
        return stream.writeStream.foreachBatch(write).option("checkpointLocation", str(tmp_path / "checkpoint"))

    def write(output: Any) -> None:
        found(output)
        if output.decision.is_due:
            raise OSError("enough")
        if len(output.decision.sources) == 2 and clock.now == 1000.0:
            clock.now = 1061.0
            (tmp_path / "one/later.txt").write_text("win|45|45|bob\n", encoding="utf-8")

    until_failed(writer())
    decision = DecisionLog(StreamFiles(f"{tmp_path}/checkpoint/holdsfor")).last()
    assert decision is not None
    assert (decision.idle, decision.last) == (("1",), 40)
    first = found.by_query_time()
    clock.now = 1000.0  # by this clock, no source would be idle
    until_failed(writer())
    assert found.by_query_time() == first
    assert first == {10: {("+", "rich(ann)=true", (6, None)), ("+", "rich(eve)=true", (8, None))}}


def test_by_the_wall_clock_query_times_come_without_records(spark: SparkSession, tmp_path: Path, clock: Clock) -> None:
    folder = write_batches(tmp_path / "records", [["win|985|985|ann"]])
    stream = hf.spark.stream(
        read_lines(spark, folder), hf.load_text(RICH), window=20, step=10, start=980, buckets=1, clock="wall"
    )
    found = Collected()

    def write(output: Any) -> None:
        found(output)
        clock.now += 10
        if output.decision.last == 1020:
            raise OSError("enough")

    until_failed(stream.writeStream.foreachBatch(write).option("checkpointLocation", str(tmp_path / "checkpoint")))
    assert found.by_query_time() == {990: {("+", "rich(ann)=true", (986, None))}}


def test_a_repeated_micro_batch_sets_the_same_records_aside(spark: SparkSession, tmp_path: Path, clock: Clock) -> None:
    """A record is ahead of the clock at which it was first read; the clock of a repetition does not count."""
    lines = [f'{{"name": "win", "start": "1970-01-{day}T00:00:00Z", "arg1": "{who}"}}' for day, who in DAYS]
    folder = write_batches(tmp_path / "records", [lines[:2], lines[2:]])
    outputs: list[dict[str, int]] = []

    def write(output: Any) -> None:
        outputs.append(output.counts | {"last": output.decision.last, "n_problems": output.problems.count()})
        if output.number:
            raise OSError("enough")

    def run() -> dict[str, int]:
        records = spark.readStream.option("maxFilesPerTrigger", 1).schema(SCHEMA).json(folder)
        stream = hf.spark.stream(records, hf.load_text(RICH), window="2d", step="1d", buckets=1)
        location = str(tmp_path / "checkpoint")
        until_failed(stream.writeStream.foreachBatch(write).option("checkpointLocation", location))
        return outputs[-1]

    clock.now = 3 * 86_400.0
    first = run()
    assert first["set aside"] == first["n_problems"] == 1
    assert (first["last"], first.get("late", 0)) == (2 * 86_400, 0)
    clock.now = 300 * 86_400.0
    assert run() == first


SCHEMA = "name string, start timestamp, arg1 string"
DAYS = [("01", "ann"), ("02", "bob"), ("09", "eve"), ("04", "joe")]
