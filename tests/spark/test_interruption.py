"""Ctrl-C ends a run on Spark with all its processes, and leaves the previous results."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from uuid import uuid4

import pytest

from tests.apps.data import ROOT
from tests.spark.conftest import JAVA_OPTIONS, WITHOUT_COMPILER, why_not
from tests.spark.processes import MARK, marked, wait_for

pytestmark = pytest.mark.in_turn(2)

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


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_ctrl_c_cancels_jobs_and_leaves_no_partial_output(tmp_path: Path) -> None:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    rules, records, place = tmp_path / "rules.prolog", tmp_path / "records.txt", tmp_path / "found"
    rules.write_text(RULES, encoding="utf-8")
    records.write_text("".join(f"seen|{i}|{i}|{i}\n" for i in range(500)), encoding="utf-8")
    (place / "tables").mkdir(parents=True)
    ours, theirs = pty.openpty()
    arguments = ["spark", "run", str(rules), "--input", str(records), "-o", str(place), "--overwrite"]
    options = ["--start", "0", "--end", "999", "--master", "local[1]", "--buckets", "1"]
    settings = [f"{name}={value}" for name, value in {**SETTINGS, **WITHOUT_COMPILER}.items()]
    options += [part for setting in settings for part in ("--conf", setting)]
    mark = uuid4().hex
    own = {"TMPDIR": str(tmp_path), MARK: mark}
    process = subprocess.Popen(
        [sys.executable, "-m", "holdsfor", *arguments, *options],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        process_group=0,
        env={**os.environ, **own, "PYTHONPATH": str(ROOT / "src"), "SPARK_LOCAL_IP": "127.0.0.1"},
    )
    os.close(theirs)
    try:
        assert "WARN" not in shown_until(ours, r"\rwrite slow: stage \d+, \d+ of \d+ tasks, [\d,]+ rows, \d+ s")
        os.killpg(process.pid, signal.SIGINT)
        assert shown_until(ours, r"(?!)").splitlines()[-1] == "interrupted"
        assert process.wait(PATIENCE_SECONDS) == 130
        wait_for(lambda: not marked(mark), seconds=PATIENCE_SECONDS, otherwise=lambda: str(marked(mark)))
    finally:
        os.close(ours)
        for left in marked(mark):
            os.kill(left.pid, signal.SIGKILL)
        process.wait()
    assert [path.name for path in place.rglob("*")] == ["tables"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found", "records.txt", "rules.prolog"]
