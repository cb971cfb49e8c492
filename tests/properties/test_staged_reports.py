"""reports of stages = reports of one engine: the same results and changes at every query time.

These laws are for results at the wrong query time: a stage that reads later revisions of another stage, or settles
before the other has decided; for records and intervals that arrive late, are cut by a window, or are retracted; for
reports with a row at one query time too many or too few. Shuffles are simulated, as in `test_stages`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from holdsfor.errors import ExecutionProblem, PlanningProblem
from holdsfor.parallel.stages.admission import RunSchedule
from tests.oracle.cut_programs import cut_question
from tests.properties.answers import read_case
from tests.properties.deciding_programs import deciding_case
from tests.properties.delayed_programs import delayed_case
from tests.properties.keyed_programs import keyed_case
from tests.properties.programs import Case, random_case
from tests.properties.staged import (
    Reports,
    embedded_reports,
    embedded_settled,
    staged_reports,
    staged_settled,
    stages_of,
)
from tests.seeds import chunks, named, share

pytestmark = pytest.mark.in_turn(2)

BUCKETS = (1, 2, 3, 7)
ANY = range(8000, 8050)
KEYED = range(8100, 8150)
DELAYED = range(8200, 8250)
DECIDING = range(8300, 8350)
ASKING = range(8400, 8425)
CUT = range(8500, 8550)


def arriving_late(case: Case, window: int, chance: random.Random) -> list[str]:
    """The records in any order, some too late for every window, some retracted later.

    Rows of a DataFrame have no order, so no record arrives at the same time as a retraction of an equal record.
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


def narrow_windows(case: Case, chance: random.Random) -> tuple[int, int]:
    """A window and a step with up to twenty query times, so that results are revised."""
    n_points = (case.end - case.start) // case.tick
    step = chance.randint(max(1, n_points // 20), max(1, n_points // 4))
    return (step + chance.choice([0, 0, 1, 3, step])) * case.tick, step * case.tick


def compare(seed: int, case: Case, n_buckets: int) -> Reports | None:
    """Compare the reported and the settled results; the reports of stages, unless the engine refuses the case."""
    chance = random.Random(seed)
    window, step = narrow_windows(case, chance)
    given, lines = read_case(case), arriving_late(case, window, chance)
    run = RunSchedule(case.start, case.end, case.tick, window, step, case.allen_memory)
    try:
        expected, settled = embedded_reports(lines, given.compiled, run), embedded_settled(lines, given.compiled, run)
    except (PlanningProblem, ExecutionProblem):
        return None
    stages = stages_of(given)
    found = staged_reports(lines, given.compiled, stages, run, n_buckets)
    found_settled = staged_settled(lines, given.compiled, stages, run, n_buckets)
    if (found, found_settled) != (expected, settled):
        shown = [f"seed {seed}, {run}, {n_buckets} buckets", str(stages), case.text, *lines]
        shown += [*differences(run, expected, found), f"settled, expected {settled}", f"settled, found {found_settled}"]
        pytest.fail("\n".join(shown), pytrace=False)
    return found


def differences(run: RunSchedule, expected: Reports, found: Reports) -> Iterator[str]:
    """Where reports differ."""
    for at in run.query_times:
        for what, left, right in (
            ("known", expected.known[at], found.known[at]),
            ("changes", expected.changes[at], found.changes[at]),
        ):
            if left != right:
                yield f"{what} at {at}\n  expected {left}\n  found    {right}"


@pytest.mark.parametrize("seeds", chunks(share(ANY, 25)), ids=named)
def test_stages_of_any_program_have_the_reports_of_one_engine(seeds: range) -> None:
    for seed in seeds:
        compare(seed, random_case(seed), BUCKETS[seed % 4])


@pytest.mark.parametrize("seeds", chunks(share(KEYED, 10)), ids=named)
def test_stages_of_programs_with_keys_have_the_reports_of_one_engine(seeds: range) -> None:
    for seed in seeds:
        compare(seed, keyed_case(seed), BUCKETS[seed % 4])


@pytest.mark.parametrize("seeds", chunks(share(DELAYED, 5)), ids=named)
def test_stages_of_programs_with_delays_have_the_reports_of_one_engine(seeds: range) -> None:
    for seed in seeds:
        compare(seed, delayed_case(seed), BUCKETS[seed % 4])


@pytest.mark.parametrize("seeds", chunks(share(DECIDING, 10), 10), ids=named)
def test_late_decisions_of_a_stage_change_the_reports_of_the_next(seeds: range) -> None:
    taken_back = 0
    for seed in seeds:
        case = deciding_case(seed)
        assert len(stages_of(read_case(case)).stages) >= 3
        found = compare(seed, case, BUCKETS[seed % 4])
        changes = [] if found is None else [change for each in found.changes.values() for change in each]
        taken_back += sum(new is None and name.startswith(("p", "g")) for name, _, new in changes)
    assert taken_back > 0


@pytest.mark.parametrize("seeds", chunks(share(CUT, 25)), ids=named)
def test_stages_relate_intervals_that_are_cut_as_one_engine_does(seeds: range) -> None:
    for seed in seeds:
        question = cut_question(seed)
        records = [(0, line) for line in question.lines if not line.startswith("-")]
        case = Case(question.text, records, question.start, question.end, question.tick, question.memory)
        compare(seed, case, BUCKETS[seed % 4])


@pytest.mark.parametrize("seeds", chunks(share(ASKING, 5), 5), ids=named)
def test_rules_that_use_the_query_time_are_evaluated_at_each(seeds: range) -> None:
    asking = """
        initiatedAt(old(X)=Q, T) :- happensAt(on(X), T), queryTime(Q), Q - T > 3.
        terminatedAt(old(X)=_, T) :- happensAt(off(X), T), queryTime(Q), Q - T < 9.
        happensAt(seen_at(X, Q), T) :- happensAt(on(X), T), queryTime(Q).
        holdsFor(fresh(X)=true, I) :- holdsFor(lit(X)=true, I1), intDurGreater(I1, 6, I).
        grounding(fresh(X)=true) :- thing(X).
    """
    names: set[str] = set()
    for seed in seeds:
        case = deciding_case(seed)
        found = compare(seed, replace(case, text=case.text + asking), BUCKETS[seed % 4])
        assert found is not None
        names.update(name for known in found.known.values() for name in known if name.startswith("seen_at("))
    assert len(names) > len(seeds)
