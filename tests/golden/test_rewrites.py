"""Each rewrite on a program made for it: the rules before, the rules after, and what both sides recognise.

What `plan --stage logical` shows is a file of rules again, so the other side can be run, too: by the reference
evaluator, which has no rewrites, and by the engine. The texts are rewritten with `HOLDSFOR_UPDATE_GOLDEN=1`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from holdsfor.analysis.pipeline import Compiled, compile_files, compile_text
from holdsfor.logical.rewrites import OPTIONAL_REWRITES
from holdsfor.physical.rewritten_text import show_rewritten
from holdsfor.runtime.session import EngineSession
from holdsfor.sources.text_records import Reading, read_text_records
from tests.properties.answers import Answer, Input, reference_answer
from tests.properties.programs import Case
from tests.properties.rewriting import answer_as_written, answer_rewritten, rewritten_text

REWRITES = Path(__file__).parent / "rewrites"
NAMES = sorted(path.name for path in REWRITES.iterdir())
END = 20


def given(compiled: Compiled, name: str) -> Input:
    """A program with the records of a rewrite."""
    reading = Reading()
    lines = (REWRITES / name / "events.txt").read_text(encoding="utf-8").splitlines()
    read_text_records(lines, "events.txt", compiled.names, 1, reading)
    assert not reading.set_aside
    return Input(Case("", [], 0, END, 1), compiled, reading.facts())


def before(name: str) -> Compiled:
    return compile_files([REWRITES / name / "rules.prolog"])


@pytest.mark.parametrize("name", NAMES)
def test_the_rules_are_rewritten_as_they_were(name: str) -> None:
    session = EngineSession(before(name), start=0)
    shown = show_rewritten(session.rules.program, session.rules.domains.planner)
    golden = REWRITES / name / "logical.txt"
    if os.environ.get("HOLDSFOR_UPDATE_GOLDEN") == "1":
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_both_sides_recognise_the_same(name: str) -> None:
    one = given(before(name), name)
    other = given(compile_text(rewritten_text(one.compiled)), name)
    answers: list[Answer] = [reference_answer(other), answer_as_written(one, END), answer_rewritten(one, END)]
    expected = reference_answer(one)
    assert len(expected) > 1
    assert answers == [expected] * 3


@pytest.mark.parametrize("name", NAMES)
def test_a_planner_that_does_not_rewrite_leaves_the_rules_as_they_are(name: str) -> None:
    session = EngineSession(before(name), start=0, without=OPTIONAL_REWRITES)
    shown = show_rewritten(session.rules.program, session.rules.domains.planner)
    assert not any(word in shown for word in ("folded", "unfolded", "moved"))
    rules = [each.rule for component in session.rules.program.logical.components for each in component.rules]
    assert {id(rule) for rule in rules} <= {id(rule) for rule in session.rules.compiled.description.point_rules}
