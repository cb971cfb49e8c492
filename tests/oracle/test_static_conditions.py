"""Delays with conditions on statically determined fluents: the engines agree with the oracle, or refuse the cycle.

refused or right: a program is refused with a cycle (HF211, HF212), or all engines have the answer of the oracle.
two steps = one step: a delay with a rule behind it has the answer that the oracle has for the delay as written, also if
the delay as written is refused because a statically determined fluent is between its source and its target.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from holdsfor.analysis.pipeline import compile_text
from holdsfor.errors import AnalysisProblem
from tests.oracle.answer import Answer
from tests.oracle.questions import ENGINES, Question
from tests.oracle.static_condition_programs import FORMS, static_conditions
from tests.seeds import chunks, named, share

POOL = range(200)
SEEDS = share(POOL, 20)
COUNTED = POOL[:100]


def _cycle(text: str) -> str | None:
    """The message of the cycle for which a text is refused, or None."""
    try:
        compile_text(text)
    except AnalysisProblem as problem:
        errors = problem.diagnostics.of("error")
        if not {error.code for error in errors} <= {"HF211", "HF212"}:
            raise
        return next((error.message for error in errors if error.code == "HF212"), errors[0].message)
    return None


def _oracle(question: Question, engine: str) -> Answer:
    """The answer of the oracle to what an engine is asked: with the window of the question, or without."""
    return ENGINES["oracle"](question if engine == "windows" else replace(question, window=None, step=None))


def _before_the_end(answer: Answer, question: Question) -> Answer:
    """The answer without events at the last time-point.

    Duration filters of the oracle leave out intervals that begin after the run, so these do not start at its end.
    """
    found = {name: [one for one in each if one != question.end] for name, each in answer.items()}
    return {name: kept for name, kept in found.items() if kept}


@pytest.mark.parametrize("seeds", chunks(SEEDS, 10), ids=named)
@pytest.mark.parametrize("engine", ["reference", "batch", "windows"])
def test_conditions_on_static_fluents_are_right_or_refused(engine: str, seeds: range) -> None:
    for seed in seeds:
        program = static_conditions(seed)
        questions = [each for each in (program.one_step, program.two_steps) if _cycle(each.text) is None]
        expected = _before_the_end(_oracle(program.one_step, engine), program.one_step) if questions else {}
        for question in dict.fromkeys(questions):
            found = _before_the_end(ENGINES[engine](question), question)
            shown = "\n".join([question.text, *question.lines])
            assert found == expected, f"seed {seed}, window {question.window}, step {question.step}\n{shown}"


def test_every_form_is_written_accepted_and_refused() -> None:
    accepted, refused = Counter[str](), Counter[str]()
    for seed in COUNTED:
        program = static_conditions(seed)
        cycle = _cycle(program.one_step.text)
        if cycle is None:
            accepted.update(+program.used)
        elif "is between the source" in cycle:
            refused["accepted in two steps"] += _cycle(program.two_steps.text) is None
        else:
            refused["depends on itself"] += "depends on itself" in cycle
    assert accepted.keys() == FORMS, FORMS - accepted.keys()
    assert accepted.total() > 200, accepted
    assert min(refused["accepted in two steps"], refused["depends on itself"]) >= 15, refused
