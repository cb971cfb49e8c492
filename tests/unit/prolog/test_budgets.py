"""Goals that never end or need more than there is: each is stopped soon, in little memory, with a diagnostic."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import FunctionType

import pytest

from holdsfor.cli.terminal.interruption import Interruption
from holdsfor.errors import ExecutionProblem
from holdsfor.prolog import Engine
from holdsfor.syntax.parser import parse_term
from tests.seeds import some
from tests.unit.cli.processes import environment
from tests.unit.prolog.programs import database, engine, holds, problem, values

pytestmark = pytest.mark.in_turn(2)

PROGRAM = """
double(A, A) :- fail.
double(A, C) :- atom_concat(A, A, B), double(B, C).
endless(N, [N|T]) :- M is N + 1, endless(M, T).
twice(T, R) :- twice(f(T, T), R).
remember(N) :- assertz(seen(N)), M is N + 1, remember(M).
square(N) :- M is N * N, square(M).
copies(T, R) :- copy_term(T, C), copies([C|T], R).
joined(L) :- atomic_list_concat(L, A), joined([A|L]).
count(0).
count(N) :- count(M), N is M + 1.
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
    "count(N), N < 0",
    "forall(count(N), N >= 0)",
]

_SCRIPT = """
import json, resource, sys, time
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from tests.unit.prolog.programs import Engine, database, problem
from holdsfor.prolog import machine
machine._MAX_BLOCKS = 1_000_000
program, goal = json.load(sys.stdin)
began = time.process_time()
sum(number * number for number in range(2_000_000))
unit = time.process_time() - began
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
began = time.process_time()
code = problem(Engine(database(program), max_steps=1_000_000), goal)[0]
units = (time.process_time() - began) / unit
print(json.dumps([code, units, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before]))
"""


@pytest.mark.parametrize("goal", some(GOALS, 4))
def test_a_goal_without_end_is_stopped_soon_and_in_bounded_memory(goal: str) -> None:
    """The unit of time is the duration of a plain loop in the same process, independent of the machine."""
    root = Path(__file__).parents[3]
    run = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        input=json.dumps([PROGRAM, goal]),
        capture_output=True,
        text=True,
        cwd=root,
        env=environment(),
        check=False,
    )
    assert run.returncode == 0, run.stderr[-2000:]
    code, units, kilobytes = json.loads(run.stdout)
    assert code in {"HF601", "HF602", "HF603", "HF604", "HF605", "HF606", "HF611"}
    assert units < 300
    assert kilobytes < 300_000


def test_long_lists_and_texts_are_fine_within_the_budgets() -> None:
    asked = engine(max_steps=10_000_000)
    assert values(asked, "numlist(1, 300000, L), sum_list(L, X)") == ["45000150000"]
    assert values(asked, "findall(Y, between(1, 100000, Y), L), length(L, X)") == ["100000"]
    assert values(asked, "numlist(1, 50000, L), atomic_list_concat(L, ',', A), atom_length(A, X)") == ["288893"]


def test_a_list_is_refused_before_it_is_created() -> None:
    code, message, _ = problem(engine(max_steps=10**9), "numlist(1, 100000000, L)")
    assert (code, message) == ("HF611", "the goal exceeds its memory budget in `numlist(1,100000000,L)`")


ENDLESS = {
    "steps": "between(1, inf, N), N < 0",
    "built-in": "between(1, inf, N), numlist(1, 300000, L), msort(L, M), N < 0",
    "text": "between(1, inf, N), numlist(1, 100000, L), atomic_list_concat(L, A), atom_length(A, N)",
}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("kind", ENDLESS)
def test_a_signal_stops_a_goal_at_once(kind: str, number: signal.Signals) -> None:
    endless = Engine(database(), max_steps=10**12)
    sender = threading.Timer(0.3, os.kill, (os.getpid(), number))
    with Interruption() as stop:
        sender.start()
        with pytest.raises(KeyboardInterrupt):
            endless.holds(parse_term(ENDLESS[kind]))
        assert stop.is_asked
    sender.join()


def test_a_signal_stops_a_goal_with_answers_without_end() -> None:
    endless = Engine(database(), max_steps=10**12)
    with Interruption() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            for _ in endless.solve(parse_term("between(1, inf, N)")):
                pass
        assert stop.is_asked


@pytest.mark.parametrize("module", [__name__, Interruption.__module__])
def test_a_signal_stops_a_goal_also_when_alarms_fall_into_the_garbage_collector(module: str) -> None:
    """An exception that is raised in a callback of the collector is lost, and pytest fails the test for it.

    On a machine that stands still for a moment, the next alarm falls into the handler of an alarm in such a callback.
    """
    pauses = iter([0.5, 0.5])

    def collected(phase: str, info: dict[str, int]) -> None:
        until = time.monotonic() + next(pauses, 0.0)
        while time.monotonic() < until:
            pass

    callback = FunctionType(collected.__code__, {**globals(), "__name__": module}, closure=collected.__closure__)
    endless = Engine(database(), max_steps=10**12)
    gc.callbacks.append(callback)
    try:
        with Interruption():
            os.kill(os.getpid(), signal.SIGINT)
            with pytest.raises(KeyboardInterrupt):
                endless.holds(parse_term(ENDLESS["built-in"]))
    finally:
        gc.callbacks.remove(callback)


def test_copying_answers_is_part_of_the_goal() -> None:
    """Of an open list, each answer is longer than the one before; copying takes nearly all the time."""
    with pytest.raises(ExecutionProblem, match="exceeds 100,000 steps"):
        list(engine(max_steps=100_000).solve(parse_term("member(a, L)")))
    with Interruption():
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            list(engine(max_steps=10**12).solve(parse_term("member(a, L)")))


def test_a_goal_that_ends_soon_is_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdsfor.cli.terminal.interruption._PATIENCE", 600)
    with Interruption() as stop:
        os.kill(os.getpid(), signal.SIGINT)
        assert holds("between(1, 100, N), N > 99")
        assert stop.is_asked
