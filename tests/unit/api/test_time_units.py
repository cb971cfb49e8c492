"""Every output has the moments of the input, for each unit of its times, each unit of the run and each source."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.feather  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from matplotlib.text import Text

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.query.result_files import read_results
from holdsfor.sources.times import Unit

pd = pytest.importorskip("pandas", reason="pandas is not installed")
pl = pytest.importorskip("polars", reason="polars is not installed")

RULES = """
initiatedAt(on(X)=true, T) :- happensAt(up(X), T).
terminatedAt(on(X)=true, T) :- happensAt(down(X), T).
happensAt(seen(X), T) :- happensAt(up(X), T).
"""
COLUMNS = ["happensAt(up(x), up)", "happensAt(down(x), down)"]
UP, DOWN = dt.datetime(2026, 3, 1, 8), dt.datetime(2026, 3, 1, 9, 30, 1)
TICKS = {"s": dt.timedelta(seconds=1), "ms": dt.timedelta(milliseconds=1), "us": dt.timedelta(microseconds=1)}
UNITS: tuple[Unit, ...] = ("s", "ms", "us")

Source = Callable[[pa.Table, Path], Any]


def _parquet(table: pa.Table, folder: Path) -> str:
    pq.write_table(table, folder / "rows.parquet")
    return str(folder / "rows.parquet")


def _csv(table: pa.Table, folder: Path) -> str:
    rows = [",".join(value if isinstance(value, str) else value.isoformat() for value in row.values())
            for row in table.to_pylist()]  # fmt: skip
    (folder / "rows.csv").write_text("\n".join([",".join(table.column_names), *rows, ""]), encoding="utf-8")
    return str(folder / "rows.csv")


SOURCES: dict[str, Source] = {
    "arrow": lambda table, _: table,
    "pandas": lambda table, _: table.to_pandas(),
    "pandas of Arrow types": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": lambda table, _: pl.from_arrow(table),
    "parquet": _parquet,
    "csv": _csv,
}


def frame_of(unit: str, zone: str | None) -> pa.Table:
    kind = pa.timestamp(unit, zone)
    moments = (moment if zone is None else moment.replace(tzinfo=dt.UTC) for moment in (UP, DOWN))
    return pa.table(
        {"x": ["a"], **{name: pa.array([moment], kind) for name, moment in zip(("up", "down"), moments, strict=True)}}
    )


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_every_output_has_the_moments_of_the_input(source: str, zone: str | None, tmp_path: Path) -> None:
    for unit, of_run in product(("s", "ms", "us", "ns"), UNITS):
        data = SOURCES[source](frame_of(unit, zone), tmp_path)
        up, down = (moment if zone is None else moment.replace(tzinfo=dt.UTC) for moment in (UP, DOWN))
        inputs = [(data, columns) for columns in COLUMNS]
        found = hf.recognise(hf.load_text(RULES), *inputs, time_unit=of_run)
        session = hf.Session(hf.load_text(RULES), time_unit=of_run)
        session.insert(*inputs)
        span = (up + TICKS[of_run], down + TICKS[of_run])
        for result in (found, session.query(down)):
            _check_values(result, up, span)
            _check_tables(result, up, span)
            _check_answers(result, up, span)
        report = hf.Session(hf.load_text(RULES), time_unit=of_run)
        report.insert(*inputs)
        _check_changes(report.query(down), up, span)
        if (unit, of_run) in (("us", "s"), ("s", "us")):
            shown = " ".join(text.get_text() for text in found.plot().findobj(Text))
            assert "2026" in shown
            assert "1970" not in shown


def _check_values(result: Any, up: dt.datetime, span: Any) -> None:
    assert result.holds_for("on(a)=true") == [span]
    assert result.holds_for("on") == {"on(a)=true": [span]}
    assert result.happens_at("seen(a)") == [up]
    assert list(result.rows()) == [("fluent", "on(a)=true", *span), ("event", "seen(a)", up, up)]
    assert result.holds_at(up) == result.holds_at(span[1]) == []
    assert result.holds_at(span[0]) == ["on(a)=true"]


def _check_tables(result: Any, up: dt.datetime, span: Any) -> None:
    assert result["on"].select(["start", "end"]).to_pylist() == [dict(zip(("start", "end"), span, strict=True))]
    assert result["seen"]["time"].to_pylist() == [up]
    for table in (result.to_arrow(), pa.table(result.to_polars()), pa.Table.from_pandas(result.to_pandas())):
        assert [table[name].to_pylist() for name in ("start", "end")] == [[span[0], up], [span[1], up]]


def _check_answers(result: Any, up: dt.datetime, span: Any) -> None:
    assert result.query("holdsFor(on(a)=true, I)")["I"].to_pylist() == [
        [dict(zip(("start", "end"), span, strict=True))]
    ]
    assert result.query("holdsFor(on(b)=true, I)")["I"].to_pylist() == [[]]
    assert result.query("happensAt(seen(X), T)").to_pylist() == [{"X": "a", "T": up}]
    pair = result.query("holdsFor(on(a)=true, I), member((S,E), I)").select(["S", "E"]).to_pylist()
    assert pair == [dict(zip("SE", span, strict=True))]


def _check_changes(report: hf.Report, up: dt.datetime, span: Any) -> None:
    assert [(change.old, change.new) for change in report.changes] == [(None, span), (None, up)]
    assert report.feed("on").select(["start", "end"]).to_pylist() == [dict(zip(("start", "end"), span, strict=True))]
    assert report.feed("seen")["time"].to_pylist() == [up]
    assert report.feed()["start"].to_pylist() == [span[0], up]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "arrow"])
def test_files_have_the_moments_of_the_input(form: str, tmp_path: Path) -> None:
    (tmp_path / "r.prolog").write_text(RULES, encoding="utf-8")
    cases: list[tuple[str, Unit, str | None]] = [
        ("us", "s", "UTC"),
        ("ns", "ms", None),
        ("ms", "ms", None),
        ("s", "us", "UTC"),
    ]
    for unit, of_run, zone in cases:
        pq.write_table(frame_of(unit, zone), tmp_path / "rows.parquet")
        inputs = [f"{tmp_path / 'rows.parquet'}: {columns}" for columns in COLUMNS]
        run = ["run", str(tmp_path / "r.prolog"), "--input", *inputs, "--time-unit", of_run, "--format", form]
        span = tuple((moment + TICKS[of_run] - dt.datetime(1970, 1, 1)) // TICKS[of_run] for moment in (UP, DOWN))
        for place in (f"{tmp_path}/{form}/", f"{tmp_path}/all.{form}"):
            assert main([*run, "-o", place]) == 0
            assert list(read_results(place).fluents["on", 1]().rows(0)) == [span], (unit, of_run, zone, place)
        changes = [*run, "--window", "2h", "--step", "2h"]
        for more, place in (
            (("--report", "changes", "-o"), "report"),
            (("-o", f"{tmp_path}/all.{form}", "--changes"), "feed"),
        ):
            assert main([*changes, *more, f"{tmp_path}/{place}.{form}"]) == 0
            text = _text_of(tmp_path / f"{place}.{form}")
            assert "2026" in text
            assert "1970" not in text


def _text_of(file: Path) -> str:
    """The content of a file of results as text."""
    read = {".parquet": pq.read_table, ".arrow": pyarrow.feather.read_table}.get(file.suffix)
    return file.read_text(encoding="utf-8") if read is None else str(read(file).to_pylist())
