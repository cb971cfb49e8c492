"""A failed start of Spark, and workers without Python or packages, are reported in one line."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from holdsfor.cli.main import main
from tests.apps.data import ROOT
from tests.apps.runs import RUNS
from tests.spark.answers import records_of
from tests.spark.conftest import why_not

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.in_turn(3)

TOY = RUNS["toy"]
UNCONFIGURED = """
from pyspark.sql import SparkSession
import holdsfor as hf

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
records = spark.range(1).selectExpr("'bob' as who", "id + 2 as t")
print(hf.spark.recognise(records, rules, columns="happensAt(win(who), t)")["rich"].collect())
"""


def arguments(place: Path) -> list[str]:
    return ["spark", "run", *TOY.files, "--input", str(records_of(TOY)), "-o", str(place), *TOY.options]


@pytest.mark.parametrize(
    ("master", "code"),
    [
        ("nowhere", "HF785"),
        ("sc://nowhere:x", "HF773" if importlib.util.find_spec("grpc") is None else "HF785"),
    ],
)
def test_an_invalid_master_is_refused(master: str, code: str, tmp_path: Path) -> None:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    command = [sys.executable, "-m", "holdsfor", *arguments(tmp_path / "found"), "--master", master]
    done = subprocess.run(command, cwd=ROOT / "src", capture_output=True, text=True)
    assert done.returncode == 2
    assert f"error[{code}]" in done.stderr
    assert "Traceback" not in done.stderr


def test_workers_without_python_and_without_packages_have_different_messages(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(spark.sparkContext, "pythonExec", "/nowhere/python")
    assert main(arguments(tmp_path / "found")) == 2
    assert "error[HF786]: the workers of Spark have no `/nowhere/python` to run" in capsys.readouterr().err
    venv.create(tmp_path / "empty", symlinks=True, with_pip=False)
    monkeypatch.setattr(spark.sparkContext, "pythonExec", str(tmp_path / "empty" / "bin" / "python"))
    assert main(arguments(tmp_path / "found")) == 2
    assert "error[HF786]: the workers of Spark cannot import `" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["empty"]


def test_workers_run_in_the_python_of_an_environment_that_is_not_activated(tmp_path: Path) -> None:
    """PySpark would start the first `python3` of the search path, which here is no Python."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    other = tmp_path / "python3"
    other.write_text("#!/bin/sh\nexit 7\n", encoding="utf-8")
    other.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK")}
    environment |= {"PATH": f"{tmp_path}{os.pathsep}{environment['PATH']}", "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run([sys.executable, "-c", UNCONFIGURED], env=environment, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1:] == ["[Row(who='bob', value='true', start=3, end=None)]"], done.stderr[-3000:]


def test_workers_import_nothing_from_the_current_folder(tmp_path: Path) -> None:
    """Workers start there: without `PYTHONSAFEPATH`, a file `csv.py` of the user would end each of them."""
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    for name in ("csv", "holdsfor", "json", "numpy", "pyarrow"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(77)\n", encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYSPARK"))}
    command = [sys.executable, "-P", "-m", "holdsfor", *arguments(tmp_path / "found")]
    environment |= {"SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


def test_the_session_of_another_thread_is_used(spark: SparkSession, tmp_path: Path) -> None:
    """The active session belongs to a thread; a second JVM would fail."""
    with ThreadPoolExecutor(1) as threads:
        code = threads.submit(main, arguments(tmp_path / "found")).result()
    assert code == 0
    assert (tmp_path / "found" / "happy").is_dir()
