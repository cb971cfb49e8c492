"""Buckets whose keys have several sessions after a change of their number, until all intervals are decided."""

from __future__ import annotations

from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.errors import DataProblem
from holdsfor.parallel.stages import rescaled_states
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.parallel.stages.state_parts import read_parts
from holdsfor.spark.streaming.bucket_steps import KeptBuckets
from holdsfor.spark.streaming.inspection import inspection_of
from holdsfor.spark.streaming.state_files import FILES, StateFiles
from holdsfor.syntax.time_points import LATEST
from tests.properties.answers import read_case
from tests.properties.programs import Case
from tests.properties.staged import stages_of
from tests.properties.streamed import SimulatedStream, embedded_outcome
from tests.properties.test_rescaled import begun, rescaled
from tests.properties.test_streamed import known_results

RULES = """
initiatedAt(on(X)=true, T) :- happensAt(switch(X), T).
terminatedAt(on(X)=true, T) :- happensAt(off(X), T).
initiatedAt(used(X)=true, T) :- happensAt(enter(X), T).
terminatedAt(used(X)=true, T) :- happensAt(leave(X), T).
holdsFor(useful(X)=true, I) :- holdsFor(on(X)=true, I1), holdsFor(used(X)=true, I2), allen(finishes, I2, I1, target, I).
"""
RUN = RunSchedule(0, LATEST, 1, 20, 10)
NAMES = [f"lamp{i}" for i in range(12)]


def lines_of(batch: int) -> list[str]:
    """Lamps that are on and used for a while in each micro-batch, and one from the second to the sixth."""
    at = 10 * batch
    events = [("switch", at + 1), ("enter", at + 2), ("leave", at + 5), ("off", at + 5)]
    found = [f"{name}|{when}|{when}|{lamp}" for name, when in events for lamp in NAMES[1:]]
    first = {1: ["switch", "enter"], 5: ["leave", "off"]}.get(batch, [])
    return found + [f"{name}|{when}|{when}|{NAMES[0]}" for name, when in events if name in first]


def streamed(checkpoint: Path, n_buckets: int) -> SimulatedStream:
    given = read_case(Case(RULES, [], 0, 200, 1))
    stream = SimulatedStream(given.compiled, stages_of(given), RUN, n_buckets, checkpoint / FILES)
    kept = KeptBuckets(lambda *_: False)
    stream.executors_of = lambda _: [kept]
    begun(stream, checkpoint, n_buckets)
    return stream


def run(stream: SimulatedStream, checkpoint: Path, first: int, end: int) -> None:
    for number in range(first, end):
        stream.batch(number, lines_of(number))
        (checkpoint / "commits" / str(number)).touch()


def n_parts(stream: SimulatedStream, n_buckets: int) -> list[int]:
    """The number of parts of each bucket; journals continue only a bucket with one."""
    found = []
    for bucket in range(n_buckets):
        states = StateFiles(stream.states, 1, bucket)
        names = states.needed_by()
        assert names.snapshot is not None
        parts = read_parts(states.read(names.snapshot), "state", stream.buckets[0], bucket)[0]
        assert len(parts) == 1 or not names.journals
        found.append(len(parts))
    return found


@pytest.mark.parametrize("n_new", [2, 4, 5])
def test_parts_are_joined_when_their_intervals_are_decided(n_new: int, tmp_path: Path) -> None:
    stream = streamed(tmp_path, 3)
    run(stream, tmp_path, 0, 5)
    assert rescaled(stream, tmp_path, n_new) == 2
    assert sorted(n_parts(stream, n_new)) == [*[1] * (n_new - 1), 3], "one lamp is undecided"
    run(stream, tmp_path, 5, 6)
    assert sorted(n_parts(stream, n_new)) == [*[1] * (n_new - 1), 3]
    run(stream, tmp_path, 6, 14)
    assert n_parts(stream, n_new) == [1] * n_new
    assert any(StateFiles(stream.states, 1, bucket).needed_by().journals for bucket in range(n_new))
    lines = [line for number in range(14) for line in lines_of(number)]
    expected = embedded_outcome(lines, hf.load_text(RULES), RUN, 130)
    assert stream.outcome.changes == expected.changes
    assert len(stream.outcome.settled) == len(set(stream.outcome.settled))
    ended = {row for row in known_results(expected) if row[1][1] is not None and row[1][1] < 100}
    assert ended <= set(stream.outcome.settled)


def test_parts_are_rescaled_again(tmp_path: Path) -> None:
    stream = streamed(tmp_path, 3)
    run(stream, tmp_path, 0, 5)
    rescaled(stream, tmp_path, 2)
    assert rescaled(stream, tmp_path, 6) == 0, "each bucket has the keys of one part"
    assert rescaled(stream, tmp_path, 4) == 2
    assert rescaled(stream, tmp_path, 1) == 5, "three parts of one bucket, and three others"
    run(stream, tmp_path, 5, 14)
    assert n_parts(stream, 1) == [1]
    lines = [line for number in range(14) for line in lines_of(number)]
    assert stream.outcome.changes == embedded_outcome(lines, hf.load_text(RULES), RUN, 130).changes


def test_a_number_of_buckets_with_too_many_parts_is_refused_with_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = streamed(tmp_path, 6)
    run(stream, tmp_path, 0, 5)
    monkeypatch.setattr(rescaled_states, "_MOST_PARTS", 3)
    message = r"HF797.*a bucket would have 6 sessions until they are decided, expected at most 3"
    with pytest.raises(DataProblem, match=message) as problem:
        rescaled(stream, tmp_path, 5)
    assert "hint: give 4 or 6 buckets, or continue" in str(problem.value)
    assert rescaled(stream, tmp_path, 4) == 2
    run(stream, tmp_path, 5, 14)
    assert rescaled(stream, tmp_path, 5) == 0, "all intervals are decided"


def test_an_inspection_adds_up_the_parts_of_a_bucket(tmp_path: Path) -> None:
    stream = streamed(tmp_path, 3)
    run(stream, tmp_path, 0, 5)
    before = [line for line in inspection_of(str(tmp_path)) if "the oldest is" in line]
    rescaled(stream, tmp_path, 2)
    assert before
    assert [line for line in inspection_of(str(tmp_path)) if "the oldest is" in line] == before


def test_damaged_parts_are_refused(tmp_path: Path) -> None:
    stream = streamed(tmp_path, 3)
    run(stream, tmp_path, 0, 5)
    rescaled(stream, tmp_path, 2)
    (path,) = (tmp_path / FILES / "generation-2/state/1/1").glob("*.state")
    content = path.read_bytes()
    path.write_bytes(content[:-9] + bytes([content[-9] ^ 1]) + content[-8:])
    with pytest.raises(DataProblem, match=r"HF508.*damaged"):
        run(stream, tmp_path, 5, 6)
