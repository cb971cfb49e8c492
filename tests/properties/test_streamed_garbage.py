"""Micro-batches leave no reference cycles, so the memory of a process that keeps buckets for months does not grow."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from holdsfor.errors import ExecutionProblem, PlanningProblem
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.spark.streaming.bucket_steps import KeptBuckets
from holdsfor.syntax.time_points import LATEST
from tests.garbage import no_garbage
from tests.properties.answers import read_case
from tests.properties.delayed_programs import delayed_case
from tests.properties.keyed_programs import keyed_case
from tests.properties.programs import Case, random_case
from tests.properties.staged import stages_of
from tests.properties.streamed import SimulatedStream, quiet_batches, random_cuts
from tests.properties.test_staged_reports import arriving_late, narrow_windows
from tests.seeds import chunks, named, share

SEEDS = range(9600, 9630)
PROGRAMS: dict[str, Callable[[int], Case]] = {"any": random_case, "keyed": keyed_case, "delayed": delayed_case}


def check(seed: int, case: Case, folder: Path) -> bool:
    """Whether the engine accepts the case; its later micro-batches, in sessions that are kept, must leave nothing."""
    chance = random.Random(seed)
    window, step = narrow_windows(case, chance)
    given = read_case(case)
    run = RunSchedule(case.start, LATEST, case.tick, window, step, case.allen_memory)
    batches = [batch for batch in random_cuts(arriving_late(case, window, chance), chance) if batch]
    batches += quiet_batches(batches, run)
    stream, kept = SimulatedStream(given.compiled, stages_of(given), run, 2, folder), KeptBuckets()
    stream.executors_of = lambda _: [kept]
    n_first = len(batches) // 3 + 1
    try:
        for number, batch in enumerate(batches[:n_first]):
            stream.batch(number, batch)
        with no_garbage():
            for number, batch in enumerate(batches[n_first:], n_first):
                stream.batch(number, batch)
    except (PlanningProblem, ExecutionProblem):
        return False
    return True


@pytest.mark.in_turn(3)
@pytest.mark.parametrize("kind", PROGRAMS)
@pytest.mark.parametrize("seeds", chunks(share(SEEDS, 6), 6), ids=named)
def test_micro_batches_leave_no_garbage(kind: str, seeds: range, tmp_path: Path) -> None:
    assert sum(check(seed, PROGRAMS[kind](seed), tmp_path / str(seed)) for seed in seeds)
