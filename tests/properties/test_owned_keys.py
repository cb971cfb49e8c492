"""Law: the state of a bucket has results of its own keys only.

Results of other keys would never end where the records that end them go to other buckets. They would stay in the state
for ever, and an Allen relation would wait for them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdsfor.columns.tables import Relation
from holdsfor.errors import ExecutionProblem, PlanningProblem
from holdsfor.parallel.exchange.facts import Texts
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.spark.streaming.bucket_sessions import PartSession
from holdsfor.spark.streaming.bucket_steps import KeptBuckets
from holdsfor.syntax.time_points import LATEST
from tests.properties.answers import read_case
from tests.properties.keyed_programs import keyed_case
from tests.properties.staged import stages_of
from tests.properties.streamed import SimulatedStream, quiet_batches, random_cuts
from tests.properties.test_staged_reports import arriving_late, narrow_windows
from tests.seeds import chunks, named, share

SEEDS = range(9900, 9960)


def rows_of_other_keys(part: PartSession) -> Iterator[tuple[str, int]]:
    """The results of a session that its bucket does not own, by name."""
    report, state, texts = part.session.last_report(), part.session.state, Texts(part.session.symbols)
    assert report is not None
    fluents = [("fluent", key, table) for found in (report.fluents, state.held) for key, table in found.items()]
    events = [("event", key, table) for key, table in report.events.items()]
    for kind, key, table in (*fluents, *events):
        if not part.bucket.key_paths((kind, key)):
            continue  # input, or a stage without keys
        words = table.columns[: key[1] + (kind == "fluent")]
        n = table.n - len(part.bucket.owned((kind, key), Relation(words, table.n), part.number, texts))
        if n:
            yield f"{kind} {key}", n


def check(seed: int, folder: Path) -> int:
    """The largest number of rows of the states; 0 if the engine refuses the case."""
    chance, case = random.Random(seed), keyed_case(seed)
    window, step = narrow_windows(case, chance)
    given = read_case(case)
    run = RunSchedule(case.start, LATEST, case.tick, window, step, case.allen_memory)
    batches = random_cuts(arriving_late(case, window, chance), chance)
    batches += quiet_batches(batches, run, 3)
    stream, kept, n_rows = SimulatedStream(given.compiled, stages_of(given), run, 4, folder), KeptBuckets(), 0
    stream.executors_of = lambda _: [kept]
    try:
        for number, batch in enumerate(batches):
            stream.batch(number, batch)
            for _, _, session in kept._sessions.values():
                assert not list(rows_of_other_keys(*session.parts)), f"seed {seed}\n{case.text}"
                n_rows = max(n_rows, session.n_rows)
    except (PlanningProblem, ExecutionProblem):
        return 0
    return n_rows


@pytest.mark.in_turn(2)
@pytest.mark.parametrize("seeds", chunks(share(SEEDS, 5), 5), ids=named)
def test_the_state_of_a_bucket_has_results_of_its_own_keys_only(seeds: range, tmp_path: Path) -> None:
    assert sum(check(seed, tmp_path / str(seed)) for seed in seeds)
