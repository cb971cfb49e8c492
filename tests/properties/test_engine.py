"""The laws of the engine on random programs and streams.

engine = reference: one query over the whole history against the evaluator that shares no code with the engine.
windows = batch: the settled results of each query time, with the last report, are the answer of one query.
any arrival order the window tolerates = in order: events that arrive late by up to window - step change nothing.
merged = all windows: few long windows settle the results of many short ones, with the same records dropped.

Cases that the engine refuses are skipped; `test_few_cases_are_refused` checks that they are rare. A failure prints the
seed, the program, the records and what differs; `random_case(seed)` recreates the case.
"""

from __future__ import annotations

from collections import Counter

import pytest

from holdsfor.errors import PlanningProblem
from holdsfor.runtime.session import EngineSession
from tests.properties.answers import read_case, reference_answer
from tests.properties.laws import (
    check_against_the_reference,
    check_late_events,
    check_reporting_once,
    check_windows,
)
from tests.properties.programs import CONSTRUCTS, NOT_YET, random_case
from tests.seeds import chunks, named, share

AGAINST_REFERENCE = range(600)
IN_WINDOWS = range(1000, 1400)
LATE = range(2000, 2400)


@pytest.mark.parametrize("seeds", chunks(share(AGAINST_REFERENCE, 75)), ids=named)
def test_the_engine_agrees_with_the_reference(seeds: range) -> None:
    for seed in seeds:
        check_against_the_reference(seed, random_case(seed))


@pytest.mark.parametrize("seeds", chunks(share(IN_WINDOWS, 50)), ids=named)
def test_windows_do_not_change_the_answer(seeds: range) -> None:
    for seed in seeds:
        check_windows(seed, random_case(seed))


@pytest.mark.parametrize("seeds", chunks(share(LATE, 50)), ids=named)
def test_late_events_that_the_window_tolerates_do_not_change_the_answer(seeds: range) -> None:
    for seed in seeds:
        check_late_events(seed, random_case(seed))


@pytest.mark.parametrize("seeds", chunks(share(LATE, 50)), ids=named)
def test_merged_windows_settle_the_results_of_all_windows(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in seeds:
        check_reporting_once(seed, random_case(seed), monkeypatch)


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
    for seed in AGAINST_REFERENCE[:200]:
        try:
            EngineSession(read_case(random_case(seed)).compiled, start=0, window=10)
        except PlanningProblem:
            refused += 1
    assert 0 < refused < 50


def test_cases_are_the_same_every_time() -> None:
    assert [random_case(seed) for seed in range(20)] == [random_case(seed) for seed in range(20)]


def test_some_cases_have_results() -> None:
    """An engine that finds nothing would agree with itself."""
    sizes = [len(reference_answer(read_case(random_case(seed)))) for seed in range(60)]
    assert sum(size > 0 for size in sizes) > 40
