"""reports of stages = reports of one engine: at every query time stages know and change what one session does.

This is for knowledge at the wrong time: a stage that sees of another what turns out later, or settles before the other
has decided; for records and intervals that come late, are cut by a window, or are taken back; for reports that tell a
row at one query time too many or too few. Shuffles are done by hand, as in `test_stages`.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from holdsfor.errors import ExecutionProblem, PlanningProblem
from holdsfor.spark.run import Run
from tests.properties.answers import read_case
from tests.properties.delayed_programs import delayed_case
from tests.properties.keyed_programs import keyed_case
from tests.properties.laws import chunks, named, random_schedule
from tests.properties.programs import Case, random_case
from tests.properties.staged import Told, embedded_reports, staged_reports, stages_of

BUCKETS = (1, 2, 7, 32)
ANY = range(8000, 8300)
KEYED = range(18100, 18400)
DELAYED = range(28300, 28500)


def arriving_late(case: Case, window: int, chance: random.Random) -> list[str]:
    """The records in any order, some too late for every window, some taken back later.

    Rows of a DataFrame have no order, so no record comes at the arrival of what takes an equal one back.
    """
    lines: list[str] = []
    facts = [text.split("|") for _, text in case.records]
    times = Counter((name, *rest) for name, _, *rest in facts)
    for name, _, start, *rest in facts:
        arrival = int(start) + int(chance.choice([0, 0, 0, 1, 3]) * window * chance.random())
        lines.append("|".join([name, str(arrival), start, *rest]))
        if chance.random() < 0.1 and times[name, start, *rest] == 1:
            lines.append("|".join([f"-{name}", str(arrival + chance.randint(1, window)), start, *rest]))
    chance.shuffle(lines)
    return lines


def compare(seed: int, case: Case, n_buckets: int) -> Told | None:
    chance = random.Random(seed)
    schedule, step = random_schedule(case, chance)
    given, lines = read_case(case), arriving_late(case, schedule.window, chance)
    run = Run(case.start, case.end, case.tick, schedule.window, step, case.allen_memory)
    try:
        expected = embedded_reports(lines, given.compiled, run)
    except (PlanningProblem, ExecutionProblem):
        return None
    stages = stages_of(given)
    found = staged_reports(lines, given.compiled, stages, run, n_buckets)
    if found != expected:
        pytest.fail(
            difference(seed, case, lines, run, f"{n_buckets} buckets\n{stages}", expected, found), pytrace=False
        )
    return found


def difference(seed: int, case: Case, lines: list[str], run: Run, more: str, expected: Told, found: Told) -> str:
    """Everything needed to see where reports begin to differ."""
    told = [f"seed {seed}, {run}, {more}", case.text, *lines]
    for at in run.queries:
        for what, left, right in (
            ("known", expected.known[at], found.known[at]),
            ("changes", expected.changes[at], found.changes[at]),
        ):
            if left != right:
                return "\n".join([*told, f"{what} at {at}", f"  expected {left}", f"  found    {right}"])
    return "\n".join(told)


@pytest.mark.parametrize("seeds", chunks(ANY), ids=named)
def test_stages_of_any_program_report_what_one_engine_reports(seeds: range) -> None:
    for seed in seeds:
        compare(seed, random_case(seed), BUCKETS[seed % 4])


@pytest.mark.parametrize("seeds", chunks(KEYED), ids=named)
def test_stages_of_programs_with_keys_report_what_one_engine_reports(seeds: range) -> None:
    for seed in seeds:
        compare(seed, keyed_case(seed), BUCKETS[seed % 4])


@pytest.mark.parametrize("seeds", chunks(DELAYED), ids=named)
def test_stages_of_programs_with_delays_report_what_one_engine_reports(seeds: range) -> None:
    for seed in seeds:
        compare(seed, delayed_case(seed), BUCKETS[seed % 4])
