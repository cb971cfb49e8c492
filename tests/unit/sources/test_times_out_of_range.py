"""A time that cannot be written again sets its record aside; it neither ends the run nor loses the others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import SetAsideWarning

RULES = """
initiatedAt(on(X)=true, T) :- happensAt(up(X), T).
collectIntervals(busy(_)=true).
holdsFor(kept(X)=true, I) :- holdsFor(busy(X)=true, I).
"""
UP = "happensAt(up(x), ts)"
LAST = "9999-12-31T23:59:59Z"
GOOD = "2026-03-01T08:00:00Z"


@pytest.mark.parametrize("window", [{}, {"window": "30d", "step": "30d"}], ids=str)
@pytest.mark.parametrize("zone", [None, "Europe/Athens", "America/New_York"])
def test_a_start_in_the_last_year_is_set_aside(window: dict[str, Any], zone: str | None, tmp_path: Path) -> None:
    (tmp_path / "ups.csv").write_text(f"x,ts\na,{GOOD}\nb,{LAST}\nc,0001-01-01T00:00:00Z\n", encoding="utf-8")
    (tmp_path / "ups.jsonl").write_text(
        "".join(json.dumps({"name": "up", "time": t, "args": [x]}) + "\n" for x, t in (("a", GOOD), ("b", LAST))),
        encoding="utf-8",
    )
    seconds = pa.array([1772352000, 253402300799, 2**62, -(2**62), 253402300800], pa.timestamp("s", "UTC"))
    table = pa.table({"x": list("abcde"), "ts": seconds})
    objects = [hf.Event("up", "a", at=GOOD), hf.Event("up", "b", at=LAST)]
    for data, n_aside in (
        (f"{tmp_path}/ups.csv: {UP}", 1),
        (tmp_path / "ups.jsonl", 1),
        ((table, UP), 4),
        (objects, 1),
    ):
        for unit in ("s", "us"):
            with pytest.warns(SetAsideWarning, match="is not in the years 1 to 9998"):
                found = hf.recognise(hf.load_text(RULES), data, start=GOOD, time_unit=unit, tz=zone, **window)
            assert found.set_aside == n_aside
            assert found.holds_for("on(a)=true")[0][1] is None
            assert found.to_arrow().num_rows == len(found)
            assert repr(found)


@pytest.mark.parametrize("zone", [None, "Europe/Athens"])
def test_an_end_in_the_last_year_is_an_end(zone: str | None) -> None:
    found = hf.recognise(hf.load_text(RULES), [hf.Fluent("busy", "a", start=GOOD, end=LAST)], tz=zone)
    assert found.set_aside == 0
    ((_, end),) = found.holds_for("kept(a)=true")
    assert end.timestamp() == 253402300799
    assert "9999-12-31T23:59:59" in repr(found)


@pytest.mark.parametrize(
    "more", [[], ["--jobs", "2"], ["--engine", "reference"], ["--live", "--window", "30d"]], ids=str
)
def test_a_run_of_the_command_continues(more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.prolog").write_text(RULES, encoding="utf-8")
    (tmp_path / "ups.csv").write_text(f"name,time,arg1\nup,{GOOD},a\nup,{LAST},b\n", encoding="utf-8")
    assert main(["run", str(tmp_path / "r.prolog"), "--input", str(tmp_path / "ups.csv"), *more]) == 0
    out, err = capsys.readouterr()
    assert "holdsFor(on(a)=true, [('2026-03-01T08:00:01Z',inf)])." in out
    assert "1 set aside" in err
