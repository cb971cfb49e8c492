"""Speed of reading records, side by side in one run: text line by line and as columns, CSV, JSON, Arrow.

`python benchmarks/loading.py [RECORDS]` generates a stream of each application, prints a table and writes the results
to `build/benchmarks/loading.json`. `--file APP TICK PATH` adds a real file, repeated up to as many records.
"""

from __future__ import annotations

import argparse
import io
import json
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.csv  # type: ignore[import-untyped]
from timing import write_results

from holdsfor.analysis.names import Names
from holdsfor.analysis.pipeline import compile_files
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import Diagnostics
from holdsfor.generators import model_of, pieces, to_table, write_text
from holdsfor.sources.blocks import text_blocks
from holdsfor.sources.csv_rows import CsvReader
from holdsfor.sources.json_rows import JsonLinesReader
from holdsfor.sources.text_columns import ColumnReading, read_columns, read_table
from holdsfor.sources.text_records import Reading, read_text_records

ROOT = Path(__file__).parents[1]
RULES = {
    "maritime": ["rules.prolog", "parameters.prolog"],
    "ctm": ["rules.prolog"],
    "activity": ["rules.prolog"],
}
LINES_FOR_SLOW_READER = 100_000
REPETITIONS = 5


def names_of(app: str) -> Names:
    return compile_files([str(ROOT / "apps" / app / file) for file in RULES[app]], Diagnostics()).names


def rate(read: Callable[[], Reading | ColumnReading]) -> tuple[float, Reading | ColumnReading]:
    """Records per second, the best of some repetitions, and the reading."""
    best = 0.0
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        reading = read()
        best = max(best, reading.n_records / (time.perf_counter() - begin))
    return best, reading


def slow_rate(content: bytes, names: Names, tick: int) -> float:
    lines = content.decode().splitlines()[:LINES_FOR_SLOW_READER]

    def read() -> Reading:
        reading = Reading()
        read_text_records(lines, "text", names, tick, reading)
        reading.facts()
        return reading

    return rate(read)[0]


def fast_rate(content: bytes, names: Names, tick: int) -> tuple[float, Reading | ColumnReading]:
    def read() -> ColumnReading:
        reading = ColumnReading()
        read_columns(content, "text", names, tick, Symbols(), reading)
        reading.settle()
        return reading

    return rate(read)


def table_rate(table: Any, names: Names, tick: int) -> float:
    def read() -> ColumnReading:
        reading = ColumnReading()
        read_table(table, names, tick, Symbols(), reading)
        reading.settle()
        return reading

    return rate(read)[0]


def lines_rate(reader: type[CsvReader] | type[JsonLinesReader], content: bytes, names: Names, tick: int) -> float:
    def read() -> ColumnReading:
        reading = ColumnReading()
        lines = reader("lines", names, tick, Symbols(), reading)
        for block in text_blocks(content, "lines"):
            lines.read(block)
        reading.settle()
        return reading

    return rate(read)[0]


def as_csv(table: Any) -> bytes:
    content = io.BytesIO()
    plain = pa.schema([(f.name, pa.string() if pa.types.is_dictionary(f.type) else f.type) for f in table.schema])
    pyarrow.csv.write_csv(table.cast(plain), content)
    return content.getvalue()


def as_jsonl(table: Any) -> bytes:
    rows = table.slice(0, LINES_FOR_SLOW_READER).to_pylist()
    return "".join(json.dumps({k: v for k, v in row.items() if v is not None}) + "\n" for row in rows).encode()


def row(stream: str, content: bytes, table: Any | None, names: Names, tick: int) -> dict[str, Any]:
    slow = slow_rate(content, names, tick)
    fast, reading = fast_rate(content, names, tick)
    return {
        "stream": stream,
        "records": reading.n_records,
        "unused": reading.unused.total(),
        "bytes": len(content),
        "slow": slow,
        "fast": fast,
        "csv": None if table is None else lines_rate(CsvReader, as_csv(table), names, tick),
        "jsonl": None if table is None else lines_rate(JsonLinesReader, as_jsonl(table), names, tick),
        "table": None if table is None else table_rate(table, names, tick),
    }


def generated(app: str, n_records: int) -> dict[str, Any]:
    model = model_of(app, entities=1000, seed=1)
    n_periods = max(1, n_records // (model.n_units * model.rows_per_unit) + 1)
    stream = list(islice(pieces(model, n_periods * model.period, seed=1, max_rows=100_000), -(-n_records // 100_000)))
    text = io.BytesIO()
    write_text(stream, model.vocabulary, text)
    return row(app, text.getvalue(), to_table(stream, model.vocabulary), names_of(app), model.tick)


def repeated(app: str, tick: int, path: Path, n_records: int) -> dict[str, Any]:
    content = path.read_bytes()
    content *= max(1, n_records // content.count(b"\n"))
    return row(path.name, content, None, names_of(app), tick)


def main() -> None:
    parser = argparse.ArgumentParser(description="How fast are records read?")
    parser.add_argument("records", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--file", nargs=3, action="append", default=[], metavar=("APP", "TICK", "PATH"))
    options = parser.parse_args()
    print(
        "records a second       records    unused   line by line    as columns   ratio"
        "            csv          jsonl          table"
    )
    rows: list[dict[str, Any]] = []
    measures: list[Callable[[], dict[str, Any]]] = []
    measures += [lambda app=app: generated(app, options.records) for app in RULES]  # type: ignore[misc]
    measures += [
        lambda app=app, tick=tick, path=path: repeated(app, int(tick), Path(path), options.records)  # type: ignore[misc]
        for app, tick, path in options.file
    ]
    for measure in measures:
        found = measure()
        rows.append(found)
        others = ["" if found[kind] is None else f"{found[kind]:,.0f}" for kind in ("csv", "jsonl", "table")]
        print(
            f"{found['stream']:18} {found['records']:11,} {found['unused']:9,} {found['slow']:14,.0f}"
            f" {found['fast']:13,.0f} {found['fast'] / found['slow']:7.1f}"
            + "".join(f" {shown:>14}" for shown in others)
        )
    write_results("loading", rows)


if __name__ == "__main__":
    main()
