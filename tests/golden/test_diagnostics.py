"""Every diagnostic code has at least one mistake that causes it, with the expected text.

`<code>-<slug>.prolog` is checked with `holdsfor check`; a `.args` beside it holds another command line (a run, with its
records in `.events`). The `.txt` is everything printed, standard output first. `HF000` cases earn no code of their own.
The texts are rewritten with `HOLDSFOR_UPDATE_GOLDEN=1`, and then read.
"""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.codes import CODES
from holdsfor.errors import DataProblem, UsageProblem
from holdsfor.prolog import Engine
from holdsfor.runtime.snapshot import FORMAT

DIAGNOSTICS = Path(__file__).parent / "diagnostics"
CASES = sorted({path.stem for path in DIAGNOSTICS.iterdir() if path.suffix in (".prolog", ".args")})
RULES = str(DIAGNOSTICS / "HF000-clean.prolog")
SCRIPTED = {"HF502", "HF506", "HF740", "HF751", "HF752", "HF753", "HF754", "HF760", "HF761", "HF762", "HF763", "HF773"}
SCRIPTED |= {"HF624", "HF734"}
SCRIPTED |= {"HF508", "HF509", "HF707", "HF708", "HF709", "HF744", "HF755", "HF790", "HF791"}
ON_SPARK = {"HF620", "HF621", "HF782", "HF785", "HF786", "HF787", "HF792", "HF793", "HF794", "HF795", "HF796", "HF797"}
ON_SPARK |= {"HF798"}
"""The codes of runs on Spark, which `tests/spark` tests."""
IN_PROCESSES = {"HF622"}
"""Errors of runs in several processes: `tests/unit/parallel` has these."""


def arguments(case: str) -> list[str]:
    """The command line of a case."""
    given = DIAGNOSTICS / f"{case}.args"
    return shlex.split(given.read_text(encoding="utf-8")) if given.exists() else ["check", f"{case}.prolog"]


@pytest.fixture(autouse=True)
def _small_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let goals without an end be noticed at once: 10 000 steps are plenty for these cases."""
    budget = Engine.__init__.__kwdefaults__
    assert budget is not None
    monkeypatch.setitem(budget, "max_steps", 10_000)
    monkeypatch.setitem(budget, "max_depth", 1_000)


def code_of(case: str) -> str:
    return case.split("-", 1)[0]


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_has_its_golden_text(
    case: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(DIAGNOSTICS)
    exit_code = main(arguments(case))
    out, err = capsys.readouterr()
    golden = DIAGNOSTICS / f"{case}.txt"
    if os.environ.get("HOLDSFOR_UPDATE_GOLDEN") == "1":
        golden.write_text(out + err, encoding="utf-8")
    assert out + err == golden.read_text(encoding="utf-8")
    assert exit_code == (3 if "error[HF510]" in err else 2 if "error[" in out + err else 0)


@pytest.mark.parametrize("case", [case for case in CASES if code_of(case) in CODES])
def test_the_case_earns_the_code_it_is_named_after(case: str) -> None:
    text = (DIAGNOSTICS / f"{case}.txt").read_text(encoding="utf-8")
    assert f"{CODES[code_of(case)].severity}[{code_of(case)}]: " in text


def test_every_code_has_a_case() -> None:
    assert sorted(CODES) == sorted(({code_of(case) for case in CASES} | SCRIPTED | ON_SPARK | IN_PROCESSES) - {"HF000"})


@pytest.mark.parametrize("case", CASES)
def test_the_text_has_the_form_of_the_style_guide(case: str) -> None:
    """A sentence in lower case, then the place, the line and a caret under the line."""
    for block in (DIAGNOSTICS / f"{case}.txt").read_text(encoding="utf-8").split("\n\n"):
        lines = block.splitlines()
        if not lines or "[HF" not in lines[0]:
            continue
        sentence = lines[0].split("]: ", 1)[1]
        assert not sentence.endswith(".")
        assert not sentence[0].isupper() or sentence.startswith("Graphviz")
        if len(lines) > 4 and "^" in lines[4]:
            caret = lines[4].index("^") + lines[4].count("^")
            assert caret <= len(lines[3]) + 1, block
        assert "_#" not in block, "an internal name of a variable is shown"


# -- what depends on the machine, and is made to happen ----------------------------------------------------------------


def draw(picture: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The message about a dependency graph that cannot be drawn."""
    assert main(["graph", RULES, "-o", str(picture)]) == 2
    return capsys.readouterr().err


def test_hf751_names_the_package_that_draws_timelines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    events = tmp_path / "events.txt"
    events.write_text("switch_on|1|1|a\n", encoding="utf-8")
    assert main(["run", RULES, "--input", str(events), "--timeline", str(tmp_path / "day.png")]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error[HF751]: ")
    assert "pip install 'holdsfor[plot]'" in err


def test_hf752_says_how_to_get_graphviz(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, package=None: None)
    monkeypatch.setattr(shutil, "which", lambda command: None)
    err = draw(tmp_path / "graph.svg", capsys)
    assert err.startswith("error[HF752]: ")
    assert "apt-get install graphviz" in err
    assert ".dot and .mmd" in err


def test_hf753_repeats_the_message_of_graphviz(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = subprocess.CompletedProcess(["dot"], 3, stdout=b"", stderr=b"Error: out of paper\n")
    monkeypatch.setattr(shutil, "which", lambda command: "/usr/bin/dot")
    monkeypatch.setattr(subprocess, "run", lambda *args, **options: failed)
    err = draw(tmp_path / "graph.svg", capsys)
    assert err.startswith("error[HF753]: ")
    assert "out of paper" in err


def test_hf754_says_why_the_picture_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    err = draw(tmp_path / "file" / "graph.dot", capsys)
    assert err.startswith("error[HF754]: ")
    assert "graph.dot" in err


def test_hf502_names_the_expected_columns(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "events.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"id": [1], "t": [3]}), table)
    assert main(["run", RULES, "--input", str(table)]) == 2
    _, err = capsys.readouterr()
    assert err.startswith("error[HF502]: ")
    assert "hint: " in err


# -- diagnostics of sessions -------------------------------------------------------------------------------------------


def session() -> hf.Session:
    return hf.Session(hf.load(RULES), start=0, window=10)


def test_hf506_names_the_record_that_is_not_there() -> None:
    with pytest.raises(DataProblem) as problem:
        session().retract(hf.Event("switch_on", "lamp", at=3))
    assert str(problem.value) == (
        "error[HF506]: `switch_on(lamp)` at 3 not found among the inserted records\n"
        "hint: a record that was inserted twice is one record, and is retracted once"
    )


def test_hf740_names_the_previous_query_time() -> None:
    asked = session()
    asked.query(10)
    with pytest.raises(UsageProblem) as problem:
        asked.query(10)
    assert str(problem.value) == (
        "error[HF740]: the query time 10 is not after the previous query time, 10\nhint: query times ascend"
    )


def test_hf508_names_the_file_that_is_not_a_whole_snapshot(tmp_path: Path) -> None:
    session().save(tmp_path / "state")
    (tmp_path / "state").write_bytes((tmp_path / "state").read_bytes()[:-1])
    with pytest.raises(DataProblem) as problem:
        hf.Session.load(tmp_path / "state", hf.load(RULES))
    assert str(problem.value) == (
        f"error[HF508]: the snapshot `{tmp_path / 'state'}` is damaged or cut off\n"
        "hint: use an earlier snapshot, or start the run again"
    )


def test_hf509_says_which_format_was_expected(tmp_path: Path) -> None:
    data = session().snapshot()
    (tmp_path / "state").write_bytes(data[:18] + bytes(4) + data[22:])
    with pytest.raises(DataProblem) as problem:
        hf.Session.load(tmp_path / "state", hf.load(RULES))
    assert str(problem.value) == (
        f"error[HF509]: the snapshot `{tmp_path / 'state'}` is from an older version of holdsfor: "
        f"format 0, expected {FORMAT}\n"
        "hint: read it with the version that wrote it, or start the run again"
    )


def test_hf744_names_the_setting_that_differs(tmp_path: Path) -> None:
    session().save(tmp_path / "state")
    with pytest.raises(UsageProblem) as problem:
        hf.Session.load(tmp_path / "state", hf.load(RULES), window=20)
    assert str(problem.value) == (
        f"error[HF744]: the snapshot `{tmp_path / 'state'}` has the window 10, expected 20\n"
        "hint: leave the window out to continue as before, or start the run again"
    )


def test_hf773_says_how_to_get_spark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    events = tmp_path / "events.txt"
    events.write_text("switch_on|1|1|a\n", encoding="utf-8")
    assert main(["spark", "run", RULES, "--input", str(events), "-o", str(tmp_path / "found")]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error[HF773]: ")
    assert "pip install 'holdsfor[spark]'" in err


def test_hf773_says_how_to_get_java(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert main(["spark", "run", RULES, "--input", "events.txt", "-o", str(tmp_path / "found")]) == 2
    assert capsys.readouterr().err == (
        "error[HF773]: Spark needs Java, which was not found\n"
        "hint: install Java 17 or newer, for example: apt install openjdk-17-jre-headless\n"
    )


def test_an_integer_that_does_not_fit_into_its_column() -> None:
    table = pyarrow.table({"id": pyarrow.array([2**64 - 1], pyarrow.uint64()), "ts": [1]})
    rules = hf.load_text("initiatedAt(on(X)=true, T) :- happensAt(up(X), T).")
    result = hf.recognise(rules, (table, "happensAt(up(id), ts)"))
    with pytest.raises(DataProblem) as caught:
        result["on"]
    assert str(caught.value) == (
        "error[HF624]: the integer 18446744073709551615 does not fit into a column of int64\n"
        "hint: describe the input column as text: `column:text`"
    )
