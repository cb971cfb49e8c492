"""Processes of a pool end with their work, with an error, and with the process that has started them."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from holdsfor.errors import DataProblem, Diagnostic, ExecutionProblem
from holdsfor.parallel.processes.job_process import JobProcess
from holdsfor.parallel.processes.pool import Pool


class Desk:
    """An object whose methods a pool calls."""

    def __init__(self, number: int, folder: str) -> None:
        self.number = number

    def pid(self) -> int:
        return os.getpid()

    def product(self, factor: int) -> int:
        return self.number * factor

    def refuse(self) -> None:
        if self.number:
            raise DataProblem(Diagnostic("HF501", "`a.txt` cannot be read", hint="why", file="a.txt"))

    def fall(self) -> None:
        if self.number:
            os.kill(os.getpid(), signal.SIGKILL)

    def stumble(self) -> None:
        if self.number:
            raise ZeroDivisionError

    def sleep(self) -> None:
        if self.number:
            time.sleep(60)


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pool[Desk]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return Pool(2, Desk, lambda: False)


def test_a_process_ends_without_a_word_when_its_calls_end() -> None:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "holdsfor.parallel.processes.worker", str(theirs.fileno())]
    with theirs:
        worker = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    with Connection(ours.detach()) as connection:
        connection.send(("", (JobProcess, 1, "")))
    assert worker.stderr is not None
    assert worker.stderr.read() == ""
    worker.communicate()
    assert worker.returncode == 0


def test_methods_are_called_in_all_processes(pool: Pool[Desk], tmp_path: Path) -> None:
    pool.start()
    pids = pool.call_alike(Desk.pid)
    assert pids[0] == os.getpid() != pids[1]
    assert pool.call(Desk.product, [(5,), (7,)]) == [0, 7]
    pool.end()
    assert list(tmp_path.iterdir()) == []
    assert not Path(f"/proc/{pids[1]}").exists()


def test_errors_of_other_processes_are_raised_here(pool: Pool[Desk], tmp_path: Path) -> None:
    pool.start()
    with pytest.raises(DataProblem) as caught:
        pool.call_alike(Desk.refuse)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.file, diagnostic.hint) == ("HF501", "a.txt", "why")
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        pool.call_alike(Desk.stumble)
    with pytest.raises(ExecutionProblem, match=r"HF622.*ended by signal 9"):
        pool.call_alike(Desk.fall)
    pool.end()
    assert list(tmp_path.iterdir()) == []


def test_a_stopped_run_does_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    pool = Pool(2, Desk, lambda: True)
    pool.start()
    with pytest.raises(KeyboardInterrupt):
        pool.call_alike(Desk.sleep)
    pool.end()
    assert list(tmp_path.iterdir()) == []


PROGRAM = """
from holdsfor.parallel.processes.pool import Pool
from tests.unit.parallel.processes.test_pool import Desk
pool = Pool(2, Desk, lambda: False)
pool.start()
print(pool.call_alike(Desk.pid)[1], flush=True)
pool.call_alike(Desk.sleep)
"""


def test_processes_end_with_a_killed_process(tmp_path: Path) -> None:
    """A script without `if __name__ == "__main__"` starts processes, too."""
    script = tmp_path / "script.py"
    script.write_text(PROGRAM)
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        other = Path(f"/proc/{int(process.stdout.readline())}/cmdline")
        process.kill()
    until = time.monotonic() + 20
    while time.monotonic() < until and (list((tmp_path / "tmp").iterdir()) or _is_running(other)):
        time.sleep(0.05)
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not _is_running(other)


def _is_running(cmdline: Path) -> bool:
    """Whether a process exists and is no zombie, which has no command line."""
    try:
        return bool(cmdline.read_bytes())
    except OSError:
        return False
