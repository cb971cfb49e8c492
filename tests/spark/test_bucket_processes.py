"""Bucket processes keep sessions, and a stream does not depend on them: one that is killed, slow or missing."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.errors import DataProblem
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.spark.streaming import bucket_processes
from holdsfor.spark.streaming.bucket_processes import STARTED
from holdsfor.syntax.time_points import LATEST
from tests.properties.answers import read_case
from tests.properties.programs import Case
from tests.properties.staged import stages_of
from tests.properties.streamed import SimulatedStream, embedded_outcome

RULES = """
initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).
terminatedAt(rich(X)=true, T) :- happensAt(lose(X), T).
initiatedAt(envied(Y)=true, T) :- happensAt(meet(X, Y), T), holdsAt(rich(X)=true, T).
"""
LINES = [
    line
    for at in range(0, 80, 8)
    for line in (f"win|{at}|{at}|a{at % 3}", f"lose|{at + 4}|{at + 1}|a{at % 5}", f"meet|{at + 5}|{at + 5}|a{at % 3}|b")
]
RUN = RunSchedule(0, LATEST, 1, 20, 10)
LAST = 70


@pytest.fixture(autouse=True)
def processes() -> Iterator[None]:
    """The processes that a test starts, ended after it."""
    STARTED.clear()
    bucket_processes._WITHOUT_PROCESS.clear()
    yield
    for process in STARTED.values():
        process.terminate()
        process.wait()


def streamed(folder: Path) -> SimulatedStream:
    given = read_case(Case(RULES, [], 0, 80, 1))
    stream = SimulatedStream(given.compiled, stages_of(given), RUN, 2, folder)
    stream.n_processes = 2
    return stream


def expected() -> object:
    return embedded_outcome(LINES, hf.load_text(RULES), RUN, LAST).changes


def test_a_stream_does_not_depend_on_processes_that_are_killed(tmp_path: Path) -> None:
    stream = streamed(tmp_path)
    for number in range(10):
        for fails_at in (99, 1, None) if number == 3 else (None,):
            stream.batch(number, LINES[3 * number : 3 * number + 3], fails_at=fails_at)
        if number in (4, 6):
            victim = list(STARTED.values())[number % 2]
            victim.send_signal(signal.SIGKILL)
            victim.wait()
    assert stream.outcome.changes == expected()
    folder = Path(tempfile.gettempdir()) / f"holdsfor-{os.getuid()}-{os.getppid()}"
    assert folder.exists()
    for process in STARTED.values():
        assert process.poll() is None
        process.send_signal(signal.SIGHUP)
        assert process.wait() == 0
    assert not folder.exists()


def test_a_process_that_is_killed_leaves_journals_that_another_one_replays(tmp_path: Path) -> None:
    """The state is large enough for journals."""
    many = [f"win|1|1|c{number}" for number in range(6_000)]
    batches = [[*many, *LINES[:6]], *(LINES[at : at + 3] for at in range(6, 30, 3))]
    stream = streamed(tmp_path)
    n_journals = []
    for number, batch in enumerate(batches):
        stream.batch(number, batch)
        n_journals.append(len(list(tmp_path.glob(f"state/1/*/{number:012}.journal"))))
        if number in (3, 5):
            for victim in STARTED.values():
                victim.send_signal(signal.SIGKILL)
                victim.wait()
    assert n_journals[3]
    assert n_journals[5]
    assert stream.outcome.changes == embedded_outcome([*many, *LINES], hf.load_text(RULES), RUN, LAST).changes


def test_tasks_evaluate_buckets_where_processes_cannot_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    stream = streamed(tmp_path)
    for number in range(10):
        stream.batch(number, LINES[3 * number : 3 * number + 3])
    assert stream.outcome.changes == expected()
    assert all(process.returncode == 1 for process in STARTED.values())


def test_a_damaged_state_is_refused_as_without_processes(tmp_path: Path) -> None:
    stream = streamed(tmp_path)
    for number in range(6):
        stream.batch(number, LINES[3 * number : 3 * number + 3])
    for path in tmp_path.glob("state/1/*/*.state"):
        content = path.read_bytes()
        path.write_bytes(content[:30] + b"damaged" + content[37:])
    with pytest.raises(DataProblem, match=r"HF508.*damaged"):
        stream.batch(7, ["win|70|70|a0"])
