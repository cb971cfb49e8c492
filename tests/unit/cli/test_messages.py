"""Options that are checked before a run, misplaced rule files, versions, and the warnings that a run repeats."""

from __future__ import annotations

import platform
from pathlib import Path

import numpy
import pytest

from holdsfor import __version__
from holdsfor.analysis.event_lints import is_one_letter_apart
from holdsfor.analysis.pipeline import compile_text
from holdsfor.cli.main import main

TOY = ["apps/toy/rules.prolog", "apps/toy/background.prolog"]
EVENTS = "apps/toy/events.txt"


@pytest.mark.parametrize(
    "option", [["-o", "x.xlsx"], ["-o", "x.json"], ["-o", "x.parqet"], ["--timeline", "x.gif"], ["--timeline", "x"]]
)
def test_a_suffix_is_refused_before_the_input_is_read(
    option: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [str(Path(file).resolve()) for file in TOY]
    monkeypatch.chdir(tmp_path)
    assert main(["run", *files, "--input", "no-such-file.txt", *option]) == 2
    err = capsys.readouterr().err
    assert err.startswith(("error[HF735]", "error[HF750]"))
    assert "no-such-file" not in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["found", "found.txt", "found.log", "found.2026", "found.xlsx"])
def test_text_goes_to_other_files(name: str, tmp_path: Path) -> None:
    form = ["--format", "text"] if name.endswith("xlsx") else []
    assert main(["run", *TOY, "--input", EVENTS, "-o", str(tmp_path / name), *form]) == 0
    assert "holdsFor(happy(chris)=true" in (tmp_path / name).read_text(encoding="utf-8")


def test_a_hyphen_is_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", *TOY, "--input", EVENTS, "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("% query time 21\n")
    assert not Path("-").exists()
    assert main(["run", *TOY, "--input", EVENTS, "-o", "-", "--format", "jsonl"]) == 0
    assert capsys.readouterr().out.startswith("{")


def test_rules_after_the_input_are_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--input", EVENTS, *TOY]) == 0
    moved = capsys.readouterr().out
    assert main(["run", *TOY, "--input", EVENTS]) == 0
    assert capsys.readouterr().out == moved
    assert main(["run", "--input", EVENTS]) == 2
    assert "give a file with rules" in capsys.readouterr().err


def test_the_versions(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"holdsfor {__version__}"
    assert second.startswith(f"Python {platform.python_version()}, NumPy {numpy.__version__}, Arrow ")
    assert ", Spark " in second


def test_a_run_has_one_line_for_each_code_of_warnings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "my rules.prolog"
    rules.write_text(
        "initiatedAt(f(V)=true, T) :- happensAt(speed(V, K), T), K == 5, happensAt(seen(Once), T).\n", encoding="utf-8"
    )
    assert main(["check", str(rules)]) == 0
    assert capsys.readouterr().out.endswith("3 warnings\n")
    assert main(["run", str(rules), "--input", EVENTS]) == 0
    warned = [line for line in capsys.readouterr().err.splitlines() if "warning" in line]
    assert [line[:14] for line in warned] == ["warning[HF308]", "warning[HF304]", "warning[HF313]"]
    assert f"`holdsfor check '{rules}'` explains" in warned[-1]


def test_the_lines_about_warnings_have_an_unknown_name_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.prolog"
    rules.write_text(
        "initiatedAt(rich(X)=true, T) :- happensAt(win_lottery(X), T).\n"
        "holdsFor(happy(X)=true, I) :- holdsFor(rihc(X)=true, I1), union_all([I1], I).\n",
        encoding="utf-8",
    )
    assert main(["run", str(rules), "--input", EVENTS]) == 0
    warned = [line for line in capsys.readouterr().err.splitlines() if line.startswith("warning[HF3")]
    assert ["rihc" in line for line in warned] == [True, False]


@pytest.mark.parametrize(
    ("name", "other", "expected"),
    [
        ("speed", "sped", True),
        ("speed", "speedd", True),
        ("speed", "spede", True),
        ("speed", "spead", True),
        ("switch_on", "switch_off", False),
        ("enter_area", "leave_area", False),
        ("sensor1", "sensor2", False),
        ("sensor", "sensor2", False),
        ("speed", "speed", False),
    ],
)
def test_names_one_letter_apart(name: str, other: str, expected: bool) -> None:
    assert is_one_letter_apart(name, other) is expected
    assert is_one_letter_apart(other, name) is expected


def test_a_misspelt_event_is_found_among_many() -> None:
    others = " ; ".join(f"happensAt(sensor{i}_on(X), T)" for i in range(500))
    rules = f"happensAt(out(X), T) :- happensAt(entered(X), T), ({others} ; happensAt(enterd(X), T)).\n"
    warnings = [each for each in compile_text(rules).warnings if each.code == "HF302"]
    assert [each.hint for each in warnings] == ["did you mean `entered`?"]
