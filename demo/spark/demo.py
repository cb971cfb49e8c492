"""A stream on Spark, the same history as a job on Spark, and both beside the embedded engine: `make demo-spark`.

A thread writes a file of positions every second, a quarter of an hour of the vessels each. The stream reads the files
as they come, and prints the changes of its results.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import holdsfor as hf
from demo.spark.vessels import COLUMNS, END, START, STEP, files, write_file
from holdsfor.spark.cluster.session_start import log, started_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RULES = Path(__file__).parent / "vessels.prolog"
WINDOW = "2h"
SEED = 4

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": "1g",
    # The queries are short: compiling them takes longer than running them.
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}

Row = tuple[str, datetime, datetime | None]
"""An FVP, and the start and end of an interval."""

Change = tuple[datetime, str, Row]
"""A query time, `+` or `-`, and an interval."""


def main(folder: Path, pause: float = 1.0) -> int:
    """Run the demo with its files in a folder and `pause` seconds between two of them; 1 if two engines disagree."""
    began = time.perf_counter()
    shutil.rmtree(folder, ignore_errors=True)
    records = folder / "positions"
    records.mkdir(parents=True)
    rules = hf.load(RULES)
    print("Spark starts.", flush=True)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with log() as spark_log, started_session("local[2]", SETTINGS, spark_log) as (spark, _):
        changes = _streamed(spark, rules, records, folder / "checkpoint", pause)
        _headline("The same history as a job on Spark")
        with hf.spark.recognise(rules, f"{records}/*.jsonl: {COLUMNS}", end=END) as found:
            rows = found.results.select("fvp", "start", "end").collect()
    job = {(row.fvp, _utc(row.start), _utc(row.end)) for row in rows}
    print(f"{len(job)} intervals")
    inputs = [f"{path}: {COLUMNS}" for path in sorted(records.glob("*.jsonl"))]
    agrees = compared(rules, inputs, changes, job, folder / "vessels.png")
    print(f"{time.perf_counter() - began:.0f} seconds")
    return 0 if agrees else 1


# -- the stream --------------------------------------------------------------------------------------------------------


def _streamed(spark: SparkSession, rules: Any, records: Path, checkpoint: Path, pause: float) -> list[Change]:
    """The changes of the stream, which are printed as they come."""
    from pyspark.sql import functions as F

    _headline(f"Positions are written to {records}; the stream prints the changes of its results")
    schema = "vessel string, lat double, lon double, knots double, ts timestamp, received timestamp, op string"
    positions = spark.readStream.schema(f"{schema}, revision long").json(str(records))
    stream = hf.spark.stream(positions, rules, columns=COLUMNS, start=START, window=WINDOW, step="15m", buckets=2)
    changes: list[Change] = []

    def write(batch: Any) -> None:
        for row in batch.changes.orderBy("query_time", "fvp", F.desc("op"), "start").collect():
            change = _utc(row.query_time), row.op, (row.fvp, _utc(row.start), _utc(row.end))
            changes.append(change)
            print(_line(change), flush=True)

    is_warm = threading.Event()

    def report(progress: Any) -> None:
        _print_progress(progress)
        is_warm.set()

    writer = stream.writeStream.foreachBatch(write).option("checkpointLocation", str(checkpoint))
    query = writer.onProgress(report).trigger(processingTime="1 second").start()
    writing = threading.Thread(target=_write_files, args=(records, pause, is_warm), daemon=True)
    writing.start()
    while writing.is_alive() and query.isActive:
        writing.join(0.5)
    query.processAllAvailable()
    query.stop()
    return changes


def _write_files(folder: Path, pause: float, is_warm: threading.Event) -> None:
    """Write the first file, and the others after the first micro-batch, which takes longer than later ones."""
    for number, (_, arrived) in enumerate(files(SEED)):
        write_file(folder, f"{number:03}.jsonl", arrived)
        is_warm.wait()
        time.sleep(pause)


def _print_progress(progress: Any) -> None:
    reached = progress.decision.last
    at = "–" if reached is None else f"{datetime.fromtimestamp(reached, START.tzinfo):%H:%M}"
    counted = ", ".join(f"{progress.counts.get(what, 0)} {what}" for what in ("read", "late", "changes"))
    print(f"  {at:<5}  … micro-batch {progress.decision.batch}: {counted}, {progress.seconds:.1f} s", flush=True)


# -- the comparison ----------------------------------------------------------------------------------------------------


def compared(rules: Any, inputs: list[str], changes: list[Change], job: set[Row], picture: Path) -> bool:
    """Whether the stream and the job agree with the embedded engine; draws the timeline."""
    _headline("The embedded engine")
    session = hf.Session(rules, start=START, window=WINDOW, step="15m")
    session.insert(*inputs)
    expected: list[Change] = []
    at = START
    while at < END:
        at += STEP
        feed = session.query(at).feed().to_pylist()
        expected += [(at, row["op"], (row["fvp"], row["start"], row["end"])) for row in feed]
    result = hf.recognise(rules, *inputs, end=END)
    history = {(row["fvp"], row["start"], row["end"]) for row in result.to_arrow().to_pylist()}
    result.plot(picture, by="vessel", start=START, end=END, title="Vessels near a harbour")
    checks = {
        f"the stream has the {len(expected)} changes of a session, query time by query time": set(changes)
        == set(expected)
        and len(changes) == len(expected),
        f"these changes, applied in order, give the {len(history)} intervals of the whole history": _applied(changes)
        == history,
        "the job on Spark has the same intervals": job == history,
    }
    for check, holds in checks.items():
        print(f"{'yes' if holds else 'NO '}  {check}")
    print(f"\nThe timeline is in {picture}.")
    return all(checks.values())


def _applied(changes: Iterable[Change]) -> set[Row]:
    """The intervals that are known after the changes; of one query time, deletes come first."""
    known: set[Row] = set()
    for _, op, row in sorted(changes, key=lambda change: (change[0], change[1] != "-")):
        if op == "-":
            known.remove(row)
        else:
            known.add(row)
    return known


def _line(change: Change) -> str:
    at, op, (fvp, start, end) = change
    return f"  {at:%H:%M}  {op} {fvp}  from {start:%H:%M:%S}" + (f" to {end:%H:%M:%S}" if end else "")


def _utc(at: datetime | None) -> Any:
    """A time of Spark, which is in the zone of this machine, with its offset."""
    return None if at is None else at.astimezone(START.tzinfo)


def _headline(text: str) -> None:
    print(f"\n{text}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
