"""The laws of delayed effects and recursive components, on random programs with many of them.

engine = reference, windows = batch, late events that the window tolerates = in order, and reported once = settled by
all windows, as in `test_engine`; also with windows in which nothing arrives, and with delays many windows long.
parts do not matter: a limit of few iterations per part, or short first parts, does not change the answer.

`delayed_case(seed)` recreates a case.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from holdsfor.errors import PlanningProblem
from holdsfor.runtime.recursion import fixpoint
from holdsfor.runtime.session import EngineSession
from tests.properties.answers import Schedule, batch_answer, explained, read_case, reference_answer, window_answer
from tests.properties.delayed_programs import DELAY_CONSTRUCTS, delayed_case
from tests.properties.laws import (
    check_against_the_reference,
    check_late_events,
    check_reporting_once,
    check_windows,
    of_the_run,
)
from tests.properties.programs import Case
from tests.seeds import IS_LONG, chunks, named, share

pytestmark = pytest.mark.in_turn(2)

AGAINST_REFERENCE = range(600)
IN_WINDOWS = range(1000, 1250)
LATE = range(2000, 2200)
ONCE = range(3000, 3200)
IN_PARTS = range(4000, 4250)
QUIET = range(5000, 5150)
COUNTED = [AGAINST_REFERENCE, IN_WINDOWS, LATE, IN_PARTS] if IS_LONG else [AGAINST_REFERENCE[:200]]


@pytest.mark.parametrize("seeds", chunks(share(AGAINST_REFERENCE, 25)), ids=named)
def test_the_engine_agrees_with_the_reference(seeds: range) -> None:
    for seed in seeds:
        check_against_the_reference(seed, delayed_case(seed))


@pytest.mark.parametrize("seeds", chunks(share(IN_WINDOWS, 25)), ids=named)
def test_windows_do_not_change_the_answer(seeds: range) -> None:
    for seed in seeds:
        check_windows(seed, delayed_case(seed))


@pytest.mark.parametrize("seeds", chunks(share(LATE, 25)), ids=named)
def test_late_events_that_the_window_tolerates_do_not_change_the_answer(seeds: range) -> None:
    for seed in seeds:
        check_late_events(seed, delayed_case(seed))


@pytest.mark.parametrize("seeds", chunks(share(ONCE, 25)), ids=named)
def test_merged_windows_settle_the_results_of_all_windows(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in seeds:
        check_reporting_once(seed, delayed_case(seed), monkeypatch)


@pytest.mark.parametrize("seeds", chunks(share(QUIET, 25)), ids=named)
def test_effects_are_due_in_windows_without_records(seeds: range) -> None:
    """All records in the first third of the run, and windows of a few time-points up to its end."""
    for seed in seeds:
        given = of_the_run(delayed_case(seed))
        case = given.case
        third = case.start + (case.end - case.start) // 3
        given.facts[:] = [fact for fact in given.facts if fact.start <= third]
        step = random.Random(seed).randint(1, 6) * case.tick
        queries = list(range(case.start + step, third, step)) + list(range(third, case.end + 1, 2 * step))
        queries = sorted({*queries, case.end})
        schedule = Schedule(3 * step, queries)
        try:
            expected = batch_answer(given, case.end)
            found = window_answer(given, schedule, [fact.start for fact in given.facts])
        except PlanningProblem:
            continue
        if found != expected:
            pytest.fail(explained(seed, given, expected, found, window=schedule.window, queries=queries), pytrace=False)


@pytest.mark.parametrize("seeds", chunks(share(IN_PARTS, 5), 5), ids=named)
def test_parts_of_a_time_range_do_not_change_the_answer(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fixpoint iteration instead of time stepping, in parts of two to four iterations, with short first parts."""
    for seed in seeds:
        chance = random.Random(seed)
        case = delayed_case(seed)
        few, length = chance.randint(2, 4), chance.choice([0, 1, 2, 5]) * case.tick
        monkeypatch.setattr(fixpoint, "stepped", lambda *_: None)
        monkeypatch.setattr(fixpoint, "_MAX_ITERATIONS", few)
        monkeypatch.setattr(fixpoint, "_FEW_ITERATIONS", chance.randint(1, few))
        if length:
            monkeypatch.setattr(fixpoint, "_first_length", lambda first, last, length=length: length)
        check_against_the_reference(seed, case)
        check_windows(seed, case)
        monkeypatch.undo()


@pytest.mark.parametrize("seeds", COUNTED, ids=named)
def test_every_construct_is_generated(seeds: range) -> None:
    used: Counter[str] = Counter()
    for seed in seeds:
        used.update(delayed_case(seed).used)
    table = "\n".join(f"{used[name]:6} {name}" for name in sorted(DELAY_CONSTRUCTS, key=lambda name: used[name]))
    assert all(used[name] >= 5 for name in DELAY_CONSTRUCTS), table
    assert used["refused"] < len(seeds), "most programs should advance time"


def test_few_cases_are_refused() -> None:
    seeds = COUNTED[0][:60]
    refused = sum(_is_refused(delayed_case(seed)) for seed in seeds)
    assert refused < len(seeds) // 5


def _is_refused(case: Case) -> bool:
    try:
        EngineSession(read_case(case).compiled, start=0, window=10)
    except PlanningProblem:
        return True
    return False


def test_delays_make_a_difference() -> None:
    """Without delays in both, the engine and the reference would agree as well."""
    different = 0
    for seed in range(20):
        case = delayed_case(seed)
        lines = [line for line in case.text.splitlines() if not line.startswith(("fi(", "ft("))]
        without = Case("\n".join(lines) + "\n", case.records, case.start, case.end, case.tick)
        different += reference_answer(read_case(case)) != reference_answer(read_case(without))
    assert different > 5


def test_cases_are_the_same_every_time() -> None:
    assert [delayed_case(seed) for seed in range(20)] == [delayed_case(seed) for seed in range(20)]
