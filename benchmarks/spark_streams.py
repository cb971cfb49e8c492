"""Streams on Spark: records per second, the time of a micro-batch, the cost of entities, and the size of the state.

`python benchmarks/spark_streams.py [--long] [PART …]` prints tables and writes `build/benchmarks/spark_streams.json`.
The parts are `sustained`, `sizes`, `entities` and `plain`. Micro-batches are Parquet files: one for each, and two where
records per second are measured, since one task reads a file. The changes go to Parquet files. The first micro-batches
of every run are left out: they start processes, and the JVM compiles its code for minutes. Processor time is that of
the JVM and of all Python processes, and hardly depends on other work on the machine; seconds do.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from processes import Cost, cost_of_children
from showing import Curve, Panel, draw_charts, duration, print_table
from spark_series import started
from streams import rules_of
from timing import RESULTS, write_results

import holdsfor as hf
from holdsfor.generators import Lateness, model_of, pieces, to_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTS = ("sustained", "sizes", "entities", "plain")
VESSELS, STEP, STEPS = 20_000, 450, 16
LATE = 0.05
TOUCHED = 1_000
LAMPS = """
initiatedAt(lit(X)=true, T) :- happensAt(switch(X, on), T).
terminatedAt(lit(X)=true, T) :- happensAt(switch(X, off), T).
"""
COLUMNS = "happensAt(switch(id:number, state:text), time)"
FOLDER = RESULTS / "spark_streams"


@dataclass(frozen=True)
class Batch:
    """The cost of a micro-batch."""

    number: int
    records: int
    changes: int
    seconds: float
    jvm: float
    python: float
    written: int
    """Bytes of the state: snapshots, journals and records that wait."""


@dataclass(frozen=True)
class Measured:
    """The micro-batches of a run after the first ones, and the bytes and open intervals of its state at the end."""

    batches: Sequence[Batch]
    state_bytes: int
    n_open: int

    @property
    def records_per_second(self) -> float:
        return sum(each.records for each in self.batches) / sum(each.seconds for each in self.batches)

    def seconds(self, percentile: float) -> float:
        return float(np.percentile([each.seconds for each in self.batches], percentile))

    def processor(self, part: str) -> float:
        """The median of the processor seconds of the JVM or of Python in a micro-batch."""
        return median(getattr(each, part) for each in self.batches)

    def row(self) -> dict[str, Any]:
        return asdict(self)


# -- streams -----------------------------------------------------------------------------------------------------------


def measured(
    spark: SparkSession,
    records: Path,
    rules: hf.Compiled,
    window: int,
    step: int,
    n_warm: int,
    n_files: int = 1,
    **options: Any,
) -> Measured:
    """A stream over the files of a folder, some for each micro-batch."""
    place = FOLDER / "run"
    shutil.rmtree(place, ignore_errors=True)
    frame = spark.readStream.schema(spark.read.parquet(str(records)).schema).option("maxFilesPerTrigger", n_files)
    stream = hf.spark.stream(frame.parquet(str(records)), rules, window=window, step=step, start=0, **options)
    checkpoint = place / "checkpoint"
    found: list[Batch] = []
    before: tuple[float, Cost] = time.perf_counter(), cost_of_children()

    def note(progress: Any) -> None:
        nonlocal before
        now = time.perf_counter(), cost_of_children()
        spent = now[1].since(before[1])
        counts = progress.counts
        found.append(
            Batch(
                progress.decision.batch,
                counts.get("read", 0),
                counts.get("changes", 0),
                now[0] - before[0],
                spent.jvm,
                spent.workers,
                written_by(checkpoint, progress.decision.batch),
            )
        )
        before = now

    writer = stream.changes.writeStream.format("parquet").option("checkpointLocation", str(checkpoint))
    query = writer.onProgress(note).trigger(availableNow=True).start(str(place / "changes"))
    query.awaitTermination()
    return Measured(found[n_warm:], *state_of(checkpoint))


def written_by(checkpoint: Path, batch: int) -> int:
    """The bytes of the state that a micro-batch has written."""
    return sum(path.stat().st_size for path in checkpoint.glob(f"holdsfor/state/*/*/{batch:012}.*"))


def state_of(checkpoint: Path) -> tuple[int, int]:
    """The bytes of the last snapshots of all buckets, and the number of their open intervals."""
    from holdsfor.spark.streaming.inspection import inspection_of

    lines = list(inspection_of(str(checkpoint)))
    n_bytes = sum(_first_number(line.partition(": ")[2]) for line in lines if line.startswith("stage "))
    n_open = sum(_first_number(line) for line in lines if re.match(r"  [0-9,]+ open interval", line))
    return n_bytes, n_open


def _first_number(text: str) -> int:
    """The number at the begin of a text of an inspection."""
    return int(text.split()[0].replace(",", ""))


def write_batches(folder: Path, tables: Iterable[Any], n_files: int = 1) -> Path:
    """The files of micro-batches, in the order of their times, written once."""
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "records").mkdir(parents=True)
        for number, (table, part) in enumerate((table, part) for table in tables for part in range(n_files)):
            path = folder / "records" / f"{number:05}.parquet"
            pq.write_table(table.take(np.arange(part, len(table), n_files)), path)
            os.utime(path, (1_000_000 + number, 1_000_000 + number))
        (folder / "complete").touch()
    return folder / "records"


def maritime(vessels: int, size: int, n_batches: int, n_files: int = 1) -> tuple[Path, hf.Compiled]:
    """Micro-batches of a size, with late records; a step has about as many records as there are vessels."""
    model = model_of("maritime", entities=vessels, seed=1)
    lateness = Lateness(LATE, "exponential", (STEPS * STEP / 2,))
    n_records = size * n_batches
    duration_of_all = int(2 * n_records * model.period / (model.n_units * model.rows_per_unit)) + 100 * STEP

    def tables() -> Iterator[Any]:
        for number, piece in enumerate(pieces(model, duration_of_all, 1, lateness, size)):
            if number == n_batches:
                return
            yield to_table([piece], model.vocabulary)

    folder = FOLDER / f"maritime-{vessels}-{size}-{n_batches}-{n_files}"
    records = write_batches(folder, tables(), n_files)
    background = folder / "background.prolog"
    background.write_text(model.background() or "", encoding="utf-8")
    return records, hf.load(*(path for path in rules_of("maritime") if path.stem != "manoeuvres"), background)


def lamps(entities: int, n_batches: int) -> Path:
    """All lamps are switched on in the first micro-batch, then some are switched in each, at the next time-point."""

    def tables() -> Iterator[Any]:
        random = np.random.default_rng(1)
        yield _switches(np.arange(entities), np.ones(entities, bool), 1)
        for number in range(1, n_batches):
            touched = random.choice(entities, TOUCHED, replace=False)
            yield _switches(touched, random.random(TOUCHED) < 0.9, 10 * number + 1)

    return write_batches(FOLDER / f"lamps-{entities}-{n_batches}", tables())


def _switches(ids: Any, are_on: Any, at: int) -> Any:
    states = np.where(are_on, "on", "off")
    return pa.table({"id": ids, "state": pa.array(states.tolist()), "time": np.full(len(ids), at)})


# -- parts -------------------------------------------------------------------------------------------------------------


def sustained(spark: SparkSession, *, is_long: bool) -> dict[str, Any]:
    """Records per second with windows of 16 steps and late records."""
    found: dict[str, Any] = {}
    rows = []
    for size in (100_000, 250_000, 500_000, 1_000_000):
        n_warm = max(5, 2_000_000 // size)
        records, rules = maritime(VESSELS, size, n_warm + (40 if is_long else 10), n_files=2)
        run = measured(spark, records, rules, STEPS * STEP, STEP, n_warm, n_files=2)
        found[str(size)] = run.row()
        processor = [f"{1e6 * run.processor(part) / size:.1f} µs" for part in ("jvm", "python")]
        state = [f"{run.state_bytes / VESSELS:,.0f}", f"{run.state_bytes / max(run.n_open, 1):,.0f}"]
        rows.append([f"{size:,}", f"{run.records_per_second:,.0f}", *processor, *state])
    print(f"\nMaritime, {VESSELS:,} vessels, windows of {STEPS} steps, {LATE:.0%} late:\n")
    headings = ["records of a micro-batch", "records/s", "JVM, a record", "Python, a record"]
    print_table([*headings, "bytes of state, a vessel", "an open interval"], rows)
    return found


def sizes(spark: SparkSession, *, is_long: bool) -> dict[str, Any]:
    """The time of a micro-batch against its size, with about one query time in each."""
    found: dict[str, Any] = {}
    rows = []
    runs = ((1_000, 400 if is_long else 120), (10_000, 60), (30_000, 45), (100_000, 30), (300_000, 18))
    for size, n_batches in runs:
        records, rules = maritime(size, size, n_batches)
        run = measured(spark, records, rules, STEPS * STEP, STEP, n_batches // 3)
        found[str(size)] = run.row()
        times = [duration(run.seconds(p)) for p in (50, 99)]
        rows.append(
            [f"{size:,}", str(len(run.batches)), *times, *(duration(run.processor(p)) for p in ("jvm", "python"))]
        )
    print("\nThe time of a micro-batch, with as many vessels as records, which is one query time:\n")
    print_table(["records", "micro-batches", "p50", "p99", "JVM", "Python"], rows)
    return found


def draw_sizes(found: dict[str, Any], pictures: Path) -> None:
    """The time of a micro-batch, and of a record in it, against its size."""
    sizes = [int(size) for size in found]
    seconds = [[each["seconds"] for each in run["batches"]] for run in found.values()]
    curves = [Curve(f"p{p}", sizes, [float(np.percentile(each, p)) for each in seconds]) for p in (50, 99)]
    records = [Curve(each.label, sizes, [1e6 * y / x for x, y in zip(sizes, each.ys, strict=True)]) for each in curves]
    panels = [
        Panel("A micro-batch with one query time", "records", "seconds", curves),
        Panel("A record of it", "records", "microseconds", records),
    ]
    draw_charts(pictures / "stream_batches.png", panels)


def entities(spark: SparkSession, *, is_long: bool) -> dict[str, Any]:
    """The time of a micro-batch that touches a thousand of many open entities."""
    found: dict[str, Any] = {}
    rows = []
    for n in (1_000, 10_000, 100_000):
        n_batches = 120 if is_long else 45
        run = measured(spark, lamps(n, n_batches), hf.load_text(LAMPS), 160, 10, n_batches // 3, columns=COLUMNS)
        found[str(n)] = run.row()
        times = [duration(run.seconds(p)) for p in (50, 99)]
        processor = [duration(run.processor(part)) for part in ("jvm", "python")]
        written = sum(each.written for each in run.batches) / len(run.batches)
        rows.append([f"{n:,}", *times, *processor, f"{run.state_bytes / n:,.0f}", f"{written / 1e3:,.0f} KB"])
    print(f"\n{TOUCHED:,} entities are touched by each micro-batch:\n")
    headings = ["open entities", "p50", "p99", "JVM", "Python"]
    print_table([*headings, "bytes of state, an entity", "written by a micro-batch"], rows)
    return found


def plain(spark: SparkSession, *, is_long: bool) -> dict[str, Any]:
    """The same lamps with a state for each lamp in Spark's own store, written by hand."""
    n, n_batches = 10_000, 60 if is_long else 30
    records = lamps(n, n_batches)
    place = FOLDER / "plain"
    shutil.rmtree(place, ignore_errors=True)
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    frame = spark.readStream.schema(spark.read.parquet(str(records)).schema).option("maxFilesPerTrigger", 1)
    stream = frame.parquet(str(records)).groupBy("id")
    kept = stream.applyInPandasWithState(
        _intervals, "id long, start long, until long", "since long", "append", "NoTimeout"
    )
    writer = kept.writeStream.option("checkpointLocation", str(place / "checkpoint")).trigger(availableNow=True)
    query = writer.format("parquet").start(str(place / "intervals"))
    query.awaitTermination()
    seconds = [each["batchDuration"] / 1000 for each in query.recentProgress if each["numInputRows"] == TOUCHED]
    seconds = seconds[len(seconds) // 3 :]
    ours = measured(spark, records, hf.load_text(LAMPS), 160, 10, n_batches // 3, columns=COLUMNS)
    times = [duration(float(np.percentile(seconds, p))) for p in (50, 99)]
    print(f"\n{n:,} lamps, {TOUCHED:,} touched; by hand without windows, late records and corrections:\n")
    rows = [["applyInPandasWithState", *times], ["holdsfor", *(duration(ours.seconds(p)) for p in (50, 99))]]
    print_table(["", "p50", "p99"], rows)
    return {"plain": seconds, "holdsfor": ours.row()}


def _intervals(key: tuple[int], frames: Iterator[Any], state: Any) -> Iterator[Any]:
    """The intervals of a lamp that end; its state is the start of the open one."""
    import pandas as pd  # type: ignore[import-untyped]

    since = state.get[0] if state.exists else None
    ended = []
    for frame in frames:
        for switched, at in frame.sort_values("time")[["state", "time"]].itertuples(index=False):
            if switched == "on" and since is None:
                since = at + 1
            elif switched == "off" and since is not None:
                ended.append((key[0], since, at + 1))
                since = None
    if since is None:
        state.remove()
    else:
        state.update((since,))
    yield pd.DataFrame(ended, columns=["id", "start", "until"])


def main() -> None:
    parser = argparse.ArgumentParser(description="What does a micro-batch cost?")
    parser.add_argument("--long", action="store_true", help="more micro-batches")
    parser.add_argument("--pictures", type=Path, default=RESULTS, metavar="FOLDER", help="the folder of the chart")
    parser.add_argument("parts", nargs="*", default=PARTS, metavar="PART", help=", ".join(PARTS))
    options = parser.parse_args()
    if unknown := [part for part in options.parts if part not in PARTS]:
        parser.error(f"unknown part `{unknown[0]}`, expected {', '.join(PARTS)}")
    found = {}
    for part in options.parts:
        with started(2) as spark:
            found[part] = globals()[part](spark, is_long=options.long)
    write_results("spark_streams", found)
    if "sizes" in found:
        draw_sizes(found["sizes"], options.pictures)


if __name__ == "__main__":
    main()
