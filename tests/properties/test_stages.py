"""stages = one engine: random programs, evaluated stage by stage in buckets, have the answer of one evaluation.

These laws are for wrong keys: rows that are sent to no bucket or to the wrong one, results that two buckets or none
own, domains and initial values of which a bucket has only a part. Shuffles are simulated here, so that hundreds of
programs can be tried; `tests/spark` does the same with Spark.
"""

from __future__ import annotations

from collections import Counter

import pytest

from holdsfor.distribution.stages import MapRoute, SemijoinRoute
from holdsfor.errors import PlanningProblem
from holdsfor.parallel.stages.admission import RunSchedule
from tests.properties.answers import Answer, Input, batch_answer, explained, read_case
from tests.properties.delayed_programs import delayed_case
from tests.properties.keyed_programs import keyed_case
from tests.properties.programs import random_case
from tests.properties.staged import embedded_tables, staged_answer, staged_tables, stages_of
from tests.seeds import chunks, named, share

pytestmark = pytest.mark.in_turn(2)

BUCKETS = (1, 2, 7, 32)
ANY = range(5000, 5075)
KEYED = range(6000, 6150)
DELAYED = range(7000, 7075)


def compare(seed: int, given: Input, n_buckets: int) -> None:
    try:
        stages, expected = stages_of(given), batch_answer(given, given.case.end, has_pending=True)
    except PlanningProblem:
        return
    if isinstance(expected, str):
        return
    in_order: Answer = {name: sorted(each, key=str) for name, each in expected.items()}
    found = staged_answer(given, stages, n_buckets, has_pending=True)
    if found != in_order:
        message = explained(seed, given, in_order, found, buckets=n_buckets, stages=f"\n{stages}")
        pytest.fail(message, pytrace=False)


@pytest.mark.parametrize("seeds", chunks(share(ANY, 25)), ids=named)
def test_stages_of_any_program_agree_with_one_engine(seeds: range) -> None:
    for seed in seeds:
        compare(seed, read_case(random_case(seed)), BUCKETS[seed % 4])


@pytest.mark.parametrize("seeds", chunks(share(KEYED, 25)), ids=named)
def test_stages_of_programs_with_keys_agree_with_one_engine(seeds: range) -> None:
    for seed in seeds:
        compare(seed, read_case(keyed_case(seed)), BUCKETS[seed % 4])


@pytest.mark.parametrize("seeds", chunks(share(DELAYED, 25)), ids=named)
def test_stages_of_programs_with_delays_agree_with_one_engine(seeds: range) -> None:
    for seed in seeds:
        compare(seed, read_case(delayed_case(seed)), BUCKETS[seed % 4])


@pytest.mark.parametrize("seeds", chunks(share(KEYED, 10)), ids=named)
def test_stages_have_the_typed_tables_of_one_engine(seeds: range) -> None:
    for seed in seeds:
        given = read_case(keyed_case(seed))
        case, lines = given.case, [text for _, text in given.case.records]
        run = RunSchedule(case.start, case.end, case.tick, None, None, case.allen_memory)
        found = staged_tables(lines, given.compiled, stages_of(given), run, BUCKETS[seed % 4])
        assert found == embedded_tables(lines, given.compiled, run), seed


def test_programs_with_keys_have_stages_of_all_kinds() -> None:
    kinds: Counter[str] = Counter()
    for seed in KEYED:
        stages = stages_of(read_case(keyed_case(seed)))
        keyed = [stage for stage in stages.stages if stage.is_keyed]
        kinds["keyed"] += bool(keyed)
        kinds["several keyed"] += len(keyed) > 1
        routes = [how for stage in keyed for _, how in stage.receives]
        kinds["along a guard"] += any(isinstance(how, SemijoinRoute) for how in routes)
        kinds["along facts"] += any(isinstance(how, MapRoute) for how in routes)
        kinds["along several facts"] += any(isinstance(how, MapRoute) and len(how.hops) > 1 for how in routes)
        kinds["both"] += 0 < len(keyed) < len(stages.stages)
    wanted = ("keyed", "several keyed", "along a guard", "along facts", "along several facts", "both")
    assert min(kinds[kind] for kind in wanted) >= 15, kinds
