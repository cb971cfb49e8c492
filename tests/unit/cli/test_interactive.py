"""`run --interactive`: goals over all windows of a run, after it, and during a live run."""

from __future__ import annotations

import io
import os
import threading
import time
from pathlib import Path

import pytest

from holdsfor.cli.main import main
from tests.unit.cli.processes import rules
from tests.unit.cli.terminal import PATIENCE, Terminal

TOY = ["apps/toy/rules.prolog", "apps/toy/background.prolog", "--input", "apps/toy/events.txt"]
BOUNDS = ["--start", "0", "--end", "24"]
FOUND = """\
F = (happy(chris)=true), I = [(14,22)]
F = (location(chris)=home), I = [(22,inf)]
F = (location(chris)=pub), I = [(18,22)]
F = (location(chris)=work), I = [(10,18)]
F = (rich(chris)=true), I = [(14,20)]
I = [(0,inf)]
I = [(22,inf)]
"""
GOALS = """\
holdsFor(F, I).
complement_all([], I).
holdsFor(location(_)=home, _I), intDurGreater(_I, 2, I).
"""


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--window", "6"],
        ["--window", "6", "--step", "2"],
        ["--window", "6", "--final"],
        ["--window", "6", "--report", "changes"],
        ["--engine", "reference"],
        ["--window", "8", "--replay", "max"],
    ],
    ids=" ".join,
)
def test_goals_are_about_all_windows(
    options: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(GOALS))
    assert main(["run", *TOY, *BOUNDS, "--interactive", *options]) == 0
    assert capsys.readouterr().out == FOUND


def test_results_are_also_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("holdsAt(F, 11)\n"))
    output = tmp_path / "found.txt"
    assert main(["run", *TOY, *BOUNDS, "--interactive", "-o", str(output)]) == 0
    assert capsys.readouterr().out == "F = (location(chris)=work)\n"
    assert "holdsFor(rich(chris)=true, [(14,20)])." in output.read_text(encoding="utf-8")


def test_the_habits_of_rtec(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`run_rtec.sh --app=toy --interactive` in the folder of `defaults.toml`."""
    folder = Path("apps/toy").resolve()
    (tmp_path / "defaults.toml").write_text(
        f"""[toy]
event_description = "{folder}/rules.prolog"
background_knowledge = ["{folder}/background.prolog"]
input_mode = "csv"
input_providers = ["{folder}/events.txt"]
results_directory = "results"
window_size = 10
step = 10
start_time = 0
end_time = 30
""",
        encoding="utf-8",
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO("holdsFor(happy(chris)=true,I).\n"))
    assert main(["run", "--app=toy", "--interactive"]) == 0
    out, err = capsys.readouterr()
    assert out == "I = [(14,22)]\n"
    assert "wrote " in err
    (tmp_path / "defaults.toml").unlink()
    assert main(["run", "--app=toy", "--interactive"]) == 2
    assert "`holdsfor.toml` and `defaults.toml` in the current folder" in capsys.readouterr().err


@pytest.mark.parametrize("more", [["--input", "-"], ["--live", "--window", "9", "--checkpoint", "there"]])
def test_options_that_exclude_a_prompt(more: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["run", rules(tmp_path), "--input", "apps/toy/events.txt", "--interactive", *more]) == 2
    assert "error[HF706]" in capsys.readouterr().err


def test_goals_during_a_live_run(tmp_path: Path) -> None:
    pipe = tmp_path / "records"
    os.mkfifo(pipe)
    held = threading.Event()

    def send() -> None:
        with pipe.open("w", encoding="utf-8") as output:
            output.write("switch_on|2|2|lamp\nswitch_off|8|8|lamp\nswitch_on|31|31|lamp\nswitch_on|55|55|lamp\n")
            output.flush()
            held.wait(PATIENCE)

    sender = threading.Thread(target=send)
    sender.start()
    command = [
        "run",
        rules(tmp_path),
        "--input",
        str(pipe),
        "--live",
        "--window",
        "10",
        "--start",
        "0",
        "--interactive",
    ]
    try:
        with Terminal(*command, home=tmp_path) as terminal:
            began, answer = time.monotonic(), ""
            while "(32,inf)" not in answer and time.monotonic() - began < PATIENCE:
                terminal.until("?- ")
                terminal.type("holdsFor(lit(lamp)=true, I).\r")
                terminal.until("I = ")
                answer = terminal.until(".\n")
            assert answer == "[(3,9),(32,inf)].\n"
            terminal.until("?- ")
            terminal.type("halt.\r")
            assert terminal.exit_code() == 0
    finally:
        held.set()
        sender.join(PATIENCE)


def test_a_live_run_that_fails_shows_the_error(tmp_path: Path) -> None:
    missing = str(tmp_path / "nothing" / "records")
    command = ["run", rules(tmp_path), "--input", missing, "--live", "--window", "10", "--interactive"]
    with Terminal(*command, home=tmp_path) as terminal:
        terminal.until("a live input is a named pipe")
        terminal.type("holdsFor(F, I).\r")
        terminal.until("false.")
        terminal.type("halt.\r")
        assert terminal.exit_code() == 2
