"""The members of dynamic domains in the buckets of a stream with several stages: evicted, and back with results."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from holdsfor.analysis.pipeline import Compiled, compile_text
from holdsfor.distribution.stages import plan_stages
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.runtime import domain_members
from holdsfor.runtime.domain_members import Members
from holdsfor.runtime.session import EngineSession
from holdsfor.spark.streaming.bucket_steps import KeptBuckets
from holdsfor.syntax.time_points import LATEST
from tests.properties.streamed import SimulatedStream, embedded_outcome

DOMAIN = """
dynamicDomain(thing(_)).
grounding(on(X)) :- thing(X). grounding(early(X)=true) :- thing(X).
grounding(pair(X, Y)=true) :- thing(X), thing(Y).
initiatedAt(early(X)=true, T) :- happensAt(on(X), T).
"""
DELAYED = (
    DOMAIN
    + """
grounding(late(X)=true) :- thing(X).
fi(early(X)=true, late(X)=true, 30).
ft(late(X)=true, 20).
holdsFor(pair(X, Y)=true, I) :-
    holdsFor(late(X)=true, I1), holdsFor(late(Y)=true, I2), X @< Y, intersect_all([I1, I2], I).
"""
)
BOXED = (
    DOMAIN
    + """
boxed(k(X)) :- thing(X).
grounding(late(X)=true) :- thing(X). grounding(box(X)=true) :- boxed(X).
fi(early(X)=true, late(X)=true, 30).
ft(late(X)=true, 20).
initiatedAt(box(k(X))=true, T) :- happensAt(start(late(X)=true), T).
holdsFor(pair(X, Y)=true, I) :-
    holdsFor(box(k(X))=true, I1), holdsFor(box(k(Y))=true, I2), X @< Y, intersect_all([I1, I2], I).
"""
)
RUN = RunSchedule(0, LATEST, 1, 20, 5, None)
BEGIN = ["on|1|1|a", "on|1|1|b"]
WET = "initiatedAt(wet=true, T) :- happensAt(storm, T)."
STORM = [f"storm|{t}|{t}" for t in range(5, 60, 4)]


def streamed(compiled: Compiled, lines: list[str], folder: Path) -> Iterator[tuple[SimulatedStream, KeptBuckets]]:
    """A stream after each of its micro-batches, one for every ten time-points, with the sessions of its buckets."""
    stages = plan_stages(compiled, EngineSession(compiled, start=0).rules.program)
    assert len(stages.stages) > 1
    stream, kept = SimulatedStream(compiled, stages, RUN, 1, folder), KeptBuckets()
    stream.executors_of = lambda _: [kept]
    for number in range(max(map(arrival, lines)) // 10 + 1):
        stream.batch(number, [line for line in lines if arrival(line) // 10 == number])
        yield stream, kept


def arrival(line: str) -> int:
    return int(line.split("|")[1])


@pytest.mark.parametrize("text", [DELAYED, BOXED], ids=["an argument", "a part of an argument"])
def test_results_that_begin_long_after_the_last_record_bring_their_members(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = compile_text(text + WET)
    lines = sorted([*BEGIN, *STORM], key=arrival)
    expected = embedded_outcome(lines, compiled, RUN, 55)
    monkeypatch.setattr(Members, "has_many_evictable", True)
    *_, (stream, _) = streamed(compiled, lines, tmp_path)
    found = stream.outcome
    assert any(name == "pair(a,b)=true" for _, name, _ in found.changes[35])
    assert found.changes == expected.changes


def test_ever_new_entities_leave_no_members_in_the_stages_of_a_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(domain_members, "_ROOM", 5)
    compiled = compile_text(DELAYED + "ft(early(X)=true, 35).")
    lines = [f"on|{t}|{t}|entity {t}" for t in range(1, 400, 4)]
    n_members, n_bytes = list[int](), list[int]()
    for _, kept in streamed(compiled, lines, tmp_path):
        sessions = [session for *_, session in kept._sessions.values()]
        n_members.append(sum(each.session.rules.background.facts(("thing", 1)).n for each in sessions))
        n_bytes.append(sum(len(each.session.snapshot(has_report=True).to_bytes()) for each in sessions))
    assert 0 < max(n_members) < len(lines)
    assert max(n_bytes[25:]) <= 1.1 * max(n_bytes[10:25])
