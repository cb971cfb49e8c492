"""`--changes`: the changes of each query time as rows to remove and to add, beside the answer."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from holdsfor.cli.main import main
from tests.unit.cli.processes import ended, rules, started

ROOT = Path(__file__).parents[3]
TOY = [str(ROOT / "apps" / "toy" / f"{name}.prolog") for name in ("rules", "background")]
RUN = ["run", *TOY, "--input", str(ROOT / "apps" / "toy" / "events.txt"), "--start", "0", "--end", "24"]
WINDOWS = ["--window", "12"]
FEED = """\
% query time 12
+(location(chris)=work, (10,inf)).
% query time 24
-(location(chris)=work, (10,inf)).
+(happy(chris)=true, (14,22)).
+(location(chris)=home, (22,inf)).
+(location(chris)=pub, (18,22)).
+(location(chris)=work, (10,18)).
+(rich(chris)=true, (14,20)).
"""


def read(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_a_revised_interval_is_a_row_to_remove_and_a_row_to_add(tmp_path: Path) -> None:
    answer = str(tmp_path / "answer.txt")
    assert main([*RUN, *WINDOWS, "-o", answer, "--changes", str(tmp_path / "feed.txt")]) == 0
    assert (tmp_path / "feed.txt").read_text() == FEED


@pytest.mark.parametrize("options", [["--final"], ["--report", "changes"], ["--jobs", "2"]])
def test_the_feed_does_not_depend_on_the_report(options: list[str], tmp_path: Path) -> None:
    answers = [str(tmp_path / name) for name in ("first.jsonl", "second.jsonl")]
    feeds = [str(tmp_path / name) for name in ("feed.jsonl", "again.jsonl")]
    assert main([*RUN, *WINDOWS, "-o", answers[0], "--changes", feeds[0]]) == 0
    assert main([*RUN, *WINDOWS, *options, "-o", answers[1], "--changes", feeds[1]]) == 0
    assert read(Path(feeds[0])) == read(Path(feeds[1]))
    assert len(read(Path(feeds[0]))) == 7


@pytest.mark.parametrize("engine", ["columnar", "reference"])
def test_without_a_window_all_results_are_added_at_once(engine: str, tmp_path: Path) -> None:
    files = tmp_path / "answer.jsonl", tmp_path / "feed.jsonl"
    assert main([*RUN, "--engine", engine, "-o", str(files[0]), "--changes", str(files[1])]) == 0
    rows = read(files[1])
    assert {(row.pop("op"), row.pop("query_time")) for row in rows} == {("+", 24)}
    assert rows == read(files[0])


def test_the_columns_of_a_table_are_those_of_results_with_a_sign(tmp_path: Path) -> None:
    file = tmp_path / "feed.parquet"
    assert main([*RUN, *WINDOWS, "-o", str(tmp_path / "answer.jsonl"), "--changes", str(file)]) == 0
    table = pq.read_table(file)
    assert table.column_names == ["query_time", "op", "kind", "name", "arguments", "value", "fvp", "start", "end"]
    assert table.column("op").to_pylist() == ["+", "-", "+", "+", "+", "+", "+"]


def test_a_folder_has_a_typed_table_of_changes_for_each_fluent(tmp_path: Path) -> None:
    assert main([*RUN, *WINDOWS, "-o", str(tmp_path / "answer.jsonl"), "--changes", f"{tmp_path}/feed/"]) == 0
    assert {file.name for file in (tmp_path / "feed").iterdir()} >= {"location.parquet", "rich.parquet"}
    rows = pq.read_table(tmp_path / "feed" / "location.parquet").to_pylist()
    assert rows[:2] == [
        {"query_time": 12, "op": "+", "arg1": "chris", "value": "work", "start": 10, "end": None},
        {"query_time": 24, "op": "-", "arg1": "chris", "value": "work", "start": 10, "end": None},
    ]


def test_a_database_has_a_typed_table_of_changes_for_each_fluent(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    file = tmp_path / "feed.duckdb"
    assert main([*RUN, *WINDOWS, "-o", str(tmp_path / "answer.jsonl"), "--changes", str(file)]) == 0
    with duckdb.connect(str(file), read_only=True) as connection:
        rows = connection.execute("SELECT op, value, start FROM location ORDER BY query_time, op DESC").fetchall()
    assert rows[:2] == [("+", "work", 10), ("-", "work", 10)]


def test_changes_are_in_a_pipe_before_the_input_ends(tmp_path: Path) -> None:
    feed = tmp_path / "feed.jsonl"
    os.mkfifo(feed)
    answer = str(tmp_path / "answer.jsonl")
    options = ["--live", "--window", "10", "--start", "0", "-o", answer, "--changes", str(feed)]
    process = started("run", rules(tmp_path), "--input", "-", *options, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"switch_on|3|3|a\nswitch_off|12|11|a\n")
    process.stdin.flush()
    with feed.open() as lines:
        first = json.loads(lines.readline())
        assert (first["query_time"], first["op"], first["fvp"]) == (10, "+", "lit(a)=true")
        process.stdin.close()
        process.stdin = None
        rest = [json.loads(line) for line in lines]
    assert [(row["op"], row["start"], row["end"]) for row in rest] == [("-", 4, None), ("+", 4, 12)]
    assert ended(process)[0] == 0


def test_a_pipe_without_a_suffix_has_the_format_of_the_answer(tmp_path: Path) -> None:
    feed = tmp_path / "feed"
    assert main([*RUN, *WINDOWS, "-o", str(tmp_path / "answer.jsonl"), "--changes", str(feed)]) == 0
    assert read(feed)[0]["op"] == "+"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--changes", "-"], "HF732"),
        (["-o", "{folder}/both.jsonl", "--changes", "{folder}/both.jsonl"], "HF732"),
        (["-o", "{folder}/a.jsonl", "--changes", "{folder}/feed.xlsx"], "HF735"),
        (["-o", "{folder}/a.jsonl", "--changes", TOY[0]], "HF732"),
    ],
)
def test_a_wrong_feed_is_refused(
    options: list[str], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*RUN, *WINDOWS, *(option.format(folder=tmp_path) for option in options)]) == 2
    assert code in capsys.readouterr().err
