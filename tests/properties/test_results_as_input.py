"""Results are valid input: intervals that are written, and read again as records, are the same intervals.

The first input has null as the end of an open interval, in typed sources of all units of time. Each output format that
is also an input format is read with a description of its columns.
"""

from __future__ import annotations

import datetime as dt
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.sources.times import Unit
from tests.seeds import chunks, named, share

pl = pytest.importorskip("polars", reason="polars is not installed")

RULES = """
collectIntervals(busy(_)=_).
holdsFor(kept(X)=L, I) :- holdsFor(busy(X)=L, I).
"""
BUSY = "holdsFor(busy(x)=value, [(start, end)])"
FIRST = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


def random_table(chance: random.Random, kind: pa.DataType) -> pa.Table:
    """Intervals, some of them open, with times of a type."""
    rows: dict[str, list[Any]] = {"x": [], "value": [], "start": [], "end": []}
    for _ in range(chance.randint(1, 8)):
        start = chance.randint(0, 50)
        end = None if chance.random() < 0.3 else start + chance.randint(1, 9)
        values = chance.choice("abc"), chance.randint(1, 2), start, end
        for name, value in zip(rows, values, strict=True):
            rows[name].append(value)
    columns = {name: pa.array(values) for name, values in rows.items()}
    for name in ("start", "end") if kind != pa.int64() else ():
        times = [None if time is None else FIRST + dt.timedelta(seconds=time) for time in rows[name]]
        columns[name] = pa.array(times, pa.timestamp("us", "UTC")).cast(pa.timestamp(kind.unit, "UTC")).cast(kind)
    return pa.table(columns)


def random_case(seed: int) -> tuple[pa.Table, Unit]:
    chance = random.Random(seed)
    units = [pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC", "Europe/Athens")]
    return random_table(chance, chance.choice([pa.int64(), *units])), chance.choice(get_args(Unit))


def sources(table: pa.Table, folder: Path) -> Iterator[Any]:
    """The same records as inputs of all kinds."""
    yield table, BUSY
    yield table.to_pandas(), BUSY
    yield pl.from_arrow(table), BUSY
    records = table.rename_columns(["arg1", "value", "start", "end"])
    records = records.append_column("name", pa.array(["busy"] * len(table)))
    yield records
    pq.write_table(records, folder / "records.parquet")
    yield folder / "records.parquet"
    rows = table.to_pylist()
    yield [hf.Fluent("busy", row["x"], value=row["value"], start=row["start"], end=row["end"]) for row in rows]
    if not any("ns" in str(kind) for kind in table.schema.types):
        lines = [json.dumps({**row, "name": "busy"}, default=dt.datetime.isoformat) for row in records.to_pylist()]
        (folder / "records.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")
        yield folder / "records.jsonl"


def written(run: list[str], folder: Path) -> Iterator[str]:
    """The results of a command in all formats of tables, as inputs."""
    for form in ("csv", "jsonl", "parquet", "arrow"):
        assert main([*run, "-o", f"{folder}/{form}/", "--format", form]) == 0
        yield f"{folder}/{form}/kept.{form}: {BUSY}"


def facts_of(run: list[str], folder: Path) -> str:
    """The results of a command as text, which are facts of rules."""
    assert main([*run, "--times", "integer", "-o", f"{folder}/facts.txt", "--format", "text"]) == 0
    return (folder / "facts.txt").read_text(encoding="utf-8").replace("kept(", "busy(")


def answer(data: Any, unit: Unit) -> hf.Result:
    """The result of the rules over an input in which every record fits."""
    found = hf.recognise(hf.load_text(RULES), data, time_unit=unit)
    assert found.set_aside == 0
    return found


@pytest.mark.parametrize("seeds", chunks(share(range(120), 20), 10), ids=named)
def test_results_are_read_as_the_same_intervals(seeds: range, tmp_path: Path) -> None:
    (tmp_path / "r.prolog").write_text(RULES, encoding="utf-8")
    for seed in seeds:
        table, unit = random_case(seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        expected = answer((table, BUSY), unit)
        kept = expected["kept"].rename_columns(["x", "value", "start", "end"])
        for source in [*sources(table, folder), *sources(kept, folder)]:
            assert answer(source, unit).intervals == expected.intervals, (seed, source)
        for frame in (kept, kept.to_pandas()):
            assert answer((frame, BUSY), unit).time_type == expected.time_type, seed
        pq.write_table(table, folder / "busy.parquet")
        run = ["run", f"{tmp_path / 'r.prolog'}", "--input", f"{folder}/busy.parquet: {BUSY}", "--time-unit", unit]
        for source in written(run, folder):
            assert answer(source, unit).intervals == expected.intervals, (seed, source)
        given = hf.load_text(RULES + facts_of(run, folder))
        assert hf.recognise(given, []).intervals == expected.intervals, seed
