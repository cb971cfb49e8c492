"""a stream with changed rules = a new run over the records in the window, after the results that are settled.

These laws are for records that a change of the rules loses, for rows of the old rules that stay, and for rows of the
new rules that are missing, in one stage or in a later one.
"""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.distribution.stages import Stages, plan_stages
from holdsfor.errors import DataProblem
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.runtime.session import EngineSession
from holdsfor.spark.streaming.identity import read_manifest
from holdsfor.spark.streaming.keep import keep
from holdsfor.spark.streaming.rescale import rescale
from holdsfor.spark.streaming.restart import restart
from holdsfor.spark.streaming.state_files import FILES
from holdsfor.spark.streaming.stopped_stream import StoppedStream
from holdsfor.syntax.time_points import LATEST
from tests.properties.streamed import Outcome, SimulatedStream, embedded_outcome
from tests.properties.test_rescaled import begun, rescaled
from tests.properties.test_streamed import on_executors
from tests.seeds import chunks, named, share

pytestmark = pytest.mark.in_turn(2)

SEEDS = range(9900, 9950)
WINDOW, STEP = 20, 5
NAMES = ("ann", "bob", "eve", "joe")

KEPT = """
collectIntervals(calm(_)=true).
holdsFor(free(X)=true, I) :-
    holdsFor(calm(X)=true, I1), holdsFor(moving(X)=true, I2), relative_complement_all(I1, [I2], I).
initiatedAt(moving(X)=true, T) :- happensAt(go(X), T).
terminatedAt(moving(X)=true, T) :- happensAt(stop(X), T).
initiatedAt(met(X, Y)=true, T) :- happensAt(meet(X, Y), T).
terminatedAt(met(X, Y)=true, T) :- happensAt(part(X, Y), T).
"""
OLD = (
    KEPT
    + """
holdsFor(together(X, Y)=true, I) :-
    holdsFor(moving(X)=true, I1), holdsFor(moving(Y)=true, I2), holdsFor(met(X, Y)=true, I3),
    intersect_all([I1, I2, I3], I).
initiatedAt(gone(X)=true, T) :- happensAt(stop(X), T).
happensAt(left(X), T) :- happensAt(end(moving(X)=true), T).
"""
)
NEW = (
    KEPT
    + """
holdsFor(together(X, Y)=true, I) :-
    holdsFor(moving(X)=true, I1), holdsFor(moving(Y)=true, I2), holdsFor(met(X, Y)=true, I3),
    union_all([I1, I2], I4), intersect_all([I3, I4], I).
initiatedAt(crowded(X)=true, T) :- happensAt(start(together(X, _)=true), T).
terminatedAt(crowded(X)=true, T) :- happensAt(end(together(X, _)=true), T).
happensAt(left(X), T) :- happensAt(start(moving(X)=true), T).
"""
)


def stages_of_text(text: str) -> tuple[Any, Stages]:
    compiled = compile_text(text)
    planned = EngineSession(compiled, start=0, window=WINDOW)
    return compiled, plan_stages(compiled, planned.rules.program)


def random_lines(chance: random.Random) -> list[str]:
    """Records and retractions in the order of their arrivals, some of them late."""
    found: list[tuple[int, str]] = []
    for _ in range(chance.randint(20, 60)):
        start = chance.randint(0, 90)
        arrival = start + chance.choice([0, 0, 0, 1, 6, 15, 30])
        one, other = chance.sample(NAMES, 2)
        if chance.random() < 0.2:
            found.append((arrival, f"calm|{arrival}|{start}|{start + chance.randint(1, 30)}|true|{one}"))
            continue
        name, arguments = chance.choice(
            [("go", one), ("stop", one), ("meet", f"{one}|{other}"), ("part", f"{one}|{other}")]
        )
        found.append((arrival, f"{name}|{arrival}|{start}|{arguments}"))
        if chance.random() < 0.1:
            later = arrival + chance.randint(1, 12)
            found.append((later, f"-{name}|{later}|{start}|{arguments}"))
    return [line for _, line in sorted(found, key=lambda each: each[0])]


def known(outcome: Outcome, at: int, before: set[tuple[str, Any]]) -> set[tuple[str, Any]]:
    """The rows that the changes up to a query time give, one query time after another."""
    rows = set(before)
    for query_time in sorted(each for each in outcome.changes if each <= at):
        gone = {(name, extent) for op, name, extent in outcome.changes[query_time] if op == "-"}
        assert gone <= rows, "a row that is not there is removed"
        rows = rows - gone | {(name, extent) for op, name, extent in outcome.changes[query_time] if op == "+"}
    return rows


def ends_by(extent: Any, boundary: int) -> bool:
    if isinstance(extent, tuple):
        return extent[1] is not None and extent[1] <= boundary
    return bool(extent < boundary)


def since(rows: set[tuple[str, Any]], first: int) -> set[tuple[str, Any]]:
    """The part of the rows that is not before a time-point."""
    return {(name, extent if isinstance(extent, int) else (max(extent[0], first), extent[1])) for name, extent in rows}


def compare(seed: int, checkpoint: Path) -> int:
    chance = random.Random(seed)
    lines, n_buckets = random_lines(chance), chance.choice([1, 2, 3, 5])
    old, new = (OLD, NEW) if chance.random() < 0.7 else (NEW, OLD)
    (compiled, stages), (changed, other_stages) = stages_of_text(old), stages_of_text(new)
    run = RunSchedule(0, LATEST, 1, WINDOW, STEP, None)
    stream = SimulatedStream(compiled, stages, run, n_buckets, checkpoint / FILES)
    on_executors(stream, seed)
    begun(stream, checkpoint, n_buckets)
    batches = [lines[i : i + 4] for i in range(0, len(lines), 4)]
    stop = chance.randint(1, len(batches) - 1)
    begins, last = 0, None
    for number, batch in enumerate(batches):
        if number == stop:
            if chance.random() < 0.5:
                n_buckets = chance.choice([1, 2, 3, 5])
                rescaled(stream, checkpoint, n_buckets)
            stopped = StoppedStream(str(checkpoint), stream.files)
            found = read_manifest(stream.files)
            assert found is not None
            identity = replace(found.identity, fingerprint=Rules.of(changed).fingerprint())
            manifest = restart(stopped, identity, Rules.of(changed), other_stages)
            last = manifest.restarted
            if last is None:
                return 0
            begins = max(0, last + STEP - WINDOW)
            stream.change_rules(changed, other_stages, n_buckets, manifest)
        decision = stream.batch(number, batch)
        (checkpoint / "commits" / str(number)).touch()
    assert last is not None
    if decision.last is None or decision.last <= last:
        return 0
    before = {row for row in known(stream.outcome, last, set()) if ends_by(row[1], begins)}
    expected = embedded_restart(lines, changed, begins, last, decision.last)
    for at in range(last + STEP, decision.last + 1, STEP):
        left, right = since(known(expected, at, set()), begins), known(stream.outcome, at, set())
        assert left | before == right, (
            f"seed {seed} at {at}: missing {(left | before) - right}, wrong {right - (left | before)}"
        )
    assert len(stream.outcome.settled) == len(set(stream.outcome.settled)), f"seed {seed}: settled twice"
    assert set(stream.outcome.settled) <= known(stream.outcome, decision.last, set())
    return sum(map(len, expected.changes.values()))


def embedded_restart(lines: list[str], compiled: Any, begins: int, last: int, until: int) -> Outcome:
    """The changes of a session that begins with the window of the query time after `last`."""
    run = RunSchedule(begins, LATEST, 1, WINDOW, STEP, None)
    return embedded_outcome(lines, compiled, run, until, after=last)


@pytest.mark.parametrize("seeds", chunks(share(SEEDS, 5)), ids=named)
def test_changed_rules_are_computed_anew_from_the_records_in_the_window(seeds: range, tmp_path: Path) -> None:
    n_changes = 0
    for seed in seeds:
        (tmp_path / str(seed)).mkdir()
        n_changes += compare(seed, tmp_path / str(seed))
    assert n_changes


def test_rules_are_changed_between_complete_micro_batches_with_results(tmp_path: Path) -> None:
    (compiled, stages), (changed, other_stages) = stages_of_text(OLD), stages_of_text(NEW)
    stream = SimulatedStream(compiled, stages, RunSchedule(0, LATEST, 1, WINDOW, STEP, None), 2, tmp_path / FILES)
    begun(stream, tmp_path, 2)
    stream.batch(0, ["go|1|1|ann", "go|7|7|bob"])
    found, rules = read_manifest(stream.files), Rules.of(changed)
    assert found is not None
    identity = replace(found.identity, fingerprint=rules.fingerprint())
    with pytest.raises(DataProblem, match=r"HF797.*micro-batch 0 was begun with the old rules"):
        restart(StoppedStream(str(tmp_path), stream.files), identity, rules, other_stages)
    (tmp_path / "commits/0").touch()
    restart(StoppedStream(str(tmp_path), stream.files), identity, rules, other_stages)
    with pytest.raises(DataProblem, match=r"HF797.*has not evaluated a query time"):
        restart(StoppedStream(str(tmp_path), stream.files), identity, rules, other_stages)
    with pytest.raises(DataProblem, match=r"HF797.*has not evaluated a query time"):
        rescale(str(tmp_path), buckets=3)


@pytest.mark.parametrize("is_kept", [False, True])
def test_facts_of_the_old_rules_are_gone(tmp_path: Path, *, is_kept: bool) -> None:
    facts = KEPT + "happensAt(go(ann), 12). happensAt(stop(eve), 12). happensAt(go(eve), 13).\n"
    others = KEPT + "happensAt(go(joe), 13). happensAt(stop(eve), 12). happensAt(go(eve), 13).\n"
    (compiled, stages), (changed, other_stages) = stages_of_text(facts), stages_of_text(others)
    stream = SimulatedStream(compiled, stages, RunSchedule(0, LATEST, 1, WINDOW, STEP, None), 2, tmp_path / FILES)
    begun(stream, tmp_path, 2)
    stream.batch(0, ["meet|1|1|ann|bob", "meet|16|16|ann|eve"])
    (tmp_path / "commits/0").touch()
    found, rules = read_manifest(stream.files), Rules.of(changed)
    assert found is not None
    identity = replace(found.identity, fingerprint=rules.fingerprint())
    stopped = StoppedStream(str(tmp_path), stream.files)
    manifest = keep(stopped, identity, rules) if is_kept else restart(stopped, identity, rules, other_stages)
    stages = StoppedStream(str(tmp_path), stream.files).stages
    stream.change_rules(changed, stages, 2, manifest)
    decision = stream.batch(1, ["meet|22|22|bob|eve"])
    assert decision.last == 20
    rows = known(stream.outcome, 20, set())
    assert {name for name, _ in rows if name.startswith("moving")} == {"moving(eve)=true", "moving(joe)=true"}
    assert ("met(ann,bob)=true", (2, None)) in rows
