"""Input has the same meaning on Spark and embedded: files of every format, described columns, unreadable files."""

from __future__ import annotations

import csv
import datetime
import gzip
import json
import warnings
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.orc  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem, NoResultWarning, UsageProblem
from holdsfor.sources.times import Unit
from tests.seeds import some
from tests.spark.answers import embedded_rows, embedded_tables, spark_rows, spark_tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from holdsfor.spark.input.files import Files

pytestmark = pytest.mark.in_turn(3)

RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(velocity(V, Speed), T), Speed > 5.
terminatedAt(fast(V)=true, T) :- happensAt(velocity(V, Speed), T), Speed =< 5.
happensAt(exactly(V, 3), T) :- happensAt(velocity(V, 3), T).
"""
TRIPS = "happensAt(velocity(vessel, 'speed (kn)'), ts)"


@pytest.fixture(scope="module")
def rules() -> Any:
    return hf.load_text(RULES)


@pytest.fixture
def small_blocks(spark: SparkSession) -> Iterator[None]:
    """Read files of a few kilobytes in several blocks, like big files."""
    before = spark.conf.get("spark.sql.files.maxPartitionBytes")
    spark.conf.set("spark.sql.files.maxPartitionBytes", "7000")
    yield
    spark.conf.set("spark.sql.files.maxPartitionBytes", str(before))


def files_of_every_kind(folder: Path) -> list[Path]:
    """The same event in every file format, with 3 and 3.0, quotes, nulls, and lines that do not fit."""
    folder.mkdir()
    lines = [f"velocity|{i}|{i}|v{i % 7}|{i % 10}" for i in range(500)]
    lines[3], lines[377], lines[400] = "velocity|x|3|a|3", "velocity|377|y|a|3", "BYTES"
    texts = "\n".join(lines).encode().replace(b"BYTES", b"\xff\xfe")
    (folder / "a.txt").write_bytes(texts + b"\n-velocity|499|499|v2|9\nvelocity|499|499|v2|9\n-velocity|0|0|zoe|1\n")
    rows = "".join(f'velocity,{"x" if i == 200 else i},"q, {i % 3}",{i % 5}.0\n' for i in range(300))
    (folder / "b [1]*.csv").write_text(f"name,start,arg1,arg2\n{rows}velocity,9,a\nvelocity,9,,3\n", encoding="utf-8")
    objects = [{"name": "velocity", "time": i, "args": ["j", 3.0 if i % 2 else 3]} for i in range(20)]
    written = "".join(f"{json.dumps(each)}\n" for each in [*objects, {"name": "velocity", "time": None}])
    (folder / "c.json").write_text(f"{written}{{bad\n", encoding="utf-8")
    (folder / "d.tsv").write_text("time\tname\targ1\targ2\n3\tvelocity\tt\t8\n", encoding="utf-8")
    (folder / "e.txt.gz").write_bytes(gzip.compress(texts[:1000]))
    (folder / "f.txt").write_bytes(b"")
    table = {"name": ["velocity"] * 3, "start": [1, None, 3], "arg1": ["p"] * 3, "arg2": [3, 7, 1]}
    pq.write_table(pa.table(table), folder / "g.parquet")
    pq.write_table(pa.table({**table, "arg2": [3.0, 7.0, 1.0]}), folder / "h.parquet")
    pyarrow.orc.write_table(pa.table({**table, "start": [1, 2, 3], "arg1": ["o"] * 3}), folder / "i.orc")
    return sorted(folder.iterdir())


@pytest.mark.usefixtures("small_blocks")
def test_files_of_every_format_have_the_embedded_answer(spark: SparkSession, rules: Any, tmp_path: Path) -> None:
    files = files_of_every_kind(tmp_path / "records")
    embedded = hf.recognise(rules, *files)
    found = hf.spark.recognise(tmp_path / "records", rules, buckets=2)
    aside = sorted((each.file, each.line, each.text, each.reason) for each in embedded.reading.set_aside)
    assert len(aside) == 12
    assert embedded.unmatched == 1
    assert sorted(map(tuple, found.set_aside.collect())) == aside
    unmatched = [(each.line, each.text) for each in embedded.reading.unmatched]
    assert [(row.line, row.text) for row in found.unmatched.collect()] == unmatched == [(503, "-velocity|0|0|zoe|1")]
    counts = {row.what: row.n for row in found.counts.collect()}
    assert counts == {"read": embedded.reading.n_records, "set aside": 12, "unmatched": 1}
    assert spark_rows(found) == sorted(((name, start, end) for _, name, start, end in embedded.rows()), key=str)


def test_described_columns_and_times_have_the_embedded_answer(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rules.prolog").write_text(RULES, encoding="utf-8")
    (tmp_path / "one.csv").write_text(
        "ts;vessel;speed (kn);x\n1970-01-01T01:00:00.250+01:00;a;7;\n1970-01-01 00:00;a;1;\n;a;9;\n", encoding="utf-8"
    )
    (tmp_path / "two.csv").write_text("vessel,speed (kn),ts\nb,9,1970-01-01T00:00:02Z\n", encoding="utf-8")
    run = [str(tmp_path / "rules.prolog"), "--time-unit", "ms", "--start", "1970-01-01", "--end", "9000"]
    embedded, on_spark = tmp_path / "embedded.jsonl", tmp_path / "on_spark.jsonl"
    inputs = [f"{tmp_path / name}: {TRIPS}" for name in ("one.csv", "two.csv")]
    shown = ["--set-aside", str(embedded), "--format", "csv", "--times", "integer"]
    assert main(["run", *run, "--input", *inputs, *shown]) == 0
    place = tmp_path / "found"
    arguments = ["spark", "run", *run, "--input", f"{tmp_path}/*.csv: {TRIPS}", "-o", str(place)]
    assert main([*arguments, "--set-aside", str(on_spark), "--format", "json"]) == 0
    assert len(embedded.read_text(encoding="utf-8").splitlines()) == 2
    assert sorted(on_spark.read_text(encoding="utf-8").splitlines()) == sorted(
        embedded.read_text(encoding="utf-8").splitlines()
    )
    out, err = capsys.readouterr()
    found = [json.loads(line) for path in place.glob("fast/*.json") for line in path.read_text().splitlines()]
    assert sorted(found, key=str) == [
        {"vessel": "a", "value": "true", "start": "1970-01-01T00:00:00.251Z", "end": None},
        {"vessel": "b", "value": "true", "start": "1970-01-01T00:00:02.001Z", "end": None},
    ]
    rows = [(row["fvp"], row["start"]) for row in csv.DictReader(out.splitlines())]
    assert rows == [("fast(a)=true", "251"), ("fast(b)=true", "2001")]
    assert f"{tmp_path}/one.csv:4: `ts` is null: ;a;9;" in err
    assert main([*arguments, "--overwrite", "--strict"]) == 2
    assert "error[HF503]: line 3 does not fit" in capsys.readouterr().err


def damaged_files(folder: Path) -> list[str]:
    packed, table = gzip.compress(b"velocity|1|1|b|9\n" * 99), folder / "table"
    pq.write_table(pa.table({"name": ["velocity"], "start": [1], "arg1": ["b"], "arg2": [9]}), table)
    contents = {
        "columns.csv": b"name,start,arg1,knots\nvelocity,1,b,5\n",
        "cut.parquet": table.read_bytes()[:-9],
        "cut.txt.gz": packed[:-9],
        "feather.arrow": b"ARROW1",
        "latin.txt": b"velocity|1|1|\xe9|9\n",
        "unclear.csv": b"when,what\n1,b\n",
    }
    table.unlink()
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    pq.write_table(pa.table({"name": ["velocity"], "start": ["soon"], "arg1": [b"b"]}), folder / "types.parquet")
    return sorted([*contents, "types.parquet"])


def test_unreadable_files_do_not_affect_the_others(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, place, aside, stats = (tmp_path / name for name in ("records", "found", "aside.jsonl", "stats.json"))
    folder.mkdir()
    (tmp_path / "rules.prolog").write_text(RULES, encoding="utf-8")
    damaged = damaged_files(folder)
    run = ["spark", "run", str(tmp_path / "rules.prolog"), "-o", str(place), "--end", "9", "--start", "0"]
    assert main([*run, "--input", str(folder / "latin.txt"), str(folder / "*.csv")]) == 2
    err = capsys.readouterr().err
    assert [err.count(f"error[HF50{n}]") for n in (1, 2, 4)] == [1, 1, 1]
    assert not place.exists()
    (folder / "good.txt").write_text("velocity|1|1|a|9\n", encoding="utf-8")
    assert main([*run, "--input", str(folder), "--set-aside", str(aside), "--stats", str(stats)]) == 2
    err = capsys.readouterr().err
    assert [err.count(f"error[HF50{n}]") for n in (1, 2, 4)] == [4, 2, 1]
    assert "Traceback" not in err
    written = [json.loads(line) for line in aside.read_text(encoding="utf-8").splitlines()]
    assert [(Path(each["file"]).name, each["line"], each["text"]) for each in written] == [(n, 0, "") for n in damaged]
    assert pq.read_table(place / "fast").column("arg1").to_pylist() == ["a"]
    assert sorted(pq.read_table(place / "set_aside").column("reason").to_pylist()) == sorted(
        e["reason"] for e in written
    )
    assert json.loads(stats.read_text(encoding="utf-8"))["unreadable"] == len(damaged)


def test_a_file_deleted_during_the_job_does_not_affect_the_others(
    spark: SparkSession, rules: Any, tmp_path: Path
) -> None:
    from holdsfor.spark.job.retry import without_failing_files

    (tmp_path / "a.txt").write_text("velocity|1|1|a|9\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("velocity|1|1|b|9\n", encoding="utf-8")
    attempts: list[int] = []

    def work(inputs: Sequence[Files]) -> Any:
        found = hf.spark.recognise(inputs, rules, start=0, end=9)
        attempts.append(len(found.unreadable))
        (tmp_path / "b.txt").unlink(missing_ok=True)
        return spark_rows(found)

    assert without_failing_files([hf.spark.files(tmp_path / "*.txt", form="text")], work) == [("fast(a)=true", 2, None)]
    assert attempts == [0, 0]


def test_invalid_input_is_reported_before_the_job(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, records = tmp_path / "rules.prolog", tmp_path / "records.csv"
    rules.write_text(RULES, encoding="utf-8")
    records.write_text("ts,vessel\n1,a\n", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    run = ["spark", "run", str(rules), "-o", str(tmp_path / "found")]
    for given, message in {
        f"{tmp_path}/nothing/*.csv": "HF501]: `" + f"{tmp_path}/nothing/*.csv` not found",
        f"{tmp_path}/empty": "has no files in it",
        "nofs://host/records": "HF501]: `nofs://host/records` cannot be read: no FileSystem for scheme",
        f"{records}: happensAt(velocity(vessel, knots), ts)": "HF505]: column `knots` not found in",
        f"{records}: happensAt(velocity(vessel), ts)": "HF505]: expected `velocity|arrival|occurrence|arg1|arg2`",
        f"{records}: velocity(vessel)": "HF505]: expected `happensAt`, `holdsAt` or `holdsFor`",
    }.items():
        assert main([*run, "--input", given]) == 2
        err = capsys.readouterr().err
        assert message in err
        assert "Traceback" not in err
    for name in ("nowhere", "no where"):
        assert main([*run, "--input", name, "--input-format", "table"]) == 2
        assert f"HF501]: the table `{name}` cannot be read" in capsys.readouterr().err
    assert not (tmp_path / "found").exists()


TABLE = pa.table(
    {
        "kind": ["velocity", "velocity", "velocity"],
        "when": pa.array([1_000_000, 2_500_000, 4_000_000], pa.timestamp("us", "UTC")),
        "who": ["a", "a", "b"],
        "speed.kn": [7, 3, 9],
    }
)
ROLES = {"kind": "name", "when": "time", "who": "arg1", "speed.kn": "arg2"}


DESCRIPTION = "happensAt(velocity(who, 'speed.kn'), when)"


@pytest.mark.parametrize("kind", some(["timestamp", "timestamp_ntz", "string"], 1))
def test_a_frame_has_the_meaning_of_its_table(kind: str, spark: SparkSession, rules: Any) -> None:
    """With renamed columns, and times of all types; half a second is not a time-point."""
    table, texts = TABLE, TABLE.set_column(1, "when", TABLE["when"].cast(pa.timestamp("us")).cast(pa.string()))
    if kind != "timestamp":
        table = texts if kind == "string" else TABLE.set_column(1, "when", TABLE["when"].cast(pa.timestamp("us")))
    frame = spark.createDataFrame(texts).selectExpr("kind", f"cast(when as {kind}) as when", "who", "`speed.kn`")
    found = hf.spark.recognise(frame, rules, columns=ROLES, start=0, end=9, times="integer")
    (misfit,) = hf.recognise(rules, (table, ROLES)).reading.set_aside
    assert [tuple(row) for row in found.set_aside.collect()] == [("table", 0, misfit.text, misfit.reason)]
    assert spark_rows(found) == embedded_rows(rules, (table, ROLES), start=0, end=9)


def test_a_description_of_columns_has_the_meaning_of_that_of_a_file(spark: SparkSession, rules: Any) -> None:
    options: dict[str, Any] = {"start": 0, "end": 9000, "time_unit": "ms"}
    found = hf.spark.recognise([(spark.createDataFrame(TABLE), DESCRIPTION)], rules, **options, times="integer")
    expected = [("exactly(a,3)", 2500, 2500), ("fast(a)=true", 1001, 2501), ("fast(b)=true", 4001, None)]
    assert embedded_rows(rules, (TABLE, DESCRIPTION), **options) == expected
    assert spark_rows(found) == expected


def test_invalid_columns_are_reported(spark: SparkSession, rules: Any) -> None:
    frame = spark.createDataFrame(TABLE)
    for columns, message in (
        ({"kind": "name", "whn": "start"}, "column `whn` not found in the table"),
        ({"kind": "name", "when": "begin"}, "column `when` has the role `begin`"),
        ({"kind": "name", "who": "name"}, "columns `kind` and `who` both have the role `name`"),
        ("happensAt(velocity(who, knots), when)", "column `knots` not found"),
    ):
        with pytest.raises(DataProblem, match=message) as on_spark:
            hf.spark.recognise(frame, rules, columns=columns)
        with pytest.raises(DataProblem, match=message) as embedded:
            hf.recognise(rules, (TABLE, columns))
        assert str(on_spark.value) == str(embedded.value)
        assert "HF505" in str(embedded.value)
    with pytest.raises(DataProblem, match="`columns` describes one DataFrame"):
        hf.spark.recognise([frame, frame], rules, columns=ROLES)


def test_columns_of_text_stay_text_without_another_kind(spark: SparkSession, tmp_path: Path) -> None:
    ids = ["4e12", "40e11", "1.50", "1.5", " a", "a", "003", "f(a)"]
    seen = hf.load_text("initiatedAt(seen(X)=true, T) :- happensAt(see(X), T).")
    rows = [("see", i, each) for i, each in enumerate(ids)]
    pq.write_table(pa.table({"id": ids, "ts": range(len(ids))}), tmp_path / "ids.parquet")
    own = spark.createDataFrame([(each, i) for _, i, each in rows], "id string, ts long")
    expected = embedded_rows(seen, f"{tmp_path / 'ids.parquet'}: happensAt(see(id), ts)")
    assert len(expected) == len(ids)
    for given in (
        spark.createDataFrame(rows, "name string, start long, arg1 string"),
        (own, "happensAt(see(id), ts)"),
        hf.spark.events("see", own, time="ts", args=["id"]),
        f"{tmp_path / 'ids.parquet'}: happensAt(see(id), ts)",
    ):
        assert spark_rows(hf.spark.recognise(given, seen, buckets=2)) == expected
    numbers = hf.spark.recognise((own, "happensAt(see(id:number), ts)"), seen, buckets=2)
    assert {row.fvp for row in numbers.intervals.collect()} == {
        "seen(4000000000000.0)=true",
        "seen(1.5)=true",
        "seen(3)=true",
    }


def test_a_column_of_text_used_as_numbers_is_refused(spark: SparkSession, rules: Any) -> None:
    own = spark.createDataFrame([("v1", "7.5", 3)], "vessel string, knots string, ts long")
    with pytest.raises(DataProblem, match=r"HF507[\s\S]*`knots:number`"):
        hf.spark.recognise(own, rules, columns="happensAt(velocity(vessel, knots), ts)")
    with pytest.raises(DataProblem, match=r"HF507[\s\S]*`arg2:number`"):
        hf.spark.recognise(hf.spark.events("velocity", own, time="ts", args=["vessel", "knots"]), rules)
    fast = hf.spark.events("velocity", own, time="ts", args=["vessel", "knots:number"])
    assert [row.fvp for row in hf.spark.recognise(fast, rules).intervals.collect()] == ["fast(v1)=true"]
    table = spark.createDataFrame([("velocity", 3, "v1", "7.5")], "name string, start long, arg1 string, arg2 string")
    with pytest.raises(Exception, match=r"HF507[\s\S]*`arg2:number`"):
        hf.spark.recognise(table, rules).intervals.collect()


def test_a_column_of_text_joined_with_numbers_of_another_input_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    joining = hf.load_text("happensAt(o(V), T) :- happensAt(speed(V, _), T), happensAt(stop(V), T).")
    speeds = hf.spark.events(
        "speed", spark.createDataFrame([(7, 60, 1)], "v long, kmh long, ts long"), time="ts", args=["v", "kmh"]
    )
    frame = spark.createDataFrame([("7", 1)], "v string, ts long")
    (tmp_path / "stops.jsonl").write_text('{"name": "stop", "time": 1, "args": ["7"]}\n')
    for stops in ((frame, "happensAt(stop(v), ts)"), str(tmp_path / "stops.jsonl")):
        with pytest.raises(Exception, match=r"HF507[\s\S]*`stop/1` is text, but a rule joins `stop\(V\)`"):
            hf.spark.recognise([speeds, stops], joining, start=0, end=9, buckets=2).events.collect()
    history = hf.spark.prepare([speeds, (frame, "happensAt(stop(v), ts)")], joining, str(tmp_path / "history"))
    with pytest.raises(Exception, match=r"HF507[\s\S]*column `v`"):
        hf.spark.recognise(history, joining, buckets=2).events.collect()
    numbers = hf.spark.recognise([speeds, (frame, "happensAt(stop(v:number), ts)")], joining, buckets=2)
    assert [row.fvp for row in numbers.events.collect()] == ["o(7)"]


def test_incomplete_revisions_are_unmatched(spark: SparkSession, tmp_path: Path) -> None:
    rules = hf.load_text("initiatedAt(on(X)=true, T) :- happensAt(go(X), T).")
    rows = [("go", 1, "a", "+", None), ("go", 1, "a", "-", "r1"), ("go", 4, "a", "+", "r1"), ("go", 8, "b", "+", "r2")]
    frame = spark.createDataFrame(rows, "name string, start long, arg1 string, op string, revision string")
    found = hf.spark.recognise(frame, rules, buckets=2)
    assert spark_rows(found) == [("on(a)=true", 5, None), ("on(b)=true", 9, None)]
    assert [row.reason for row in found.unmatched.collect()] == ["revision `r2` has no retraction"]
    assert [row.n for row in found.counts.where("what = 'unmatched'").collect()] == [1]
    found.unpersist()


def test_columns_of_every_type_have_the_same_constants_on_spark(spark: SparkSession) -> None:
    rules = hf.load_text("happensAt(seen(A, B, C, D, E), T) :- happensAt(saw(A, B, C, D, E), T).")
    described = "happensAt(saw(flag, price, day, position.lat?, due), ts)"
    schema = "flag boolean, price decimal(10, 2), day date, position struct<lat: double>, due timestamp_ntz, ts long"
    day, due = datetime.date(2026, 3, 1), datetime.datetime(2026, 3, 2)
    rows = [
        (True, Decimal("1.50"), day, (48.5,), due, 1),
        (False, Decimal("2.00"), day, None, due, 2),
        (None, Decimal("2.00"), day, (1.0,), due, 3),
    ]
    frame = spark.createDataFrame(rows, schema)
    found = hf.spark.recognise((frame, described), rules)
    assert found.set_aside.count() == 1
    assert spark_rows(found) == embedded_rows(rules, (frame.toArrow(), described))


def test_workers_read_timestamps_and_the_columns_of_folders(spark: SparkSession, rules: Any, tmp_path: Path) -> None:
    noon = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.UTC)
    tables = []
    for day, knots in enumerate([7.5, 2.0], start=1):
        folder = tmp_path / "trips" / f"day=2026-01-0{day}" / f"vessel=v%20{day % 2}"
        folder.mkdir(parents=True)
        times = [noon + datetime.timedelta(days=day, seconds=i) for i in range(3)]
        own = pa.table({"ts": pa.array(times, pa.timestamp("us", "UTC")), "knots": [knots, knots + 1, 6.0]})
        pq.write_table(own, folder / "a.parquet")
        tables.append(own.append_column("vessel", pa.array([f"v {day % 2}"] * 3)))
    columns = "happensAt(velocity(vessel, knots), ts)"
    expected = embedded_rows(rules, (pa.concat_tables(tables), columns))
    stored = spark.read.parquet(str(tmp_path / "trips"))
    found = hf.spark.recognise(stored, rules, columns=columns, times="integer")
    assert found._job.input.ingestion._pieces[0] is not None  # the workers open the files
    assert spark_rows(found) == expected
    through_spark = hf.spark.recognise(stored.where("day > '2025-12-31'"), rules, columns=columns, times="integer")
    assert through_spark._job.input.ingestion._pieces == [None]
    assert spark_rows(through_spark) == expected
    by_path = hf.spark.recognise(f"{tmp_path / 'trips'}: {columns}", rules, times="integer")
    assert spark_rows(by_path) == expected


# -- units of time -----------------------------------------------------------------------------------------------------


def test_durations_need_a_unit_of_time_if_times_are_integers(spark: SparkSession) -> None:
    rules = hf.load_text("initiatedAt(on(V)=true, T) :- happensAt(go(V), T).\nft(on(V)=true, 2*hours).")
    columns = "happensAt(go(v), t)"
    integers = spark.createDataFrame([(1, "a"), (9000, "b")], "t long, v string")
    with pytest.raises(UsageProblem, match="HF714"):
        hf.spark.recognise(integers, rules, columns=columns)
    with hf.spark.recognise(integers, rules, columns=columns, time_unit="s") as found:
        assert found.intervals.where("fvp = 'on(a)=true'").select("start", "end").collect() == [(2, 7202)]
    moments = spark.createDataFrame([(datetime.datetime(2026, 3, 1), "a")], "t timestamp, v string")
    with hf.spark.recognise(moments, rules, columns=columns) as found:
        assert found.intervals.count() == 1


def test_an_end_that_is_null_is_open_so_results_are_input(spark: SparkSession) -> None:
    rules = hf.load_text("collectIntervals(busy(_)=_). holdsFor(kept(X)=V, I) :- holdsFor(busy(X)=V, I).")
    start, end = datetime.datetime(2026, 3, 1, 8), datetime.datetime(2026, 3, 1, 9)
    rows = [("a", "on", start, None), ("b", "off", start, end)]
    given = spark.createDataFrame(rows, "x string, value string, start timestamp, end timestamp")
    columns = "holdsFor(busy(x)=value, [(start, end)])"
    named = given.selectExpr("'busy' AS name", "x AS arg1", "value", "start", "end")
    with hf.spark.recognise(given, rules, columns=columns) as found, hf.spark.recognise(named, rules) as again:
        results = found["kept"]
        expected = sorted(map(tuple, results.collect()))
        assert expected == rows
        assert sorted(map(tuple, again["kept"].collect())) == expected
        with hf.spark.recognise(results, rules, columns=columns) as read_again:
            assert sorted(map(tuple, read_again["kept"].collect())) == expected


def test_lines_without_a_header_and_lengths_have_the_embedded_answer(
    spark: SparkSession, tmp_path: Path, small_blocks: None
) -> None:
    rules = hf.load_text("collectIntervals(busy(_)=_). holdsFor(kept(X)=true, I) :- holdsFor(busy(X)=true, I).")
    path = tmp_path / "busy.csv"
    path.write_text("".join(f"{3 * i},{i % 4},m{i % 7}\n" for i in range(900)), encoding="utf-8")
    given = f'{path}: holdsFor(busy(x)="true", [(start, start + length)]), columns(start, length, x)'
    with hf.spark.recognise(given, rules) as found:
        assert spark_rows(found) == embedded_rows(rules, given, jobs=1)
        assert sorted(row.line for row in found.set_aside.collect()) == list(range(1, 900, 4))


def test_times_finer_than_a_second_need_a_unit(spark: SparkSession) -> None:
    rules = hf.load_text("initiatedAt(on(V)=true, T) :- happensAt(go(V), T).")
    given = [(datetime.datetime(2026, 3, 1), "a"), (datetime.datetime(2026, 3, 1, 0, 0, 0, 250_000), "b")]
    moments = spark.createDataFrame(given, "t timestamp, v string")
    found = hf.spark.recognise(moments, rules, columns="happensAt(go(v), t)")
    with pytest.raises(Exception, match=r"HF716.*between two time-points"), found:
        found.intervals.count()
    expected: dict[Unit, int] = {"s": 1, "ms": 0}
    for unit, n_aside in expected.items():
        with hf.spark.recognise(moments, rules, columns="happensAt(go(v), t)", time_unit=unit) as found:
            assert [found.set_aside.count(), found.intervals.count()] == [n_aside, 2 - n_aside]


# -- times -------------------------------------------------------------------------------------------------------------

MIXED = ["2026-03-01T08:00:00Z", 7, "2026-03-01T08:05:00Z", "soon", 9]


def _files_with_both_forms(folder: Path) -> list[Path]:
    """Files in which most times are dates, or integers; the first time of each file decides."""
    folder.mkdir()
    for name, times in (("dates", MIXED * 60), ("integers", [*reversed(MIXED)] * 60)):
        objects = [{"name": "velocity", "time": time, "args": [name, i % 10]} for i, time in enumerate(times)]
        lines = "".join(f"{json.dumps(each)}\n" for each in objects)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        rows = "".join(f"velocity,{time},{name},{i % 10}\n" for i, time in enumerate(times))
        (folder / f"{name}.csv").write_text(f"name,time,arg1,arg2\n{rows}", encoding="utf-8")
        table = {"name": ["velocity"] * len(times), "time": list(map(str, times)), "arg1": [name] * len(times)}
        pq.write_table(pa.table({**table, "arg2": [i % 10 for i in range(len(times))]}), folder / f"{name}.parquet")
    return sorted(folder.iterdir())


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize(("form", "n"), [("jsonl", 2), ("csv", 1), ("parquet", 2)])
def test_a_file_has_one_form_of_times_in_all_its_blocks(
    spark: SparkSession, rules: Any, tmp_path: Path, form: str, n: int
) -> None:
    given = [file for file in _files_with_both_forms(tmp_path / "records") if file.suffix == f".{form}"][-n:]
    embedded = hf.recognise(rules, *given)
    with hf.spark.recognise(rules, *map(str, given), buckets=2) as found:
        aside = sorted((each.file, each.line, each.reason) for each in embedded.reading.set_aside)
        assert len(aside) == 180 * len(given)
        assert sorted((row.file, row.line, row.reason) for row in found.set_aside.collect()) == aside
        kind = found.intervals.schema["start"].dataType.typeName()
        assert kind == ("long" if len(given) == 1 else "timestamp")
        assert spark_tables(found) == embedded_tables(rules, *given)


# -- conditions without a result --------------------------------------------------------------------------------------

ARITHMETIC = """
happensAt(even(V), T) :- happensAt(velocity(V, Speed), T), Speed mod 2 =:= 0.
happensAt(slow(V), T) :-
    happensAt(velocity(V, Speed), T),
    100 / Speed > 20.
happensAt(seen(V), T) :- happensAt(velocity(V, _), T).
happensAt(both(V), T) :- happensAt(velocity(V, unknown), T).
"""


@pytest.mark.usefixtures("small_blocks")
def test_conditions_without_a_result_are_those_of_an_embedded_run(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "v.csv"
    values = [1, 2, 0, 3.5, 7, "n/a", 0.0, 4, "unknown"]
    rows = "".join(f"velocity,{i},v{i % 3},{values[i % 9]}\n" for i in range(1000))
    file.write_text(f"name,time,arg1,arg2\n{rows}", encoding="utf-8")
    rules = hf.load_text(ARITHMETIC)
    with pytest.warns(NoResultWarning):
        embedded = hf.recognise(rules, file)
    assert len(embedded.without_result) == 2
    with hf.spark.recognise(rules, str(file), buckets=2) as found:
        assert not found.set_aside.count()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoResultWarning)
            assert spark_tables(found) == embedded_tables(rules, file)
        assert [each.render() for each in found.without_result] == [each.render() for each in embedded.without_result]
    (tmp_path / "r.prolog").write_text(ARITHMETIC, encoding="utf-8")
    command = ["spark", "run", f"{tmp_path}/r.prolog", "--input", str(file), "-o", f"{tmp_path}/out"]
    assert main([*command, "--strict"]) == 2
    assert "error[HF603]: `Speed mod 2 =:= 0` in the rule for `happensAt(even(V),T)`" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert main(command) == 0
    err = capsys.readouterr().err
    assert err.count("warning[HF614]") == 2
    assert "2 conditions without a result" in err


def test_records_that_never_join_are_warned_of(spark: SparkSession, tmp_path: Path) -> None:
    text = "happensAt(o(V), T) :- happensAt(speed(V), T), happensAt(stop(V), T)."
    (tmp_path / "events.txt").write_text("speed|1|1|7\nspeed|2|2|8\nstop|1|1|7.0\n")
    found = hf.spark.recognise(str(tmp_path / "events.txt"), hf.load_text(text), start=0, end=9, buckets=2)
    expected = (
        "`speed(V)` has integers (2, such as `7`) and `stop(V)` has floats (1, such as `7.0`), so they never join"
    )
    assert [each.message for each in found.mismatches] == [expected]
    stops = (spark.createDataFrame([(7.0, 1)], "id double, ts long"), "happensAt(stop(id), ts)")
    speeds = (spark.createDataFrame([(7, 1)], "v long, ts long"), "happensAt(speed(v), ts)")
    with pytest.raises(DataProblem, match=r"HF507[\s\S]*column `id` of `stop/1` has floats[\s\S]*`id:integer`"):
        hf.spark.recognise([stops, speeds], hf.load_text(text), start=0, end=9)
