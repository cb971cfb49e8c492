"""Ctrl-C ends a run on Spark with all its processes, and leaves the previous results."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from tests.apps.data import ROOT
from tests.spark.conftest import JAVA_OPTIONS, WITHOUT_COMPILER, why_not
from tests.spark.processes import MARK, marked, wait_for

pytestmark = [
    pytest.mark.in_turn(3),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc"),
]

RULES = """
happensAt(slow(X), T) :- happensAt(seen(X), T), count_down(X, 100000).
count_down(_, 0).
count_down(X, N) :- N > 0, M is N - 1, count_down(X, M).
"""
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.driver.memory": "512m",
    "spark.driver.extraJavaOptions": JAVA_OPTIONS,
    "spark.sql.shuffle.partitions": "1",
}
PATIENCE_SECONDS = 300


def shown_until(terminal: int, pattern: str) -> str:
    """The output of a command on its terminal, up to the first match of a pattern or the end."""
    shown, until = "", time.monotonic() + PATIENCE_SECONDS
    while not re.search(pattern, shown):
        assert time.monotonic() < until, shown
        try:
            shown += os.read(terminal, 1 << 16).decode()
        except OSError:  # the other side is closed
            break
    return shown


@contextmanager
def started(arguments: list[str], folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A command in a process group of its own, and its terminal; in the end, none of its processes is left."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    settings = [f"{name}={value}" for name, value in {**SETTINGS, **WITHOUT_COMPILER}.items()]
    options = ["--master", "local[1]", "--buckets", "1", *(part for each in settings for part in ("--conf", each))]
    mark = uuid4().hex
    own = {"TMPDIR": str(folder), MARK: mark, "PYTHONPATH": str(ROOT / "src"), "SPARK_LOCAL_IP": "127.0.0.1"}
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "holdsfor", *arguments, *options],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        process_group=0,
        env={**os.environ, **own},
    )
    os.close(theirs)
    try:
        yield process, ours
        wait_for(lambda: not marked(mark), seconds=PATIENCE_SECONDS, otherwise=lambda: str(marked(mark)))
    finally:
        os.close(ours)
        for left in marked(mark):
            os.kill(left.pid, signal.SIGKILL)
        process.wait()


def test_ctrl_c_cancels_jobs_and_leaves_no_partial_output(tmp_path: Path) -> None:
    rules, records, place = tmp_path / "rules.prolog", tmp_path / "records.txt", tmp_path / "found"
    rules.write_text(RULES, encoding="utf-8")
    records.write_text("".join(f"seen|{i}|{i}|{i}\n" for i in range(500)), encoding="utf-8")
    (place / "tables").mkdir(parents=True)
    arguments = ["spark", "run", str(rules), "--input", str(records), "-o", str(place), "--overwrite"]
    with started([*arguments, "--start", "0", "--end", "999"], tmp_path) as (process, terminal):
        assert "WARN" not in shown_until(terminal, r"\rwrite slow: stage \d+, \d+ of \d+ tasks, [\d,]+ rows, \d+ s")
        os.killpg(process.pid, signal.SIGINT)
        assert shown_until(terminal, r"(?!)").splitlines()[-1] == "interrupted"
        assert process.wait(PATIENCE_SECONDS) == 130
    assert [path.name for path in place.rglob("*")] == ["tables"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found", "records.txt", "rules.prolog"]


def test_sigterm_to_all_processes_ends_a_stream_after_the_current_micro_batch(tmp_path: Path) -> None:
    """The program `timeout` sends the signal to the group of the command, not only to the command."""
    rules, records = tmp_path / "rules.prolog", tmp_path / "records"
    rules.write_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).", encoding="utf-8")
    records.mkdir()
    (records / "0.txt").write_text("win|2|2|bob\nwin|11|11|eve\n", encoding="utf-8")
    arguments = ["spark", "stream", str(rules), "--input", str(records), "--window", "20", "--step", "10"]
    arguments += ["--start", "0", "-o", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "checkpoint")]
    with started(arguments, tmp_path) as (process, terminal):
        assert "micro-batch 0: query time 10" in shown_until(terminal, "micro-batch 0.*write")
        os.killpg(process.pid, signal.SIGTERM)
        assert "error" not in shown_until(terminal, r"(?!)")
        assert process.wait(PATIENCE_SECONDS) == 130
    assert (tmp_path / "checkpoint/commits/0").exists()
