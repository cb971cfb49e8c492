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

import pytest

from tests.apps.data import ROOT
from tests.spark.conftest import JAVA_OPTIONS, WITHOUT_COMPILER, why_not

RULES = """
happensAt(slow(X), T) :- happensAt(seen(X), T), count_down(X, 100000).
count_down(_, 0).
count_down(X, N) :- N > 0, M is N - 1, count_down(X, M).
"""
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


def processes_of(session: int) -> list[str]:
    """The processes of a session: a command and its descendants."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text(encoding="utf-8").rpartition(")")
        except OSError:  # it has ended meanwhile
            continue
        state, _, _, of = rest.split()[:4]
        if int(of) == session and state != "Z":
            found.append(name)
    return found


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
    options = ["--start", "0", "--end", "999", "--master", "local[2]"]
    settings = ["spark.ui.enabled=false", "spark.driver.memory=1g", f"spark.driver.extraJavaOptions={JAVA_OPTIONS}"]
    settings += [f"{name}={value}" for name, value in WITHOUT_COMPILER.items()]
    options += [part for setting in settings for part in ("--conf", setting)]
    process = subprocess.Popen(
        [sys.executable, "-m", "holdsfor", *arguments, *options],
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src"), "SPARK_LOCAL_IP": "127.0.0.1", "TMPDIR": str(tmp_path)},
    )
    os.close(theirs)
    try:
        assert "WARN" not in shown_until(ours, r"\rwrite slow: stage \d+, \d+ of \d+ tasks, [\d,]+ rows, \d+ s")
        os.killpg(process.pid, signal.SIGINT)
        assert shown_until(ours, r"(?!)").splitlines()[-1] == "interrupted"
        assert process.wait(PATIENCE_SECONDS) == 130
        until = time.monotonic() + PATIENCE_SECONDS
        while processes_of(process.pid) and time.monotonic() < until:
            time.sleep(0.2)
        assert processes_of(process.pid) == []
    finally:
        os.close(ours)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert [path.name for path in place.rglob("*")] == ["tables"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found", "records.txt", "rules.prolog"]
