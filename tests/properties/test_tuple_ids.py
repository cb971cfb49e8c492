"""The laws of unusual `holdsFor` rules: all evaluators, windows and stages have the same instances.

A program that is refused is skipped: a comparison may use a variable that occurs nowhere else.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from holdsfor.errors import HoldsforError
from tests.properties.answers import (
    Answer,
    Input,
    Schedule,
    batch_answer,
    explained,
    read_case,
    reference_answer,
    window_answer,
)
from tests.properties.interval_programs import interval_case
from tests.properties.staged import staged_answer, stages_of
from tests.seeds import chunks, named, share

pytestmark = pytest.mark.in_turn(2)

POOL = range(800)
SEEDS = share(POOL, 20)
SCHEDULES = ((3, 3), (7, 4), (30, 10))


def _read(seed: int) -> Input | None:
    try:
        return read_case(interval_case(seed))
    except HoldsforError:
        return None


def _in_order(answer: Answer) -> Answer:
    if isinstance(answer, str):
        return answer
    return {name: sorted(found, key=str) for name, found in answer.items()}


def _schedule(window: int, step: int) -> Schedule:
    return Schedule(window, [*range(step, 30, step), 30])


@pytest.mark.parametrize("seeds", chunks(SEEDS, 10), ids=named)
def test_all_evaluators_have_the_same_instances_of_rules(seeds: range) -> None:
    for seed in seeds:
        given = _read(seed)
        if given is None:
            continue
        expected, found = _in_order(reference_answer(given)), _in_order(batch_answer(given, given.case.end))
        assert found == expected, explained(seed, given, expected, found)
        arrivals = [fact.start for fact in given.facts]
        for window, step in SCHEDULES:
            found = _in_order(window_answer(given, _schedule(window, step), arrivals))
            assert found == expected, explained(seed, given, expected, found, window=window, step=step)
        found = _in_order(staged_answer(given, stages_of(given), 3))
        assert found == expected, explained(seed, given, expected, found, stages=stages_of(given))


def test_few_cases_are_refused_and_most_recognise_something() -> None:
    answers = [reference_answer(given) for seed in range(100) if (given := _read(seed)) is not None]
    assert len(answers) > 85
    assert sum(any(name.startswith("d") for name in answer) for answer in answers) > 50


def test_the_last_query_time_is_the_end_of_the_run() -> None:
    for window, step in SCHEDULES:
        times = _schedule(window, step).query_times
        assert times[-1] == 30
        assert all(later - earlier <= window for earlier, later in pairwise([0, *times]))
