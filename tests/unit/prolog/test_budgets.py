"""Goals that never end or need more than there is: each is stopped soon, in little memory, with a diagnostic."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.cli.processes import ended, environment, started, wait_until
from tests.unit.prolog.programs import engine, problem, values

PROGRAM = """
double(A, A) :- fail.
double(A, C) :- atom_concat(A, A, B), double(B, C).
endless(N, [N|T]) :- M is N + 1, endless(M, T).
twice(T, R) :- twice(f(T, T), R).
remember(N) :- assertz(seen(N)), M is N + 1, remember(M).
square(N) :- M is N * N, square(M).
copies(T, R) :- copy_term(T, C), copies([C|T], R).
joined(L) :- atomic_list_concat(L, A), joined([A|L]).
"""

GOALS = [
    "numlist(1, 100000000, L)",
    "length(L, 9000000)",
    "length(L, X), fail",
    "double(abcdefgh, X)",
    "joined([abc, def])",
    "endless(1, L)",
    "twice(a, X)",
    "remember(1)",
    "X is 2 ** (10 ** 9)",
    "X is 1 << 1000000000000",
    "square(3)",
    "length(T, 1000), findall(T, between(1, inf, _), L)",
    "copies([_], X)",
    "findall(T, (between(1, inf, _), functor(T, f, 10000)), L)",
    "between(1, inf, N), numlist(1, 50000, L), msort(L, M), fail",
]

_SCRIPT = """
import json, resource, sys, time
from tests.unit.prolog.programs import Engine, database, problem
from holdsfor.prolog import machine
machine._MAX_BLOCKS = 1_000_000
program, goal = json.load(sys.stdin)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.process_time()
code = problem(Engine(database(program), max_steps=1_000_000), goal)[0]
print(json.dumps([code, time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before]))
"""


@pytest.mark.parametrize("goal", GOALS)
def test_a_goal_without_end_is_stopped_soon_and_in_bounded_memory(goal: str) -> None:
    limit = 4 << 30
    root = Path(__file__).parents[3]
    run = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        input=json.dumps([PROGRAM, goal]),
        capture_output=True,
        text=True,
        cwd=root,
        env=environment(),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    code, seconds, kilobytes = json.loads(run.stdout)
    assert code in {"HF601", "HF602", "HF603", "HF604", "HF605", "HF606", "HF611"}
    assert seconds < 30
    assert kilobytes < 300_000


def test_long_lists_and_texts_are_fine_within_the_budgets() -> None:
    asked = engine(max_steps=10_000_000)
    assert values(asked, "numlist(1, 1000000, L), sum_list(L, X)") == ["500000500000"]
    assert values(asked, "findall(Y, between(1, 500000, Y), L), length(L, X)") == ["500000"]
    assert values(asked, "numlist(1, 100000, L), atomic_list_concat(L, ',', A), atom_length(A, X)") == ["588894"]


def test_a_list_is_refused_before_it_is_made() -> None:
    code, message, _ = problem(engine(max_steps=10**9), "numlist(1, 100000000, L)")
    assert (code, message) == ("HF611", "the goal needs more memory than it may have in `numlist(1,100000000,L)`")


ENDLESS = {
    "steps": "loop(X) :- between(1, inf, N), N < X.",
    "built-in": "loop(_) :- between(1, inf, N), numlist(1, 300000, L), msort(L, M), N < 0.",
    "text": "loop(_) :- between(1, inf, N), numlist(1, 100000, L), atomic_list_concat(L, A), atom_length(A, N).",
}


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processor time is looked up in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("kind", ENDLESS)
def test_a_signal_stops_a_goal_at_once(kind: str, number: signal.Signals, tmp_path: Path) -> None:
    rules, records = tmp_path / "rules.prolog", tmp_path / "records.txt"
    rules.write_text(f"initiatedAt(f(X)=true, T) :- happensAt(e(X), T), loop(X).\n{ENDLESS[kind]}", encoding="utf-8")
    records.write_text("e|1|1|0\n", encoding="utf-8")
    process = started("run", str(rules), "--input", str(records))
    # To start takes a second, and the goal much longer than the rest.
    wait_until(lambda: processor_seconds(process) > 3, process)
    used, before = processor_seconds(process), resource.getrusage(resource.RUSAGE_CHILDREN)
    process.send_signal(number)
    code, _, said = ended(process)
    assert (code, said.splitlines()[-1]) == (130, "interrupted")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime - used < 5


def processor_seconds(process: subprocess.Popen[bytes]) -> float:
    """How long a process has run, not counting when others ran instead of it."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
