"""A test leaves no processes behind, not even orphans that ignore signals."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.spark.processes import Programs, wait_for

STUBBORN = "import os, signal, time; os.setpgid(0, 0); signal.signal(15, signal.SIG_IGN); print('up', flush=True)"
ORPHAN = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {STUBBORN + '; time.sleep(600)'!r}])"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_orphans_in_other_process_groups_that_ignore_signals_are_ended(tmp_path: Path) -> None:
    with Programs(tmp_path, os.environ) as programs:
        starter = programs.start("starter", [sys.executable, "-c", ORPHAN])
        assert starter.exit_code() == 0
        wait_for(lambda: "up" in starter.said, seconds=300, otherwise=lambda: starter.said)
        (orphan,) = programs.members()
        assert os.getpgid(orphan.pid) == orphan.pid
        sleeper = programs.start("sleeper", [sys.executable, "-c", "import time; time.sleep(600)"])
        programs.end(patience=0.2)
        assert not programs.members()
        assert sleeper.leader.returncode == -signal.SIGTERM
