"""The law of incremental evaluation: a query time that evaluates what changed has the report of a whole evaluation.

It holds at every query time, for the known results and for the changes, with records that arrive late, too late, twice
or not in order, and with retractions, on random programs of every kind.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

import holdsfor as hf
from holdsfor.errors import AnalysisProblem, ExecutionProblem, PlanningProblem
from holdsfor.runtime.incremental import corrections, resumption
from holdsfor.syntax.printer import show
from tests.properties.compiling import compiled_once
from tests.properties.deciding_programs import deciding_case
from tests.properties.delayed_programs import delayed_case
from tests.properties.interval_programs import interval_case
from tests.properties.keyed_programs import keyed_case
from tests.properties.passing_programs import passing_case
from tests.properties.programs import Case, random_case
from tests.seeds import chunks, named, share

CASES: dict[str, tuple[Callable[[int], Case], range]] = {
    "random": (random_case, range(11_000, 11_400)),
    "keyed": (keyed_case, range(11_400, 11_800)),
    "delayed": (delayed_case, range(11_800, 12_100)),
    "deciding": (deciding_case, range(12_100, 12_400)),
    "intervals": (interval_case, range(12_400, 12_600)),
    "passing": (passing_case, range(12_600, 12_800)),
}
CHUNKS = [(kind, seeds) for kind, (_, pool) in CASES.items() for seeds in chunks(share(pool, 10))]


def stream(case: Case, window: int, step: int, chance: random.Random) -> list[tuple[int, str]]:
    """The records with random arrivals, and retractions of some of them, in the order of arrival."""
    found: list[tuple[int, str]] = []
    for _, text in case.records:
        name, _, start, *fields = text.split("|")
        late = chance.choice([0, 0, 0, step, window, 2 * window]) * chance.random()
        arrival = int(start) + int(late)
        found.append((arrival, "|".join([name, str(arrival), start, *fields])))
        if chance.random() < 0.15:
            gone = arrival + chance.randint(0, window)
            found.append((gone, "|".join([f"-{name}", str(gone), start, *fields])))
    return sorted(found)


def reports(
    case: Case, records: Sequence[tuple[int, str]], queries: Sequence[int], window: int, incremental: str
) -> tuple[list[object], int]:
    """What a session reports at each query time, and the number of query times that were resumed."""
    step = queries[0] - case.start
    session = hf.Session(
        compiled_once(case.text),
        start=case.start,
        tick=case.tick,
        window=window,
        step=step,
        allen_memory=case.allen_memory,
        incremental=incremental,  # type: ignore[arg-type]
    )
    parts = [text.split("|") for _, text in records if not text.startswith("-")]
    facts = [(name, *fields) for name, _, *fields in parts]
    has_duplicates = len(set(facts)) < len(facts)
    found: list[object] = []
    before = case.start - 10**6
    for at in queries:
        session.insert([text for arrival, text in records if before < arrival <= at])
        report, before = session.query(at), at
        known: dict[str, object] = {show(fvp): intervals for fvp, intervals in report.intervals.items()}
        known |= {show(event): times for event, times in report.times.items()}
        # A late duplicate of a record that is still stored is no record; how long records are stored is not defined.
        counts = report.late, report.cut, report.unmatched, 0 if has_duplicates else report.dropped
        found.append((at, known, sorted(map(str, report.changes)), counts))
    return found, session._engine.n_resumed


def check(kind: str, seed: int) -> int:
    case, chance = CASES[kind][0](seed), random.Random(seed)
    n_points = max(4, (case.end - case.start) // case.tick)
    step = max(1, n_points // chance.choice([4, 8, 16])) * case.tick
    window = step * chance.choice([1, 2, 3, 5, 9])
    queries = [case.start + step * (k + 1) for k in range(-(-(case.end - case.start) // step) + window // step)]
    records = stream(case, window, step, chance)
    try:
        expected, _ = reports(case, records, queries, window, "off")
    except (AnalysisProblem, PlanningProblem, ExecutionProblem):
        return 0
    with pytest.MonkeyPatch.context() as patch:
        if seed % 4:  # as many stretches as a large window has
            patch.setattr(corrections, "_ROWS_AS_CALLS", 0.01)
        # Resumption points move always, after a few records, or when they are old.
        patch.setattr(resumption, "_FEW_ROWS", (-1, 3, 2_000)[seed % 3])
        found, n_resumed = reports(case, records, queries, window, "on")
    for whole, changed in zip(expected, found, strict=True):
        if whole != changed:
            lines = "\n".join(text for _, text in records)
            message = f"{kind} seed {seed}, window {window}, step {step}, tick {case.tick}\n{case.text}\n{lines}"
            pytest.fail(f"{message}\nexpected {whole}\nfound    {changed}", pytrace=False)
    return n_resumed


@pytest.mark.parametrize(("kind", "seeds"), CHUNKS, ids=lambda each: each if isinstance(each, str) else named(each))
def test_incremental_reports_are_those_of_whole_evaluations(kind: str, seeds: range) -> None:
    n_resumed = sum(check(kind, seed) for seed in seeds)
    assert n_resumed > 0 or kind == "intervals"
