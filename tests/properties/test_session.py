"""The laws of sessions on random programs and streams.

pieces = all at once: records may be inserted at their arrival or long before.
retract(insert(x)) = nothing: whether a query time has seen x or not.
changes: applied to the report before they give the report; applied one after another they give the whole answer.
early components: results that continue from the last evaluation are those of an evaluation from the settled time-point.

A record that is inserted and retracted here has the constants of one that stays: a query time that has seen an entity
keeps it in its domains, even if the record is retracted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import pytest

import holdsfor as hf
from holdsfor.columns.query_times import QueryTimes
from holdsfor.errors import ExecutionProblem, PlanningProblem
from holdsfor.runtime.early_components import EarlyComponents
from holdsfor.runtime.reports.changes import each_change
from holdsfor.runtime.session import EngineSession
from holdsfor.sinks.changes import event_changes, interval_changes
from holdsfor.syntax.printer import show
from tests.properties.answers import Answer, Found, Input, Schedule, batch_answer, explained, read_case
from tests.properties.compiling import compiled_once
from tests.properties.deciding_programs import deciding_case
from tests.properties.laws import of_the_run, random_schedule
from tests.properties.programs import Case, random_case
from tests.seeds import chunks, named, share

PIECES = range(3000, 3100)
RETRACTIONS = range(4000, 4100)
CHANGES = range(5000, 5150)
EARLY = range(6000, 6400)


Plain = dict[str, list[Found]]


def answer_of(report: hf.Report) -> Plain:
    found: Plain = {show(fvp): list(intervals) for fvp, intervals in report.intervals.items()}
    return found | {show(event): list(times) for event, times in report.times.items()}


def arriving(line: str, arrival: int) -> str:
    name, _, *fields = line.split("|")
    return "|".join([name, str(arrival), *fields])


def moved(line: str, time: int) -> str:
    """The same record at another time, arriving when it begins."""
    name, _, start, *fields = line.split("|")
    if name == "jf":
        fields[0] = str(int(fields[0]) - int(start) + time)
    return "|".join([name, str(time), str(time), *fields])


def fact_of(line: str) -> tuple[str, ...]:
    """The contents of a record without its arrival."""
    name, _, *fields = line.split("|")
    return (name, *fields)


def lines_of(case: Case) -> list[tuple[int, str]]:
    """The records of the run with the time they begin at."""
    begins = [(int(text.split("|")[2]), text) for _, text in case.records]
    return [(begin, arriving(text, begin)) for begin, text in begins if begin <= case.end]


def session_of(case: Case, window: int | None, step: int | None, *, strict: bool = True) -> hf.Session:
    rules, memory = compiled_once(case.text), case.allen_memory
    return hf.Session(
        rules, start=case.start, tick=case.tick, window=window, step=step, allen_memory=memory, strict=strict
    )


def answers_at(session: hf.Session, queries: Sequence[int], pieces: Sequence[Iterable[str]]) -> list[Plain]:
    """The answers of query times, each after its piece of the records."""
    answers: list[Plain] = []
    for at, piece in zip(queries, pieces, strict=True):
        session.insert(list(piece))
        answers.append(answer_of(session.query(at)))
    return answers


def check(seed: int, given: Input, expected: Sequence[Answer], found: Sequence[Answer], **more: object) -> None:
    for i, (left, right) in enumerate(zip(expected, found, strict=True)):
        if left != right:
            pytest.fail(explained(seed, given, left, right, query=i, **more), pytrace=False)


# -- pieces ------------------------------------------------------------------------------------------------------------


def late_arrivals(given: Case, slack: int, chance: random.Random) -> list[tuple[int, str]]:
    """The records with arrivals up to two steps later than the window tolerates."""
    found = [
        (begin + chance.choice([0, 0, slack, 3 * slack]) * chance.random(), line) for begin, line in lines_of(given)
    ]
    return [(int(arrival), arriving(line, int(arrival))) for arrival, line in found]


@pytest.mark.parametrize("seeds", chunks(share(PIECES, 25)), ids=named)
def test_records_may_be_inserted_before_they_arrive_or_when_they_do(seeds: range) -> None:
    for seed in seeds:
        case, chance = read_case(random_case(seed)).case, random.Random(seed)
        schedule, step = random_schedule(case, chance)
        records = late_arrivals(case, schedule.window, chance)
        queries = schedule.query_times
        bounds = [case.start - 10**6, *queries]
        pieces = [
            [line for arrival, line in records if low < arrival <= high]
            for low, high in zip(bounds, queries, strict=False)
        ]
        try:
            at_once = answers_at(
                session_of(case, schedule.window, step),
                queries,
                [[line for _, line in records]] + [[]] * (len(queries) - 1),
            )
            in_pieces = answers_at(session_of(case, schedule.window, step), queries, pieces)
        except (PlanningProblem, ExecutionProblem):
            continue
        check(seed, read_case(case), at_once, in_pieces, window=schedule.window, step=step, records=records)


@pytest.mark.parametrize("seeds", chunks(share(PIECES, 25)), ids=named)
def test_the_whole_history_may_arrive_in_any_order(seeds: range) -> None:
    for seed in seeds:
        given, chance = of_the_run(random_case(seed)), random.Random(seed)
        case = given.case
        lines = [line for _, line in lines_of(case)]
        chance.shuffle(lines)
        queries = [*sorted(chance.sample(range(case.start, case.end), 3)), case.end]
        cuts = sorted(chance.randint(0, len(lines)) for _ in range(3))
        pieces = [lines[low:high] for low, high in zip([0, *cuts], [*cuts, len(lines)], strict=True)]
        try:
            expected = batch_answer(given, case.end)
            found = answers_at(session_of(case, None, None), queries, pieces)
        except (PlanningProblem, ExecutionProblem):
            continue
        if isinstance(expected, str):
            continue
        check(seed, given, [expected], [dict(sorted(found[-1].items()))], queries=queries, pieces=pieces)


# -- retractions -------------------------------------------------------------------------------------------------------


@dataclass
class Passer:
    """Records that are inserted and retracted again: before a query time sees them, or after."""

    case: Case
    window: int | None
    step: int
    chance: random.Random
    waiting: list[str] = field(default_factory=list)
    n_seen: int = 0

    def between(self, session: hf.Session, piece: list[str], at: int) -> None:
        """Retract the records seen before `at`, and insert others, with the constants of records that stay."""
        if self.waiting:
            session.retract(self.waiting)
        self.waiting = []
        passing = self.passing(piece[:2], at - self.step, at)
        session.insert(passing)
        session.retract(passing)
        begin = at - self.step if self.window is None else max(at - self.step, at + self.step - self.window)
        staying = self.passing(piece[-2:], begin, at)
        if self.chance.random() < 0.5:
            session.insert(staying)
            self.waiting = staying
            self.n_seen += len(staying)

    def passing(self, lines: list[str], low: int, high: int) -> list[str]:
        """Records like the lines at other times; none that stays anyway, for a duplicate is the same record."""
        found = [moved(line, time) for line in lines if (time := self.time(low, high)) is not None]
        those_that_stay = {fact_of(line) for _, line in lines_of(self.case)}
        return [
            line for line in {fact_of(line): line for line in found}.values() if fact_of(line) not in those_that_stay
        ]

    def time(self, low: int, high: int) -> int | None:
        """A time-point after `low` and not after `high`, if there is one."""
        times = range(low // self.case.tick + 1, high // self.case.tick + 1)
        return self.chance.choice(times) * self.case.tick if times else None


@pytest.mark.parametrize("is_windowed", [True, False], ids=["windows", "whole history"])
@pytest.mark.parametrize("seeds", chunks(share(RETRACTIONS, 25)), ids=named)
def test_records_that_are_inserted_and_retracted_change_nothing(seeds: range, is_windowed: bool) -> None:
    n_seen = 0
    for seed in seeds:
        case, chance = read_case(random_case(seed)).case, random.Random(seed)
        schedule, step = random_schedule(case, chance)
        window = schedule.window if is_windowed else None
        passer = Passer(case, window, step, chance)
        expected: list[Answer] = []
        found: list[Answer] = []
        try:
            plain, busy = (session_of(case, window, step if is_windowed else None) for _ in range(2))
            before = case.start - 10**6
            for at in schedule.query_times:
                piece = [line for begin, line in lines_of(case) if before < begin <= at]
                plain.insert(piece)
                busy.insert(piece)
                passer.between(busy, piece, at)
                reports = plain.query(at), busy.query(at)
                if not passer.waiting:
                    expected.append(answer_of(reports[0]))
                    found.append(answer_of(reports[1]))
                assert reports[1].dropped == reports[0].dropped
                before = at
        except (PlanningProblem, ExecutionProblem):
            continue
        check(seed, read_case(case), expected, found, window=window, step=step)
        n_seen += passer.n_seen
    assert n_seen > 0


# -- changes -----------------------------------------------------------------------------------------------------------


def applied(known: dict[str, set[Found]], changes: Iterable[hf.Change]) -> None:
    for change in changes:
        found = known.setdefault(change.name, set())
        if change.old is not None:
            found.discard(change.old)
        if change.new is not None:
            assert change.new not in found
            found.add(change.new)


def in_window(known: dict[str, set[Found]], report: hf.Report, boundary: int, tick: int) -> dict[str, set[Found]]:
    """The rows with a time-point in the window; events at its edge are included when they are new."""
    reported = {(change.name, change.new) for change in report.changes}
    following = (boundary // tick + 1) * tick

    def is_inside(name: str, found: Found) -> bool:
        if isinstance(found, int):
            return found > boundary or (found == boundary and (name, found) in reported)
        return found[1] is None or found[1] > following

    kept = {name: {found for found in spans if is_inside(name, found)} for name, spans in known.items()}
    return {name: spans for name, spans in kept.items() if spans}


@pytest.mark.parametrize("seeds", chunks(share(CHANGES, 25)), ids=named)
def test_changes_applied_to_a_report_give_the_next_one(seeds: range) -> None:
    for seed in seeds:
        case, chance = read_case(random_case(seed)).case, random.Random(seed)
        schedule, step = random_schedule(case, chance)
        try:
            session = session_of(case, schedule.window, step)
            session.insert([line for _, line in late_arrivals(case, schedule.window, chance)])
            known: dict[str, set[Found]] = {}
            for at in schedule.query_times:
                if chance.random() < 0.2:
                    continue
                before = case.start - 1 if session.query_time is None else at - schedule.window
                report = session.query(at)
                applied(known, report.changes)
                known = in_window(known, report, max(case.start - 1, before), case.tick)
                expected = {name: set(found) for name, found in answer_of(report).items()}
                assert known == expected, f"seed {seed}, query time {at}"
        except (PlanningProblem, ExecutionProblem):
            continue


@pytest.mark.parametrize("seeds", chunks(share(CHANGES, 25)), ids=named)
def test_all_changes_together_are_the_answer_over_the_whole_history(seeds: range) -> None:
    for seed in seeds:
        given, chance = of_the_run(random_case(seed)), random.Random(seed)
        schedule, step = random_schedule(given.case, chance)
        try:
            expected = batch_answer(given, schedule.query_times[-1])
            known: dict[str, set[Found]] = {}
            for changes in _changes(given, schedule, chance, step):
                applied(known, changes)
        except (PlanningProblem, ExecutionProblem):
            continue
        found = {name: sorted(spans, key=str) for name, spans in known.items() if spans}
        if not isinstance(expected, str):
            check(seed, given, [{name: sorted(spans, key=str) for name, spans in expected.items()}], [found])


def _changes(given: Input, schedule: Schedule, chance: random.Random, step: int) -> Iterator[list[hf.Change]]:
    """The changes of each query time; events arrive as late as the window tolerates."""
    case, slack = given.case, (schedule.window - step) // given.case.tick
    window, memory = schedule.window, case.allen_memory
    session = EngineSession(given.compiled, start=case.start, tick=case.tick, window=window, allen_memory=memory)
    for fact in given.facts:
        delay = chance.randint(0, slack) * case.tick if fact.value is None else 0
        session.insert([(min(fact.start + delay, schedule.query_times[-1]), fact)])
    session.announce(QueryTimes(case.start, case.end, step, window, case.tick))
    for changes in each_change(session, schedule.query_times):
        gone, come, symbols = changes.gone, changes.come, session.symbols
        found = interval_changes(gone.intervals(symbols), come.intervals(symbols))
        yield found + event_changes(gone.times(symbols), come.times(symbols))


# -- early components --------------------------------------------------------------------------------------------------


def _reports(given: Input, schedule: Schedule, step: int, seed: int, *, is_early: bool) -> Iterator[tuple[Answer, int]]:
    """The report of each query time, and the number of components that continue from the last evaluation."""
    case, chance = given.case, random.Random(seed)
    session = EngineSession(
        given.compiled, start=case.start, tick=case.tick, window=schedule.window, allen_memory=case.allen_memory
    )
    if not is_early:
        session.rules.early = EarlyComponents(frozenset(), frozenset(), frozenset())
    for fact in given.facts:
        session.insert([(fact.start + chance.choice([0, 0, 1, schedule.window]), fact)])
    session.announce(QueryTimes(case.start, case.end, step, schedule.window, case.tick))
    for at in schedule.query_times:
        report, evaluation = session.query(at), session._evaluation
        assert evaluation is not None
        found: Plain = {show(fvp): list(spans) for fvp, spans in report.intervals(session.symbols).items()}
        found |= {show(event): list(times) for event, times in report.times(session.symbols).items()}
        yield found, len(evaluation.adopted)


@pytest.mark.parametrize("seeds", chunks(share(EARLY, 20)), ids=named)
@pytest.mark.parametrize("generated", [random_case, deciding_case], ids=["any rules", "undecided rules"])
def test_early_components_have_the_results_of_a_whole_evaluation(
    seeds: range, generated: Callable[[int], Case]
) -> None:
    for seed in seeds:
        _check_early_components(seed, generated(seed))


def test_some_random_programs_have_early_components() -> None:
    """Those of one chunk may have none."""
    assert sum(_check_early_components(seed, deciding_case(seed)) for seed in EARLY[:10]) > 0


def _check_early_components(seed: int, case: Case) -> int:
    """Check the reports of a program, and return how often a component continued from the last evaluation."""
    given, chance = read_case(case), random.Random(seed)
    schedule, step = random_schedule(given.case, chance)
    try:
        whole = [found for found, _ in _reports(given, schedule, step, seed, is_early=False)]
        early = list(_reports(given, schedule, step, seed, is_early=True))
    except (PlanningProblem, ExecutionProblem):
        return 0
    check(seed, given, whole, [found for found, _ in early], window=schedule.window, step=step)
    return sum(n for _, n in early)


def test_a_case_without_records_has_reports_too() -> None:
    case = replace(random_case(3), records=[])
    assert session_of(case, None, None).query(case.end).late == 0
