"""The laws of the engine, for one case each: a failure prints everything needed to see why two answers differ.

Cases that the engine refuses are skipped.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from holdsfor.errors import PlanningProblem
from holdsfor.runtime import windows
from tests.properties.answers import (
    Input,
    Schedule,
    batch_answer,
    explained,
    read_case,
    reference_answer,
    settled_answer,
    window_answer,
)
from tests.properties.programs import Case

__all__ = [
    "check_against_the_reference",
    "check_late_events",
    "check_reporting_once",
    "check_windows",
    "of_the_run",
    "random_schedule",
]


def random_schedule(case: Case, chance: random.Random) -> tuple[Schedule, int]:
    """Query times up to the end of the run, with the step between them; windows overlap in half of the cases."""
    n_points = (case.end - case.start) // case.tick
    step = chance.randint(max(1, n_points // 60), n_points) * case.tick
    overlap = chance.choice([0, 0, 0, 1, 3, n_points]) * case.tick
    n_steps = -(-(case.end - case.start) // step)
    return Schedule(step + overlap, [case.start + step * (k + 1) for k in range(n_steps)]), step


def of_the_run(case: Case) -> Input:
    """The case without the records that begin after its run: the last query time may be later."""
    given = read_case(case)
    return replace(given, facts=[fact for fact in given.facts if fact.start <= case.end])


def check_against_the_reference(seed: int, case: Case) -> None:
    """One query over the whole history against the evaluator that shares no code with the engine."""
    given = read_case(case)
    try:
        expected = reference_answer(given, has_pending=True)
        found = batch_answer(given, case.end, has_pending=True)
    except PlanningProblem:
        return
    if found != expected:
        pytest.fail(explained(seed, given, expected, found), pytrace=False)


def check_windows(seed: int, case: Case) -> None:
    """The settled results of each query time, with the last report, are the answer of one query."""
    given = of_the_run(case)
    schedule, step = random_schedule(case, random.Random(seed))
    try:
        expected = batch_answer(given, case.end, has_pending=True)
        at_once = [fact.start for fact in given.facts]
        found, _ = settled_answer(given, schedule, at_once, merge_windows=False, has_pending=True)
    except PlanningProblem:
        return
    if found != expected:
        message = explained(seed, given, expected, found, window=schedule.window, step=step)
        pytest.fail(message, pytrace=False)


def check_late_events(seed: int, case: Case) -> None:
    """Events that arrive late by up to window - step change nothing.

    Input intervals arrive when they begin; all records are inserted in a random order.
    """
    given = of_the_run(case)
    chance = random.Random(seed)
    schedule, step = random_schedule(case, chance)
    chance.shuffle(given.facts)
    slack = (schedule.window - step) // case.tick
    delays = [chance.randint(0, slack) if fact.value is None else 0 for fact in given.facts]
    last = schedule.query_times[-1]
    arrivals = [min(fact.start + delay * case.tick, last) for fact, delay in zip(given.facts, delays, strict=True)]
    try:
        expected = batch_answer(given, case.end)
        found = window_answer(given, schedule, arrivals)
    except PlanningProblem:
        return
    if found != expected:
        order = [(arrival, fact.start) for arrival, fact in zip(arrivals, given.facts, strict=True)]
        message = explained(seed, given, expected, found, window=schedule.window, step=step, arrivals=order)
        pytest.fail(message, pytrace=False)


def check_reporting_once(seed: int, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few long windows settle the results of many short ones, with the same records dropped.

    This includes records that arrive too late for their window, or that the window cuts.
    """
    given = of_the_run(case)
    chance = random.Random(seed)
    schedule, _ = random_schedule(case, chance)
    monkeypatch.setattr(windows, "_WORTH_A_WINDOW", chance.choice([1, 5, 1_000]))
    arrivals = [fact.start + chance.randint(0, 2 * schedule.window) for fact in given.facts]
    try:
        expected = settled_answer(given, schedule, arrivals, merge_windows=False, has_pending=True)
        found = settled_answer(given, schedule, arrivals, has_pending=True)
    except PlanningProblem:
        return
    if found != expected:
        message = explained(seed, given, expected[0], found[0], counts=(expected[1], found[1]), arrivals=arrivals)
        pytest.fail(message, pytrace=False)
