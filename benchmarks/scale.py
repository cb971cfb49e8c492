"""A year of a million vessels on a cluster: a simulation with the costs that `spark.py` measured.

`python benchmarks/scale.py` reads `build/benchmarks/spark.json` and prints a table. Costs per record are those of the
largest maritime history, on one core. Vessels are not equally busy; they are hashed into buckets, buckets become tasks,
and each task runs on the next free core, stage by stage, as in Spark. Two constants are assumed, not measured: the
seconds that Spark takes to start a task, and those that a short shuffle block costs.
"""

from __future__ import annotations

import heapq
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from showing import print_table
from timing import RESULTS, write_results

VESSELS, DAYS, RECORDS_A_DAY = 1_000_000, 365, 180
SPREAD = 0.8  # standard deviation of the logarithm of a vessel's activity
CORES = (64, 256, 1024)
PARTS = {"a day": 1, "a month": 30.4, "a year": 365}

TASK_SECONDS = 0.1
SHUFFLE_BLOCK_SECONDS = 50e-6  # to pack and to unpack one block
TABLES = 12
ROWS_OF_A_BUCKET, MANY_BUCKETS = 1 << 19, 256  # as `holdsfor.spark.input.ingestion` chooses
ROWS_AT_ONCE = 1 << 20
WORKER_BYTES = 150e6  # of an idle worker


@dataclass(frozen=True)
class Costs:
    """Processor seconds per record, and bytes."""

    read: float
    evaluate: float
    decode: float
    bucket_bytes: float
    prepared_bytes: float

    @staticmethod
    def of(row: dict[str, Any]) -> Costs:
        n, one = row["records"], row["local[1]"]
        seconds = {what: (each["jvm"] + each["workers"]) / n for what, each in one.items() if "workers" in each}
        rows = min(n / 2, ROWS_OF_A_BUCKET)
        return Costs(
            seconds["files, recognised"] - seconds["prepared, recognised"],
            seconds["prepared, recognised"],
            seconds["files, decoded"],
            max(0.0, one["memory"]["worker"] - WORKER_BYTES) / rows,
            row["prepared_bytes"] / n,
        )


def n_buckets(n_records: float, cores: int) -> int:
    n = int(n_records // ROWS_OF_A_BUCKET)
    return max(2 * cores, n if n < MANY_BUCKETS else math.isqrt(n * MANY_BUCKETS))


def makespan(tasks: Iterable[float], cores: int) -> float:
    """The seconds of tasks, each of which runs on the next free core, in the order given."""
    free = [0.0] * cores
    for seconds in tasks:
        heapq.heapreplace(free, free[0] + seconds + TASK_SECONDS)
    return max(free)


def shares(buckets: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The share of all records in each bucket."""
    rng = np.random.default_rng(1)
    busy = rng.lognormal(0, SPREAD, VESSELS)
    return np.bincount(rng.integers(0, buckets, VESSELS), weights=busy, minlength=buckets) / busy.sum()


def simulated(days: float, cores: int, costs: Costs, *, is_prepared: bool) -> dict[str, float]:
    n_records = VESSELS * days * RECORDS_A_DAY
    buckets = n_buckets(n_records, cores)
    rows = n_records * shares(buckets)
    pieces = math.ceil(n_records / (2 * ROWS_AT_ONCE))
    shuffle_blocks = n_records / ROWS_AT_ONCE * min(buckets * TABLES, ROWS_AT_ONCE)
    seconds = makespan(rows * (costs.evaluate + costs.decode), cores)
    if not is_prepared:
        one = n_records / pieces * costs.read + shuffle_blocks / pieces * SHUFFLE_BLOCK_SECONDS
        seconds += makespan([one] * pieces, cores)
    return {
        "days": days,
        "cores": cores,
        "is_prepared": is_prepared,
        "records": n_records,
        "buckets": buckets,
        "hours": seconds / 3600,
        "core_hours": seconds * cores / 3600,
        "worker_bytes": WORKER_BYTES + float(rows.max()) * costs.bucket_bytes,
        "moved_bytes": n_records * costs.prepared_bytes * (0 if is_prepared else 2),
    }


def main() -> None:
    known = json.loads((RESULTS / "spark.json").read_text(encoding="utf-8"))
    measured = max((row for row in known if row["app"] == "maritime" and "local[1]" in row), key=lambda r: r["records"])
    costs = Costs.of(measured)
    print(f"A record: read {1e6 * costs.read:.2f} µs, evaluated {1e6 * costs.evaluate:.2f} µs,", end=" ")
    print(f"decoded {1e6 * costs.decode:.2f} µs; {costs.bucket_bytes:.0f} bytes of a worker while its bucket runs,")
    print(f"{costs.prepared_bytes:.1f} bytes prepared ({measured['records']:,} records measured).\n")
    rows = [
        simulated(days, cores, costs, is_prepared=is_prepared)
        for days in PARTS.values()
        for is_prepared in (False, True)
        for cores in CORES
    ]
    names = {days: name for name, days in PARTS.items()}
    headings = ["history", "records", "from", "cores", "buckets", "hours", "core hours", "a worker", "shuffled"]
    cells = [
        [
            names[row["days"]],
            f"{row['records'] / 1e9:,.1f} G",
            "prepared" if row["is_prepared"] else "files",
            f"{row['cores']:,}",
            f"{row['buckets']:,}",
            f"{row['hours']:.2f}",
            f"{row['core_hours']:,.0f}",
            f"{row['worker_bytes'] / 1e9:.1f} GB",
            f"{row['moved_bytes'] / 1e9:,.0f} GB",
        ]
        for row in rows
    ]
    print_table(headings, cells)
    write_results("scale", rows)


if __name__ == "__main__":
    main()
