"""The promises of SECURITY.md about code: which code runs, which programs start, and which files goals can reach."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import holdsfor
from holdsfor.cli.main import main

PACKAGE = Path(holdsfor.__file__).parent
ROOT = Path(__file__).parents[2]
RULES = "initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).\n"

UNPICKLING = {"pickle", "cloudpickle", "dill", "joblib", "marshal", "shelve", "yaml"}
STARTING = {"subprocess", "pty", "popen2"}


def nodes() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            yield path.relative_to(PACKAGE).as_posix(), node


def importing(modules: set[str]) -> set[str]:
    """The files that import some modules, or a name of them."""
    found = set()
    for file, node in nodes():
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
        if {name.partition(".")[0] for name in names} & modules:
            found.add(file)
    return found


def calling(*names: str) -> set[str]:
    """The files that call functions by their plain or dotted names."""
    return {file for file, node in nodes() if isinstance(node, ast.Call) and ast.unparse(node.func) in names}


def test_nothing_is_unpickled_but_messages_between_own_processes() -> None:
    assert importing(UNPICKLING) == {"spark/streaming/bucket_processes.py"}
    assert not calling("np.load", "numpy.load", "pd.read_pickle")


def test_code_is_generated_in_one_place() -> None:
    """There, a shape of numbers becomes text: `test_hostile_text.py` shows that no name of a program gets in."""
    assert calling("exec", "eval", "compile") == {"runtime/recursion/codegen.py"}
    assert not calling("__import__")


def test_programs_are_started_in_few_places_and_without_a_shell() -> None:
    started = {"parallel/processes/process_start.py", "spark/streaming/bucket_processes.py", "views/graphviz.py"}
    assert importing(STARTING) == started
    assert not calling("os.system", "os.popen", "os.execv", "os.spawnv", "os.startfile", "tempfile.mktemp")
    assert not [file for file, node in nodes() if isinstance(node, ast.keyword) and node.arg == "shell"]


@pytest.mark.parametrize(
    "goal",
    [
        "open('/etc/passwd', read, S)",
        "see('/etc/passwd')",
        "tell(found)",
        "consult(more)",
        "load_files(more)",
        "[more]",
        "shell(id)",
        "getenv('HOME', X)",
        "read(X)",
        "halt",
        "delete_file(more)",
        "use_foreign_library(more)",
    ],
)
def test_goals_have_no_files_programs_or_environment(
    goal: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rules.prolog").write_text(RULES, encoding="utf-8")
    Path("more.prolog").write_text("more(a).\n", encoding="utf-8")
    Path("events.txt").write_text("on|1|1|a\n", encoding="utf-8")
    assert main(["run", "rules.prolog", "--input", "events.txt", "--goal", goal]) == 2
    assert "error[HF601]: undefined predicate" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["events.txt", "more.prolog", "rules.prolog"]


@pytest.mark.skipif(importlib.util.find_spec("pyspark") is None, reason="PySpark is not installed")
def test_sockets_of_bucket_processes_are_in_a_folder_of_this_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from holdsfor.spark.streaming import bucket_processes

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = bucket_processes._folder(1)
    assert folder is not None
    assert folder.stat().st_mode & 0o777 == 0o700
    folder.chmod(0o755)
    assert bucket_processes._folder(1) is None, "another user may have made it, and look into it"
    (tmp_path / f"holdsfor-{os.getuid()}-3").symlink_to(tmp_path)
    assert bucket_processes._folder(3) is None


def test_every_test_that_the_document_names_is_there() -> None:
    named = set(re.findall(r"`(tests/[^`]+)`", (ROOT / "SECURITY.md").read_text(encoding="utf-8")))
    assert len(named) > 10
    assert not [name for name in sorted(named) if not (ROOT / name).exists()]
