"""The same history embedded and on Spark: processor time per record, from files and prepared, on one core and on two.

`python benchmarks/spark.py [--long]` prints tables and writes `build/benchmarks/spark.json`. Every series runs in its
own process (`spark_series.py`). The cost of a record is processor time, of the JVM and of the workers, which hardly
depends on other work on the machine; only the comparison of two cores with one is in seconds. *Recognised*: all results
are computed and cached. *Decoded*: each result is also a row of a table.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from histories import history
from showing import print_table
from timing import write_results

UNEVEN = (("maritime-one", 4_000_000), ("maritime-port", 4_000_000))
WORKS = (("maritime", 1_000_000), ("maritime", 4_000_000), *UNEVEN, ("netbill", 1_000_000), ("voting", 1_000_000))
WORKS_LONG = (*WORKS, ("maritime", 20_000_000))
LONGEST = ("maritime", 100_000_000)
FORMS = ("prepared", "files", "table")


def series(app: str, n_records: int, cores: int, *more: str) -> dict[str, dict[str, Any]]:
    """The measurements of a separate process, by name."""
    script = str(Path(__file__).with_name("spark_series.py"))
    command = [sys.executable, script, app, str(n_records), str(cores), *more]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return {row.pop("what"): row for row in rows}


def measured(app: str, n_records: int, cores: tuple[int, ...] = (1, 2), *, is_embedded: bool = True) -> dict[str, Any]:
    given = history(app, n_records)
    row: dict[str, Any] = {"app": app, "records": given.n_records, "entities": given.entities}
    if is_embedded:
        row["embedded"] = series(app, n_records, 0)
    for n in cores:
        row[f"local[{n}]"] = series(app, n_records, n, *(["--prepare"] if n == cores[0] else []))
    row["prepared_bytes"] = sum(path.stat().st_size for path in given.prepared.rglob("*.parquet"))
    return row


def cost(row: dict[str, Any], what: str, cores: int = 1) -> float:
    """Processor seconds on Spark."""
    found = row[f"local[{cores}]"][what]
    return float(found["jvm"] + found["workers"])


def show_costs(rows: list[dict[str, Any]]) -> None:
    headings = ["history", "records", "", "embedded", *FORMS]
    cells = []
    for row in rows:
        n, embedded = row["records"], row["embedded"]["embedded"]
        spent = {"recognised": embedded["read"] + embedded["recognise"]}
        spent["decoded"] = spent["recognised"] + embedded["decode"]
        for phase, seconds in spent.items():
            costs = [_with_decoded(row, form, phase) for form in FORMS]
            shown = [f"{1e6 * each / n:.2f} µs, {seconds / each:.2f}" for each in costs]
            cells.append([row["app"], f"{n:,}", phase, f"{1e6 * seconds / n:.2f} µs", *shown])
    print("Processor time per record, and throughput per core relative to the embedded engine:\n")
    print_table(headings, cells)


def _with_decoded(row: dict[str, Any], form: str, phase: str) -> float:
    return cost(row, f"{form}, recognised") + (cost(row, f"{form}, decoded") if phase == "decoded" else 0)


def show_parts(rows: list[dict[str, Any]]) -> None:
    headings = ["history", "records", "", "JVM", "workers", "JVM to decode", "workers to decode"]
    cells = []
    for row in rows:
        for form in FORMS:
            found = [row["local[1]"][f"{form}, {phase}"] for phase in ("recognised", "decoded")]
            parts = [each[part] for each in found for part in ("jvm", "workers")]
            cells.append([row["app"], f"{row['records']:,}", form, *(f"{each:.1f} s" for each in parts)])
    print("\nWhere the processor time goes, one core:\n")
    print_table(headings, cells)


def show_speed_up(rows: list[dict[str, Any]]) -> None:
    headings = ["history", "records", "", "one core", "two cores", "speed-up"]
    cells = []
    for row in rows:
        for form in FORMS:
            one, two = (
                sum(row[f"local[{n}]"][f"{form}, {phase}"]["seconds"] for phase in ("recognised", "decoded"))
                for n in (1, 2)
            )
            shown = [f"{one:.1f} s", f"{two:.1f} s", f"{one / two:.2f}"]
            cells.append([row["app"], f"{row['records']:,}", form, *shown])
    print("\nSeconds, recognised and decoded:\n")
    print_table(headings, cells)


def show_memory(rows: list[dict[str, Any]]) -> None:
    headings = ["history", "records", "", "JVM", "a worker", "driver"]
    cells = []
    for row in rows:
        for place in (name for name in ("embedded", "local[1]", "local[2]") if name in row):
            peak = row[place]["memory"]
            shown = [f"{peak[part] / 1e6:,.0f} MB" if peak[part] else "" for part in ("jvm", "worker", "driver")]
            cells.append([row["app"], f"{row['records']:,}", place, *shown])
    print("\nMost resident memory:\n")
    print_table(headings, cells)


def main() -> None:
    parser = argparse.ArgumentParser(description="What does a record cost on Spark?")
    parser.add_argument("--long", action="store_true", help="twenty million records too")
    parser.add_argument("--longest", action="store_true", help="a hundred million records, on Spark only")
    options = parser.parse_args()
    rows = [measured(*work) for work in (WORKS_LONG if options.long else WORKS)]
    show_costs(rows)
    show_parts(rows)
    show_speed_up(rows)
    if options.longest:
        rows.append(measured(*LONGEST, cores=(2,), is_embedded=False))
    show_memory(rows)
    write_results("spark", rows)


if __name__ == "__main__":
    main()
