"""Law: a stream whose buckets evict members of dynamic domains has the changes and the settled results of one live
session that keeps them.

This law is for members that only the results of an earlier stage mention: a stage has evicted them when such a result
begins long after the last record about its entity.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from holdsfor.columns.records import Mask
from holdsfor.errors import ExecutionProblem, PlanningProblem
from holdsfor.kernels.keys import Int64
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.runtime.domain_members import Members, Mentioned
from holdsfor.runtime.session import Incremental
from holdsfor.syntax.time_points import LATEST
from tests.properties.answers import read_case
from tests.properties.passing_programs import passing_pairs_case
from tests.properties.programs import Case
from tests.properties.staged import stages_of
from tests.properties.streamed import SimulatedStream, embedded_outcome, random_cuts
from tests.properties.test_staged_reports import arriving_late
from tests.properties.test_streamed import BUCKETS, Executors, check
from tests.seeds import chunks, named, share

PAIRS = range(12_500, 12_530)
DOMAIN = ("thing", 1)


@dataclass
class Evictions:
    """Counts the members of a domain that sessions evict, and evicts at every opportunity."""

    monkeypatch: pytest.MonkeyPatch
    n_members: int = 0

    def __post_init__(self) -> None:
        evict = Members.evict

        def counted(members: Members, is_in_use: Callable[[Int64], Mask], mentioned: Mentioned) -> None:
            before = members.background.facts(DOMAIN).n
            evict(members, is_in_use, mentioned)
            self.n_members += before - members.background.facts(DOMAIN).n

        self.monkeypatch.setattr(Members, "evict", counted)

    def set(self, *, is_eager: bool) -> None:
        self.monkeypatch.setattr(Members, "has_many_evictable", is_eager)


def compare(seed: int, case: Case, n_buckets: int, folder: Path, evictions: Evictions) -> int:
    """Compare a stream that evicts with a session that does not; the number of stages, 0 if the engine refuses."""
    chance = random.Random(seed)
    step = chance.randint(5, 12)
    window = step + chance.choice([0, 3, 10])
    given = read_case(case)
    batches = random_cuts(arriving_late(case, window, chance), chance)
    lines = [line for batch in batches for line in batch]
    run = RunSchedule(case.start, LATEST, case.tick, window, step, case.allen_memory)
    last = case.start + (max(int(line.split("|")[1]) for line in lines) - 1 - case.start) // step * step
    evictions.set(is_eager=False)
    try:
        expected = embedded_outcome(lines, given.compiled, run, last)
    except (PlanningProblem, ExecutionProblem):
        return 0
    evictions.set(is_eager=True)
    stages = stages_of(given)
    incremental: Incremental = "on" if seed % 2 else "auto"
    stream = SimulatedStream(given.compiled, stages, run, n_buckets, folder / str(seed), incremental)
    stream.executors_of = Executors(chance)
    for number, batch in enumerate(batches):
        stream.batch(number, batch)
    check(seed, expected, stream.outcome, f"{run}, {n_buckets} buckets\n{stages}\n{case.text}\n{batches}")
    return len(stages.stages)


@pytest.mark.parametrize("seeds", chunks(share(PAIRS, 5), 5), ids=named)
def test_evicting_members_of_several_stages_changes_no_answer(
    seeds: range, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_evicting = 0
    for seed in seeds:
        evictions = Evictions(monkeypatch)
        n_stages = compare(seed, passing_pairs_case(seed), BUCKETS[seed % 4], tmp_path, evictions)
        n_evicting += n_stages > 1 and evictions.n_members > 0
    assert n_evicting > 0
