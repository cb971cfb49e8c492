"""optimised plan = unoptimised plan, on random programs and on the applications.

A rewrite that changes an answer: the engine with all of them against the engine with none and without each one, and
the rewritten rules against the rules as they were, both by the reference evaluator.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from holdsfor.analysis.pipeline import compile_files, compile_text
from holdsfor.errors import PlanningProblem
from holdsfor.logical.rewrites import OPTIONAL_REWRITES
from holdsfor.runtime.session import EngineSession
from holdsfor.sources.text_records import Reading, read_text_records
from tests.apps.data import ROOT
from tests.apps.runs import RUNS
from tests.properties.answers import Input, explained, read_case, reference_answer
from tests.properties.delayed_programs import delayed_case
from tests.properties.programs import Case, random_case
from tests.properties.rewriting import answer_as_written, answer_rewritten, answer_without, rewritten_text
from tests.seeds import chunks, named, share, some

pytestmark = pytest.mark.in_turn(2)

SEEDS = range(3000, 3300)
SHOWN = range(3300, 3400)
SWITCHED = range(3400, 3500)
RECURSIVE = range(3500, 3600)


@pytest.mark.parametrize("seeds", chunks(share(SEEDS, 50)), ids=named)
def test_rewrites_do_not_change_the_answer_of_the_engine(seeds: range) -> None:
    for seed in seeds:
        given = read_case(random_case(seed))
        try:
            expected, found = answer_as_written(given, given.case.end), answer_rewritten(given, given.case.end)
        except PlanningProblem:
            continue
        if found != expected:
            pytest.fail(explained(seed, given, expected, found), pytrace=False)


@pytest.mark.parametrize("rewrite", some(OPTIONAL_REWRITES, 2))
@pytest.mark.parametrize("seeds", chunks(share(SWITCHED, 25)), ids=named)
def test_a_rewrite_can_be_switched_off(rewrite: str, seeds: range) -> None:
    for seed in seeds:
        check_without(rewrite, seed, random_case(seed))


@pytest.mark.parametrize("rewrite", some(OPTIONAL_REWRITES, 2))
@pytest.mark.parametrize("seeds", chunks(share(RECURSIVE, 25)), ids=named)
def test_a_rewrite_of_recursive_rules_can_be_switched_off(rewrite: str, seeds: range) -> None:
    for seed in seeds:
        check_without(rewrite, seed, delayed_case(seed))


def check_without(rewrite: str, seed: int, case: Case) -> None:
    """Compare the answers with all rewrites and with all but one."""
    given = read_case(case)
    try:
        expected, found = (answer_without(each, given, given.case.end) for each in ((), (rewrite,)))
    except PlanningProblem:
        return
    if found != expected:
        pytest.fail(explained(seed, given, expected, found), pytrace=False)


@pytest.mark.parametrize("seeds", chunks(share(SHOWN, 25)), ids=named)
def test_the_rewritten_rules_have_the_same_answer(seeds: range) -> None:
    """The logical stage is shown as rules; they parse, and the reference evaluator gives the same answer for them."""
    for seed in seeds:
        given = read_case(random_case(seed))
        try:
            text = rewritten_text(given.compiled)
        except PlanningProblem:
            continue
        expected, found = reference_answer(given), reference_answer(Input(given.case, compile_text(text), given.facts))
        if found != expected:
            pytest.fail(explained(seed, given, expected, found, rewritten=text), pytrace=False)


@pytest.mark.parametrize("name", RUNS)
def test_rewrites_do_not_change_the_answer_of_an_application(name: str) -> None:
    run = RUNS[name]
    tick = 40 if name == "activity" else 1
    compiled = compile_files(run.files)
    reading = Reading()
    lines = (ROOT / "apps" / run.app / run.records).read_text(encoding="utf-8").splitlines()
    read_text_records(lines, run.records, compiled.names, tick, reading)
    facts = reading.facts()
    end = max(fact.start for fact in facts)
    case = Case("", [], 0, end, tick)
    one, other = (Input(case, each, facts) for each in (compiled, compile_text(rewritten_text(compiled))))
    expected = answer_rewritten(one, end)
    assert len(expected) > 2
    assert answer_as_written(one, end) == expected
    assert [answer_without((rewrite,), one, end) for rewrite in OPTIONAL_REWRITES] == [expected] * len(
        OPTIONAL_REWRITES
    )
    assert answer_rewritten(other, end) == expected


def test_some_cases_are_rewritten() -> None:
    """A law about rewrites that never happen would hold."""
    assert n_rewritten("folded", random_case, SEEDS[:60]) > 2
    assert n_rewritten("unfolded", random_case, SEEDS[:60]) > 2
    assert n_rewritten("moved forward, evaluated once", delayed_case, RECURSIVE[:25]) > 2


def n_rewritten(remark: str, make: Callable[[int], Case], seeds: range) -> int:
    """The number of cases in which a rewrite leaves its remark."""
    n = 0
    for seed in seeds:
        try:
            n += f"% {remark}: " in rewritten_text(read_case(make(seed)).compiled)
        except PlanningProblem:
            continue
    return n


def test_a_session_that_does_not_rewrite_plans_other_steps() -> None:
    compiled = compile_files(RUNS["maritime"].files)
    one, other = (EngineSession(compiled, start=0, without=each) for each in ((), OPTIONAL_REWRITES))
    assert one.rules.program.logical != other.rules.program.logical
