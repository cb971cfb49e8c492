"""`-o FOLDER/` and `-o FILE.duckdb` write a table for each fluent and event, and every output is whole or absent."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.feather  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.engines import columnar
from holdsfor.cli.main import main

duckdb = pytest.importorskip("duckdb")

RULES = """
initiatedAt(overdue(C)=A, T) :- happensAt(fine(C, A), T), A > 20.
terminatedAt(overdue(C)=_, T) :- happensAt(pay(C), T).
happensAt(big(C), T) :- happensAt(fine(C, A), T), A > 100.
"""
FINES = 'case_id,amount,ts\nA100,30.5,1\n003,200,5\n"a,""b""",50,7\n'
PAID = "case_id,ts\nA100,8\n"
EXPECTED = [
    {"case_id": "003", "value": 200.0, "start": 6, "end": None},
    {"case_id": "A100", "value": 30.5, "start": 2, "end": 9},
    {"case_id": 'a,"b"', "value": 50.0, "start": 8, "end": None},
]


@pytest.fixture
def run(tmp_path: Path) -> list[str]:
    for name, text in {"rules.prolog": RULES, "fines.csv": FINES, "paid.csv": PAID}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    fines = f"{tmp_path}/fines.csv: happensAt(fine(case_id:text, amount:number), ts)"
    paid = f"{tmp_path}/paid.csv: happensAt(pay(case_id:text), ts)"
    return ["run", str(tmp_path / "rules.prolog"), "--input", fines, "--input", paid]


def read(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
        return rows
    if path.suffix == ".arrow":
        found: list[dict[str, Any]] = pyarrow.feather.read_table(path).to_pylist()
        return found
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    with path.open(encoding="utf-8", newline="") as file:
        rows_of_text = list(csv.DictReader(file))
    return [
        {"case_id": row["case_id"], "value": float(row["value"]), "start": int(row["start"]), "end": _end(row["end"])}
        for row in rows_of_text
    ]


def _end(text: str) -> int | None:
    return int(text) if text else None


@pytest.mark.parametrize("form", ["parquet", "arrow", "csv", "jsonl"])
@pytest.mark.parametrize("engine", ["columnar", "reference"])
def test_a_folder_has_a_file_for_each_fluent_and_event(run: list[str], tmp_path: Path, form: str, engine: str) -> None:
    assert main([*run, "--engine", engine, "-o", f"{tmp_path}/out/", "--format", form]) == 0
    described = ["_tables.json"] if form in ("csv", "jsonl") else []
    found = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert found == [*described, f"big.{form}", f"overdue.{form}"]
    assert main([*run, "--engine", engine, "-o", f"{tmp_path}/out/", "--format", form]) == 0  # a folder of these rules
    assert read(tmp_path / "out" / f"overdue.{form}") == EXPECTED


def test_a_folder_is_parquet_and_has_the_query_times_of_reports(run: list[str], tmp_path: Path) -> None:
    assert main([*run, "--window", "4", "-o", f"{tmp_path}/out/"]) == 0
    found = pyarrow.parquet.read_table(tmp_path / "out" / "overdue.parquet")
    assert found.column_names == ["query_time", "case_id", "value", "start", "end"]
    assert set(found["query_time"].to_pylist()) == {5, 9}


def test_results_replace_earlier_results_of_the_rules_only(
    run: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        assert main([*run, "-o", f"{tmp_path}/out/"]) == 0
    (tmp_path / "out" / "old.parquet").write_text("")
    assert main([*run, "-o", f"{tmp_path}/out"]) == 2
    assert "error[HF733]: the folder" in capsys.readouterr().err


def test_a_database_has_a_table_for_each_fluent_and_event(run: list[str], tmp_path: Path) -> None:
    assert main([*run, "-o", f"{tmp_path}/out.duckdb"]) == 0
    with duckdb.connect(f"{tmp_path}/out.duckdb") as connection:
        found = connection.execute('SELECT case_id, value, start, "end" FROM overdue ORDER BY 1').fetchall()
        assert found == [tuple(row.values()) for row in EXPECTED]
        kinds = connection.execute("SELECT column_name, column_type FROM (DESCRIBE overdue)").fetchall()
    assert kinds == [("case_id", "VARCHAR"), ("value", "DOUBLE"), ("start", "BIGINT"), ("end", "BIGINT")]


def test_a_result_as_a_database(run: list[str], tmp_path: Path) -> None:
    result = hf.recognise(hf.load(run[1]), run[3], run[5])
    for connection in (result.to_duckdb(), result.to_duckdb(tmp_path / "answer.duckdb")):
        assert connection.execute("SELECT count(*) FROM overdue").fetchone() == (3,)
        connection.close()


def test_a_missing_package_is_named(
    run: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert main([*run, "-o", f"{tmp_path}/out.duckdb"]) == 2
    assert capsys.readouterr().err == (
        "error[HF734]: a DuckDB database needs the package `duckdb`\nhint: `pip install 'holdsfor[duckdb]'`\n"
    )


def test_names_of_tables_cannot_leave_the_folder(tmp_path: Path) -> None:
    rules = tmp_path / "rules.prolog"
    rules.write_text("initiatedAt('../x\";--'(C)=true, T) :- happensAt(up(C), T).", encoding="utf-8")
    (tmp_path / "events.txt").write_text("up|1|1|a\n", encoding="utf-8")
    command = ["run", str(rules), "--input", str(tmp_path / "events.txt")]
    assert main([*command, "-o", f"{tmp_path}/out/"]) == 0
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["%2E%2E%2Fx%22%3B--.parquet"]
    assert main([*command, "-o", f"{tmp_path}/out.duckdb"]) == 0
    with duckdb.connect(f"{tmp_path}/out.duckdb") as connection:
        assert connection.execute("SHOW TABLES").fetchall() == [('../x";--',)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "out/", "--format", "text"], "an answer as text is one file"),
        (["-o", "out/", "--report", "changes"], "`--report changes` has one output"),
        (["--format", "duckdb"], "needs an output file"),
        (["-o", "out.duckdb", "--live", "--window", "5"], "a live run has one output"),
    ],
)
def test_one_output_is_not_several_tables(
    run: list[str], options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*run, *options]) == 2
    assert message in capsys.readouterr().err


_KILLED = """
import os, signal, sys
from holdsfor.cli.main import main
from holdsfor.runtime.reports import report_tables
for name in ("table", "table_of", "listed_fvps"):
    setattr(report_tables.DecodedReport, name, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
main(sys.argv[1:])
"""


@pytest.mark.parametrize("output", ["a.csv", "a.parquet", "a.duckdb", "a/"])
def test_a_killed_run_leaves_no_file_that_looks_complete(run: list[str], tmp_path: Path, output: str) -> None:
    place = tmp_path / "out"
    place.mkdir()
    command = [sys.executable, "-c", _KILLED, *run, "-o", f"{place}/{output}"]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    left = [path.name for path in place.rglob("*") if path.is_file()]
    assert all(name.startswith(".") and ".part" in name for name in left)
    assert main([*run, "-o", f"{place}/{output}"]) == 0


def interrupt_after_the_first_query_time(monkeypatch: pytest.MonkeyPatch) -> None:
    count = columnar.ColumnarEngine._count

    def interrupted(engine: Any, *given: Any, **more: Any) -> None:
        count(engine, *given, **more)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(columnar.ColumnarEngine, "_count", interrupted)


def test_an_interrupted_run_leaves_a_file_with_another_name(
    run: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt_after_the_first_query_time(monkeypatch)
    assert main([*run, "--window", "2", "-o", f"{tmp_path}/answer.csv"]) == 130
    assert not (tmp_path / "answer.csv").exists()
    assert len((tmp_path / "answer.csv.part").read_text(encoding="utf-8").splitlines()) == 2
    assert "answer.csv.part, with the results before the interruption" in capsys.readouterr().err


def test_an_interrupted_run_can_be_repeated_into_its_folder(
    run: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command = [*run, "--window", "2", "--format", "csv", "-o", f"{tmp_path}/out/"]
    with monkeypatch.context() as patched:
        interrupt_after_the_first_query_time(patched)
        assert main(command) == 130
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"overdue.csv.part", "_tables.json.part"}
    assert main(command) == 0
    assert not [path for path in (tmp_path / "out").iterdir() if path.name.endswith(".part")]
    capsys.readouterr()


def test_a_replaced_file_keeps_its_mode_and_links(run: list[str], tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert main([*run, "-o", str(link)]) == 0
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8").startswith("kind,")
    assert real.stat().st_mode & 0o777 == 0o640
