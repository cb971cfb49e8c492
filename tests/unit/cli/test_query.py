"""`holdsfor query`: goals on the command line, from standard input, and at a prompt on a terminal."""

from __future__ import annotations

import io
import json
from importlib.util import find_spec
from pathlib import Path

import pyarrow.parquet  # type: ignore[import-untyped]
import pytest

from holdsfor.cli.main import main
from holdsfor.cli.prompt.answers import answer_lines, is_abbreviated
from holdsfor.syntax.parser import parse_term
from tests.unit.cli.terminal import Terminal

TOY = ["apps/toy/rules.prolog", "apps/toy/background.prolog"]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    for suffix in ("txt", "csv", "jsonl", "parquet", "arrow"):
        output = str(folder / f"found.{suffix}")
        assert main(["run", *TOY, "--input", "apps/toy/events.txt", "--end", "30", "-o", output]) == 0
    return folder


@pytest.mark.parametrize("suffix", ["txt", "csv", "jsonl", "parquet", "arrow"])
def test_every_format_of_results_has_the_same_answers(
    results: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    goal = "holdsFor(location(X)=V, I), intDurGreater(I, 4, J), J \\= []"
    end = ["--end", "30"] if suffix in ("csv", "jsonl") else []
    assert main(["query", str(results / f"found.{suffix}"), goal, "--format", "csv", *end]) == 0
    assert (
        capsys.readouterr().out == 'X,V,I,J\nchris,home,"[(22,inf)]","[(22,inf)]"\nchris,work,"[(10,18)]","[(10,18)]"\n'
    )


def test_answers_as_text_and_as_json_lines(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = str(results / "found.csv")
    assert main(["query", found, "holdsFor(happy(chris)=true, I)."]) == 0
    assert main(["query", found, "holdsAt(happy(chris)=true, 3)"]) == 0
    assert main(["query", found, "holdsAt(happy(chris)=true, 14)"]) == 0
    assert capsys.readouterr().out == "I = [(14,22)]\nfalse\ntrue\n"
    assert main(["query", found, "holdsFor(location(X)=home, I)", "--format", "jsonl"]) == 0
    assert json.loads(capsys.readouterr().out) == {"X": "chris", "I": [[22, None]]}


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "arrow", "txt"])
def test_answers_go_to_a_file(results: Path, tmp_path: Path, suffix: str) -> None:
    output = tmp_path / f"answers.{suffix}"
    assert main(["query", str(results / "found.parquet"), "holdsAt(F, 16)", "-o", str(output)]) == 0
    assert b"rich(chris)=true" in output.read_bytes() or suffix in ("parquet", "arrow")
    if suffix == "parquet":
        assert pyarrow.parquet.read_table(output).column("F").to_pylist()[-1] == "rich(chris)=true"


def test_background_predicates_come_from_rule_files(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    goal = "place(P), \\+ holdsAt(location(chris)=P, 16)"
    assert main(["query", str(results / "found.csv"), goal, "--background", *TOY]) == 0
    assert capsys.readouterr().out == "P = home\nP = pub\n"


def test_a_folder_has_the_results_of_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("rich", "happy"):
        text = f"kind,fvp,start,end\nfluent,{name}(chris)=true,3,\n"
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    (tmp_path / "_SUCCESS.csv").write_text("", encoding="utf-8")
    assert main(["query", str(tmp_path), "holdsAt(F, 3)"]) == 0
    assert capsys.readouterr().out == "F = (happy(chris)=true)\nF = (rich(chris)=true)\n"


def test_one_of_several_query_times(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = str(tmp_path / "found.jsonl")
    run = ["run", *TOY, "--input", "apps/toy/events.txt", "--start", "0", "--end", "24", "--window", "12"]
    assert main([*run, "-o", output]) == 0
    assert main(["query", output, "holdsAt(F, 12)"]) == 2
    assert "reports of 2 query times" in capsys.readouterr().err
    assert main(["query", output, "holdsFor(F, I)", "--at", "12"]) == 0
    assert capsys.readouterr().out == "F = (location(chris)=work), I = [(10,inf)]\n"
    assert main(["query", output, "holdsFor(F, I)", "--at", "13"]) == 2
    assert "there are 12, 24" in capsys.readouterr().err


def test_goals_from_standard_input(
    results: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    goals = "% a comment\nholdsAt(F, 11).\n\nholdsFor(hapy(X)=true, I).\n"
    goals += "holdsFor(rich(X)=true,\n  I)\nhalt.\nholdsAt(F, 1)\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(goals))
    assert main(["query", str(results / "found.csv")]) == 2
    out, err = capsys.readouterr()
    assert out == "F = (location(chris)=work)\nX = chris, I = [(14,20)]\n"
    assert "did you mean `happy/1`?" in err


@pytest.mark.parametrize("extra", [["-o", "x.csv"], ["--format", "csv"]])
def test_a_file_for_answers_needs_a_goal(results: Path, extra: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", str(results / "found.csv"), *extra]) == 2
    assert "HF704" in capsys.readouterr().err


@pytest.mark.parametrize("content", ["a,b\n1,2\n", "kind,fvp,start,end\nfluent,a(=true,1,2\n", "\x00\x01"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl", "txt", "parquet", "arrow"])
def test_a_file_without_results_is_one_error(
    tmp_path: Path, content: str, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / f"other.{suffix}"
    file.write_text(content, encoding="utf-8")
    assert main(["query", str(file), "holdsAt(F, 3)"]) == 2
    assert capsys.readouterr().err.startswith("error[HF515]: ")


def test_long_lists_are_counted_not_cut_in_silence() -> None:
    answer = {"I": parse_term("[" + ",".join(f"({i},{i + 1})" for i in range(0, 60, 2)) + "]")}
    assert is_abbreviated(answer)
    assert answer_lines(answer).endswith(",… 10 more]")
    assert answer_lines(answer, is_whole=True).endswith("(58,59)]")


@pytest.mark.parametrize("hidden", ["", "prompt_toolkit"])
def test_the_prompt_of_a_terminal(results: Path, tmp_path: Path, hidden: str) -> None:
    """With prompt_toolkit, and without it."""
    more = {}
    if hidden:
        (tmp_path / "sitecustomize.py").write_text(
            "import importlib.util as u\nfind = u.find_spec\n"
            "u.find_spec = lambda name, package=None: None if name == 'prompt_toolkit' else find(name, package)\n"
        )
        more = {"PYTHONPATH": f"{tmp_path}:{Path('src').resolve()}"}
    with Terminal("query", str(results / "found.csv"), "--background", *TOY, home=tmp_path, **more) as terminal:
        terminal.until("?- ")
        terminal.type("holdsFor(F, I).\r")
        assert "F = (happy(chris)=true),\nI = [(14,22)]" in terminal.until("I = [(14,22)]")
        terminal.type(";")
        assert " ;\nF = (location(chris)=home),\nI = [(22,inf)]" in terminal.until("[(22,inf)]")
        terminal.type("\r")
        terminal.until(".\n")
        terminal.until("?- ")
        terminal.type("holdsAt(F, 16).\r")
        terminal.until("happy(chris)=true)")
        terminal.type("a")
        assert "rich(chris)=true)." in terminal.until("?- ")
        terminal.type("holdsAt(hapy(X)=true, 16).\r")
        assert "did you mean `happy/1`?" in terminal.until("`?")
        terminal.until("?- ")
        terminal.type("X = begun, write(X), nl, length(L, N), N < 0.\r")  # has no end
        terminal.until("\nbegun\n")
        terminal.type("\x03")
        terminal.until("% interrupted")
        terminal.until("?- ")
        terminal.type("person(\r")
        terminal.until("|  ")
        terminal.type("X).\r")
        terminal.until("X = chris.")
        terminal.until("?- ")
        terminal.type("halt.\r")
        assert terminal.exit_code() == 0
    if not hidden and find_spec("prompt_toolkit") is not None:
        assert "+holdsAt(F, 16)." in (tmp_path / "holdsfor" / "history").read_text(encoding="utf-8")


@pytest.mark.skipif(find_spec("prompt_toolkit") is None, reason="needs prompt_toolkit")
def test_tab_completes_and_the_end_of_the_input_leaves(results: Path, tmp_path: Path) -> None:
    with Terminal("query", str(results / "found.csv"), home=tmp_path, TERM="xterm") as terminal:
        terminal.until("?-")
        terminal.type("holdsFor(hap\t")
        terminal.until("py(")
        terminal.type("chris)=true, I).\r")
        terminal.until("I = [(14,22)].")
        terminal.until("?-")
        terminal.type("\x04")
        assert terminal.exit_code() == 0
