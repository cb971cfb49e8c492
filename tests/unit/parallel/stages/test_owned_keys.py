"""A bucket of a stream computes no results of the keys that other buckets own."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.distribution.stages import plan_stages
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.runtime.session import EngineSession
from holdsfor.spark.streaming.bucket_steps import KeptBuckets
from holdsfor.syntax.time_points import LATEST
from tests.properties.streamed import SimulatedStream

MEETINGS = """
initiatedAt(busy(X)=true, T) :- happensAt(meet(X, Y), T).
initiatedAt(busy(Y)=true, T) :- happensAt(meet(X, Y), T).
terminatedAt(busy(X)=true, T) :- happensAt(leave(X), T).
"""
WAITING = """
initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).
terminatedAt(lit(X)=true, T) :- happensAt(leave(X), T).
holdsFor(lit_while_busy(X)=true, I) :-
    holdsFor(lit(X)=true, Lit), holdsFor(busy(X)=true, Busy), allen(during, Lit, Busy, target, I).
"""
N_MEETINGS = 50


def meeting(number: int) -> list[str]:
    """Two new people meet, one of them switches on a lamp, and both leave."""
    t, a, b = 10 * number + 1, f"a{number}", f"b{number}"
    return [
        f"meet|{t}|{t}|{a}|{b}",
        f"on|{t + 1}|{t + 1}|{a}",
        *(f"leave|{t + 3}|{t + 3}|{each}" for each in (a, b)),
        f"quiet|{t + 6}|{t + 6}",
    ]


def settled_and_rows(rules: str, n_buckets: int, folder: Path) -> tuple[int, int]:
    """The number of settled results of a stream, and the largest number of rows in its state."""
    compiled = compile_text(rules)
    stages = plan_stages(compiled, EngineSession(compiled, start=0).rules.program)
    stream = SimulatedStream(compiled, stages, RunSchedule(0, LATEST, 1, 20, 5, None), n_buckets, folder)
    kept, n_rows = KeptBuckets(), 0
    stream.executors_of = lambda _: [kept]
    for number in range(N_MEETINGS):
        stream.batch(number, meeting(number))
        n_rows = max(n_rows, sum(session.n_rows for *_, session in kept._sessions.values()))
    return len(stream.outcome.settled), n_rows


@pytest.mark.parametrize("rules", [MEETINGS, MEETINGS + WAITING], ids=["inertia", "an Allen relation"])
def test_records_of_two_entities_leave_nothing_in_the_bucket_of_the_other(rules: str, tmp_path: Path) -> None:
    n_settled, n_rows = settled_and_rows(rules, 1, tmp_path / "one")
    n_settled_in_four, n_rows_in_four = settled_and_rows(rules, 4, tmp_path / "four")
    assert n_settled_in_four == n_settled >= 2 * (N_MEETINGS - 5)
    assert n_rows_in_four <= 2 * n_rows
