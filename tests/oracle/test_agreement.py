"""The engines agree with the oracle, on random programs and streams.

oracle = reference = one query: all records have arrived; arrivals are ignored.
oracle = reports: at each query time, the maximal intervals that overlap its window, with their true starts.
oracle = windows: the records that the windows admit, in a run that evaluates every query time.
oracle = changes: the changes of all query times, applied one after another.

A program that an engine refuses is skipped; `test_few_programs_are_refused` checks that this is rare. A failure
prints the smallest program and stream that still differ.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.oracle.answer import Answer
from tests.oracle.programs import CONSTRUCTS, NOT_YET, random_question, windowed_question
from tests.oracle.questions import ENGINES, Question, ask
from tests.oracle.reports import engine_reports, oracle_reports, rows_after_changes
from tests.oracle.shrink import shrunk
from tests.seeds import chunks, named, share

POOL = range(400)
IN_ONE_GO = share(POOL, 25)
IN_WINDOWS = share(POOL, 25)
REPORTED = share(range(200), 25)


def _differs(question: Question, engine: str) -> bool:
    found = ask(engine, question)
    return not isinstance(found, str) and found != ENGINES["oracle"](question)


def _check(seed: int, question: Question, engine: str) -> None:
    if not _differs(question, engine):
        return
    least = shrunk(question, lambda smaller: _is_a_difference(smaller, engine))
    lines = [f"seed {seed}: {least.start} to {least.end}, tick {least.tick}, window {least.window}, step {least.step}"]
    lines += [least.text, *least.lines, "", f"oracle: {ENGINES['oracle'](least)}", f"{engine}: {ask(engine, least)}"]
    pytest.fail("\n".join(lines), pytrace=False)


def _is_a_difference(question: Question, engine: str) -> bool:
    """Whether a smaller program differs too; smaller programs may have no meaning."""
    try:
        return _differs(question, engine)
    except Exception:
        return False


@pytest.mark.parametrize("seeds", chunks(IN_ONE_GO), ids=named)
@pytest.mark.parametrize("engine", ["reference", "batch"])
def test_the_engines_agree_with_the_oracle(engine: str, seeds: range) -> None:
    for seed in seeds:
        _check(seed, random_question(seed, NOT_YET)[0], engine)


@pytest.mark.parametrize("seeds", chunks(IN_WINDOWS), ids=named)
def test_windows_agree_with_the_oracle_on_the_records_they_admit(seeds: range) -> None:
    for seed in seeds:
        _check(seed, windowed_question(seed, NOT_YET)[0], "windows")


@pytest.mark.parametrize("seeds", chunks(REPORTED), ids=named)
def test_every_report_has_the_intervals_that_overlap_its_window(seeds: range) -> None:
    for seed in seeds:
        question = windowed_question(seed, NOT_YET)[0]
        if question.step is None or question.end - question.start > 8 * question.step:
            continue
        if isinstance(ask("windows", question), str):
            continue
        expected, found = oracle_reports(question), engine_reports(question)
        assert found.keys() == expected.keys(), f"seed {seed}"
        for at, answer in expected.items():
            assert _inside(found[at], question, at) == _inside(answer, question, at), f"seed {seed} at {at}"


@pytest.mark.parametrize("seeds", chunks(REPORTED), ids=named)
def test_changes_applied_one_after_another_give_the_answer_of_the_oracle(seeds: range) -> None:
    for seed in seeds:
        question = windowed_question(seed, NOT_YET)[0]
        if not isinstance(ask("windows", question), str):
            assert rows_after_changes(question) == ask("oracle", question), f"seed {seed}"


def _inside(answer: Answer, question: Question, at: int) -> Answer:
    """The answer without events at the edge of the window.

    An event at a query time is reported at the next one, where it may be at the edge.
    """
    assert question.window is not None
    edge = at - question.window
    found = {name: [one for one in known if not isinstance(one, int) or one > edge] for name, known in answer.items()}
    return {name: kept for name, kept in found.items() if kept}


def test_every_construct_is_written() -> None:
    used: Counter[str] = Counter()
    for seed in range(400):
        used.update(windowed_question(seed)[1].used)
    table = "\n".join(f"{used[name]:6} {name}" for name in sorted(used, key=lambda name: used[name]))
    assert {name for name in used if used[name] > 1} == CONSTRUCTS, table
    assert NOT_YET <= CONSTRUCTS


def test_few_programs_are_refused() -> None:
    found = [ask("batch", random_question(seed, NOT_YET)[0]) for seed in range(60)]
    assert sum(isinstance(answer, str) for answer in found) < len(found) // 10
    assert sum(bool(answer) for answer in found) > len(found) // 2
