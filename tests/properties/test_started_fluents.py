"""The law of cut intervals: only fluents whose starts rules read need to distinguish starts from edges of windows.

Sessions that find the cut intervals of all fluents give the same reports as sessions that find those of the started
fluents, with input intervals that arrive after they began and are cut by the next window.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from holdsfor.columns.query_times import QueryTimes
from holdsfor.errors import AnalysisProblem, ExecutionProblem, PlanningProblem
from tests.properties.answers import Found, Input, as_answer, read_case
from tests.properties.deciding_programs import deciding_case
from tests.properties.interval_programs import interval_case
from tests.properties.programs import Case, random_case
from tests.seeds import chunks, named, share

CASES: dict[str, tuple[Callable[[int], Case], range]] = {
    "random": (random_case, range(24_000, 24_400)),
    "deciding": (deciding_case, range(24_400, 24_600)),
    "intervals": (interval_case, range(24_600, 25_000)),
}
CHUNKS = [(kind, seeds) for kind, (_, pool) in CASES.items() for seeds in chunks(share(pool, 10))]


def reports(
    given: Input, arrivals: list[int], queries: QueryTimes, *, of_all: bool
) -> tuple[list[dict[str, list[Found]]], int]:
    """The reports of all query times, and the number of cut records."""
    session = given.session(queries.window, "off")
    if of_all:
        session.rules.started_fluents = None
    session.insert(zip(arrivals, given.facts, strict=True))
    session.announce(queries)
    query_times = queries.up_to(session.last_query_time(queries))
    found = [as_answer(session.query(at), session.symbols) for at in query_times]
    return found, session.records.admission_counts.n_cut


def check(kind: str, seed: int) -> int:
    case, chance = CASES[kind][0](seed), random.Random(seed)
    n_points = max(4, (case.end - case.start) // case.tick)
    step = max(1, n_points // chance.choice([3, 6, 9])) * case.tick
    queries = QueryTimes(case.start, case.end, step, step * chance.choice([1, 1, 2]), case.tick)
    try:
        given = read_case(case)
        arrivals = [fact.start if fact.value is None else min(fact.end, fact.start + 2 * step) for fact in given.facts]
        expected, n_cut = reports(given, arrivals, queries, of_all=True)
        found, _ = reports(given, arrivals, queries, of_all=False)
    except (AnalysisProblem, PlanningProblem, ExecutionProblem):
        return 0
    if expected != found:
        lines = "\n".join(f"{arrival}: {fact}" for arrival, fact in zip(arrivals, given.facts, strict=True))
        pytest.fail(f"{kind} seed {seed}, {queries}\n{case.text}\n{lines}\n{expected}\n{found}", pytrace=False)
    return n_cut


@pytest.mark.parametrize(("kind", "seeds"), CHUNKS, ids=lambda each: each if isinstance(each, str) else named(each))
def test_edges_of_windows_matter_for_starts_only(kind: str, seeds: range) -> None:
    assert sum(check(kind, seed) for seed in seeds) > 0
