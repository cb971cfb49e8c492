"""Processes of a pool end with their work, with an error, and with the process that has started them."""

from __future__ import annotations

import gc
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
from holdsfor.parallel.processes import pool as pools
from holdsfor.parallel.processes.job_process import JobProcess
from holdsfor.parallel.processes.pool import Pool

pytestmark = pytest.mark.in_turn(2)


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

    def collect(self) -> None:
        if self.number:
            gc.collect()

    def sleep(self) -> None:
        if self.number:
            time.sleep(60)


@pytest.fixture(params=["fork", "interpreter"])
def starts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to start a process."""
    if request.param == "fork" and sys.platform != "linux":
        pytest.skip("only Linux forks")
    monkeypatch.setattr(pools, "can_fork", lambda: request.param == "fork")
    # A new interpreter imports `Desk`, and nothing from the current folder unless it is named.
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[4]))


@pytest.fixture
def pool(starts: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pool[Desk]:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return Pool(3, Desk, lambda: False)


def test_a_process_ends_without_a_word_when_its_calls_end() -> None:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "holdsfor.parallel.processes.worker", str(theirs.fileno())]
    with theirs:
        worker = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
    with Connection(ours.detach()) as connection:
        connection.send((JobProcess, 1, ""))
    assert worker.stderr is not None
    assert worker.stderr.read() == ""
    worker.communicate()
    assert worker.returncode == 0


def test_methods_are_called_in_all_processes(pool: Pool[Desk], tmp_path: Path) -> None:
    pool.start()
    pids = pool.call_alike(Desk.pid)
    assert pids[0] == os.getpid()
    assert len(set(pids)) == 3
    assert pool.call(Desk.product, [(5,), (7,), (9,)]) == [0, 7, 18]
    pool.end()
    assert list(tmp_path.iterdir()) == []
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids[1:])


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks")
def test_a_process_with_another_python_thread_does_not_fork() -> None:
    """A fork has no copy of the thread, and locks of the thread would stay locked."""
    code = """
import threading
from holdsfor.parallel.processes.process_start import can_fork
print(can_fork())
is_over = threading.Event()
threading.Thread(target=is_over.wait).start()
print(can_fork())
is_over.set()
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True", "False"]


CLEAN = """
import atexit, gc, sys, tempfile
from pathlib import Path
gc.disable()  # the program itself does not collect its garbage
from holdsfor.parallel.processes.pool import Pool
from tests.unit.parallel.processes.test_pool import Desk
class Cycle: pass
garbage = Cycle()
garbage.itself, garbage.folder = garbage, tempfile.TemporaryDirectory()
kept = garbage.folder.name
atexit.register(print, "exit")
print("buffered ", end="")
pool = Pool(2, Desk, lambda: False)
del garbage
pool.start()
pool.call_alike(Desk.collect)
print(Path(kept).exists())
pool.end()
"""


def test_a_fork_leaves_the_program_alone(tmp_path: Path) -> None:
    """Exit handlers, buffered output and garbage of the program are not those of the fork."""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run([sys.executable, "-c", CLEAN], capture_output=True, text=True, env=environment, check=True)
    assert found.stdout.split() == ["buffered", "True", "exit"]


INTERRUPTED = """
import os, signal
from holdsfor.parallel.processes.pool import Pool
from tests.unit.parallel.processes.test_pool import Desk
os.register_at_fork(after_in_child=lambda: os.kill(os.getpid(), signal.SIGINT))
pool = Pool(2, Desk, lambda: False)
try:
    pool.start()
    print(len(pool.call_alike(Desk.pid)), flush=True)
finally:
    pool.end()
    print("end", flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks")
def test_an_interruption_does_not_let_a_fork_go_on_as_a_copy_of_the_program(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", INTERRUPTED]
    found = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert (found.stdout.split(), found.stderr, found.returncode) == (["2", "end"], "", 0)


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


def test_a_stopped_run_does_not_wait(starts: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    pool = Pool(2, Desk, lambda: True)
    pool.start()
    with pytest.raises(KeyboardInterrupt):
        pool.call_alike(Desk.sleep)
    pool.end()
    assert list(tmp_path.iterdir()) == []


PROGRAM = """
import threading
from holdsfor.parallel.processes.pool import Pool
from tests.unit.parallel.processes.test_pool import Desk
pool = Pool(3, Desk, lambda: False)
pool.start()
print(*pool.call_alike(Desk.pid)[1:], flush=True)
pool.call_alike(Desk.sleep)
"""
THREAD = "threading.Thread(target=threading.Event().wait).start()"


@pytest.mark.parametrize("more", ["", THREAD], ids=["alone", "with a thread"])
def test_processes_end_with_a_killed_process(more: str, tmp_path: Path) -> None:
    """A script without `if __name__ == "__main__"` starts processes, too."""
    script = tmp_path / "script.py"
    script.write_text(PROGRAM.replace("pool.start", f"{more}\npool.start"))
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        others = [Path(f"/proc/{number.decode()}/cmdline") for number in process.stdout.readline().split()]
        process.kill()
    until = time.monotonic() + 20
    while time.monotonic() < until and (list((tmp_path / "tmp").iterdir()) or any(map(_is_running, others))):
        time.sleep(0.05)
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not any(map(_is_running, others))


def _is_running(cmdline: Path) -> bool:
    """Whether a process exists and is no zombie, which has no command line."""
    try:
        return bool(cmdline.read_bytes())
    except OSError:
        return False
