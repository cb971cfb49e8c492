"""Times of results have the unit and zone of the input column, so `merge_asof` and joins need no conversion."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.feather  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem

RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(speed(V, Kmh), T), Kmh > 50.
terminatedAt(fast(V)=true, T) :- happensAt(speed(V, Kmh), T), Kmh =< 50.
happensAt(stop(V), T) :- happensAt(speed(V, 0), T).
"""
SPEED = "happensAt(speed(v, kmh), ts)"
BASE = datetime.datetime(2026, 3, 1, 7, 0, 0)
SPEEDS = [60, 70, 0, 80]


def speeds(kind: pa.DataType) -> pa.Table:
    times = pa.array([BASE + datetime.timedelta(minutes=i) for i in range(4)]).cast(pa.timestamp("s"))
    times = times if kind.tz is None else times.cast(pa.timestamp("s", "UTC"))
    return pa.table({"ts": times.cast(kind), "v": ["a"] * 4, "kmh": SPEEDS})


KINDS = [
    pa.timestamp("ns"), pa.timestamp("us"), pa.timestamp("s"), pa.timestamp("ns", "Europe/Athens"),
    pa.timestamp("ms", "UTC"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "jobs"), [*((kind, 1) for kind in KINDS), (KINDS[3], 2)], ids=str)
def test_results_have_the_type_of_the_column(kind: pa.DataType, jobs: int, tmp_path: Path) -> None:
    rules, table = hf.load_text(RULES), speeds(kind)
    pq.write_table(table, tmp_path / "s.parquet")
    stored = pq.read_schema(tmp_path / "s.parquet").field("ts").type
    for data, expected in (((table, SPEED), kind), (f"{tmp_path / 's.parquet'}: {SPEED}", stored)):
        found = hf.recognise(rules, data, jobs=jobs)
        assert {found["fast"].schema.field(name).type for name in ("start", "end")} == {expected}
        assert found["stop"].schema.field("time").type == expected
        assert found.to_arrow().schema.field("start").type == expected
        assert found["stop"]["time"].to_pylist() == [table["ts"][2].as_py()]
        assert found.query("happensAt(stop(V), T)").schema.field("T").type == expected


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_files_and_sessions_have_the_type_of_the_column(kind: pa.DataType, tmp_path: Path) -> None:
    pa.feather.write_feather(speeds(kind), tmp_path / "s.arrow")
    (tmp_path / "r.prolog").write_text(RULES, encoding="utf-8")
    run = ["run", str(tmp_path / "r.prolog"), "--input", f"{tmp_path / 's.arrow'}: {SPEED}"]
    assert main([*run, "-o", f"{tmp_path}/out/", "--format", "arrow"]) == 0
    assert pa.feather.read_table(tmp_path / "out" / "stop.arrow").schema.field("time").type == kind
    rules = hf.load_text(RULES)
    session = hf.Session(rules, window="1h")
    session.insert((speeds(kind), SPEED))
    assert session.query()["fast"].schema.field("start").type == kind
    again = hf.Session.restore(session.snapshot(), rules)
    assert again.query()["fast"].schema.field("start").type == kind


def test_several_columns_have_the_finest_unit_and_utc() -> None:
    data = [(speeds(pa.timestamp("ms", "Europe/Athens")), SPEED), (speeds(pa.timestamp("us", "UTC")), SPEED)]
    assert hf.recognise(hf.load_text(RULES), *data)["stop"].schema.field("time").type == pa.timestamp("us", "UTC")


def test_the_zone_of_the_run_and_a_finer_unit_win() -> None:
    found = hf.recognise(
        hf.load_text(RULES), (speeds(pa.timestamp("s", "UTC")), SPEED), tz="Europe/Paris", time_unit="ms"
    )
    assert found["stop"].schema.field("time").type == pa.timestamp("ms", "Europe/Paris")


def test_a_time_that_the_unit_cannot_represent_is_an_error() -> None:
    rules = hf.load_text(RULES + "fi(fast(V)=true, fast(V)=long, 300*52*weeks).")
    with pytest.raises(DataProblem, match="HF731"):
        hf.recognise(rules, (speeds(pa.timestamp("ns")).slice(0, 1), SPEED), end="2400-01-01").to_arrow()


def test_pandas_merges_results_with_the_data() -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    for zone in (None, "Europe/Athens"):
        for unit in ("ns", "us"):
            times = pd.date_range(BASE, periods=4, freq="min", tz=zone).as_unit(unit)
            frame = pd.DataFrame({"ts": times, "v": "a", "kmh": SPEEDS})
            found = hf.recognise(hf.load_text(RULES), (frame, SPEED))["fast"].to_pandas()
            assert found["start"].dtype == frame["ts"].dtype
            merged = pd.merge_asof(frame, found, left_on="ts", right_on="start", by="v")
            assert merged["start"].notna().tolist() == [False, True, True, True]


def test_polars_joins_results_with_the_data() -> None:
    pl = pytest.importorskip("polars", reason="polars is not installed")
    for zone in (None, "Europe/Athens"):
        for unit in ("ns", "us", "ms"):
            moments: Any = pl.datetime_range(
                BASE, BASE + datetime.timedelta(minutes=3), "1m", time_unit=unit, time_zone=zone, eager=True
            )
            frame = pl.DataFrame({"ts": moments, "v": ["a"] * 4, "kmh": SPEEDS})
            found = hf.recognise(hf.load_text(RULES), (frame, SPEED))
            stops = pl.from_arrow(found["stop"])
            assert frame.join(stops, left_on=["ts", "v"], right_on=["time", "v"]).height == 1
            fast = pl.from_arrow(found["fast"]).sort("start")
            merged = frame.sort("ts").join_asof(fast, left_on="ts", right_on="start", by="v")
            assert merged["start"].is_not_null().to_list() == [False, True, True, True]
