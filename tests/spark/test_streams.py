"""A stream on Spark = a live session: the same changes at every query time, however the stream is cut or repeated.

`tests/properties/test_streamed.py` tests the functions of the workers on many programs; here Spark reads files,
shuffles and repeats micro-batches.
"""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import HoldsforError
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.sinks.time_formats import shown_as
from holdsfor.spark.input.inputs import Lines
from holdsfor.spark.streaming.inspection import inspection_of
from holdsfor.syntax.time_points import LATEST
from tests.properties.keyed_programs import keyed_case
from tests.properties.streamed import embedded_outcome, random_cuts
from tests.properties.test_staged_reports import arriving_late
from tests.seeds import some
from tests.spark import postgresql

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RICH = """
initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).
terminatedAt(rich(X)=true, T) :- happensAt(lose(X), T).
"""

BATCHES = [
    ["win|1|1|chris", "win|5|5|ann"],
    ["lose|12|12|chris", "nonsense", "-win|13|5|ann"],
    ["win|25|25|bob", "win|26|3|eve", "-win|27|27|joe", "-win|27|27|joe"],
    ["win|55|55|bob", "win|56|3|eve", "lose|57|50|bob"],
    ["win|95|95|bob"],
]

CHANGES: dict[int, set[tuple[str, str, Any]]] = {
    10: {("+", "rich(chris)=true", (2, None)), ("+", "rich(ann)=true", (6, None))},
    20: {
        ("-", "rich(chris)=true", (2, None)),
        ("+", "rich(chris)=true", (2, 13)),
        ("-", "rich(ann)=true", (6, None)),
    },
    30: {("+", "rich(bob)=true", (26, None))},
    60: {("-", "rich(bob)=true", (26, None)), ("+", "rich(bob)=true", (26, 51)), ("+", "rich(bob)=true", (56, None))},
}


SECOND = ["20|+|rich(chris)=true|2|13", "20|-|rich(ann)=true|6|", "20|-|rich(chris)=true|2|"]
"""The changes of the second query time in PostgreSQL."""


def write_batches(folder: Path, batches: list[list[str]]) -> str:
    """One file for each micro-batch, in the order of their times."""
    folder.mkdir(exist_ok=True)
    for number, lines in enumerate(batches):
        path = folder / f"{number:03}.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
    return str(folder)


def read_lines(spark: SparkSession, folder: str) -> DataFrame:
    return spark.readStream.option("maxFilesPerTrigger", 1).text(folder)


class Collected:
    """The output of a stream by micro-batch, in the memory of the test; a repeated micro-batch replaces its output."""

    def __init__(self) -> None:
        self.changes: dict[int, list[Any]] = {}
        self.settled: dict[int, list[Any]] = {}
        self.problems: dict[int, list[Any]] = {}
        self.counts: dict[int, dict[str, int]] = {}

    def __call__(self, output: Any) -> None:
        self.counts[output.number] = output.counts
        self.changes[output.number] = output.changes.collect()
        self.settled[output.number] = output.settled.collect()
        self.problems[output.number] = output.problems.collect()

    def by_query_time(self) -> dict[int, set[tuple[str, str, Any]]]:
        found: dict[int, set[tuple[str, str, Any]]] = {}
        for row in (row for rows in self.changes.values() for row in rows):
            extent = row.start if row.kind == "event" else (row.start, row.end)
            found.setdefault(row.query_time, set()).add((row.op, row.fvp, extent))
        return found


def run(stream: Any, checkpoint: Path, write: Callable[[Any], None]) -> None:
    """All micro-batches that are there, until one fails."""
    writer = stream.writeStream.foreachBatch(write).option("checkpointLocation", str(checkpoint))
    writer.trigger(availableNow=True).start().awaitTermination()


@pytest.mark.parametrize("seed", some([9102, 9113, 9131, 9144], 1))
def test_a_stream_has_the_changes_of_a_session(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    case, chance = keyed_case(seed), random.Random(seed)
    window, step = 12, 6
    lines = arriving_late(case, window, chance)
    batches = [batch for batch in random_cuts(lines, chance) if batch]
    batches = merged(batches, 4)
    rules = hf.load_text(case.text)
    folder = write_batches(tmp_path / "records", batches)
    stream = hf.spark.stream(read_lines(spark, folder), rules, window=window, step=step, start=0, buckets=3)
    found = Collected()
    run(stream, tmp_path / "checkpoint", found)
    arrivals = [int(line.split("|")[1]) for batch in batches for line in batch]
    last = (max(arrivals) - 1) // step * step
    schedule = RunSchedule(0, LATEST, 1, window, step)
    expected = embedded_outcome([line for batch in batches for line in batch], rules, schedule, last)
    assert found.by_query_time() == expected.changes


def merged(batches: list[list[str]], n: int) -> list[list[str]]:
    """The same records in at most `n` micro-batches."""
    size = -(-len(batches) // n)
    return [[line for batch in batches[i : i + size] for line in batch] for i in range(0, len(batches), size)]


def test_a_repeated_micro_batch_repeats_its_output(spark: SparkSession, tmp_path: Path) -> None:
    folder = write_batches(tmp_path / "records", BATCHES)
    from pyspark.errors import StreamingQueryException

    rules, found, failed = hf.load_text(RICH), Collected(), set[int]()

    def failing(output: Any) -> None:
        found(output)
        if output.number in (1, 3) and output.number not in failed:
            failed.add(output.number)
            raise OSError("the disk is full")

    for _ in range(3):
        stream = hf.spark.stream(read_lines(spark, folder), rules, window=20, step=10, start=0, buckets=2)
        with pytest.raises(StreamingQueryException, match="the disk is full") if len(failed) < 2 else nullcontext():
            run(stream, tmp_path / "checkpoint", failing)
    assert failed == {1, 3}
    assert found.by_query_time() == CHANGES
    settled = sorted((row.fvp, row.start, row.end) for rows in found.settled.values() for row in rows)
    assert settled == [("rich(bob)=true", 26, 51), ("rich(chris)=true", 2, 13)]
    problems = sorted((row.kind, row.name, row.text, row.start) for rows in found.problems.values() for row in rows)
    assert [each[0] for each in problems] == ["dropped"] * 2 + ["late"] * 2 + ["set aside", "unmatched", "unmatched"]
    kinds = ("dropped", "late", "set aside", "unmatched")
    assert [sum(counts.get(kind, 0) for counts in found.counts.values()) for kind in kinds] == [2, 2, 1, 2]


def test_files_have_each_change_once(spark: SparkSession, tmp_path: Path) -> None:
    folder = write_batches(tmp_path / "records", BATCHES)
    stream = hf.spark.stream(read_lines(spark, folder), hf.load_text(RICH), window=20, step=10, start=0, buckets=2)
    writer = stream.changes_of("rich").writeStream.format("parquet").trigger(availableNow=True)
    out = str(tmp_path / "out")
    writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start(out).awaitTermination()
    (tmp_path / "checkpoint/commits/4").unlink()
    (tmp_path / "checkpoint/commits/.4.crc").unlink(missing_ok=True)
    writer.start(out).awaitTermination()
    rows = spark.read.parquet(out).orderBy("query_time", "op").collect()
    assert len(rows) == sum(map(len, CHANGES.values()))
    assert (rows[0].query_time, rows[0].op, rows[0].value) == (10, "+", "true")


def test_postgresql_has_each_change_once(spark: SparkSession, tmp_path: Path) -> None:
    reason = postgresql.why_not()
    if reason is not None:
        pytest.skip(reason)
    folder = write_batches(tmp_path / "records", BATCHES[:3])
    stream = hf.spark.stream(read_lines(spark, folder), hf.load_text(RICH), window=20, step=10, start=0, buckets=1)
    with postgresql.running() as server:
        writer = stream.changes.writeStream.format("jdbc").option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer = writer.options(url=server.url, dbtable="changes", user="tester", password=postgresql.PASSWORD)
        writer.trigger(availableNow=True).start().awaitTermination()
        (tmp_path / "checkpoint/commits/2").unlink()
        (tmp_path / "checkpoint/commits/.2.crc").unlink(missing_ok=True)
        writer.start().awaitTermination()
        rows = server.ask('select query_time, op, fvp, start, "end" from changes order by 1, 2, 3')
        assert rows == ["10|+|rich(ann)=true|6|", "10|+|rich(chris)=true|2|", *SECOND]
        assert server.ask("select batch from holdsfor_batches") == ["2"]


def test_other_streams_and_tables_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    folder = write_batches(tmp_path / "records", BATCHES[:1])
    rules, lines = hf.load_text(RICH), read_lines(spark, folder)
    with pytest.raises(HoldsforError, match=r"HF794.*streaming DataFrame") as found:
        hf.spark.recognise(lines, rules)
    assert "hf.spark.stream" in str(found.value)
    with pytest.raises(HoldsforError, match="HF794"):
        hf.spark.stream(spark.read.text(folder), rules, window=20)
    stream = hf.spark.stream(lines, rules, window=20, step=10, start=0, buckets=2)
    checkpoint = str(tmp_path / "checkpoint")
    stream.micro_batches(checkpoint)
    others: list[tuple[dict[str, Any], str]] = [
        ({"window": 40}, "window 20, found 40"),
        ({"tick": 2}, "clock tick 1, found 2"),
        ({"tz": "Europe/Athens"}, "time zone none, found Europe/Athens"),
        ({"buckets": 3}, "number of buckets 2, found 3"),
    ]
    for changed, message in others:
        options = {"window": 20, "step": 10, "start": 0, "buckets": 2, **changed}
        with pytest.raises(HoldsforError, match=f"HF793.*{message}"):
            hf.spark.stream(lines, rules, **options).micro_batches(checkpoint)
    with pytest.raises(HoldsforError, match=r'HF704.*expected "event" or "wall" for `clock`, found `wal`'):
        hf.spark.stream(lines, rules, window=20, clock=cast(Any, "wal"))
    with pytest.raises(HoldsforError, match=r'HF704.*expected "\+" or "-" for `ops`, found `insert`'):
        stream.alerts("rich", ops=cast(Any, ["insert"]))
    changed_rules = hf.load_text(RICH + "initially(rich(_)=false).")
    with pytest.raises(HoldsforError, match=r"HF793.*other rules"):
        hf.spark.stream(lines, changed_rules, window=20, step=10, start=0, buckets=2).micro_batches(checkpoint)
    (tmp_path / "checkpoint/holdsfor/stream.json").write_text("{", encoding="utf-8")
    with pytest.raises(HoldsforError, match=r"HF792.*damaged"):
        stream.micro_batches(checkpoint)


def test_the_command_reads_folders_and_continues(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, checkpoint = tmp_path / "rules.prolog", str(tmp_path / "checkpoint")
    rules.write_text(RICH, encoding="utf-8")
    columns = "happensAt(win(person), time)"
    folder = write_batches(tmp_path / "records", [['{"person": "ann", "time": 5}'], ['{"person": "bob", "time": 12}']])
    arguments = ["spark", "stream", str(rules), "--input", f"{folder}: {columns}", "--window", "20", "--step", "10"]
    arguments += ["-o", str(tmp_path / "out"), "--checkpoint", checkpoint, "--once", "--start", "0", "--buckets", "2"]
    assert main([*arguments, "--progress", "json", "--metrics", "0"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"metrics at http://127\.0\.0\.1:\d+/metrics", lines[0])
    progress = json.loads(lines[-1])
    assert (progress["query_time"], progress["read"], progress["changes"]) == (10, 2, 1)
    path = Path(folder) / "2.txt"
    path.write_text('{"person": "eve", "time": 25}\n', encoding="utf-8")
    assert main(arguments) == 0
    assert "query time 20, 5 behind the records" in capsys.readouterr().err
    store: Any = spark.sparkContext._jsc.sc().statusStore()
    jobs = store.jobsList(None)
    names = {jobs.apply(i).description().get() for i in range(jobs.size()) if jobs.apply(i).description().isDefined()}
    assert {
        "micro-batch 1: read the records, and route them to buckets",
        "micro-batch 1: evaluate the due query times in all buckets",
        "micro-batch 1: write the output",
    } <= names
    rows = spark.read.parquet(str(tmp_path / "out")).orderBy("query_time").collect()
    assert [(row.query_time, row.op, row.fvp, row.start) for row in rows] == [
        (10, "+", "rich(ann)=true", 6),
        (20, "+", "rich(bob)=true", 13),
    ]
    assert main(["spark", "inspect", checkpoint]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "window 20, step 10, clock tick 1, 2 buckets"
    assert shown[1:3] == ["micro-batch 1, start 0, query time 20 reached", "source 0: arrival 25"]
    assert shown[4:6] == ["  3 records, 1 of them for a later query time", shown[5]]
    assert "  rich: 2 open intervals, the oldest is rich(ann)=true since 6" in shown
    assert main([*arguments[:6], "30", *arguments[7:]]) == 2
    assert "HF793" in capsys.readouterr().err
    assert main(["spark", "inspect", str(tmp_path / "records")]) == 2
    assert "not the checkpoint of a stream" in capsys.readouterr().err


def test_json_lines_without_an_offset_have_their_form_after_a_restart(spark: SparkSession, tmp_path: Path) -> None:
    """The checkpoint has the form: a query time may be due before a record shows it again."""
    rules, columns = hf.load_text(RICH), "happensAt(win(person), at)"
    first = ['{"person": "ann", "at": "2026-05-04T06:00:05"}', '{"person": "bob", "at": "2026-05-04T06:00:15"}']
    folder = write_batches(tmp_path / "records", [first])
    found: list[Any] = []

    def stream(lines: DataFrame) -> Any:
        given: Any = Lines(lines, "jsonl", columns)
        return hf.spark.stream([given], rules, window=20, step=10, start=datetime(2026, 5, 4, 6), buckets=1)

    def write(output: Any) -> None:
        found.extend((row.query_time, row.fvp, row.start) for row in output.changes.collect())

    run(stream(read_lines(spark, folder)), tmp_path / "checkpoint", write)
    assert found == [(datetime(2026, 5, 4, 6, 0, 10), "rich(ann)=true", datetime(2026, 5, 4, 6, 0, 6))]
    shown = list(inspection_of(str(tmp_path / "checkpoint"), shown_as))
    assert shown[0] == "window 20 s, step 10 s, clock tick 1 s, 1 bucket"
    assert shown[1] == "micro-batch 0, start 2026-05-04T06:00:00, query time 2026-05-04T06:00:10 reached"
    assert shown[-1] == "  rich: 1 open interval, the oldest is rich(ann)=true since 2026-05-04T06:00:06"
    again = stream(read_lines(spark, folder)).micro_batches(f"file:{tmp_path}/checkpoint")
    assert again.log.before(1).has_offset is False


@pytest.mark.parametrize("kind", ["bigint", "timestamp", "timestamp_ntz"])
def test_workers_and_spark_write_the_same_files(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    day = "" if kind == "bigint" else "2024-03-01 00:00:"
    rows = [("chris's", "win", "01"), ("chris's", "lose", "12"), ("bob", "win", "21"), ("bob", "lose", "55")]
    folder = str(tmp_path / "records")
    described = "name string, arg1 string, start string"
    records = spark.createDataFrame([(name, person, f"{day}{at}") for person, name, at in rows], described)
    records.selectExpr("name", "arg1", f"cast(start as {kind}) as start").coalesce(1).write.parquet(folder)
    frame = spark.readStream.schema(spark.read.parquet(folder).schema).parquet(folder)
    stream = hf.spark.stream(frame, hf.load_text(RICH), window=20, step=10, buckets=2)
    feeds = [stream.changes, stream.settled]
    outs = [f"{tmp_path}/été #1 50%20/{feed.name}-{i}" for feed in feeds for i in range(2)]
    writers = [feed.writeStream.format("parquet") for feed in feeds for _ in range(2)]
    by_spark = {"compression": "snappy"}  # an option of Spark's own writer
    writers = [
        writer.option("path", out).options(**(by_spark if out.endswith("1") else {}))
        for writer, out in zip(writers, outs, strict=True)
    ]
    query = stream.writeStream.feeds(*writers).option("checkpointLocation", str(tmp_path / "kept é #2"))
    query.trigger(availableNow=True).start().awaitTermination()
    assert list((tmp_path / "kept é #2/holdsfor").rglob("*.state"))
    for one, other in (outs[:2], outs[2:]):
        ours, theirs = spark.read.parquet(one), spark.read.parquet(other)
        assert ours.schema == theirs.schema
        assert sorted(map(str, ours.collect())) == sorted(map(str, theirs.collect())) != []
        assert [path.name for path in Path(one).iterdir() if path.name[0] not in "._"] == ["batch=0"]
        assert Path(one, "batch=0/_SUCCESS").exists()
    assert {path.stem[:5] for path in Path(outs[0]).rglob("*.parquet")} == {"part-"}
    assert not list(Path(outs[0]).rglob("*-c000.snappy.parquet")), "Spark has written none of them"
