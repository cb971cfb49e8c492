"""Answers as tables have the content of the lines, in standard files, one query time after another."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.feather  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.columns.result_table import result_schema
from holdsfor.sinks.change_lines import change_schema
from holdsfor.sinks.result_lines import TermReport
from holdsfor.sinks.writers import REPORTS, opened, write_reports
from holdsfor.syntax.parser import parse_term
from tests.results import read_csv_table

CTM = Path(__file__).parents[3] / "apps" / "ctm"
FILES = [str(CTM / "rules.prolog"), str(CTM / "background.prolog")]
RUN = ["run", *FILES, "--input", str(CTM / "events.txt")]


def read(path: Path) -> Any:
    reading = pyarrow.parquet.read_table if path.suffix == ".parquet" else pyarrow.feather.read_table
    return reading(path)


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_changes_as_a_table_have_the_rows_of_the_lines(tmp_path: Path, suffix: str) -> None:
    changes = [*RUN, "--window", "40", "--step", "20", "--report", "changes"]
    assert main([*changes, "-o", str(tmp_path / f"changes.{suffix}")]) == 0
    assert main([*changes, "-o", str(tmp_path / "changes.csv")]) == 0
    found = read(tmp_path / f"changes.{suffix}")
    assert found.equals(read_csv_table(tmp_path / "changes.csv", change_schema()))
    assert {"added", "shortened"} <= set(found["change"].to_pylist())


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_a_table_has_the_rows_of_the_lines_for_every_query_time(tmp_path: Path, suffix: str) -> None:
    windows = ["--window", "40", "--step", "20"]
    assert main([*RUN, *windows, "-o", str(tmp_path / f"answer.{suffix}")]) == 0
    assert main([*RUN, *windows, "-o", str(tmp_path / "answer.csv")]) == 0
    found = read(tmp_path / f"answer.{suffix}")
    assert found.schema == result_schema(has_query_time=True)
    assert found.equals(read_csv_table(tmp_path / "answer.csv", found.schema))
    assert len(set(found["query_time"].to_pylist())) > 2
    assert {"fluent", "event"} == set(found["kind"].to_pylist())


def test_both_engines_write_the_same_table(tmp_path: Path) -> None:
    for engine in ("reference", "columnar"):
        assert main([*RUN, "--engine", engine, "-o", str(tmp_path / f"{engine}.parquet")]) == 0
    assert read(tmp_path / "reference.parquet").equals(read(tmp_path / "columnar.parquet"))


def test_a_result_is_the_table_that_is_written(tmp_path: Path) -> None:
    assert main([*RUN, "--final", "--format", "arrow", "-o", str(tmp_path / "answer")]) == 0
    result = hf.recognise(hf.load(*FILES), CTM / "events.txt")
    assert pyarrow.feather.read_table(tmp_path / "answer").equals(result.to_arrow())


def test_a_table_has_the_parts_of_terms() -> None:
    fvp, event = parse_term("gap(v1, f('A'))=near_port"), parse_term("noon")
    table = TermReport(9, {fvp: [(1, 3), (5, None)]}, {event: [4]}).table()
    described = {"kind": "fluent", "name": "gap", "arguments": ["v1", "f('A')"], "value": "near_port"}
    shown = {**described, "fvp": "gap(v1,f('A'))=near_port"}
    assert table.to_pylist() == [
        {**shown, "start": 1, "end": 3},
        {**shown, "start": 5, "end": None},
        {"kind": "event", "name": "noon", "arguments": [], "value": None, "fvp": "noon", "start": 4, "end": 4},
    ]


def test_an_answer_without_rows_is_a_table_without_rows(tmp_path: Path) -> None:
    events = tmp_path / "events.txt"
    events.write_text("", encoding="utf-8")
    for suffix in ("parquet", "arrow"):
        assert main(["run", *FILES, "--input", str(events), "-o", str(tmp_path / f"answer.{suffix}")]) == 0
        assert read(tmp_path / f"answer.{suffix}").schema == pa.schema(result_schema())


def test_tables_are_not_written_to_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    leader, terminal = os.openpty()
    try:
        assert main([*RUN, "--format", "arrow", "-o", os.ttyname(terminal)]) == 2
    finally:
        os.close(leader)
        os.close(terminal)
    assert "error[HF730]" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_tables_can_be_written_to_pipes(tmp_path: Path, form: str) -> None:
    command = [sys.executable, "-m", "holdsfor", *RUN, "--format", form, "-o", "/dev/stdout"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    path = tmp_path / f"answer.{form}"
    path.write_bytes(done.stdout)
    assert read(path).schema == result_schema()
    assert len(read(path)) > 0


def test_after_an_error_there_is_no_file(tmp_path: Path) -> None:
    def answers() -> Iterator[TermReport]:
        yield TermReport(9, {parse_term("f=v"): [(1, 3)]}, {})
        raise KeyboardInterrupt

    path = tmp_path / "answer.parquet"
    with pytest.raises(KeyboardInterrupt), opened(str(path), "parquet") as output:
        write_reports(answers(), REPORTS, "parquet", output.file)
    assert list(tmp_path.iterdir()) == []


def test_reports_of_a_feed_before_an_error_are_in_the_file(tmp_path: Path) -> None:
    def answers() -> Iterator[TermReport]:
        yield TermReport(9, {parse_term("f=v"): [(1, 3)]}, {})
        raise KeyboardInterrupt

    path = tmp_path / "answer.csv"
    with pytest.raises(KeyboardInterrupt), opened(str(path), "csv", is_feed=True) as output:
        write_reports(answers(), REPORTS, "csv", output.file)
    assert path.read_text(encoding="utf-8").splitlines()[1] == "9,fluent,f,[],v,f=v,1,3"
