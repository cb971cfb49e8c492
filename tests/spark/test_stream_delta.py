"""Tables of Delta Lake: the changes are appended once, and the current view is merged once, also after a crash."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.seeds import IS_LONG, ROTATION
from tests.spark import delta
from tests.spark.random_stream import RULES, changes_of_rows, expected_changes, expected_results, random_batches
from tests.spark.test_streams import write_batches

N_BATCHES = 6


def run_job(folder: Path, kill_after: float | None) -> dict[str, Any] | None:
    """The rows of both tables at the end of the stream; None if its processes were killed before."""
    command = [str(delta.python()), "-m", "tests.spark.delta_job", str(folder / "rules.prolog")]
    command += [str(folder / name) for name in ("records", "checkpoint", "tables")]
    job = subprocess.Popen(command, stdout=subprocess.PIPE, env=delta.job_environment(), process_group=0, text=True)
    try:
        answer = job.communicate(timeout=kill_after)[0]
        assert job.returncode == 0, "the stream failed"
        found: dict[str, Any] = json.loads(answer.splitlines()[-1])
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGKILL)
        job.communicate()
        return None
    return found


def remove_last_commit(checkpoint: Path) -> None:
    """Let Spark repeat the last micro-batch, as after a crash between its output and its commit."""
    last = max(int(path.name) for path in (checkpoint / "commits").iterdir() if path.name.isdigit())
    for name in (str(last), f".{last}.crc"):
        (checkpoint / "commits" / name).unlink(missing_ok=True)


@pytest.mark.skipif(not IS_LONG, reason="Delta Lake needs another version of Spark, which HOLDSFOR_LONG=1 installs")
def test_tables_of_delta_lake_have_each_change_once(tmp_path: Path) -> None:
    reason = delta.why_not()
    if reason is not None:
        pytest.skip(reason)
    print(f"seed {ROTATION}")
    chance = random.Random(ROTATION)
    batches = random_batches(chance, N_BATCHES)
    (tmp_path / "rules.prolog").write_text(RULES, encoding="utf-8")
    write_batches(tmp_path / "records", batches)
    found = None
    for _ in range(3):
        found = found or run_job(tmp_path, 10 + 30 * chance.random())
    found = found or run_job(tmp_path, None)
    assert found is not None
    for _ in range(2):
        assert changes_of_rows(found["changes"]) == expected_changes(batches)
        known = [(row["fvp"], row["start"], row["end"]) for row in found["current"]]
        assert sorted(known, key=str) == expected_results(batches)
        remove_last_commit(tmp_path / "checkpoint")
        found = run_job(tmp_path, None)
        assert found is not None
