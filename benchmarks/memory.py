"""Memory and processor time of runs over files that grow while the window stays the same.

`python benchmarks/memory.py` prints a table for a million records and writes `build/benchmarks/memory.json`; `--long`
adds 10 million records, `--longest` 100 million. The files are generated in pieces, in a folder that `--folder` names.
*In order* is a file in order of arrival, *late* has arrivals up to half a window late, and the lines of *shuffled* are
in no order at all. *Loaded* holds all records in memory, as runs without a window do.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from timing import write_results

RULES = """
initiatedAt(active(X)=true, T) :- happensAt(on(X), T).
terminatedAt(active(X)=true, T) :- happensAt(off(X), T).
"""
ENTITIES = 1_000
PER_TIME_POINT = 10
WINDOW = 10_000
PIECE = 1 << 18
ORDERS = ("in order", "late", "shuffled")
LOADED = "import holdsfor.sources.input_sizes as sizes; sizes._MANY = 1 << 60; "
RUN = "import sys; from holdsfor.__main__ import main; sys.exit(main())"


@dataclass(frozen=True)
class Measured:
    """The cost of one run."""

    records: int
    order: str
    mode: str
    is_loaded: bool
    peak_bytes: int
    cpu_seconds: float
    file_bytes: int


def generate(path: Path, n: int, order: str) -> None:
    """Write a file of on and off events, a piece at a time."""
    random = np.random.default_rng(1)
    options = pyarrow.csv.WriteOptions(include_header=False, delimiter="|", quoting_style="none")
    with path.open("wb") as file:
        for first in range(0, n, PIECE):
            size = min(PIECE, n - first)
            starts = np.arange(first, first + size) // PER_TIME_POINT
            if order == "shuffled":
                starts = random.integers(0, n // PER_TIME_POINT, size)
            delays = random.integers(0, WINDOW // 2, size) if order == "late" else np.zeros(size, np.int64)
            names, entities = random.choice(["on", "off"], size), random.integers(0, ENTITIES, size)
            named = pc.binary_join_element_wise("v", pa.array(entities).cast(pa.string()), "")
            columns = {"name": pa.array(names), "arrival": starts + delays, "start": starts, "entity": named}
            pyarrow.csv.write_csv(pa.table(columns), file, options)


def measure(rules: Path, events: Path, order: str, n: int, mode: str, *, is_loaded: bool) -> Measured:
    """Run the command in a new process."""
    options = ["--window", str(WINDOW), "--jobs", "1", "--format", "csv", "--output", "/dev/null"]
    options += ["--final"] if mode == "settled once" else []
    stats = events.with_suffix(".json")
    command = [sys.executable, "-c", (LOADED if is_loaded else "") + RUN, "run", str(rules), "--input", str(events)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*command, *options, "--stats", str(stats)], check=True, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    peak = json.loads(stats.read_text(encoding="utf-8"))["peak_memory_bytes"]
    return Measured(n, order, mode, is_loaded, peak, seconds, events.stat().st_size)


def runs(n: int, folder: Path, orders: Iterable[str]) -> list[Measured]:
    """The runs over files of one size."""
    rules = folder / "rules.prolog"
    rules.write_text(RULES, encoding="utf-8")
    found: list[Measured] = []
    for order in orders:
        events = folder / "events.txt"
        generate(events, n, order)
        for mode in ("every window reported", "settled once") if order == "in order" else ("every window reported",):
            for is_loaded in (False, True) if n <= 10_000_000 else (False,):
                found.append(measure(rules, events, order, n, mode, is_loaded=is_loaded))
        events.unlink()
    return found


def table(found: list[Measured]) -> Iterable[str]:
    """The rows of the table: on disk and loaded side by side."""
    yield "| records | order | reports | memory | loaded | CPU s | loaded |"
    yield "|---|---|---|---|---|---|---|"
    loaded = {(each.records, each.order, each.mode): each for each in found if each.is_loaded}
    for each in found:
        if not each.is_loaded:
            other = loaded.get((each.records, each.order, each.mode))
            columns: list[Any] = [f"{each.records:,}", each.order, each.mode, f"{each.peak_bytes / 1e6:.0f} MB"]
            columns += ["" if other is None else f"{other.peak_bytes / 1e6:.0f} MB", f"{each.cpu_seconds:.1f}"]
            columns += ["" if other is None else f"{other.cpu_seconds:.1f}"]
            yield f"| {' | '.join(columns)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="How much memory does a run over a file need?")
    parser.add_argument("--long", action="store_true", help="also 10 million records")
    parser.add_argument("--longest", action="store_true", help="also 100 million records")
    parser.add_argument("--folder", help="folder for the files, by default that of temporary files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        found = runs(1_000_000, Path(folder), ORDERS)
        if options.long:
            found += runs(10_000_000, Path(folder), ORDERS)
        if options.longest:
            found += runs(100_000_000, Path(folder), ORDERS[:1])
    print("\n".join(table(found)))
    write_results("memory", [asdict(each) for each in found])


if __name__ == "__main__":
    main()
