"""Folders and patterns are inputs: their files in order, each with the description of its columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem
from holdsfor.sources.input_files import files_of_inputs

RULES = "initiatedAt(rich(X)=true, T) :- happensAt(win(X), T)."
WIN = "happensAt(win(person), ts)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "days"
    for i, name in enumerate(
        ["b.parquet", "a.parquet", "more/c.parquet", "_tmp/d.parquet", ".e.parquet", "_day=1/f.parquet"]
    ):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"person": [name[0] if "/" not in name else name], "ts": [i]}), place / name)
    (place / "_SUCCESS").touch()
    return place


def test_a_folder_is_its_visible_files_in_order(folder: Path) -> None:
    expected = ["_day=1/f.parquet", "a.parquet", "b.parquet", "more/c.parquet"]
    assert files_of_inputs([folder]) == [folder / name for name in expected]
    assert files_of_inputs([f"{folder}: {WIN}"]) == [f"{folder / name}: {WIN}" for name in expected]
    assert files_of_inputs([(folder, WIN)]) == [(str(folder / name), WIN) for name in expected]
    assert files_of_inputs([f"{folder}/*.parquet"]) == [f"{folder}/a.parquet", f"{folder}/b.parquet"]
    others: list[Any] = ["-", "unix:/tmp/x*", "missing.csv", hf.Event("win", "a", at=1), pa.table({"a": [1]})]
    assert files_of_inputs(others) == others


def test_a_run_reads_folders_and_patterns(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = hf.load_text(RULES)
    expected = {"rich(a)=true", "rich(b)=true"}
    inputs: list[Any] = [
        f"{folder}/?.parquet: {WIN}",
        (f"{folder}/[ab].parquet", WIN),
        (Path(f"{folder}/*.parquet"), WIN),
    ]
    for data in inputs:
        for jobs in (1, 2):
            assert set(hf.recognise(rules, data, jobs=jobs).holds_for("rich")) == expected
    assert len(hf.recognise(rules, (folder, WIN)).holds_for("rich")) == 4
    session = hf.Session(rules)
    assert session.insert((str(folder), WIN)).n_records == 4
    (folder.parent / "r.prolog").write_text(RULES, encoding="utf-8")
    for command in ("check", "run"):
        more = ["--input", f"{folder}/*.parquet: {WIN}"]
        assert main([command, str(folder.parent / "r.prolog"), *more]) == 0
    assert "holdsFor(rich(b)=true, [(1,inf)])." in capsys.readouterr().out


def test_a_folder_or_pattern_without_files_is_an_error(tmp_path: Path) -> None:
    rules = hf.load_text(RULES)
    for name, message in (("", "has no files in it"), ("*.csv", r"\*.csv` matches no file")):
        with pytest.raises(DataProblem, match=f"HF501.*{message}"):
            hf.recognise(rules, f"{tmp_path}/{name}")


def test_a_file_whose_name_has_the_characters_of_a_pattern_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "win[1].csv").write_text("person,ts\na,1\n", encoding="utf-8")
    assert len(hf.recognise(hf.load_text(RULES), (tmp_path / "win[1].csv", WIN))) == 1


def test_a_lazy_frame_is_collected_first() -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed")
    lazy: Any = pl.DataFrame({"person": ["a"], "ts": [1]}).lazy()
    for data in (lazy, (lazy, WIN), (lazy, {"person": "arg1", "ts": "start"})):
        with pytest.raises(DataProblem, match=r"hint: collect the frame first: `frame.collect\(\)`"):
            hf.recognise(hf.load_text(RULES), data)
