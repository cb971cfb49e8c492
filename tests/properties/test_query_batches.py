"""The law of batches: query times that are evaluated together have the reports of query times evaluated one by one.

It holds at every query time, for the known results, the changes and the counts of late records, with records that
arrive late now and then, after insertions in the middle of a run, and for a session restored in the middle of a batch.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from holdsfor.columns.query_times import QueryTimes
from holdsfor.errors import AnalysisProblem, ExecutionProblem, PlanningProblem
from holdsfor.runtime.reports.changes import changes_since
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.session import EngineSession, Incremental
from holdsfor.runtime.snapshot import Snapshot
from tests.properties.answers import Input, as_answer, read_case
from tests.properties.deciding_programs import deciding_case
from tests.properties.delayed_programs import delayed_case
from tests.properties.interval_programs import interval_case
from tests.properties.keyed_programs import keyed_case
from tests.properties.passing_programs import passing_case
from tests.properties.programs import Case, random_case
from tests.seeds import chunks, named, share

pytestmark = pytest.mark.in_turn(2)

CASES: dict[str, tuple[Callable[[int], Case], range]] = {
    "random": (random_case, range(21_000, 21_600)),
    "keyed": (keyed_case, range(21_600, 22_000)),
    "delayed": (delayed_case, range(22_000, 22_400)),
    "deciding": (deciding_case, range(22_400, 22_600)),
    "intervals": (interval_case, range(22_600, 23_200)),
    "passing": (passing_case, range(23_200, 23_600)),
}
CHUNKS = [(kind, seeds) for kind, (_, pool) in CASES.items() for seeds in chunks(share(pool, 10))]


class Run:
    """A session over all records of a case, and its report of each query time."""

    def __init__(self, given: Input, queries: QueryTimes, arrivals: list[int], incremental: Incremental) -> None:
        self.given = given
        self.queries = queries
        self.session = given.session(queries.window, incremental)
        self.session.insert(zip(arrivals, given.facts, strict=True))
        self.last = self.session.last_query_time(queries)
        self.session.announce(queries)
        self.n_batched = 0

    def report(self, at: int) -> tuple[object, ...]:
        """The report about the window, the changes, the counts, and the time of the next change."""
        session, batch = self.session, self.session._batch
        previous = session.last_report()
        report = session.query(at)
        self.n_batched += batch is not None and session._batch is batch
        changes = changes_since(previous or ReportColumns(session.start - 1, {}, {}), report, session.frontier)
        shown = [report, report.after(session.window_start(at), session.tick, previous), changes.gone, changes.come]
        answers = [as_answer(each, session.symbols) for each in shown]
        figures = session.records.counts, session.n_input, session.next_change(), session.frontier
        return at, answers, figures

    def restore(self) -> None:
        """Continue with a session that is restored from a snapshot of this one."""
        snapshot = Snapshot.from_bytes(self.session.snapshot().to_bytes(), "snapshot")
        self.session = EngineSession.restored(snapshot, self.given.compiled)
        self.session.announce(self.queries)


def arrivals_of(given: Input, step: int, chance: random.Random) -> list[int]:
    """Arrivals at the start of each record, and now and then later."""
    share_late = chance.choice([0, 0, 0.02, 0.2])
    return [
        fact.start + (int(2 * step * chance.random()) if chance.random() < share_late else 0) for fact in given.facts
    ]


def check(kind: str, seed: int) -> int:
    case, chance = CASES[kind][0](seed), random.Random(seed)
    n_points = max(4, (case.end - case.start) // case.tick)
    step = max(1, n_points // chance.choice([3, 8, 16, 24])) * case.tick
    window = step * chance.choice([1, 1, 2, 5])
    queries = QueryTimes(case.start, case.end, step, window, case.tick)
    try:
        given = read_case(case)
        given = replace(given, facts=[fact for fact in given.facts if fact.start <= case.end])
        arrivals = arrivals_of(given, step, chance)
        one_by_one = Run(given, queries, arrivals, "off")
        together = Run(given, queries, arrivals, "auto")
        interrupted_at = chance.choice([None, None, *queries.up_to(together.last)])
        for at in queries.up_to(together.last):
            expected, found = one_by_one.report(at), together.report(at)
            if expected != found:
                lines = "\n".join(f"{arrival}: {fact}" for arrival, fact in zip(arrivals, given.facts, strict=True))
                message = f"{kind} seed {seed}, window {window}, step {step}, tick {case.tick}\n{case.text}\n{lines}"
                pytest.fail(f"{message}\nexpected {expected}\nfound    {found}", pytrace=False)
            if at == interrupted_at:
                one_by_one.restore()
                together.restore()
    except (AnalysisProblem, PlanningProblem, ExecutionProblem):
        return 0
    return together.n_batched


NEAR = "points(near(_)=true).\ninitiatedAt(lost(X)=true, T) :- happensAt({edge}(near(X)=true), T).\n"


@pytest.mark.parametrize("incremental", ["auto", "on"])
@pytest.mark.parametrize("edge", ["start", "end", "startI", "endI"])
@pytest.mark.parametrize("points", [((5, 5), (6, 18)), ((5, 18), (6, 6)), ((4, 4), (5, 8), (6, 23), (10, 10))])
def test_a_point_beside_a_query_time_arrives_late(
    edge: str, points: tuple[tuple[int, int], ...], incremental: Incremental
) -> None:
    case = Case(NEAR.format(edge=edge), [(at, f"near|{at}|{at}|true|a") for at, _ in points], 0, 30, 1)
    queries, arrivals = QueryTimes(0, 30, 5, 30, 1), [arrival for _, arrival in points]
    alone, together = (Run(read_case(case), queries, arrivals, each) for each in ("off", incremental))
    for at in queries.up_to(30):
        assert alone.report(at)[1] == together.report(at)[1]


@pytest.mark.parametrize(("kind", "seeds"), CHUNKS, ids=lambda each: each if isinstance(each, str) else named(each))
def test_batches_have_the_reports_of_single_query_times(kind: str, seeds: range) -> None:
    n_batched = sum(check(kind, seed) for seed in seeds)
    assert n_batched > 0 or kind == "deciding"
