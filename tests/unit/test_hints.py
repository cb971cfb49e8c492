"""Hints name options as their readers give them: flags on the command line, arguments in Python."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import Diagnostic, Hint, HoldsforError, UsageProblem, on_command_line
from tests.apps.data import ROOT

SOURCE = ROOT / "src" / "holdsfor"
FLAG = re.compile(r"(?<![\w-])--[a-z]")
OF_COMMANDS = ("cli", "generators")
OF_COMMAND_MODULES = {
    "query/result_files.py": "files are read by `holdsfor query`",
    "sinks/writers.py": "files are written by `holdsfor run`",
    "distribution/one_bucket.py": "names a command",
    "spark/cluster/failures.py": "failures of `holdsfor spark run`",
    "spark/cluster/session_start.py": "the session of `holdsfor spark run`",
    "spark/cluster/worker_problems.py": "failures of `holdsfor spark run`",
}


def texts_with_flags(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module that name a flag, except docstrings and those for the command line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped: set[int] = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "on_command_line":
            skipped |= {id(inner) for inner in ast.walk(node.value)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            if FLAG.search(node.value):
                yield node.lineno, node.value


def test_texts_for_python_name_no_flags() -> None:
    named = set()
    for path in sorted(SOURCE.rglob("*.py")):
        where = path.relative_to(SOURCE).as_posix()
        if where.partition("/")[0] in OF_COMMANDS:
            continue
        found = list(texts_with_flags(path))
        if where in OF_COMMAND_MODULES:
            named.add(where)
            assert found, f"{where} no longer names flags: {OF_COMMAND_MODULES[where]}"
        else:
            assert not found, f"{path}:{found[0][0]}: give a `Hint`"
    assert named == set(OF_COMMAND_MODULES)


def test_a_hint_has_the_words_of_its_reader() -> None:
    hint = Hint("give `end`", on_command_line="give `--end`")
    problem = UsageProblem(Diagnostic("HF703", "too long", hint=hint))
    again = pickle.loads(pickle.dumps(problem))
    assert str(problem) == str(again) == "error[HF703]: too long\nhint: give `end`"
    with on_command_line():
        assert again.diagnostics.render() == "error[HF703]: too long\nhint: give `--end`"
    assert again.diagnostics.render() == str(problem)


def test_the_library_and_the_command_give_their_own_hints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules, records = tmp_path / "rules.prolog", tmp_path / "trips.csv"
    rules.write_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).\n", encoding="utf-8")
    records.write_text("when,who\n3,chris\n", encoding="utf-8")
    with pytest.raises(HoldsforError) as problem:
        hf.recognise(hf.load(rules), str(records))
    assert f'`("{records}", "happensAt(win(column), column)")`' in str(problem.value)
    assert "--" not in str(problem.value).replace("-->", "")
    assert main(["run", str(rules), "--input", str(records)]) == 2
    assert f"`--input '{records}: happensAt(win(column), column)'`" in capsys.readouterr().err
