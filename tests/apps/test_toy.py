"""The day of Chris gives exactly the answers that the RTEC manual prints in its section 1.2."""

from __future__ import annotations

from pathlib import Path

import pytest

from holdsfor.analysis.pipeline import Compiled, compile_files
from holdsfor.cli.main import main
from holdsfor.reference import INF, History, ReferenceResult, RunBounds, recognise
from holdsfor.sources.text_records import Reading, read_text_records
from holdsfor.syntax.printer import show

TOY = Path(__file__).parents[2] / "apps" / "toy"
RULES = [str(TOY / "rules.prolog"), str(TOY / "background.prolog")]


def history(compiled: Compiled) -> History:
    """The event narrative of the manual."""
    reading = Reading()
    read_text_records((TOY / "events.txt").read_text().splitlines(), "events.txt", compiled.names, 1, reading)
    result = History()
    for fact in reading.facts():
        result.add_event(fact.entity, fact.start)
    assert not reading.set_aside
    return result


@pytest.fixture(scope="module")
def answer() -> ReferenceResult:
    compiled = compile_files(RULES)
    return recognise(compiled, history(compiled), RunBounds(0, 30))


def test_holds_for_gives_every_interval_of_the_manual(answer: ReferenceResult) -> None:
    assert {show(fvp): intervals for fvp, intervals in answer.intervals.items()} == {
        "rich(chris)=true": ((14, 20),),
        "location(chris)=home": ((22, INF),),
        "location(chris)=pub": ((18, 22),),
        "location(chris)=work": ((10, 18),),
        "happy(chris)=true": ((14, 22),),
    }
    assert answer.times == {}


def test_holds_at_16_gives_the_answer_of_the_manual(answer: ReferenceResult) -> None:
    assert {show(fvp) for fvp in answer.holds_at(16)} == {
        "rich(chris)=true",
        "location(chris)=work",
        "happy(chris)=true",
    }


def test_holds_at_follows_the_right_open_ends(answer: ReferenceResult) -> None:
    at = {time: {show(fvp) for fvp in answer.holds_at(time)} for time in (9, 10, 13, 14, 17, 18, 19, 20, 21, 22, 30)}
    assert at[9] == set()
    assert at[10] == at[13] == {"location(chris)=work"}
    assert at[14] == at[17] == {"location(chris)=work", "rich(chris)=true", "happy(chris)=true"}
    assert at[18] == at[19] == {"location(chris)=pub", "rich(chris)=true", "happy(chris)=true"}
    assert at[20] == at[21] == {"location(chris)=pub", "happy(chris)=true"}
    assert at[22] == at[30] == {"location(chris)=home"}


def test_the_command_prints_the_expected_lines(capsys: pytest.CaptureFixture[str]) -> None:
    period = ["--start", "0", "--end", "30"]
    assert main(["run", *RULES, "--input", str(TOY / "events.txt"), "--format", "jsonl", *period]) == 0
    assert capsys.readouterr().out == (TOY / "expected.jsonl").read_text(encoding="utf-8")


def test_the_rules_of_the_manual_have_no_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *RULES]) == 0
    assert capsys.readouterr().out == "no errors, no warnings\n"
