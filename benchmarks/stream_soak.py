"""Months of a stream on Spark, speeded up: does the memory of the driver, of Python and of the state stay the same?

`python benchmarks/stream_soak.py [--minutes 360]` prints a table with ten parts of the run, writes
`build/benchmarks/stream_soak.json` and draws `stream_soak.png`. Lamps in rooms are switched on and off. A lamp lives
for two days and is switched off at their end, and new ones take its place for ever, also in a dynamic domain. Some
records are late, duplicated or retracted. A micro-batch is six hours with a query time each hour. Its file is written
when the stream has read the last but one, so the run ends after the given time on a machine of any speed.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from processes import Resident, resident_memory
from showing import Curve, Panel, draw_charts, print_table
from spark_series import started
from timing import RESULTS, write_results

import holdsfor as hf
from holdsfor.spark.streaming.state_files import FILES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

RULES = """
initiatedAt(lit(X, R)=true, T) :- happensAt(switch(X, R, on), T).
terminatedAt(lit(X, R)=true, T) :- happensAt(switch(X, R, off), T).
initiatedAt(bright(R)=true, T) :- happensAt(start(lit(_X, R)=true), T).
terminatedAt(bright(R)=true, T) :- happensAt(end(lit(_X, R)=true), T).
dynamicDomain(lamp(_)).
grounding(switch(X, _, _)) :- lamp(X).
grounding(lit(X, R)=true) :- lamp(X), room(R).
grounding(bright(R)=true) :- room(R).
room(R) :- between(0, 49, R).
"""
COLUMNS = "happensAt(switch(lamp:number, room:number, state:text), time), op(op)"
HOUR, DAY = 3_600, 86_400
BATCH = 6 * HOUR
SWITCHES, NEW_LAMPS, ROOMS = 2_000, 250, 50  # of a micro-batch; a lamp lives for eight micro-batches
LATE, DUPLICATE, RETRACTED = 0.05, 0.02, 0.01
PARTS = 10
HEAP = "1g"  # a small one, so that a leak of the JVM shows as an error
MEGABYTES = ("JVM", "workers", "bucket processes", "driver", "state", "checkpoint")
FOLDER = RESULTS / "stream_soak"


@dataclass(frozen=True)
class Sample:
    """The memory in bytes and the checkpoint after a micro-batch."""

    batch: int
    changes: int
    seconds: float
    resident: Resident
    state_bytes: int
    checkpoint_bytes: int
    n_files: int


class Lamps:
    """Writes the records of one micro-batch after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.n_written = 0
        self._random = np.random.default_rng(1)

    def write(self) -> None:
        """Write the file of the next micro-batch, complete as soon as it has its name."""
        number, self.n_written = self.n_written, self.n_written + 1
        hidden, path = self.folder / f".{number}", self.folder / f"{number:07}.parquet"
        pq.write_table(self._table(number), hidden)
        hidden.rename(path)
        if number >= 100:
            (self.folder / f"{number - 100:07}.parquet").unlink()

    def _table(self, number: int) -> Any:
        random, n = self._random, SWITCHES
        lamps = NEW_LAMPS * number + random.integers(0, 8 * NEW_LAMPS, n)
        times = BATCH * number + random.integers(1, BATCH, n)
        times -= np.where((random.random(n) < LATE) & (number > 4), random.integers(0, DAY // 2, n), 0)
        states = np.where(random.random(n) < 0.5, "on", "off")
        lamps = np.concatenate((lamps, NEW_LAMPS * number + np.arange(NEW_LAMPS)))
        times = np.concatenate((times, np.full(NEW_LAMPS, BATCH * (number + 1))))
        states = np.concatenate((states, np.full(NEW_LAMPS, "off")))
        again = np.concatenate((np.arange(len(lamps)), random.integers(0, n, int(n * DUPLICATE))))
        wrong = random.integers(0, n, int(n * RETRACTED))
        rows = np.concatenate((again, wrong))
        operations = np.repeat(["+", "-"], [len(again), len(wrong)])
        return pa.table(
            {
                "lamp": lamps[rows],
                "room": (lamps % ROOMS)[rows],
                "state": pa.array(states[rows].tolist()),
                "time": times[rows],
                "arrival": np.full(len(rows), BATCH * (number + 1)),
                "op": pa.array(operations.tolist()),
            }
        )


def soaked(spark: SparkSession, minutes: float) -> list[Sample]:
    """A sample for each micro-batch of a stream that ends after some minutes."""
    from pyspark.errors import StreamingQueryException

    shutil.rmtree(FOLDER, ignore_errors=True)
    records, checkpoint = FOLDER / "records", FOLDER / "checkpoint"
    records.mkdir(parents=True)
    lamps = Lamps(records)
    lamps.write()
    lamps.write()
    frame = spark.readStream.schema(spark.read.parquet(str(records)).schema).option("maxFilesPerTrigger", 1)
    stream = hf.spark.stream(
        frame.parquet(str(records)),
        hf.load_text(RULES),
        columns=COLUMNS,
        arrival="arrival",
        window=DAY,
        step=HOUR,
        start=0,
    )
    found: list[Sample] = []
    before = began = time.perf_counter()
    ends_at = began + 60 * minutes

    def note(progress: Any) -> None:
        nonlocal before
        now = time.perf_counter()
        files = [path for path in checkpoint.rglob("*") if path.is_file()]
        sizes = {path: path.stat().st_size for path in files}
        own = checkpoint / FILES
        found.append(
            Sample(
                progress.decision.batch,
                progress.counts.get("changes", 0),
                now - before,
                resident_memory(),
                sum(size for path, size in sizes.items() if path.is_relative_to(own)),
                sum(sizes.values()),
                len(sizes),
            )
        )
        before = now
        lamps.write()

    writer = stream.changes.writeStream.foreachBatch(_discard).option("checkpointLocation", str(checkpoint))
    query = writer.onProgress(note).stopWhen(lambda: time.perf_counter() > ends_at).start()
    with contextlib.suppress(StreamingQueryException):
        query.awaitTermination()
    return found


def _discard(changes: DataFrame, _: int) -> None:
    changes.write.format("noop").mode("overwrite").save()


def parts_of(samples: Sequence[Sample]) -> list[dict[str, float]]:
    """The medians of equal parts of a run, without the first twentieth, in which processes start."""
    samples = samples[len(samples) // 20 :]
    found = []
    for number in range(PARTS):
        part = samples[len(samples) * number // PARTS : len(samples) * (number + 1) // PARTS]
        megabytes = {
            "JVM": [each.resident.jvm for each in part],
            "workers": [each.resident.workers for each in part],
            "bucket processes": [each.resident.bucket_processes for each in part],
            "driver": [each.resident.driver for each in part],
            "state": [each.state_bytes for each in part],
            "checkpoint": [each.checkpoint_bytes for each in part],
        }
        found.append(
            {
                "day": part[-1].batch * BATCH / DAY,
                **{name: median(values) / 1e6 for name, values in megabytes.items()},
                "changes": median(each.changes for each in part),
                "files": median(each.n_files for each in part),
                "seconds": median(each.seconds for each in part),
            }
        )
    return found


def show(parts: Sequence[dict[str, float]]) -> None:
    names = [name for name in parts[0] if name != "day"]
    rows = [[f"{each['day']:,.0f}", *(f"{each[name]:,.1f}" for name in names)] for each in parts]
    print_table(["simulated days", *(f"{name}, MB" if name in MEGABYTES else name for name in names)], rows)
    days = [each["day"] for each in parts]
    curves = [Curve(name, days, [each[name] for each in parts]) for name in MEGABYTES]
    panel = Panel("Memory over simulated days", "simulated days", "MB", curves, "linear", "linear")
    draw_charts(RESULTS / "stream_soak.png", [panel])


def main() -> None:
    parser = argparse.ArgumentParser(description="Does the memory of a stream stay the same?")
    parser.add_argument("--minutes", type=float, default=360, help="length of the run (default: 360)")
    options = parser.parse_args()
    with started(2, HEAP) as spark:
        samples = soaked(spark, options.minutes)
    parts = parts_of(samples)
    show(parts)
    write_results("stream_soak", {"minutes": options.minutes, "parts": parts, "samples": [asdict(s) for s in samples]})


if __name__ == "__main__":
    main()
