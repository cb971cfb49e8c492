"""Failures of a stream: it continues, or stops with a diagnostic, and its checkpoint stays good."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from tests.spark.test_streams import BATCHES, CHANGES, RICH, Collected, read_lines, run, write_batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.in_turn(2)

POISON: dict[bytes, str | None] = {
    b"\xff\xfe\x00garbage|1|1|x": "the line is not UTF-8 text: byte 0xff",
    b"win|99999999999999999999999|6|bob": "the arrival 99999999999999999999999 is not between -2^62 and 2^62",
    b"win|8|8": "expected `win|arrival|occurrence|arg1`, found 3 fields",
    b"win|9|1e400|zed": "expected an integer as occurrence, found `1e400`",
    b"-win|9|9|nobody": "retracts a record that is not there",
    b"|||": None,
    b"win|4|4|" + b"x" * 300_000: None,
    b"win|4|4|a\x00b": None,
}
"""Lines, and the reasons why they have no effect."""


def test_a_record_that_does_not_fit_is_a_problem_and_the_stream_continues(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "records"
    folder.mkdir()
    (folder / "1.txt").write_bytes(b"".join(line + b"\n" for line in [b"win|5|5|ann", *POISON, b"lose|25|12|ann"]))
    stream = hf.spark.stream(read_lines(spark, str(folder)), hf.load_text(RICH), window=20, step=10, start=0, buckets=2)
    found = Collected()
    run(stream, tmp_path / "checkpoint", found)
    reasons = sorted(row.reason for row in found.problems[0] if row.reason is not None)
    assert reasons == sorted(reason for reason in POISON.values() if reason is not None)
    known = {fvp for _, fvp, _ in found.by_query_time()[10]}
    assert known == {"rich(ann)=true", f"rich({'x' * 300_000})=true", "rich('a\\0\\b')=true"}


@pytest.mark.long
def test_a_micro_batch_that_takes_longer_than_its_trigger(spark: SparkSession, tmp_path: Path) -> None:
    folder = write_batches(tmp_path / "records", BATCHES)
    stream = hf.spark.stream(read_lines(spark, folder), hf.load_text(RICH), window=20, step=10, start=0, buckets=1)
    found = Collected()

    def write(output: Any) -> None:
        found(output)
        time.sleep(0.3)

    writer = stream.writeStream.foreachBatch(write).option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(processingTime="50 milliseconds").start()
    try:
        query.processAllAvailable()
    finally:
        query.stop()
    assert found.by_query_time() == CHANGES


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system with little space; without the right to mount one, the test is skipped."""
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"a file system cannot be mounted: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(path: Path) -> None:
    """Write a file until its disk is full."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT)
    with suppress(OSError):
        while os.write(file, bytes(4096)):
            continue
    os.close(file)


FULL = {
    "checkpoint": "the checkpoint `{checkpoint}` cannot be written: No space left on device",
    "checkpoint/offsets": "the checkpoint `{checkpoint}` cannot be written: No space left on device",
    "out": "results cannot be written to `{out}`: No space left on device",
}
"""The messages about a full disk, by the folder on it; Spark itself writes `offsets`."""


@pytest.mark.parametrize(
    "full", ["checkpoint", *(pytest.param(name, marks=pytest.mark.long) for name in ("checkpoint/offsets", "out"))]
)
def test_a_full_disk_stops_the_stream_and_a_restart_continues(
    full: str, spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.prolog"
    rules.write_text(RICH, encoding="utf-8")
    folder = write_batches(tmp_path / "records", BATCHES)
    places = {name: str(tmp_path / name) for name in ("checkpoint", "out")}
    with small_disk(tmp_path / "disk", "1m") as disk:
        (disk / "folder").mkdir()
        (tmp_path / full).parent.mkdir(exist_ok=True)
        (tmp_path / full).symlink_to(disk / "folder")
        arguments = ["spark", "stream", str(rules), "--input", folder, "--window", "20", "--step", "10", "--start", "0"]
        arguments += ["-o", places["out"], "--checkpoint", places["checkpoint"], "--buckets", "1", "--once"]
        fill(disk / "filler")
        assert main([*arguments, "--max-per-batch", "2"]) == 1
        shown = capsys.readouterr().err
        assert f"error[HF620]: {FULL[full].format(**places)}" in shown
        assert "free disk space" in shown
        (disk / "filler").unlink()
        assert main([*arguments, "--max-per-batch", "2"]) == 0
        rows = spark.read.parquet(places["out"]).collect()
    found = [(row.query_time, row.op, row.fvp, (row.start, row.end)) for row in rows]
    assert sorted(found, key=str) == sorted(
        ((at, *each) for at, changes in CHANGES.items() for each in changes), key=str
    )


def test_a_folder_that_is_not_there_is_named(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.prolog"
    rules.write_text(RICH, encoding="utf-8")
    arguments = ["spark", "stream", str(rules), "--input", str(tmp_path / "missing"), "--window", "20", "--start", "0"]
    assert main([*arguments, "-o", str(tmp_path / "out"), "--checkpoint", str(tmp_path / "checkpoint"), "--once"]) == 2
    assert f"error[HF501]: `{tmp_path}/missing` not found" in capsys.readouterr().err
