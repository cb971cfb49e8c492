"""Streams on a cluster: a model with the costs that `spark_streams.py` measured.

`python benchmarks/stream_scale.py` reads `build/benchmarks/spark_streams.json` and prints a table. A micro-batch has a
fixed cost and a cost for each record, that of micro-batches with one query time. While one runs, the records of the
next arrive, so a stream settles at the length at which a micro-batch takes as long as its records take to arrive. A
bucket gets more records than the average: vessels are not equally busy, and are hashed into buckets. Two things are
assumed, not measured: the network and the disks keep up with the cores, and the driver needs a tenth of a second more
for each thousand tasks.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from scale import shares
from showing import duration, print_table
from timing import RESULTS, write_results

SIZES = ((10_000, 1_000), (100_000, 10_000), (1_000_000, 100_000), (1_000_000, 1_000_000))  # vessels, records a second
CORES = (2, 16, 64, 256)
BUCKET_BYTES = 10e6  # at most, of the state of a bucket
TASK_SECONDS = 1e-4  # of the driver, for each task
JOURNAL_BYTES = 70  # of the journals of both stages, for a record
REPLAY_BYTES, SHARE, STAGES = 64 << 10, 0.75, 2  # a snapshot is due when journals reach a share of the last one


@dataclass(frozen=True)
class Costs:
    """The seconds of a small micro-batch, the processor seconds of a record, the bytes of the state of a vessel."""

    fixed: float
    record: float
    vessel_bytes: float

    @staticmethod
    def of(measured: dict[str, Any], vessels: int) -> Costs:
        state = max(measured["sustained"].items(), key=lambda item: int(item[0]))[1]["state_bytes"]
        size, largest = max(measured["sizes"].items(), key=lambda item: int(item[0]))
        spent = sorted(each["jvm"] + each["python"] for each in largest["batches"])
        smallest = min(measured["sizes"].items(), key=lambda item: int(item[0]))[1]
        seconds = sorted(each["seconds"] for each in smallest["batches"])
        return Costs(seconds[len(seconds) // 2], spent[len(spent) // 2] / int(size), state / vessels)


def settled(vessels: int, rate: int, cores: int, costs: Costs) -> dict[str, Any]:
    """The length of a micro-batch at which a stream settles, infinite if the cores do not suffice."""
    state = vessels * costs.vessel_bytes
    buckets = max(cores, math.ceil(state / BUCKET_BYTES))
    busiest = float(shares(buckets).max()) * buckets if buckets > 1 else 1.0
    fixed = costs.fixed + buckets * TASK_SECONDS
    load = rate * costs.record * busiest / cores
    length = fixed / (1 - load) if load < 1 else math.inf
    return {
        "vessels": vessels,
        "rate": rate,
        "cores": cores,
        "buckets": buckets,
        "load": load,
        "seconds": length,
        "state_bytes": state,
        "written": written(rate * length, buckets, state) / length if load < 1 else 0.0,
    }


def written(records: float, buckets: int, state: float) -> float:
    """The bytes that a micro-batch writes: its journals, and the snapshots that these make due; at most the state."""
    journals = records * JOURNAL_BYTES
    return min(state, journals + (journals + STAGES * buckets * REPLAY_BYTES) / SHARE)


def main() -> None:
    from spark_streams import VESSELS

    costs = Costs.of(json.loads((RESULTS / "spark_streams.json").read_text(encoding="utf-8")), VESSELS)
    print(f"A micro-batch {duration(costs.fixed)}, a record {1e6 * costs.record:.1f} µs,", end=" ")
    print(f"a vessel {costs.vessel_bytes:,.0f} bytes of state.\n")
    rows = [settled(*size, cores, costs) for size in SIZES for cores in CORES]
    cells = [
        [
            f"{row['vessels']:,}",
            f"{row['rate']:,}",
            f"{row['cores']:,}",
            f"{row['buckets']:,}",
            f"{row['load']:.0%}",
            "falls behind" if row["load"] >= 1 else duration(row["seconds"]),
            f"{row['state_bytes'] / 1e9:,.1f} GB",
            "" if row["load"] >= 1 else f"{row['written'] / 1e6:,.0f} MB/s",
        ]
        for row in rows
    ]
    print_table(["vessels", "records/s", "cores", "buckets", "load", "a micro-batch", "state", "written"], cells)
    write_results("stream_scale", rows)


if __name__ == "__main__":
    main()
