"""Real processes give the results and the errors of one process, through the library and the command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import ExecutionProblem, ParallelismWarning, UsageProblem
from holdsfor.parallel.processes import job_size
from holdsfor.parallel.processes.job_size import n_processes

pytestmark = pytest.mark.in_turn(2)

ON_OFF = """
    initiatedAt(active(X)=true, T) :- happensAt(on(X), T).
    terminatedAt(active(X)=true, T) :- happensAt(off(X), T).
"""


@pytest.fixture
def events(tmp_path: Path) -> Path:
    path = tmp_path / "events.txt"
    path.write_text("".join(f"{'on' if i % 3 else 'off'}|{i}|{i}|v{i % 7}\n" for i in range(500)) + "on|soon|1|v1\n")
    return path


def test_processes_have_the_answer_of_one_process(events: Path) -> None:
    rules = hf.load_text(ON_OFF)
    found, expected = (hf.recognise(rules, events, jobs=jobs, window=100, step=50) for jobs in (2, 1))
    assert (found.n_processes, expected.n_processes) == (2, 1)
    assert found.to_arrow() == expected.to_arrow()
    assert found.reading.set_aside == expected.reading.set_aside


def test_an_error_in_a_process_is_the_error_of_the_run(tmp_path: Path) -> None:
    rules = hf.load_text("initiatedAt(late(X)=X, T) :- happensAt(on(X), T).\nfi(late(X)=N, late(X)=gone, N).")
    lines = [f"on|{i}|{i}|{i % 5}" for i in range(50)]
    problems = []
    for jobs in (2, 1):
        with pytest.raises(ExecutionProblem) as caught:
            hf.recognise(rules, lines, jobs=jobs)
        problems.append(str(caught.value))
    assert problems[0] == problems[1]
    assert "HF608" in problems[0]


def test_rules_without_a_key_are_computed_in_one_process() -> None:
    rules = hf.load_text("initiatedAt(any=true, T) :- happensAt(on(_), T).")
    with pytest.warns(ParallelismWarning, match="recognised in one process: no rule has a key"):
        found = hf.recognise(rules, ["on|1|1|a"], jobs=2)
    assert found.n_processes == 1
    assert str(found.one_process_because).startswith("no rule has a key (`any=true`: ")


PARTLY = ON_OFF + "initiatedAt(any=true, T) :- happensAt(on(_), T)."


def test_rules_that_one_process_computes_are_a_warning(
    events: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.warns(ParallelismWarning, match="HF320.*`any=true` is computed in one bucket"):
        found = hf.recognise(hf.load_text(PARTLY), events, jobs=2)
    assert found.n_processes == 2
    rules = tmp_path / "partly.prolog"
    rules.write_text(PARTLY)
    assert main(["run", str(rules), "--input", str(events), "--jobs", "2"]) == 0
    assert "not divided: `any=true` is computed in one bucket" in capsys.readouterr().err


def test_retractions_are_applied_in_one_process() -> None:
    with pytest.warns(ParallelismWarning, match="the input has retractions"):
        found = hf.recognise(hf.load_text(ON_OFF), ["on|1|1|a", "off|5|5|a", "-on|9|1|a"], jobs=2)
    assert found.intervals == {}


def test_small_inputs_are_computed_in_one_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(4), raising=False)
    path = tmp_path / "events.txt"
    path.touch()
    sizes = {}
    for n_records in (1_000, 2_100_000, 3_100_000, 90_000_000):
        os.truncate(path, 24 * n_records)
        sizes[n_records] = n_processes(None, [str(path)])
    assert sizes == {1_000: 1, 2_100_000: 2, 3_100_000: 3, 90_000_000: 4}
    assert (n_processes(1, [path]), n_processes(3, [])) == (1, 3)
    monkeypatch.setattr(job_size, "_memory", lambda: 4_000_000_000)
    assert (n_processes(None, [path]), n_processes(None, [path], has_windows=True)) == (4, 1)
    assert n_processes(2, [path], has_windows=True) == 2
    os.truncate(path, 24 * 3_100_000)
    assert n_processes(None, [path], has_windows=True) == 3


def test_a_number_of_processes_is_positive() -> None:
    with pytest.raises(UsageProblem, match="HF774"):
        hf.recognise(hf.load_text(ON_OFF), ["on|1|1|a"], jobs=0)


def test_a_number_of_processes_is_limited_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A hundred thousand processes would take all memory; the answer is the same, so a run has fewer."""
    monkeypatch.setattr(job_size, "_n_cores", lambda: 1)
    rules, events = tmp_path / "rules.prolog", tmp_path / "events.txt"
    rules.write_text(ON_OFF, encoding="utf-8")
    events.write_text("".join(f"on|{i}|{i}|a{i}\n" for i in range(20)), encoding="utf-8")
    with pytest.warns(ParallelismWarning, match="in 4 processes instead of 100000: at most 4 for each core"):
        found = hf.recognise(hf.load(rules), str(events), jobs=100_000)
    assert (found.n_processes, len(found.intervals)) == (4, 20)
    assert main(["run", str(rules), "--input", str(events), "--jobs", "100000"]) == 0
    assert "in 4 processes instead of 100000: at most 4 for each core\n" in capsys.readouterr().err


# -- the command -------------------------------------------------------------------------------------------------------


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    path = tmp_path / "rules.prolog"
    path.write_text(ON_OFF)
    return path


OPTIONS: tuple[list[str], ...] = (
    [],
    ["--final", "--window", "100", "--start", "30"],
    ["--window", "100", "--step", "30"],
    ["--window", "100", "--step", "30", "--report", "changes"],
    ["--report", "changes"],
)


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_the_command_has_the_answer_of_one_process(
    rules: Path, events: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["run", str(rules), "--input", str(events), "--format", "jsonl", *options]
    printed = []
    for jobs in ("2", "1"):
        assert main([*command, "--jobs", jobs]) == 0
        printed.append(capsys.readouterr())
    assert printed[0].out == printed[1].out != ""
    assert "in 2 processes\n" in printed[0].err
    assert [line for line in printed[0].err.splitlines() if "501 records read" in line] == [
        line for line in printed[1].err.splitlines() if "501 records read" in line
    ]


def test_the_summary_says_why_a_run_is_in_one_process(
    rules: Path, events: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["run", str(rules), "--input", str(events), "--jobs", "2"]
    assert main([*command, "--window", "1", "--end", "1200"]) == 0
    assert "in one process: there are more than 1000 query times\n" in capsys.readouterr().err
    assert main([*command, "--engine", "reference"]) == 0
    assert "in one process: the reference evaluator has no parts\n" in capsys.readouterr().err


def test_an_interrupted_run_leaves_nothing_behind(rules: Path, tmp_path: Path) -> None:
    events = tmp_path / "many.txt"
    events.write_text("".join(f"on|{i}|{i}|v{i}\n" for i in range(300_000)))
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "holdsfor", "run", str(rules), "--input", str(events), "--jobs", "2"]
    process = subprocess.Popen(
        [*command, "--output", str(tmp_path / "out.txt")],
        env=environment,
        stderr=subprocess.PIPE,
        process_group=0,
    )
    until = time.monotonic() + 20
    while time.monotonic() < until and not list((tmp_path / "tmp").glob("holdsfor-*")):  # Python tries the folder first
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, messages = process.communicate(timeout=60)
    # A shell reports both as 130: the signal may arrive while modules are loaded.
    assert process.returncode in (130, -signal.SIGINT), messages
    assert list((tmp_path / "tmp").iterdir()) == []
    assert _ends(process.pid)


def _ends(group: int) -> bool:
    """Whether all processes of a group end; one that was just being started ends by itself."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False
