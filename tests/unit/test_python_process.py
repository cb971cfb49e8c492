"""Files in the current folder are not imported by the processes that this package starts, nor by its commands."""

from __future__ import annotations

import ast
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import holdsfor
from holdsfor.python_process import environment_with_modules

PACKAGE = Path(holdsfor.__file__).parent
NAMES = ["csv", "holdsfor", "json", "numpy", "pyarrow", "pygraphviz", "socket", "sitecustomize"]
RULES = "initiatedAt(lit(X)=true, T) :- happensAt(on(X), T)."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with files that have the names of modules, and with rules and records."""
    for name in NAMES:
        text = f"open({str(tmp_path / 'imported')!r}, 'a').write('{name} ')\nraise SystemExit(77)\n"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    (tmp_path / "rules.prolog").write_text(RULES, encoding="utf-8")
    (tmp_path / "events.txt").write_text("on|1|1|a\non|2|2|b\n", encoding="utf-8")
    return tmp_path


def run_in(folder: Path, *arguments: str) -> str:
    """The output of a Python that has the current folder in no module path when it starts."""
    command = [sys.executable, "-P", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert not (folder / "imported").exists(), (folder / "imported").read_text(encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(importlib.util.find_spec("pygraphviz") is None, reason="pygraphviz is not installed")
def test_a_picture_of_a_graph_imports_nothing_from_the_current_folder(folder: Path) -> None:
    run_in(folder, "-m", "holdsfor", "graph", "rules.prolog", "-o", "graph.svg")
    assert (folder / "graph.svg").read_text(encoding="utf-8").startswith("<?xml")


# As in the script of a user in the current folder: it has the folder in its module path, its children do not.
IN_PROCESSES = """
import os, sys, threading
import holdsfor as hf
from holdsfor.parallel.processes import job
threading.Thread(target=threading.Event().wait, daemon=True).start()  # so that processes are not forks
rules = hf.load("rules.prolog")
warm = hf.recognise(rules, "events.txt")
sys.path.insert(0, os.getcwd())
found = hf.recognise(rules, "events.txt", jobs=2)
print(found.n_processes, len(found.intervals))
"""


def test_processes_import_nothing_from_the_current_folder(folder: Path) -> None:
    assert run_in(folder, "-c", IN_PROCESSES) == "2 2\n"


def test_a_module_path_has_the_current_folder_only_if_the_environment_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), str(PACKAGE.parent)])
    for named, expected in (
        ("", [PACKAGE.parent]),
        (f"{tmp_path}{os.pathsep}", [tmp_path, PACKAGE.parent]),
    ):
        monkeypatch.setenv("PYTHONPATH", named)
        assert environment_with_modules()["PYTHONPATH"] == os.pathsep.join(map(str, expected))


BUCKET_PROCESS = """
import os, sys
from pathlib import Path
from holdsfor.spark.streaming import bucket_processes
sys.path.insert(0, os.getcwd())
connection = bucket_processes._connected(Path("."), 0)
print(connection is not None)
for process in bucket_processes.STARTED.values():
    process.terminate()
    process.wait()
"""


@pytest.mark.skipif(importlib.util.find_spec("pyspark") is None, reason="PySpark is not installed")
def test_bucket_processes_import_nothing_from_the_current_folder(folder: Path) -> None:
    assert run_in(folder, "-c", BUCKET_PROCESS) == "True\n"


def test_python_is_started_in_one_place() -> None:
    """The Python of Spark's workers is a setting of Spark, which starts it with `PYTHONSAFEPATH`."""
    uses = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "executable"
    }
    starts = {"python_process.py", "parallel/processes/pool.py"}
    assert uses - starts == {"spark/cluster/session_start.py", "spark/cluster/worker_python.py"}
