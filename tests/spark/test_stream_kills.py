"""Nothing lost, nothing twice: a stream that is killed at any moment and started again has the output of one engine."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from tests.apps.data import ROOT
from tests.seeds import IS_LONG, ROTATION
from tests.spark.conftest import why_not
from tests.spark.random_stream import RULES, STEP, WINDOW, changes_of_rows, expected_changes, random_batches
from tests.spark.test_streams import read_lines, write_batches
from tests.spark.victims import bucket_processes, killed, python_workers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KILLS = int(os.environ.get("HOLDSFOR_KILLS", "30" if IS_LONG else "1"))
N_BATCHES = 2 * KILLS if KILLS > 1 else 5


def test_a_killed_stream_continues_without_loss_or_repetition(tmp_path: Path) -> None:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    seed = ROTATION
    print(f"seed {seed}")
    chance = random.Random(seed)
    batches = random_batches(chance, N_BATCHES)
    (tmp_path / "rules.prolog").write_text(RULES, encoding="utf-8")
    write_batches(tmp_path / "records", batches)
    n_killed = 0
    while True:
        is_last = n_killed == KILLS
        if run_job(tmp_path, None if is_last else (chance.randint(0, 2), chance.random())):
            break
        n_killed += 1
    assert n_killed
    rows = pq.read_table(tmp_path / "out").to_pylist()
    assert changes_of_rows(rows) == expected_changes(batches)


def test_killed_workers_and_bucket_processes_do_not_change_the_output(spark: SparkSession, tmp_path: Path) -> None:
    """Spark does not repeat the tasks of a local session: the query fails with its worker, and is started again."""
    from pyspark.errors import StreamingQueryException

    print(f"seed {ROTATION}")
    chance = random.Random(ROTATION)
    batches = random_batches(chance, N_BATCHES)
    folder = write_batches(tmp_path / "records", batches)
    stream = hf.spark.stream(
        read_lines(spark, folder), hf.load_text(RULES), window=WINDOW, step=STEP, start=0, buckets=2
    )
    writer = stream.changes.writeStream.format("parquet").option("checkpointLocation", str(tmp_path / "checkpoint"))
    context: Any = spark.sparkContext
    jvm = [context._gateway.proc.pid]
    kinds = [lambda: python_workers(jvm), lambda: bucket_processes(jvm)]
    chance.shuffle(kinds)
    left = [kinds[number % 2] for number in range(max(2, KILLS))]
    while True:
        query = writer.trigger(availableNow=True).start(str(tmp_path / "out"))
        try:
            while left and not query.awaitTermination(chance.random() / 2):
                if killed(left[-1](), chance):
                    left.pop()
            query.awaitTermination()
        except StreamingQueryException:
            continue
        break
    assert not left, "the stream has ended before the last kill"
    rows = pq.read_table(tmp_path / "out").to_pylist()
    assert changes_of_rows(rows) == expected_changes(batches)


def run_job(folder: Path, kill: tuple[int, float] | None) -> bool:
    """Run the stream to its end, or kill its processes some seconds after some micro-batches; whether it ended."""
    command = [sys.executable, "-m", "tests.spark.streamed_job", str(folder / "rules.prolog")]
    command += [str(folder / name) for name in ("records", "checkpoint", "out")]
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    job = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=ROOT, process_group=0
    )
    assert job.stdout is not None
    try:
        if kill is None:
            assert job.wait() == 0
            return True
        n_batches, seconds = kill
        for _ in range(n_batches):
            job.stdout.readline()
        time.sleep(seconds)
        assert job.poll() in (None, 0), "the stream failed"
        return job.poll() == 0
    finally:
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
        job.stdout.close()
        job.wait()
