"""The engines say what the oracle says, on random programs and streams.

oracle = reference = one query: all records have arrived, whatever their arrival says.
oracle = windows: the records that the windows admit, in a run that evaluates every query time.

A program that an engine refuses is passed over; `test_few_programs_are_refused` holds that this is little. A failure
prints the smallest program and stream that still differ.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.oracle.programs import CONSTRUCTS, NOT_YET, random_question, windowed_question
from tests.oracle.questions import ENGINES, Question, ask
from tests.oracle.shrink import shrunk
from tests.seeds import chunks, named, share

POOL = range(2000)
IN_ONE_GO = share(POOL, 50)
IN_WINDOWS = share(POOL, 50)


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
def test_the_engines_say_what_the_oracle_says(engine: str, seeds: range) -> None:
    for seed in seeds:
        _check(seed, random_question(seed, NOT_YET)[0], engine)


@pytest.mark.parametrize("seeds", chunks(IN_WINDOWS), ids=named)
def test_windows_say_what_the_oracle_says_of_the_records_they_admit(seeds: range) -> None:
    for seed in seeds:
        _check(seed, windowed_question(seed, NOT_YET)[0], "windows")


def test_every_construct_is_written() -> None:
    used: Counter[str] = Counter()
    for seed in range(300):
        used.update(windowed_question(seed)[1].used)
    table = "\n".join(f"{used[name]:6} {name}" for name in sorted(used, key=lambda name: used[name]))
    assert {name for name in used if used[name] > 1} == CONSTRUCTS, table
    assert NOT_YET <= CONSTRUCTS


def test_few_programs_are_refused() -> None:
    found = [ask("batch", random_question(seed, NOT_YET)[0]) for seed in IN_ONE_GO]
    assert sum(isinstance(answer, str) for answer in found) < len(found) // 10
    assert sum(bool(answer) for answer in found) > len(found) // 2
