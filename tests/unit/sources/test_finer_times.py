"""A time that is finer than a second needs the unit of time: an error of a batch run that names the unit that fits.

With a unit, and in sessions and live runs, records between two time-points are set aside. A text that is no time does
not make the unit unknown.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import SetAsideWarning, UsageProblem

RULES = "initiatedAt(on(X)=true, T) :- happensAt(up(X), T)."
UP = "happensAt(up(x), ts)"
WHOLE = dt.datetime(2026, 3, 1, 8, tzinfo=dt.UTC)
MOMENTS = {
    "ms": [WHOLE, WHOLE + dt.timedelta(milliseconds=250)],
    "us": [WHOLE, WHOLE + dt.timedelta(milliseconds=250), WHOLE + dt.timedelta(microseconds=7)],
}


def _csv(moments: list[dt.datetime], folder: Path) -> Any:
    lines = ["x,ts", *(f"a,{moment.isoformat()}" for moment in moments), ""]
    (folder / "ups.csv").write_text("\n".join(lines), encoding="utf-8")
    return str(folder / "ups.csv"), UP


def _json(moments: list[dt.datetime], folder: Path) -> Any:
    lines = [json.dumps({"name": "up", "time": moment.isoformat(), "args": ["a"]}) for moment in moments]
    (folder / "ups.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return folder / "ups.jsonl"


def _arrow(moments: list[dt.datetime], _: Path) -> Any:
    return pa.table({"x": ["a"] * len(moments), "ts": moments}), UP


def _parquet(moments: list[dt.datetime], folder: Path) -> Any:
    pq.write_table(_arrow(moments, folder)[0], folder / "ups.parquet")
    return str(folder / "ups.parquet"), UP


SOURCES: dict[str, Callable[[list[dt.datetime], Path], Any]] = {
    "arrow": _arrow,
    "pandas": lambda moments, folder: (_arrow(moments, folder)[0].to_pandas(), UP),
    "parquet": _parquet,
    "csv": _csv,
    "json": _json,
    "objects": lambda moments, _: [hf.Event("up", "a", at=moment) for moment in moments],
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("unit", MOMENTS)
def test_a_batch_run_without_a_unit_is_refused_with_the_unit_that_fits(source: str, unit: Any, tmp_path: Path) -> None:
    data, rules = SOURCES[source](MOMENTS[unit], tmp_path), hf.load_text(RULES)
    for jobs in (1, 2) if source in ("csv", "parquet") else (1,):
        with pytest.raises(UsageProblem, match=rf'HF716.*between two time-points[^$]*hint: `time_unit="{unit}"`'):
            hf.recognise(rules, data, jobs=jobs)
    assert hf.recognise(rules, data, time_unit=unit).set_aside == 0
    with pytest.warns(SetAsideWarning, match=r"between two time-points: the unit of time is `s`, and `.s` fits"):
        found = hf.recognise(rules, data, time_unit="s")
    assert found.set_aside == len(MOMENTS[unit]) - 1
    session = hf.Session(rules)
    with pytest.warns(SetAsideWarning, match=r"between two time-points: the unit of time is `s`, and `.s` fits"):
        assert len(session.insert(data).set_aside) == found.set_aside


def test_a_time_finer_than_all_units_is_set_aside() -> None:
    times = pa.array([0, 500, 1_000_000_000], pa.int64()).cast(pa.timestamp("ns"))
    with pytest.warns(SetAsideWarning, match="and the finest is `us`"):
        assert hf.recognise(hf.load_text(RULES), (pa.table({"x": ["a"] * 3, "ts": times}), UP)).set_aside == 1


def test_a_finer_time_of_a_record_that_no_rule_uses_does_not_matter() -> None:
    table = pa.table(
        {"name": ["up", "other"], "time": [WHOLE, WHOLE + dt.timedelta(milliseconds=1)], "arg1": ["a", "b"]}
    )
    assert hf.recognise(hf.load_text(RULES), table).set_aside == 0


@pytest.mark.parametrize("more", [[], ["--jobs", "2"], ["--engine", "reference"]], ids=str)
def test_the_command_names_the_option(more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.prolog").write_text(RULES, encoding="utf-8")
    file, columns = _csv(MOMENTS["us"], tmp_path)
    run = ["run", str(tmp_path / "r.prolog"), "--input", f"{file}: {columns}"]
    assert main([*run, *more]) == 2
    error = capsys.readouterr().err
    assert "error[HF716]" in error
    assert f"--> {file}:3" in error
    assert "hint: `--time-unit us` is the unit that fits; with `--time-unit s`, such records are set aside" in error
    assert main([*run, *more, "--time-unit", "s"]) == 0
    assert "2 set aside" in capsys.readouterr().err


def test_a_live_run_sets_finer_times_aside(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.prolog").write_text(RULES, encoding="utf-8")
    file, columns = _csv(MOMENTS["ms"], tmp_path)
    assert main(["run", str(tmp_path / "r.prolog"), "--input", f"{file}: {columns}", "--live", "--window", "20"]) == 0
    error = capsys.readouterr().err
    assert "1 set aside" in error
    assert "the unit of time is `s`, and `ms` fits" in error


@pytest.mark.parametrize("more", [[], ["--jobs", "2"], ["--engine", "reference"], ["--live", "--window", "9"]], ids=str)
def test_texts_that_are_no_times_are_not_integers_of_an_unknown_unit(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "r.prolog").write_text(f"{RULES}\nft(on(X)=true, 2*hours).\n", encoding="utf-8")
    (tmp_path / "ups.csv").write_text("name,time,arg1\nup,01.03.2026,a\nup,02.03.2026,a\n", encoding="utf-8")
    assert main(["run", str(tmp_path / "r.prolog"), "--input", str(tmp_path / "ups.csv"), *more]) == 3
    error = capsys.readouterr().err
    assert "2 × expected an integer or a time such as `2026-03-01T08:00:00Z` as `time`" in error
    assert "found `01.03.2026`" in error
    assert "HF714" not in error
