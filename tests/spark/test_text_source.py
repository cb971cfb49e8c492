"""`format("holdsfor")` reads text files and named pipes as the embedded engine does, also after a restart."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem, SetAsideWarning
from holdsfor.syntax.source import LONGEST_LINE
from tests.apps.data import ROOT
from tests.spark import kafka
from tests.spark.test_stream_failures import POISON
from tests.spark.test_streams import BATCHES, CHANGES, RICH, Collected, run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.in_turn(3)

LINES = [line for batch in BATCHES for line in batch]
POISONED = b"\xef\xbb\xbf" + b"\r\n".join([b"win|5|5|ann", *POISON, b"lose|25|12|ann"])
"""Lines that do not fit, with a byte order mark, other line breaks, and without one at the end."""


@pytest.fixture(autouse=True)
def _registered(spark: SparkSession) -> None:
    hf.spark.register(spark)


def test_a_file_has_the_results_of_the_embedded_engine(spark: SparkSession, tmp_path: Path) -> None:
    rules = hf.load_text(RICH)
    (tmp_path / "records.txt").write_bytes(POISONED)
    with gzip.open(tmp_path / "records.txt.gz", "wb") as file:
        file.write(POISONED)
    with pytest.warns(SetAsideWarning):
        expected = hf.recognise(rules, str(tmp_path / "records.txt"))
    lines = spark.read.format("holdsfor").load(str(tmp_path / "records.txt"))
    found = hf.spark.recognise(lines, rules)
    with pytest.warns(SetAsideWarning):
        rows = found.intervals.collect()
    assert {(row.fvp, row.start, row.end) for row in rows} == {
        (row["fvp"], row["start"], row["end"]) for row in expected.to_arrow().to_pylist()
    }
    reasons = sorted(each.reason for each in expected.reading.set_aside)
    assert sorted(row.reason for row in found.set_aside.collect()) == reasons
    packed = spark.read.format("holdsfor").load(str(tmp_path / "records.txt.gz"))
    assert packed.selectExpr("cast(value as binary)").collect() == lines.selectExpr("cast(value as binary)").collect()


def test_a_line_that_is_too_long_is_set_aside_by_every_reader_of_lines(spark: SparkSession, tmp_path: Path) -> None:
    """Also in a packed file; a file whose first line is too long is refused, and the probe does not unpack it whole."""
    rules = hf.load_text(RICH)
    too_long = b"x" * (LONGEST_LINE + 1)
    path, packed = tmp_path / "records.txt", tmp_path / "packed.txt.gz"
    path.write_bytes(b"win|5|5|ann\n" + too_long + b"\nwin|6|6|bob\n")
    packed.write_bytes(gzip.compress(path.read_bytes(), 1))
    source = spark.read.format("holdsfor")
    for records in (source.load(str(path)), source.load(str(packed)), str(path), str(packed)):
        found = hf.spark.recognise(records, rules)
        with pytest.warns(SetAsideWarning):
            rows = found.intervals.collect()
        assert {row.fvp for row in rows} == {"rich(ann)=true", "rich(bob)=true"}
        (misfit,) = found.set_aside.collect()
        assert misfit.reason == f"the line is longer than {LONGEST_LINE} bytes"
    with gzip.open(packed, "wb", compresslevel=1) as file:
        for _ in range(200):
            file.write(b"x" * (1 << 20))
    with pytest.raises(DataProblem, match=f"HF501.*line 1 is longer than {LONGEST_LINE} bytes"):
        hf.spark.recognise(str(packed), rules)


class Failing(Collected):
    """The output of a stream that fails once after a micro-batch, as if it was killed before the commit."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number: int | None = number

    def __call__(self, output: Any) -> None:
        super().__call__(output)
        if output.number == self.number:
            self.number = None
            raise RuntimeError("killed")


def run_twice(stream: Any, checkpoint: Path, found: Failing) -> None:
    from pyspark.errors import StreamingQueryException

    with pytest.raises(StreamingQueryException, match="killed"):
        run(stream, checkpoint, found)
    run(stream, checkpoint, found)


def test_a_file_that_grows_is_a_stream_that_continues(spark: SparkSession, tmp_path: Path) -> None:
    file, n_first = tmp_path / "records.txt", 9
    head, tail = "".join(f"{line}\n" for line in LINES[:n_first]), "".join(f"{line}\n" for line in LINES[n_first:])
    file.write_text(head + tail[:7], encoding="utf-8")
    lines = spark.readStream.format("holdsfor").option("maxLinesPerTrigger", 4).load(str(file))
    stream = hf.spark.stream(lines, hf.load_text(RICH), window=20, step=10, start=0, buckets=1)
    found = Failing(1)
    run_twice(stream, tmp_path / "checkpoint", found)
    assert max(found.changes) == 2, "nine lines, and a line without its end, in micro-batches of four lines"
    with file.open("a", encoding="utf-8") as appended:
        appended.write(tail[7:])
    run(stream, tmp_path / "checkpoint", found)
    assert found.by_query_time() == CHANGES
    file.write_text("win|1|1|eve\n" * 100, encoding="utf-8")
    from pyspark.errors import StreamingQueryException

    with pytest.raises(StreamingQueryException, match=r"HF709.*records.txt` has other content"):
        run(stream, tmp_path / "checkpoint", found)


def write_to(pipe: Path, content: str) -> threading.Thread:
    """A writer that opens a pipe, writes, and closes it."""

    def write() -> None:
        with pipe.open("w", encoding="utf-8") as file:
            file.write(content)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


def test_the_lines_of_a_pipe_survive_a_restart(spark: SparkSession, tmp_path: Path) -> None:
    pipe = tmp_path / "records"
    os.mkfifo(pipe)
    reader = spark.readStream.format("holdsfor").option("maxLinesPerTrigger", 4)
    lines = reader.option("spool", str(tmp_path / "spool")).load(str(pipe))
    stream = hf.spark.stream(lines, hf.load_text(RICH), window=20, step=10, start=0, buckets=1)
    writer, found = write_to(pipe, "\n".join(LINES)), Failing(1)
    run_twice(stream, tmp_path / "checkpoint", found)
    writer.join()
    assert found.by_query_time() == CHANGES


@pytest.mark.long
def test_the_lines_of_a_pipe_survive_a_killed_driver(spark: SparkSession, tmp_path: Path) -> None:
    rules, pipe, n_first = tmp_path / "rules.prolog", tmp_path / "records", 7
    rules.write_text(RICH, encoding="utf-8")
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "holdsfor", "spark", "stream", str(rules), "--input", str(pipe), "--start", "0"]
    command += ["--window", "20", "--step", "10", "-o", str(tmp_path / "out"), "--buckets", "1", "--progress", "json"]
    command += ["--checkpoint", str(tmp_path / "checkpoint"), "--max-per-batch", "2"]
    environment = kafka.job_environment()
    killed = subprocess.Popen(command, env=environment, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        write_to(pipe, "".join(f"{line}\n" for line in LINES[:n_first])).join()
        assert killed.stderr is not None
        while json.loads(killed.stderr.readline()).get("read") != 2:
            continue
    finally:
        killed.kill()
        killed.communicate()
    writer = write_to(pipe, "\n".join(LINES[n_first:]))
    done = subprocess.run([*command, "--once"], env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    writer.join()
    rows = spark.read.parquet(str(tmp_path / "out")).collect()
    found = sorted(((row.query_time, row.op, row.fvp, (row.start, row.end)) for row in rows), key=str)
    assert found == sorted(((at, *each) for at, changes in CHANGES.items() for each in changes), key=str)


def test_a_pipe_is_a_batch_that_can_be_read_again(spark: SparkSession, tmp_path: Path) -> None:
    pipe = tmp_path / "records"
    os.mkfifo(pipe)
    lines = spark.read.format("holdsfor").option("spool", str(tmp_path / "spool")).load(str(pipe))
    writer = write_to(pipe, "\n".join(LINES))
    assert [row.value for row in lines.collect()] == LINES
    writer.join()
    assert lines.count() == len(LINES)


@pytest.mark.parametrize("is_pipe", [False, True])
def test_the_command_reads_a_file_and_a_pipe(spark: SparkSession, tmp_path: Path, is_pipe: bool) -> None:
    rules, given = tmp_path / "rules.prolog", tmp_path / "records"
    rules.write_text(RICH, encoding="utf-8")
    if is_pipe:
        os.mkfifo(given)
        write_to(given, "\n".join(LINES))
    else:
        given.write_text("\n".join(LINES), encoding="utf-8")
    command = ["spark", "stream", str(rules), "--input", str(given), "--window", "20", "--step", "10", "--start", "0"]
    command += ["-o", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "checkpoint"), "--buckets", "1"]
    assert main([*command, "--once", "--max-per-batch", "8"]) == 0
    rows = spark.read.parquet(str(tmp_path / "out")).collect()
    found = sorted(((row.query_time, row.op, row.fvp, (row.start, row.end)) for row in rows), key=str)
    assert found == sorted(((at, *each) for at, changes in CHANGES.items() for each in changes), key=str)


def test_inputs_that_do_not_fit_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "table.parquet").write_bytes(b"PAR1 and more")
    refused = {
        (str(tmp_path), ""): "HF501.*is a folder",
        (str(tmp_path / "missing"), ""): "HF501.*not found",
        (str(tmp_path / "pipe"), ""): "HF794.*is a named pipe, which can be read only once",
        ("s3a://bucket/records.txt", ""): "HF794.*files and pipes of this machine",
        (str(tmp_path / "table.parquet"), "spoil"): "HF794.*no option `spoil`",
        (str(tmp_path / "table.parquet"), ""): "HF501.*Parquet",
    }
    for (path, option), message in refused.items():
        reader = spark.read.format("holdsfor")
        with pytest.raises(Exception, match=message):
            (reader.option(option, "x") if option else reader).load(path).collect()


TOGETHER = ["win|6|6|bob", "-win|6|6|bob", "win|6|6|bob", "-win|7|7|eve", "win|7|7|eve", "hb|40|40"]
"""Records and retractions with the same arrival, whose order decides."""

EXPECTED = {10: {("+", "rich(bob)=true", (7, None)), ("+", "rich(eve)=true", (8, None))}}


@pytest.mark.parametrize("n_lines", [1, 2, 100])
def test_retractions_follow_the_order_of_the_lines(spark: SparkSession, tmp_path: Path, n_lines: int) -> None:
    file = tmp_path / "records.txt"
    file.write_text("".join(f"{line}\n" for line in TOGETHER), encoding="utf-8")
    lines = spark.readStream.format("holdsfor").option("maxLinesPerTrigger", n_lines).load(str(file))
    found = Collected()
    run(hf.spark.stream(lines, hf.load_text(RICH), window=20, step=10, start=0, buckets=1), tmp_path / "state", found)
    assert found.by_query_time() == EXPECTED
    table = hf.spark.recognise(spark.read.format("holdsfor").load(str(file)), hf.load_text(RICH))
    assert {(row.fvp, row.start) for row in table.intervals.collect()} == {("rich(bob)=true", 7), ("rich(eve)=true", 8)}


@pytest.mark.parametrize("n_files", [1, 100])
def test_retractions_follow_the_order_of_files_in_a_folder(spark: SparkSession, tmp_path: Path, n_files: int) -> None:
    folder = tmp_path / "records"
    folder.mkdir()
    for number, (name, some) in enumerate({"b": TOGETHER[:2], "a": TOGETHER[2:4], "c": TOGETHER[4:]}.items()):
        (folder / name).write_text("".join(f"{line}\n" for line in some), encoding="utf-8")
        os.utime(folder / name, (1_800_000_000 + number, 1_800_000_000 + number))
    lines = spark.readStream.option("maxFilesPerTrigger", n_files).option("lineSep", "\n").text(str(folder))
    found = Collected()
    run(hf.spark.stream(lines, hf.load_text(RICH), window=20, step=10, start=0, buckets=1), tmp_path / "state", found)
    assert found.by_query_time() == EXPECTED


def test_rows_without_an_order_have_insertions_first(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "records.txt"
    file.write_text("".join(f"{line}\n" for line in TOGETHER), encoding="utf-8")
    lines = spark.readStream.format("holdsfor").load(str(file)).repartition(2)
    found = Collected()
    run(hf.spark.stream(lines, hf.load_text(RICH), window=20, step=10, start=0, buckets=1), tmp_path / "state", found)
    assert found.by_query_time() == {}
