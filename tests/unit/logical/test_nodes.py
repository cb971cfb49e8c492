"""Ids of logical nodes and fingerprints depend on the rules alone: every process finds the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from holdsfor.analysis.fingerprint import fingerprint
from holdsfor.analysis.pipeline import Compiled, compile_files, compile_text
from holdsfor.logical.rewrites import OPTIONAL_REWRITES
from holdsfor.runtime.session import EngineSession
from holdsfor.syntax.parser import parse_term
from tests.apps.data import ROOT

APPLICATIONS = sorted(path for path in (ROOT / "apps").iterdir() if list(path.glob("*.prolog")))


def ids_of(compiled: Compiled) -> list[str]:
    """The nodes for which a session may keep state, in processing order, and the fingerprint."""
    rules = EngineSession(compiled, start=0).rules
    program, found = rules.program, [str(rules.deciding_levels)]
    for component, logical in zip(program.components, program.logical.components, strict=True):
        found.append(f"{component.number} {logical.label}")
        found += [str(fluent.id) for fluent in component.fluents.values()]
        found += [f"{component.number} {delay.key} {delay.source}" for delay in component.delays]
    return [fingerprint(compiled), *found]


def ids_of_applications() -> dict[str, list[str]]:
    """The ids of all applications, by name."""
    return {folder.name: ids_of(compile_files(sorted(folder.glob("*.prolog")))) for folder in APPLICATIONS}


SCRIPT = """
import json
from tests.unit.logical.test_nodes import ids_of_applications
print(json.dumps(ids_of_applications()))
"""


def ids_in_another_process(seed: int) -> dict[str, list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(done.stdout))


def test_ids_and_fingerprints_are_the_same_in_every_process() -> None:
    expected = ids_of_applications()
    assert [ids_in_another_process(seed) for seed in (1, 2)] == [expected, expected]


def test_steps_of_a_rule_keep_their_ids_when_facts_are_folded_into_it() -> None:
    text = """
    limit(5).
    collectIntervals(a(_)=_).
    holdsFor(x=true, []).
    holdsFor(b(X)=true, K) :- limit(N), holdsFor(a(X)=on, I), intDurGreater(I, N, J), intDurLess(J, 9, K).
    """
    sessions = [EngineSession(compile_text(text), start=0, without=each) for each in ((), OPTIONAL_REWRITES)]
    assert [session.rules.deciding_levels for session in sessions] == [((((1, "J"), (1, "K")),),)] * 2


def test_a_part_of_a_program_keeps_the_numbers_of_its_components() -> None:
    text = """
    initiatedAt(a=true, T) :- happensAt(e, T).
    fi(a=true, a=false, 3).
    initiatedAt(b=true, T) :- happensAt(start(a=true), T).
    fi(b=true, b=false, 3).
    """
    program = EngineSession(compile_text(text), start=0, components=[1]).rules.program
    assert [component.number for component in program.components] == [1]


RULES = "weight(a, 1).\ninitiatedAt(b(X)=true, T) :- happensAt(e(X), T), weight(X, _)."


@pytest.mark.parametrize(
    "other",
    [
        RULES.replace("weight(a, 1)", "weight(a, 2)"),
        RULES.replace("weight(a, 1)", "weight(a, 1.0)"),
        RULES.replace("weight(a, 1)", "weight(a, '1')"),
        RULES.replace("=true", "=false"),
        RULES + "\nhappensAt(e(a), 3).",
        RULES + "\n:- discontiguous(e/1).",
        "\n".join(reversed(RULES.splitlines())),
    ],
)
def test_other_rules_facts_and_orders_have_another_fingerprint(other: str) -> None:
    assert fingerprint(compile_text(other)) != fingerprint(compile_text(RULES))


def test_goals_before_a_run_are_part_of_the_fingerprint() -> None:
    compiled = compile_text(RULES)
    goals = [parse_term("assertz(weight(b, 2))")]
    assert fingerprint(compiled, goals) != fingerprint(compiled)
    assert fingerprint(compiled, goals) == fingerprint(compiled, list(goals))
