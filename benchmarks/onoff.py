"""The plain on/off job from a file to an Arrow table: holdsfor, and polars and pandas by hand.

`python benchmarks/onoff.py [--records N …]` prints a table and writes `build/benchmarks/onoff.json`. One rule begins a
state, one ends it. All three read the same Parquet or CSV file and return an Arrow table with a row for every maximal
interval of a lamp: the lamp, the start and the end, all of them numbers. The tables are compared. Seconds are processor
seconds on one core, the median of alternating runs. In brackets is what `to_arrow()` takes on top of it, the table of
all results as text.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
from showing import print_table
from timing import write_results

import holdsfor as hf

SIZES = (100_000, 1_000_000, 10_000_000)
ROUNDS = 15
COLUMNS = "happensAt(switch(id:number, state:text), time)"
RULES = """
initiatedAt(lit(X)=true, T) :- happensAt(switch(X, on), T).
terminatedAt(lit(X)=true, T) :- happensAt(switch(X, off), T).
"""


def write_files(n: int, folder: Path) -> list[Path]:
    """Records of lamps that are switched on and off at random, in the order of time, as Parquet and as CSV."""
    random = np.random.default_rng(1)
    states = pa.DictionaryArray.from_arrays(pa.array(random.integers(0, 2, n, dtype=np.int32)), ["off", "on"])
    columns = {
        "id": random.integers(0, max(1, n // 100), n),
        "state": states.cast(pa.string()),
        "time": np.sort(random.integers(0, max(1, n // 5), n)),
    }
    table = pa.table(columns)
    files = [folder / "records.parquet", folder / "records.csv"]
    pyarrow.parquet.write_table(table, files[0])
    pyarrow.csv.write_csv(table, files[1])
    return files


def by_holdsfor(rules: hf.Compiled, file: Path) -> tuple[pa.Table, hf.Result]:
    """The table of the lamps, and the result."""
    result = hf.recognise(rules, (file, COLUMNS), start=0, jobs=1)
    return result["lit"], result


def by_polars(file: Path) -> pa.Table:
    """Sort, keep one row for every time-point of a lamp (off before on), keep the changes, pair them."""
    import polars as pl  # type: ignore[import-not-found, unused-ignore]

    records = pl.scan_parquet(file) if file.suffix == ".parquet" else pl.scan_csv(file)
    points = records.select("id", "time", is_on=pl.col("state") == "on").sort("id", "time", "is_on")
    is_first_of_lamp = pl.col("id") != pl.col("id").shift()
    points = points.filter((is_first_of_lamp | (pl.col("time") != pl.col("time").shift())).fill_null(value=True))
    changes = points.filter((is_first_of_lamp | (pl.col("is_on") != pl.col("is_on").shift())).fill_null(value=True))
    following = pl.when(pl.col("id").shift(-1) == pl.col("id")).then(pl.col("time").shift(-1) + 1)
    return (
        changes.with_columns(end=following).filter("is_on").select("id", pl.col("time") + 1, "end").collect().to_arrow()
    )


def by_pandas(file: Path) -> pa.Table:
    """The same with a frame: one sort, then comparisons of neighbours."""
    import pandas as pd

    frame = pd.read_parquet(file) if file.suffix == ".parquet" else pd.read_csv(file, engine="pyarrow")
    frame = pd.DataFrame({"id": frame["id"], "time": frame["time"], "is_on": frame["state"] == "on"})
    frame = frame.sort_values(["id", "time", "is_on"])
    frame = frame[(frame["id"] != frame["id"].shift()) | (frame["time"] != frame["time"].shift())]
    frame = frame[(frame["id"] != frame["id"].shift()) | (frame["is_on"] != frame["is_on"].shift())]
    is_last = frame["id"] != frame["id"].shift(-1)
    frame["end"] = (frame["time"].shift(-1).astype("Int64") + 1).mask(is_last)
    frame["time"] += 1
    return pa.Table.from_pandas(frame.loc[frame["is_on"], ["id", "time", "end"]], preserve_index=False)


def intervals(table: pa.Table) -> list[pa.Array]:
    """The lamps, starts and ends of a table of any of the three, in one order."""
    if "value" in table.column_names:
        assert pc.all(pc.equal(table["value"], "true")).as_py()
        table = table.drop_columns(["value"]).rename_columns(["id", "time", "end"])
    ordered = table.select(["id", "time", "end"]).sort_by([("id", "ascending"), ("time", "ascending")])
    return [column.combine_chunks().cast(pa.int64()) for column in ordered.columns]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = process_time()
    return work(), process_time() - began


def measured(file: Path, n: int) -> dict[str, Any]:
    """The median seconds of each of the three in alternating rounds; stops if their answers differ."""
    rules = hf.load_text(RULES)
    seconds: dict[str, list[float]] = {"holdsfor": [], "to_arrow": [], "polars": [], "pandas": []}
    for _ in range(max(3, min(ROUNDS, 10_000_000 // n))):
        (ours, result), own = timed(lambda: by_holdsfor(rules, file))
        seconds["holdsfor"].append(own)
        seconds["to_arrow"].append(timed(result.to_arrow)[1])
        del result
        for name, work in (("polars", by_polars), ("pandas", by_pandas)):
            theirs, taken = timed(lambda work=work: work(file))
            seconds[name].append(taken)
            if any(not a.equals(b) for a, b in zip(intervals(ours), intervals(theirs), strict=True)):
                raise SystemExit(f"holdsfor and {name} differ on {file.name} with {n} records")
    usual = {name: median(taken) for name, taken in seconds.items()}
    return {"format": file.suffix[1:], "records": n, "intervals": ours.num_rows, **usual}


def cells(row: dict[str, Any]) -> list[str]:
    ours = f"{row['holdsfor']:.3f} ({row['to_arrow']:.3f})"
    kind = {"parquet": "Parquet", "csv": "CSV"}[row["format"]]
    counts = [f"{row['records']:,}", f"{row['intervals']:,}"]
    return [kind, *counts, ours, f"{row['polars']:.3f}", f"{row['pandas']:.3f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description="How long does the plain on/off job take, from a file to a table?")
    parser.add_argument("--records", type=int, nargs="+", default=SIZES, metavar="N", help="the sizes of the files")
    options = parser.parse_args()
    os.environ.update(POLARS_MAX_THREADS="1", OMP_NUM_THREADS="1")  # before polars and pandas are imported
    pa.set_cpu_count(1)
    rows = []
    for n in options.records:
        with tempfile.TemporaryDirectory() as folder:
            rows += [measured(file, n) for file in write_files(n, Path(folder))]
    print_table(["file", "records", "intervals", "holdsfor, s", "polars, s", "pandas, s"], map(cells, rows))
    write_results("onoff", rows)


if __name__ == "__main__":
    main()
