"""The inputs of `holdsfor spark stream`: CSV files, records that do not fit, and the input of a checkpoint."""

from __future__ import annotations

import datetime
import gzip
import json
import os
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.sources.formats import Format
from holdsfor.spark.input.inputs import Lines
from tests.apps.data import ROOT
from tests.spark.test_stream_places import arguments
from tests.spark.test_streams import RICH, Collected, run, write_batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = "happensAt(win(person), time)"


def command(tmp_path: Path, given: str, *more: str) -> list[str]:
    (tmp_path / "rules.prolog").write_text(RICH, encoding="utf-8")
    common = ["--window", "20", "--step", "10", "--start", "0", "--buckets", "1", "--once"]
    common += ["-o", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "checkpoint")]
    return ["spark", "stream", str(tmp_path / "rules.prolog"), "--input", given, *common, *more]


def test_csv_files_of_a_folder_have_headers_of_their_own(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "wins é"
    folder.mkdir()
    (folder / "1.csv").write_text("time,person\n5,ann\nsoon,joe\n", encoding="utf-8")
    (folder / "2.csv.gz").write_bytes(gzip.compress("\ufeffperson;place;time\r\nbob;Athens;12\r\n".encode()))
    assert main(command(tmp_path, f"{folder}: {COLUMNS}")) == 0
    shown = capsys.readouterr().err
    assert "3 records read" in shown
    assert f"{folder}/1.csv:3: " in shown, "the record that is set aside, with its file and line"
    assert "soon" in shown
    (folder / "3.csv").write_text("time,people\n14,eve\n", encoding="utf-8")
    (folder / "4.csv").write_text("time,person\n25,eve\n", encoding="utf-8")
    assert main(command(tmp_path, f"{folder}: {COLUMNS}")) == 0
    shown = capsys.readouterr().err
    assert f"{folder}/3.csv:1: column `person` not found in `{folder}/3.csv`: time,people" in shown
    rows = spark.read.parquet(str(tmp_path / "out")).orderBy("query_time").collect()
    assert [(row.query_time, row.op, row.fvp, row.start) for row in rows] == [
        (10, "+", "rich(ann)=true", 6),
        (20, "+", "rich(bob)=true", 13),
    ]


def test_files_that_are_much_older_than_the_newest_one_are_read(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy may keep the time of its modification; Spark's own limit is a week."""
    text, csv, parquet = folders = [tmp_path / name for name in ("text", "csv", "parquet")]
    inputs = [f"{csv}: {COLUMNS}", "--input", f"{parquet}: {COLUMNS}", "--input", str(text)]
    for n, age in enumerate((0, 30 * 86_400)):
        for folder in folders:
            folder.mkdir(exist_ok=True)
        (text / f"{n}.txt").write_text("win|5|5|ann\n", encoding="utf-8")
        (csv / f"{n}.csv").write_text("time,person\n5,ann\n", encoding="utf-8")
        pq.write_table(pa.table({"person": ["ann"], "time": [5]}), parquet / f"{n}.parquet")
        modified = time.time() - age
        for file in tmp_path.glob(f"*/{n}.*"):
            os.utime(file, (modified, modified))
        assert main(command(tmp_path, *inputs)) == 0
        assert "3 records read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("form", "line"), [("text", "win|5|5|ann"), ("jsonl", '{"name": "win", "start": 5, "arg1": "a"}')]
)
def test_null_values_are_rows_of_problems(form: Format, line: str, spark: SparkSession, tmp_path: Path) -> None:
    """A deleted key of a topic has no value."""
    folder = write_batches(tmp_path / "values", [[json.dumps({"value": each}) for each in (None, line, None)]])
    lines: Any = Lines(spark.readStream.schema("value string").json(folder), form)
    found = Collected()
    run(hf.spark.stream(lines, hf.load_text(RICH), window=20, step=10, start=0, buckets=1), tmp_path / "state", found)
    problems = [(row.kind, row.reason) for rows in found.problems.values() for row in rows]
    assert problems == [("set aside", "the value is null")] * 2
    assert sum(counts["read"] for counts in found.counts.values()) == 3


def test_files_beside_a_folder_with_an_equals_sign_are_read(spark: SparkSession, tmp_path: Path) -> None:
    """Spark would take the folder for a partition, and skip the files beside it."""
    folder = tmp_path / "wins"
    (folder / "day=1").mkdir(parents=True)
    (folder / "0.txt").write_text("win|5|5|ann\n", encoding="utf-8")
    (folder / "day=1" / "1.txt").write_text("win|6|6|bob\nwin|15|15|eve\n", encoding="utf-8")
    assert main(command(tmp_path, str(folder))) == 0
    rows = spark.read.parquet(str(tmp_path / "out")).collect()
    assert {row.fvp for row in rows} == {"rich(ann)=true", "rich(bob)=true"}


@pytest.mark.parametrize(
    ("person", "expected", "n_set_aside"),
    [("who", {"rich(ann)=true", "rich(bob)=true", "rich(kim)=true"}, 0), ("day", {"rich('a+b c/d')=true"}, 2)],
)
def test_parquet_files_beside_partitions_are_read(
    person: str,
    expected: set[str],
    n_set_aside: int,
    spark: SparkSession,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Columns of partitions come from the folders, whose names are escaped; without such a folder they are null."""
    folder = str(tmp_path / "day=0" / "wins")
    kept = [("ann", 5, "a+b c/d"), ("bob", 6, None), ("eve", 15, "x")]
    spark.createDataFrame(kept, "who string, t long, day string").write.partitionBy("day").parquet(folder)
    spark.createDataFrame([("kim", 7)], "who string, t long").write.mode("append").parquet(folder)
    assert main(command(tmp_path, f"{folder}: happensAt(win({person}), t)")) == 0
    assert {row.fvp for row in spark.read.parquet(str(tmp_path / "out")).collect()} == expected
    shown = capsys.readouterr().err
    assert "4 records read" in shown
    assert (f"{n_set_aside} set aside" in shown) == (n_set_aside > 0)


def write_wins(file: Path, person: str, time: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"person": [person], "time": [time]}), file)


def test_parquet_files_in_any_folders_are_read(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Spark refuses partitions in folders of different depths, and a name with a `%` that begins no escape."""
    folder = tmp_path / "wins"
    for place, person in {"a/day=1": "ann", "b/day=2": "bob", "plain": "eve", "day=3/rate=50%": "joe"}.items():
        write_wins(folder / place / "0.parquet", person, 5)
    given = command(tmp_path, f"{folder}: happensAt(win(rate), time)")
    assert main(given) == 0
    assert "4 records read" in capsys.readouterr().err
    shutil.rmtree(folder)
    write_wins(folder / "rate=60" / "1.parquet", "kim", 15)
    assert main(given) == 0, "the first start decides the columns"
    assert [row.fvp for row in spark.read.parquet(str(tmp_path / "out")).collect()] == ["rich('50%')=true"]


def test_the_first_start_needs_a_parquet_file(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "wins"
    folder.mkdir()
    given = command(tmp_path, f"{folder}: {COLUMNS}", "--input-format", "parquet")
    assert main(given) == 2
    assert f"error[HF501]: `{folder}` has no Parquet file, and the first one decides" in capsys.readouterr().err
    write_wins(folder / "inside" / "0.parquet", "ann", 5)
    assert main(given) == 0
    (folder / "inside" / "0.parquet").unlink()
    assert main(given) == 0, "the files are processed"


def test_the_first_start_decides_the_format_of_an_input(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Later, the folder may be empty, or begin with another file."""
    folder = tmp_path / "wins"
    folder.mkdir()
    (folder / "0.jsonl").write_text('{"name": "win", "start": 5, "arg1": "ann"}\n', encoding="utf-8")
    given = command(tmp_path, str(folder))
    assert main(given) == 0
    (folder / "0.jsonl").unlink()
    assert main(given) == 0
    (folder / "1").write_text('{"name": "win", "start": 16, "arg1": "bob"}\n', encoding="utf-8")
    assert main(given) == 0
    assert {row.fvp for row in spark.read.parquet(str(tmp_path / "out")).collect()} == {"rich(ann)=true"}
    capsys.readouterr()
    assert main([*given, "--input-format", "text"]) == 2
    expected = "HF793]: the checkpoint is of a stream with the input formats `jsonl`, found `text`"
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("name", ["out", "checkpoint"])
def test_a_place_inside_the_input_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "wins").mkdir()
    given = [
        each.replace(str(tmp_path / name), f"{tmp_path}/wins/{name}") for each in command(tmp_path, f"{tmp_path}/wins")
    ]
    assert main(given) == 2
    assert f"error[HF795]: the place `{tmp_path}/wins/{name}` of " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("suffix", "columns", "lines"),
    [
        ("jsonl", f": {COLUMNS}", ['{"person": "ann", "time": 5}', "broken", '{"person": "bob", "time": 15}']),
        ("txt", "", ["win|5|5|ann", "win|soon|5|joe", "win|15|15|bob"]),
    ],
)
def test_lines_that_are_set_aside_are_shown_with_their_file_and_line(
    suffix: str,
    columns: str,
    lines: list[str],
    spark: SparkSession,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "wins é"
    folder.mkdir()
    (folder / f"1.{suffix}").write_text(f"{lines[0]}\n", encoding="utf-8")
    (folder / f"2.{suffix}").write_bytes(b"\xff\n" + (f"{lines[2]}\n" * 500 + f"{lines[1]}\n").encode())
    assert main(command(tmp_path, f"{folder}{columns}")) == 0
    shown = capsys.readouterr().err
    assert f"  {folder}/2.{suffix}:1: the line is not UTF-8 text" in shown
    assert f"  {folder}/2.{suffix}:502: " in shown
    assert lines[1] in shown


def test_a_condition_without_a_result_is_named_once_in_a_stream(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wins = [
        [f"win|{t}|{t}|ann|{value}" for t, value in batch] for batch in ([(5, 7), (6, "n/a")], [(15, 0), (36, "x")])
    ]
    folder = write_batches(tmp_path / "wins", wins)
    arguments = command(tmp_path, folder, "--max-per-batch", "1")
    rules = "initiatedAt(rich(X)=true, T) :- happensAt(win(X, N), T), N > 5.\n"
    (tmp_path / "rules.prolog").write_text(rules, encoding="utf-8")
    assert main(arguments) == 0
    shown = capsys.readouterr().err
    message = "warning[HF614]: `N > 5` in the rule for `initiatedAt(rich(X)=true,T)` has no result for some values"
    assert shown.count(message) == 1
    assert " set aside" not in shown
    assert {row.fvp for row in spark.read.parquet(str(tmp_path / "out")).collect()} == {"rich(ann)=true"}


def test_csv_files_of_records_need_no_description(spark: SparkSession, tmp_path: Path) -> None:
    folder = write_batches(tmp_path / "records", [["name,start,arg1", "win,5,ann", "win,15,bob"]])
    assert main(command(tmp_path, folder)) == 0
    assert [row.fvp for row in spark.read.parquet(str(tmp_path / "out")).collect()] == ["rich(ann)=true"]


def test_the_documented_trips_have_the_results_of_a_run(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The stream has dates in its output and in its progress."""
    example = ROOT / "docs/your-own-data"
    (tmp_path / "trips").mkdir()
    shutil.copy(example / "trips.csv", tmp_path / "trips")
    columns, rules = "happensAt(speed(vehicle, kmh), ts)", str(example / "speeding.prolog")
    stream = ["spark", "stream", rules, "--input", f"{tmp_path}/trips: {columns}", "--window", "1h", "--step", "1m"]
    stream += ["-o", str(tmp_path / "out"), "--current", str(tmp_path / "known")]
    assert main([*stream, "--checkpoint", str(tmp_path / "checkpoint"), "--once", "--buckets", "1"]) == 0
    shown = capsys.readouterr().err
    assert "query time 2026-03-01T" in shown
    assert " s behind the records" in shown
    run = ["run", rules, "--input", f"{example}/trips.csv: {columns}", "--format", "jsonl"]
    assert main(run) == 0
    expected = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    rows = (
        hf.spark.read_current(spark, str(tmp_path / "known"))
        .selectExpr("fvp", "unix_seconds(start) as start")
        .collect()
    )
    starts = {(row["fvp"], int(datetime.datetime.fromisoformat(row["start"]).timestamp())) for row in expected}
    assert {(row.fvp, row.start) for row in rows} == starts != set()


def test_a_csv_file_outside_a_folder_is_refused(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "wins.csv"
    file.write_text("time,person\n5,ann\n15,bob\n", encoding="utf-8")
    assert main(command(tmp_path, f"{file}: {COLUMNS}")) == 2
    assert f"error[HF794]: `{file}` is read line by line" in capsys.readouterr().err
    assert main(command(tmp_path, f"{tmp_path}/*.csv: {COLUMNS}")) == 0
    assert [row.fvp for row in spark.read.parquet(str(tmp_path / "out")).collect()] == ["rich(ann)=true"]


def test_a_first_file_with_other_columns_is_refused_before_it_counts_as_read(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "wins"
    folder.mkdir()
    (folder / "1.csv").write_text("time,people\n5,ann\n15,bob\n", encoding="utf-8")
    assert main(command(tmp_path, f"{folder}: {COLUMNS}")) == 2
    assert "column `person` not found" in capsys.readouterr().err
    assert main(command(tmp_path, f"{folder}: {COLUMNS.replace('person', 'people')}")) == 0
    assert [row.fvp for row in spark.read.parquet(str(tmp_path / "out")).collect()] == ["rich(ann)=true"]


def test_a_stream_that_sets_all_records_aside_ends_with_the_exit_code_of_a_run(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write_batches(tmp_path / "records", [['{"people": "ann", "time": 5}'], ['{"people": "bob", "time": 15}']])
    given = command(tmp_path, f"{folder}: {COLUMNS}", "--input-format", "jsonl")
    assert main(given) == 3
    shown = capsys.readouterr().err
    assert "error[HF510]: all records set aside (2), first: " in shown
    assert shown.count('{"people": "') == 3, "both records are shown with their reasons"
    assert main(given) == 0, "there are no new records"


def test_the_types_of_an_output_do_not_change(spark: SparkSession, tmp_path: Path) -> None:
    """Records that do not fit come before the first time of the stream, so `problems` has integers from then on."""
    lines = ["not JSON", '{"person": "ann", "time": "1970-01-01T00:00:05"}', "nor this"]
    late = '{"person": "bob", "time": "1970-01-01T00:00:35"}'
    arguments = [
        *command(tmp_path, f"{tmp_path / 'lines'}: {COLUMNS}", "--feed", "problems"),
        "--input-format",
        "jsonl",
    ]
    for number in range(len(lines)):
        write_batches(tmp_path / "lines", [[line, late] if number else [line] for line in lines[: number + 1]])
        assert main(arguments) == (0 if number else 3)
    folders = (tmp_path / "out").glob("batch=*")
    assert [dict(spark.read.parquet(str(each)).dtypes)["start"] for each in folders] == ["bigint"] * 2
    rows = spark.read.parquet(str(tmp_path / "out")).collect()
    assert sorted((row.kind, row.text, row.start) for row in rows) == [
        ("set aside", "nor this", None),
        ("set aside", "not JSON", None),
    ]


def test_dates_after_integers_are_written_as_integers(spark: SparkSession, tmp_path: Path) -> None:
    wins: list[list[tuple[str, int | str]]] = [
        [("ann", 5), ("bob", 35)],
        [("eve", "1970-01-01T00:00:41"), ("joe", "1970-01-01T00:01:35")],
    ]
    batches = [[json.dumps({"person": person, "time": time}) for person, time in each] for each in wins]
    arguments = [*command(tmp_path, f"{tmp_path / 'lines'}: {COLUMNS}"), "--input-format", "jsonl"]
    for n in (1, 2):
        write_batches(tmp_path / "lines", batches[:n])
        assert main(arguments) == 0
    rows = [spark.read.parquet(str(tmp_path / f"out/batch={number}")).collect() for number in (0, 1)]
    assert [sorted((row.op, row.start) for row in each) for each in rows] == [[("+", 6)], [("+", 36), ("+", 42)]]


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_the_first_time_is_found_behind_records_that_do_not_fit(form: str, spark: SparkSession, tmp_path: Path) -> None:
    folder, moment = tmp_path / "lines", "1970-01-01T00:00:05"
    if form == "jsonl":
        write_batches(folder, [["not JSON"] * 150 + [f'{{"person": "ann", "time": "{moment}"}}']])
    else:
        folder.mkdir()
        for number in range(12):
            text = f"time,person\n{moment if number == 11 else 'soon' * 50},ann\n"
            (folder / f"{number:02}.csv").write_text(text, encoding="utf-8")
    more = ["--feed", "problems", "--input-format", form]
    assert main(command(tmp_path, f"{folder}: {COLUMNS}", *more)) == 0
    assert dict(spark.read.parquet(str(tmp_path / "out")).dtypes)["start"] == "timestamp_ntz"


def test_another_input_of_a_checkpoint_is_refused(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [*arguments(tmp_path), "-o", str(tmp_path / "out")]
    assert main(given) == 0
    other = write_batches(tmp_path / "other", [["win|2|2|eve", "win|40|40|eve"]])
    at = given.index("--input") + 1
    assert main([*given[:at], other, *given[at + 1 :]]) == 2
    expected = f"error[HF793]: the checkpoint is of a stream with the input `{tmp_path}/records`, found `{other}`"
    assert expected in capsys.readouterr().err
    assert main(given) == 0


def test_inputs_in_another_order_are_refused(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = write_batches(tmp_path / "one", [["win|2|2|ann", "win|40|40|ann"]])
    other = write_batches(tmp_path / "other", [["win|5|5|eve", "win|40|40|eve"]])
    assert main(command(tmp_path, one, "--input", other)) == 0
    assert main(command(tmp_path, one, "--input", other)) == 0
    capsys.readouterr()
    assert main(command(tmp_path, other, "--input", one)) == 2
    assert f"HF793]: the checkpoint is of a stream with the input `{one}`, found `{other}`" in capsys.readouterr().err


def test_a_topic_without_the_package_of_spark_is_an_error_that_names_the_package(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(tmp_path, "kafka://127.0.0.1:1/trips")) == 1
    shown = capsys.readouterr().err
    assert "HF621" in shown
    assert "Failed to find data source: kafka" in shown
    assert "org.apache.spark:spark-sql-kafka-0-10_2.13:VERSION" in shown
