"""Every construct of SPEC §2-§6 in one small program each: the stages of its compilation, and its answer.

`HOLDSFOR_UPDATE_GOLDEN=1` rewrites the plan stages; read the difference afterwards. The answers are never rewritten:
they were derived by hand from SPEC, as the comments of each `rules.prolog` explain. A program that fails here shows
either a defect or an unclear sentence of SPEC.
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from holdsfor.analysis.pipeline import compile_files
from holdsfor.cli.main import main
from holdsfor.cli.plan import PLANS, STAGES
from holdsfor.runtime.recursion import fixpoint
from tests.apps.runs import RUNS
from tests.results import by_entity

PROGRAMS = Path(__file__).parent / "programs"
APPLICATIONS = Path(__file__).parent / "applications"
NAMES = sorted(path.name for path in PROGRAMS.iterdir() if path.is_dir())


def run(program: Path) -> list[str]:
    """The arguments that evaluate a program over its events."""
    options = shlex.split((program / "options").read_text(encoding="utf-8"))
    events = str(program / "events.txt")
    return ["run", str(program / "rules.prolog"), "--input", events, "--format", "jsonl", *options]


def answer(name: str) -> list[dict[str, Any]]:
    """The answer of a program: a row for each FVP and event."""
    return by_entity((PROGRAMS / name / "answer.jsonl").read_text(encoding="utf-8").splitlines())


def is_recursive(name: str) -> bool:
    """Whether a program has delays or cycles."""
    levels = (PROGRAMS / name / "levels.txt").read_text(encoding="utf-8")
    rules = (PROGRAMS / name / "rules.prolog").read_text(encoding="utf-8")
    return "cyclic" in levels or "fi(" in rules or "ft(" in rules


def check_stage(arguments: list[str], golden: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that the text of a stage equals the golden file."""
    code = main(arguments)
    shown, err = capsys.readouterr()
    assert code == 0, err
    if os.environ.get("HOLDSFOR_UPDATE_GOLDEN") == "1":
        golden.write_text(shown, encoding="utf-8")
    assert shown == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("stage", STAGES)
def test_the_text_of_every_compiler_stage_is_unchanged(
    name: str, stage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["plan", str(PROGRAMS / name / "rules.prolog"), "--stage", stage]
    check_stage(arguments, PROGRAMS / name / f"{stage}.txt", capsys)


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("stage", PLANS)
def test_every_plan_of_an_application_is_unchanged(name: str, stage: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_stage(["plan", *RUNS[name].files, "--stage", stage], APPLICATIONS / f"{name}.{stage}.txt", capsys)


@pytest.mark.parametrize("name", [name for name in NAMES if is_recursive(name)])
def test_fixpoint_iteration_has_the_answer_of_time_stepping(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixpoint, "stepped", lambda *_: None)
    assert main([*run(PROGRAMS / name), "--engine", "columnar"]) == 0
    assert by_entity(capsys.readouterr().out.splitlines()) == answer(name)


@pytest.mark.parametrize("engine", ["reference", "columnar"])
@pytest.mark.parametrize("name", NAMES)
def test_the_answer_is_the_one_derived_by_hand(name: str, engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = main([*run(PROGRAMS / name), "--engine", engine])
    out, err = capsys.readouterr()
    assert code == 0, err
    assert "set aside" not in err
    found, expected = by_entity(out.splitlines()), answer(name)
    assert sorted(found, key=str) == sorted(expected, key=str)
    assert found == expected, "the answers are right, their order is not"


@pytest.mark.parametrize("name", NAMES)
def test_the_answer_is_a_list_of_maximal_intervals(name: str) -> None:
    for row in answer(name):
        flat = [time for pair in row.get("intervals", []) for time in pair if time is not None]
        assert flat == sorted(set(flat)), row


def test_netbill_has_the_components_and_levels_of_the_paper() -> None:
    """Figure 3 and Examples 9 and 10 of the delayed-effects paper: quote | permission | contract and suspended."""
    found = compile_files([PROGRAMS / "netbill" / "rules.prolog"]).levels
    components = [
        (component.level, {vertex.label.split("(")[0] for vertex in component.vertices}, component.is_cyclic)
        for component in found.components
        if not component.is_input
    ]
    assert components == [(1, {"quote"}, False), (1, {"per"}, False), (2, {"contract", "suspended"}, True)]
