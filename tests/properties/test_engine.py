"""The laws of the engine on random programs and streams.

engine = reference: one query over the whole history against the evaluator that shares no code with the engine.
windows = batch: what is settled at each query time, with the last report, is the answer of one query.
any arrival order the window tolerates = in order: events that come late by up to window - step change nothing.
reported once = settled by all windows: few long windows settle what many short ones do, with the same records dropped.

What the engine refuses is passed over; `test_few_cases_are_refused` holds that this is little. A chunk of seeds is one
test, so that workers can share them. A failure prints the seed, the program, the records and what differs;
`random_case(seed)` makes the case again.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from holdsfor.errors import PlanningProblem
from holdsfor.runtime import windows
from holdsfor.runtime.session import Session
from tests.properties.answers import (
    Input,
    Schedule,
    batch_answer,
    counted_window_answer,
    explained,
    read_case,
    reference_answer,
    settled_answer,
    window_answer,
)
from tests.properties.programs import CONSTRUCTS, NOT_YET, Case, random_case

CHUNK = 25
AGAINST_REFERENCE = range(600)
IN_WINDOWS = range(1000, 1400)
LATE = range(2000, 2400)


def chunks(seeds: range) -> list[range]:
    return [seeds[i : i + CHUNK] for i in range(0, len(seeds), CHUNK)]


def named(seeds: range) -> str:
    return f"seeds {seeds.start} to {seeds.stop - 1}"


def random_schedule(case: Case, chance: random.Random) -> tuple[Schedule, int]:
    """Query times up to the end of the run, with the step between them; windows overlap in half of the cases."""
    n_points = (case.end - case.start) // case.tick
    step = chance.randint(max(1, n_points // 60), n_points) * case.tick
    overlap = chance.choice([0, 0, 0, 1, 3, n_points]) * case.tick
    n_steps = -(-(case.end - case.start) // step)
    return Schedule(step + overlap, [case.start + step * (k + 1) for k in range(n_steps)]), step


def of_the_run(case: Case) -> Input:
    """The case without the records that begin after its run: the last query time may lie later."""
    given = read_case(case)
    return replace(given, facts=[fact for fact in given.facts if fact.start <= case.end])


@pytest.mark.parametrize("seeds", chunks(AGAINST_REFERENCE), ids=named)
def test_the_engine_says_what_the_reference_says(seeds: range) -> None:
    for seed in seeds:
        given = read_case(random_case(seed))
        try:
            expected, found = reference_answer(given), batch_answer(given, given.case.end)
        except PlanningProblem:
            continue
        if found != expected:
            pytest.fail(explained(seed, given, expected, found), pytrace=False)


@pytest.mark.parametrize("seeds", chunks(IN_WINDOWS), ids=named)
def test_windows_do_not_change_the_answer(seeds: range) -> None:
    for seed in seeds:
        given = of_the_run(random_case(seed))
        schedule, step = random_schedule(given.case, random.Random(seed))
        try:
            expected = batch_answer(given, schedule.query_times[-1])
            found = window_answer(given, schedule, [fact.start for fact in given.facts])
        except PlanningProblem:
            continue
        if found != expected:
            message = explained(seed, given, expected, found, window=schedule.window, step=step)
            pytest.fail(message, pytrace=False)


@pytest.mark.parametrize("seeds", chunks(LATE), ids=named)
def test_late_events_that_the_window_tolerates_do_not_change_the_answer(seeds: range) -> None:
    """Input intervals come when they begin; all records are inserted in a random order."""
    for seed in seeds:
        given = of_the_run(random_case(seed))
        chance = random.Random(seed)
        schedule, step = random_schedule(given.case, chance)
        chance.shuffle(given.facts)
        slack = (schedule.window - step) // given.case.tick
        delays = [chance.randint(0, slack) if fact.value is None else 0 for fact in given.facts]
        last = schedule.query_times[-1]
        arrivals = [
            min(fact.start + delay * given.case.tick, last) for fact, delay in zip(given.facts, delays, strict=True)
        ]
        try:
            expected = batch_answer(given, last)
            found = window_answer(given, schedule, arrivals)
        except PlanningProblem:
            continue
        if found != expected:
            order = [(arrival, fact.start) for arrival, fact in zip(arrivals, given.facts, strict=True)]
            message = explained(seed, given, expected, found, window=schedule.window, step=step, arrivals=order)
            pytest.fail(message, pytrace=False)


@pytest.mark.parametrize("seeds", chunks(LATE), ids=named)
def test_reporting_once_says_what_all_windows_settle(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when records come too late for their window, or are cut by it."""
    for seed in seeds:
        given = of_the_run(random_case(seed))
        chance = random.Random(seed)
        schedule, _ = random_schedule(given.case, chance)
        monkeypatch.setattr(windows, "_WORTH_A_WINDOW", chance.choice([1, 5, 1_000]))
        arrivals = [fact.start + chance.randint(0, 2 * schedule.window) for fact in given.facts]
        try:
            expected = counted_window_answer(given, schedule, arrivals)
            found = settled_answer(given, schedule, arrivals)
        except PlanningProblem:
            continue
        if found != expected:
            message = explained(seed, given, expected[0], found[0], counts=(expected[1], found[1]), arrivals=arrivals)
            pytest.fail(message, pytrace=False)


@pytest.mark.parametrize("seeds", [AGAINST_REFERENCE, IN_WINDOWS, LATE], ids=["reference", "windows", "late"])
def test_every_construct_is_generated(seeds: range) -> None:
    used: Counter[str] = Counter()
    for seed in seeds:
        used.update(random_case(seed).used)
    table = "\n".join(f"{used[name]:6} {name}" for name in sorted(CONSTRUCTS, key=lambda name: used[name]))
    assert {name for name in used if used[name]} <= CONSTRUCTS, table
    assert {name for name in CONSTRUCTS if used[name] < 2} == NOT_YET, table


def test_few_cases_are_refused() -> None:
    refused = 0
    for seed in AGAINST_REFERENCE:
        try:
            Session(read_case(random_case(seed)).compiled, start=0, window=10)
        except PlanningProblem:
            refused += 1
    assert 0 < refused < len(AGAINST_REFERENCE) // 4


def test_cases_are_the_same_every_time() -> None:
    assert [random_case(seed) for seed in range(20)] == [random_case(seed) for seed in range(20)]


def test_some_cases_have_something_to_say() -> None:
    """An engine that finds nothing would agree with itself."""
    sizes = [len(reference_answer(read_case(random_case(seed)))) for seed in range(60)]
    assert sum(size > 0 for size in sizes) > 40
