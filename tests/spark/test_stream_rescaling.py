"""Streams on Spark that continue with another number of buckets, or with other rules."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import HoldsforError
from tests.spark.test_streams import BATCHES, CHANGES, RICH, Collected, read_lines, run, write_batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.in_turn(2)


def test_a_stream_continues_after_it_is_rescaled(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, checkpoint = write_batches(tmp_path / "records", BATCHES[:3]), tmp_path / "checkpoint"
    found = Collected()
    first = hf.spark.stream(read_lines(spark, folder), hf.load_text(RICH), window=20, step=10, start=0, buckets=2)
    run(first, checkpoint, found)
    for unfinished in (checkpoint / "commits/2", checkpoint / "commits/.2.crc"):
        unfinished.unlink(missing_ok=True)  # the third micro-batch is repeated after the change
    writer: Any = first.writeStream.foreachBatch(lambda _: None).option("checkpointLocation", str(checkpoint))
    stopping = threading.Event()
    query = writer.stopWhen(lambda: stopping.wait(60)).start()
    with pytest.raises(HoldsforError, match=r"HF797.*running"):
        hf.spark.rescale(str(checkpoint), buckets=3)
    stopping.set()
    with pytest.raises(Exception, match="StreamStopped"):
        query.awaitTermination()
    with pytest.raises(HoldsforError, match=r"HF797.*micro-batch 2 is evaluated and not complete"):
        hf.spark.rescale(str(checkpoint), buckets=3)
    for path in (checkpoint / "holdsfor/state/1/0").glob("*2.*"):
        path.unlink()  # as if the query had ended before this bucket was evaluated
    assert main(["spark", "rescale", str(checkpoint), "--buckets", "3"]) == 0
    assert capsys.readouterr().out.startswith("2 buckets before, 3 now: 2 entities, ")
    for number, lines in enumerate(BATCHES[3:], start=3):
        path = Path(folder) / f"{number:03}.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        os.utime(path, (1_000_000 + number, 1_000_000 + number))
    rules = hf.load_text(RICH)
    again = hf.spark.stream(read_lines(spark, folder), rules, window=20, step=10, start=0)  # without `buckets`
    run(again, checkpoint, found)
    assert found.by_query_time() == CHANGES
    assert not (checkpoint / "holdsfor/state").exists()
    with pytest.raises(HoldsforError, match=r"HF793.*number of buckets 3, found 2"):
        run(first, checkpoint, found)


def test_changed_rules_are_computed_anew(spark: SparkSession, tmp_path: Path) -> None:
    """The window of the first query time after the change begins at 10: only the rows that end before it stay."""
    folder, checkpoint = write_batches(tmp_path / "records", BATCHES[:3]), tmp_path / "checkpoint"
    found = Collected()

    def run_with(rules: str, **options: Any) -> None:
        lines = read_lines(spark, folder)
        run(hf.spark.stream(lines, hf.load_text(rules), window=20, step=10, start=0, **options), checkpoint, found)

    run_with(RICH, buckets=2)
    with (Path(folder) / "003.txt").open("w", encoding="utf-8") as file:
        file.write("win|35|32|ann\n")
    changed = RICH.replace("lose(X)", "win(X)").replace("happensAt(win(X), T)", "happensAt(lose(X), T)", 1)
    with pytest.raises(HoldsforError, match=r"HF793.*`rich/1` is changed"):
        run_with(changed)
    with pytest.raises(HoldsforError, match=r"HF793.*number of buckets 2, found 3"):
        run_with(changed, buckets=3, on_change="restart")
    run_with(changed, on_change="restart")
    assert {at: rows for at, rows in found.by_query_time().items() if at <= 20} == {at: CHANGES[at] for at in (10, 20)}
    assert found.by_query_time()[30] == {
        ("-", "rich(chris)=true", (2, 13)),
        ("+", "rich(chris)=true", (13, None)),
    }


def test_unchanged_definitions_are_kept(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The window of the query time 60 begins at 40, after the record that has made bob rich; his interval is kept."""
    folder, checkpoint = write_batches(tmp_path / "records", [*BATCHES[:3], ["win|52|51|zoe"]]), tmp_path / "checkpoint"
    output = tmp_path / "changes"

    def run_with(rules: str, *more: str) -> int:
        path = tmp_path / "rules.prolog"
        path.write_text(rules, encoding="utf-8")
        given = ["--input", folder, "--window", "20", "--step", "10", "--start", "0", "--once", "--checkpoint"]
        return main(["spark", "stream", str(path), *given, str(checkpoint), "-o", str(output), *more])

    old = RICH + "initiatedAt(seen(X)=true, T) :- happensAt(win(X), T).\n"
    assert run_with(old, "--buckets", "2") == 0
    path = Path(folder) / "004.txt"
    path.write_text("win|65|65|zoe\nlose|57|50|bob\n", encoding="utf-8")
    new = "happensAt(fall(P), T) :- happensAt(end(rich(P)=true), T).\n" + RICH.replace("X", "Person")
    assert run_with(new) == 2
    assert "HF793" in capsys.readouterr().err
    assert run_with(new, "--on-change", "keep") == 0
    assert run_with(new) == 0  # nothing new, with the stages of the checkpoint
    rows = spark.read.parquet(str(output)).collect()
    found = {(row.op, row.fvp, row.start, row.end) for row in rows if row.query_time == 60}
    assert found == {
        ("-", "rich(bob)=true", 26, None),
        ("+", "rich(bob)=true", 26, 51),
        ("+", "rich(zoe)=true", 52, None),
        ("-", "seen(chris)=true", 2, None),
        ("-", "seen(bob)=true", 26, None),
        ("+", "fall(bob)", 50, 50),
    }
