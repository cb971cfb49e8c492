"""Nothing lost, nothing twice: a stream that is killed at any moment and started again has the output of one engine."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.syntax.time_points import LATEST
from tests.apps.data import ROOT
from tests.properties.streamed import embedded_outcome
from tests.seeds import IS_LONG, ROTATION
from tests.spark.conftest import why_not
from tests.spark.test_streams import write_batches

RULES = """
initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).
terminatedAt(rich(X)=true, T) :- happensAt(lose(X), T).
initiatedAt(envied(Y)=true, T) :- happensAt(meet(X, Y), T), holdsAt(rich(X)=true, T).
terminatedAt(envied(Y)=true, T) :- happensAt(lose(Y), T).
"""
KILLS = 30 if IS_LONG else 1
N_BATCHES = 60 if IS_LONG else 5


def random_batches(chance: random.Random) -> list[list[str]]:
    """Micro-batches of late, repeated and retracted records, in the order of arrival."""
    lines: list[tuple[int, str]] = []
    for _ in range(12 * N_BATCHES):
        start = chance.randint(0, 10 * N_BATCHES)
        arrival = start + chance.choice([0, 0, 1, 8, 19, 40])
        one, other = chance.choices("abcdefg", k=2)
        record = chance.choice(
            [f"win|{{}}|{start}|{one}", f"lose|{{}}|{start}|{one}", f"meet|{{}}|{start}|{one}|{other}"]
        )
        lines.append((arrival, record.format(arrival)))
        if chance.random() < 0.1:
            lines.append((arrival + 5, "-" + record.format(arrival + 5)))
    ordered = [line for _, line in sorted(lines)]
    size = -(-len(ordered) // N_BATCHES)
    return [ordered[i : i + size] for i in range(0, len(ordered), size)]


def test_a_killed_stream_continues_without_loss_or_repetition(tmp_path: Path) -> None:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    seed = ROTATION
    print(f"seed {seed}")
    chance = random.Random(seed)
    batches = random_batches(chance)
    (tmp_path / "rules.prolog").write_text(RULES, encoding="utf-8")
    write_batches(tmp_path / "records", batches)
    n_killed = 0
    while True:
        is_last = n_killed == KILLS
        if run_job(tmp_path, None if is_last else (chance.randint(0, 2), chance.random())):
            break
        n_killed += 1
    assert n_killed
    lines = [line for batch in batches for line in batch]
    last = (max(int(line.split("|")[1]) for line in lines) - 1) // 10 * 10
    expected = embedded_outcome(lines, hf.load_text(RULES), RunSchedule(0, LATEST, 1, 20, 10), last).changes
    rows = pq.read_table(tmp_path / "out").to_pylist()
    found = [(row["query_time"], row["op"], row["fvp"], (row["start"], row["end"])) for row in rows]
    assert len(found) == len(set(found))
    assert set(found) == {(at, *change) for at, changes in expected.items() for change in changes}


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
