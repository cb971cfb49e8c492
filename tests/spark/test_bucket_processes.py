"""Bucket processes keep sessions, and a stream does not depend on them: one that is killed, slow or missing."""

from __future__ import annotations

import os
import random
import shutil
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
from tests.properties.streamed import Outcome, SimulatedStream, embedded_outcome

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


def test_another_stream_in_the_folder_of_a_deleted_one_has_its_own_buckets(tmp_path: Path) -> None:
    for n_buckets in (2, 5, 1):
        shutil.rmtree(tmp_path)
        stream = streamed(tmp_path)
        stream.divide(n_buckets, "")
        for number in range(10):
            stream.batch(number, LINES[3 * number : 3 * number + 3])
        assert stream.outcome.changes == expected()
    assert len(STARTED) == 2


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


SHORT_LIVED = """
initiatedAt(lit(X, R)=true, T) :- happensAt(switch(X, R, on), T).
terminatedAt(lit(X, R)=true, T) :- happensAt(switch(X, R, off), T).
initiatedAt(bright(R)=true, T) :- happensAt(start(lit(_X, R)=true), T).
terminatedAt(bright(R)=true, T) :- happensAt(end(lit(_X, R)=true), T).
dynamicDomain(lamp(_)).
grounding(switch(X, _, _)) :- lamp(X).
grounding(lit(X, R)=true) :- lamp(X), room(R).
grounding(bright(R)=true) :- room(R).
room(R) :- between(0, 19, R).
"""
HOUR = 3_600


def new_lamps(number: int, chance: random.Random) -> list[str]:
    """The switches of six hours: lamps of the last two days, new ones, those that end, and wrong ones."""
    arrival, lines = 6 * HOUR * (number + 1), []
    for _ in range(500):
        lamp, at = 100 * number + chance.randrange(800), 6 * HOUR * number + chance.randrange(1, 6 * HOUR)
        lines.append(f"switch|{arrival}|{at}|{lamp}|{lamp % 20}|{chance.choice(['on', 'off'])}")
    lines += [f"-{line}" for line in chance.sample(lines, 5)]
    return lines + [
        f"switch|{arrival}|{arrival}|{lamp}|{lamp % 20}|off" for lamp in range(100 * number, 100 * number + 100)
    ]


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process is read from /proc")
def test_the_memory_of_processes_does_not_follow_the_length_of_the_stream(tmp_path: Path) -> None:
    """Symbol tables that were not freed when they were replaced took 15 MB in this test."""
    given, chance = read_case(Case(SHORT_LIVED, [], 0, 80, 1)), random.Random(1)
    run = RunSchedule(0, LATEST, 1, 24 * HOUR, HOUR)
    stream = SimulatedStream(given.compiled, stages_of(given), run, 2, tmp_path)
    stream.n_processes = 2
    resident: dict[int, int] = {}
    for number in range(3_000):
        stream.batch(number, new_lamps(number, chance))
        stream.outcome = Outcome()
        if number % 50 == 0:
            resident[number] = sum(resident_bytes(process.pid) for process in STARTED.values())
    early = max(n for number, n in resident.items() if 500 <= number < 1_000)
    late = max(n for number, n in resident.items() if number >= 2_500)
    assert late < early + 4_000_000, resident


def resident_bytes(process: int) -> int:
    pages = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
