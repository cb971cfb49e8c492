"""Relations of input intervals that windows cut: the engine agrees with the oracle, in real and in merged windows.

A failure prints the smallest program and stream that still differ.
"""

from __future__ import annotations

import pytest

import holdsfor as hf
from tests.oracle.answer import Answer
from tests.oracle.cut_programs import cut_question
from tests.oracle.questions import ENGINES, Question, in_windows, named_answer
from tests.oracle.reports import engine_reports, oracle_reports, rows_after_changes
from tests.oracle.shrink import shrunk
from tests.seeds import chunks, named, share

SEEDS = share(range(240), 40)


def _recognised(question: Question) -> hf.Result:
    """The answer in merged windows."""
    return hf.recognise(
        hf.load_text(question.text),
        list(question.lines),
        start=question.start,
        end=question.end,
        tick=question.tick,
        window=question.window,
        step=question.step,
        allen_memory=question.memory,
    )


def _merged(question: Question) -> Answer:
    found = _recognised(question)
    return named_answer(question, found.times, found.intervals)


def _oracle_reports_differ(question: Question) -> bool:
    expected, found = oracle_reports(question), engine_reports(question)
    assert question.window is not None
    for at, answer in expected.items():
        edge = at - question.window
        inside = [
            {name: [one for one in each if not isinstance(one, int) or one > edge] for name, each in known.items()}
            for known in (found[at], answer)
        ]
        if len({str({name: each for name, each in known.items() if each}) for known in inside}) > 1:
            return True
    return False


_LAWS = {
    "windows": lambda question: in_windows(question) != ENGINES["oracle"](question),
    "merged windows": lambda question: _merged(question) != ENGINES["oracle"](question),
    "changes": lambda question: rows_after_changes(question) != ENGINES["oracle"](question),
    "reports": _oracle_reports_differ,
}


def _fails(question: Question, law: str) -> bool:
    """Whether a smaller program differs too; smaller programs may have no meaning."""
    try:
        return _LAWS[law](question)
    except Exception:
        return False


def _check(seed: int, law: str) -> None:
    question = cut_question(seed)
    if not _LAWS[law](question):
        return
    least = shrunk(question, lambda smaller: _fails(smaller, law))
    run = f"to {least.end}, tick {least.tick}, memory {least.memory}, window {least.window}, step {least.step}"
    lines = [f"seed {seed}: {run}", least.text, *least.lines, ""]
    lines += [f"oracle: {ENGINES['oracle'](least)}", f"windows: {in_windows(least)}", f"merged: {_merged(least)}"]
    pytest.fail("\n".join(lines), pytrace=False)


@pytest.mark.parametrize("seeds", chunks(SEEDS, 20), ids=named)
@pytest.mark.parametrize("law", list(_LAWS))
def test_relations_of_cut_intervals_are_those_of_the_oracle(law: str, seeds: range) -> None:
    for seed in seeds:
        _check(seed, law)


def test_intervals_are_cut_and_related() -> None:
    """Questions without cuts, or without answers, would show nothing."""
    questions = [cut_question(seed) for seed in range(60)]
    found = [
        hf.recognise(
            hf.load_text(q.text), list(q.lines), start=q.start, end=q.end, tick=q.tick, window=q.window, step=q.step
        )
        for q in questions
    ]
    assert sum(result.cut > 0 for result in found) > len(found) // 2
    assert sum(bool(result.intervals) for result in found) > len(found) // 2
