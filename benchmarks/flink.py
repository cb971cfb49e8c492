"""Lamps on Flink, on Spark by hand, and with holdsfor: the processor time of a record in the same stream.

`python benchmarks/flink.py [--flink PYTHON] [--records N] [--rounds N] [SYSTEM …]` prints a table and writes
`build/benchmarks/flink.json`. `PYTHON` is an interpreter with PyFlink, from `pip install apache-flink` in an
environment of its own, since PyFlink needs older packages than holdsfor; without it Flink is left out.

Lamps are switched on and off at random, one of them every millisecond. Some records are late, by less than a bound. All
systems read CSV files in the order of arrival and write their results to files. The intervals that have ended are
compared with those of a run over all records. The last records come long after the others, so that everything before
them is settled. A system runs with N records to warm up, then with N and with 4 N. The cost of a record is the
difference of these two, divided by 3 N: start-up is not in it. Processor time is that of all processes and hardly
depends on other work on the machine; seconds do.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.csv as pcsv  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
from peers import Missing, command_seconds
from processes import cost_of_children
from showing import duration, print_table
from spark_series import started
from timing import RESULTS, write_results

import holdsfor as hf

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

N_LAMPS = 10_000
LATE = 0.05
BOUND = 75  # seconds, the largest delay
STEP = 5
WINDOW = BOUND + STEP  # the first query time after a delay of the bound still admits the record
MICRO_BATCH = 50_000
LIMIT = 3_600
SCHEMA = "id long, state string, time long"
COLUMNS = "happensAt(switch(id:number, state:text), time)"
RULES = """
initiatedAt(lit(X)=true, T) :- happensAt(switch(X, on), T).
terminatedAt(lit(X)=true, T) :- happensAt(switch(X, off), T).
"""
FOLDER = RESULTS / "flink"


@dataclass(frozen=True)
class Ran:
    """The cost of one run, and the intervals that it found."""

    records: int
    processor: float
    seconds: float
    found: pa.Table


# -- records -----------------------------------------------------------------------------------------------------------


def records_of(n: int) -> Path:
    """A folder with the same records for every system, written once: `two` files, `named` with a header, `batches`."""
    folder = FOLDER / f"records-{n}"
    if (folder / "complete").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    random = np.random.default_rng(1)
    times = np.arange(1, n + 1)
    delays = np.where(random.random(n) < LATE, random.integers(1, 1000 * BOUND, n), 0)
    order = np.argsort(times + delays, kind="stable")
    ids, are_on = random.integers(0, N_LAMPS, n), random.random(n) < 0.5
    ends = _switches(N_LAMPS + np.arange(2), np.zeros(2, bool), np.full(2, n + 3000 * WINDOW))
    table = pa.concat_tables([_switches(ids[order], are_on[order], times[order]), ends])
    for parity in (0, 1):
        part = table.filter(pc.equal(pc.bit_wise_and(table["id"], 1), parity))
        _write(part, folder / "two" / f"{parity}.csv", header=False)
        _write(part, folder / "named" / f"{parity}.csv", header=True)
    for number, begin in enumerate(range(0, n + 2, MICRO_BATCH)):
        path = folder / "batches" / f"{number:05}.csv"
        _write(table.slice(begin, MICRO_BATCH), path, header=False)
        os.utime(path, (1_000_000 + number, 1_000_000 + number))  # Spark reads files in the order of these times
    (folder / "complete").touch()
    return folder


def _switches(ids: Any, are_on: Any, times: Any) -> pa.Table:
    return pa.table({"id": ids, "state": pa.array(np.where(are_on, "on", "off").tolist()), "time": times})


def _write(table: pa.Table, path: Path, *, header: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pcsv.write_csv(table, path, pcsv.WriteOptions(include_header=header, quoting_style="none"))


def place_of(system: str) -> Path:
    """The empty place of the results of a system."""
    place = FOLDER / system
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    return place


def ordered(table: pa.Table) -> pa.Table:
    """The lamps, starts and ends of intervals, in one order."""
    table = table.select(["id", "start", "end"]).cast(
        pa.schema([(name, pa.int64()) for name in ("id", "start", "end")])
    )
    return table.sort_by([("id", "ascending"), ("start", "ascending")]).combine_chunks()


# -- holdsfor without Spark, and Flink ---------------------------------------------------------------------------------


def embedded(sizes: Sequence[int], _: str | None) -> Iterator[Ran]:
    """A live run over two files, with the changes of each query time and checkpoints."""
    for n in sizes:
        place, records = place_of("embedded"), records_of(n)
        rules = place / "lamps.prolog"
        rules.write_text(RULES, encoding="utf-8")
        inputs = [f"--input={path}: {COLUMNS}" for path in sorted((records / "named").iterdir())]
        window = ["--start=0", f"--window={1000 * WINDOW}", f"--step={1000 * STEP}"]
        output = ["--report=changes", f"--output={place / 'changes.csv'}", f"--checkpoint={place / 'checkpoint'}"]
        command = [sys.executable, "-m", "holdsfor", "run", str(rules), "--live", *inputs, *window, *output]
        began = time.perf_counter()
        processor = command_seconds(command, Path.cwd(), LIMIT).seconds
        yield Ran(n, processor, time.perf_counter() - began, _after_all(pcsv.read_csv(place / "changes.csv")))


def _after_all(changes: pa.Table) -> pa.Table:
    """The ended intervals after all changes: the last interval with each start that no change took back."""
    known: dict[tuple[str, int], int | None] = {}
    names = ("fvp", "old_start", "start", "end")
    for fvp, old, start, end in zip(*(changes[name].to_pylist() for name in names), strict=True):
        if old is not None:
            del known[fvp, old]
        if start is not None:
            known[fvp, start] = end
    ended = [(int(fvp[4 : fvp.index(")")]), start, end) for (fvp, start), end in known.items() if end is not None]
    return pa.table(list(map(list, zip(*ended, strict=True))), names=["id", "start", "end"])


def flink(sizes: Sequence[int], python: str | None) -> Iterator[Ran]:
    """MATCH_RECOGNIZE, two slots."""
    return _flink("match", sizes, python)


def keyed_flink(sizes: Sequence[int], python: str | None) -> Iterator[Ran]:
    """A function of PyFlink with keyed state, two slots. A fifth of the records, because it is slow."""
    return _flink("keyed", [n // 5 for n in sizes], python)


def _flink(kind: str, sizes: Sequence[int], python: str | None) -> Iterator[Ran]:
    if python is None:
        raise Missing("give the interpreter of an environment with apache-flink as --flink")
    place = place_of(f"flink-{kind}").resolve()
    folders = [(str((records_of(n) / "two").resolve()), str(place / str(i))) for i, n in enumerate(sizes)]
    command = [python, str(Path(__file__).with_name("flink_job.py")), kind, str(BOUND)]
    done = subprocess.run([*command, *sum(folders, ())], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Missing(f"{python} failed: {done.stderr.strip()[-600:]}")
    reading = pcsv.ReadOptions(column_names=["id", "start", "end"])
    for n, line, (_, results) in zip(sizes, done.stdout.splitlines(), folders, strict=True):
        row = json.loads(line)
        files = [path for path in Path(results).rglob("*") if path.is_file()]
        found = pa.concat_tables(pcsv.read_csv(path, reading) for path in files)
        yield Ran(n, row["processor"], row["seconds"], found)


# -- Spark -------------------------------------------------------------------------------------------------------------


def on_spark(sizes: Sequence[int], _: str | None) -> Iterator[Ran]:
    """`hf.spark.stream`, with the settled intervals."""

    def start(frame: DataFrame, place: Path) -> Any:
        stream = hf.spark.stream(
            frame, hf.load_text(RULES), columns=COLUMNS, window=1000 * WINDOW, step=1000 * STEP, start=0
        )
        writer = stream.settled.writeStream.format("parquet").option("checkpointLocation", str(place / "checkpoint"))
        return writer.trigger(availableNow=True).start(str(place / "found"))

    for ran in _spark("spark", sizes, start):
        lamps = pc.list_element(ran.found["arguments"], 0).cast(pa.int64())
        ended = ran.found.append_column("id", lamps).filter(pc.is_valid(ran.found["end"]))
        yield Ran(ran.records, ran.processor, ran.seconds, ended)


def plain_spark(sizes: Sequence[int], _: str | None) -> Iterator[Ran]:
    """`applyInPandasWithState`: records wait for Spark's watermark. A 25th of the records, because it is slow."""

    def start(frame: DataFrame, place: Path) -> Any:
        timed = frame.selectExpr("*", "timestamp_millis(time) as ts").withWatermark("ts", f"{BOUND} seconds")
        ended = timed.groupBy("id").applyInPandasWithState(
            _ended, "id long, start long, end long", "since long, waiting binary", "append", "EventTimeTimeout"
        )
        writer = ended.writeStream.format("parquet").option("checkpointLocation", str(place / "checkpoint"))
        return writer.trigger(availableNow=True).start(str(place / "found"))

    return _spark("plain", [n // 25 for n in sizes], start)


def _ended(key: tuple[int], frames: Iterator[Any], state: Any) -> Iterator[Any]:
    """The intervals of a lamp that end before the watermark; the state has the open one and the records after it."""
    import pandas as pd  # type: ignore[import-untyped]

    since, waiting = None, array("q")  # twice the time of a record, plus one if it switches the lamp on
    if state.exists:
        since, data = state.get
        waiting.frombytes(data)
    if not state.hasTimedOut:
        for frame in frames:
            waiting.extend((2 * frame["time"] + (frame["state"] == "on")).tolist())
    waiting = array("q", sorted(waiting))
    n_passed = bisect_right(waiting, 2 * state.getCurrentWatermarkMs() + 1)
    ended = []
    for at, is_on in (divmod(each, 2) for each in waiting[:n_passed]):
        if is_on and since is None:
            since = at + 1
        elif not is_on and since is not None:
            ended.append((key[0], since, at + 1))
            since = None
    del waiting[:n_passed]
    state.update((since, waiting.tobytes()))
    if waiting:
        state.setTimeoutTimestamp(waiting[0] // 2)
    yield pd.DataFrame(ended, columns=["id", "start", "end"])


def _spark(name: str, sizes: Sequence[int], start: Callable[[DataFrame, Path], Any]) -> Iterator[Ran]:
    with started(2) as spark:
        spark.conf.set("spark.sql.shuffle.partitions", "2")
        spark.conf.set("spark.sql.session.timeZone", "UTC")
        for n in sizes:
            yield _streamed(spark, n, place_of(name), start)


def _streamed(spark: SparkSession, n: int, place: Path, start: Callable[[DataFrame, Path], Any]) -> Ran:
    """A stream over the files of a folder, one for each micro-batch."""
    batches = str(records_of(n) / "batches")
    began = time.perf_counter(), time.process_time(), cost_of_children()
    query = start(spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).csv(batches), place)
    query.awaitTermination()
    processor = time.process_time() - began[1] + cost_of_children().since(began[2]).total
    files = [path for path in (place / "found").rglob("*.parquet") if path.stat().st_size]
    found = pa.concat_tables(pq.ParquetFile(path).read() for path in files)
    return Ran(n, processor, time.perf_counter() - began[0], found)


# -- all ---------------------------------------------------------------------------------------------------------------

SYSTEMS: dict[str, tuple[str, Callable[[Sequence[int], str | None], Iterator[Ran]]]] = {
    "embedded": ("holdsfor, live run, one process", embedded),
    "flink": ("Flink SQL, `MATCH_RECOGNIZE`", flink),
    "keyed": ("PyFlink, keyed state", keyed_flink),
    "spark": ("holdsfor, `hf.spark.stream`", on_spark),
    "plain": ("Spark, `applyInPandasWithState`", plain_spark),
}


@dataclass(frozen=True)
class Marginal:
    """The processor seconds and the seconds of a record, and the cost of the longer run."""

    processor: float
    seconds: float
    processor_of_all: float
    records: int

    @staticmethod
    def of(short: Ran, long: Ran) -> Marginal:
        n = long.records - short.records
        return Marginal(
            (long.processor - short.processor) / n, (long.seconds - short.seconds) / n, long.processor, long.records
        )


def by_definition(n: int) -> pa.Table:
    """The ended intervals of the records, from all of them in the order of time."""
    files = sorted((records_of(n) / "two").iterdir())
    reading = pcsv.ReadOptions(column_names=["id", "state", "time"])
    table = pa.concat_tables(pcsv.read_csv(path, reading) for path in files)
    found = hf.recognise(hf.load_text(RULES), (table, COLUMNS), start=0, jobs=1)["lit"]
    found = found.drop_columns(["value"]).rename_columns(["id", "start", "end"])
    return ordered(found.filter(pc.is_valid(found["end"])))


def measured(system: str, n: int, python: str | None) -> Marginal:
    """The cost of a record in one round; stops if the intervals of the system are wrong."""
    runs = []
    for ran in SYSTEMS[system][1]([n, n, 4 * n], python):
        if not ordered(ran.found).equals(by_definition(ran.records)):
            raise SystemExit(f"{system} differs from the settled intervals of {ran.records:,} records")
        runs.append(ran)
        print(f"{system}: {ran.records:,} records, {ran.processor:.1f} processor s, {ran.seconds:.1f} s", flush=True)
    return Marginal.of(*runs[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description="What does a record cost on Flink, on Spark and with holdsfor?")
    parser.add_argument("--flink", metavar="PYTHON", help="an interpreter with PyFlink")
    parser.add_argument("--records", type=int, default=500_000, metavar="N", help="records of the shorter run")
    parser.add_argument("--rounds", type=int, default=1, metavar="N", help="alternating rounds")
    parser.add_argument("systems", nargs="*", default=list(SYSTEMS), metavar="SYSTEM", help=", ".join(SYSTEMS))
    options = parser.parse_args()
    found: dict[str, list[Marginal]] = {}
    for _ in range(options.rounds):
        for system in options.systems:
            try:
                cost = measured(system, options.records, options.flink)
            except Missing as reason:
                print(f"{system}: not run, {reason}")
            else:
                found.setdefault(system, []).append(cost)
    print(f"\n{N_LAMPS:,} lamps, {LATE:.0%} of the records up to {BOUND} s late:\n")
    rows = []
    for system, rounds in found.items():
        costs = [f"{1e6 * median(getattr(each, name) for each in rounds):.1f} µs" for name in ("processor", "seconds")]
        whole = duration(median(each.processor_of_all for each in rounds))
        rows.append([SYSTEMS[system][0], f"{rounds[0].records:,}", *costs, whole])
    headings = ["", "records", "processor time, a record", "time, a record", "processor time, all records with start"]
    print_table(headings, rows)
    write_results("flink", {system: [asdict(each) for each in rounds] for system, rounds in found.items()})


if __name__ == "__main__":
    main()
