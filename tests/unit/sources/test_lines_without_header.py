"""Descriptions of files without a header, and of intervals with a length."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem, SetAsideWarning

RULES = """
collectIntervals(active(_)=true).
holdsFor(busy(X)=true, I) :- holdsFor(active(X)=true, I).
"""
ACTIVE = 'holdsFor(active(sensor)="true", [(start, start + length)])'
COLUMNS = f"{ACTIVE}, columns(start, length, sensor)"
ANSWER = {"busy(m1)=true": [(3, 8), (20, None)], "busy(m2)=true": [(4, 5)]}
ROWS = [("3", "5", "m1"), ("4", "1", "m2"), ("20", "", "m1")]


def answer(data: Any, **options: Any) -> Any:
    return hf.recognise(hf.load_text(RULES), data, **options).holds_for("busy")


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_description_names_the_columns_of_lines_without_a_header(delimiter: str, tmp_path: Path) -> None:
    path = tmp_path / "activity.txt"
    path.write_text("\n" + "".join(f"{delimiter.join(row)}\n" for row in ROWS), encoding="utf-8")
    for options in ({"jobs": 1}, {"jobs": 2}, {"window": 30}):
        assert answer((path, COLUMNS), **options) == ANSWER
    session = hf.Session(hf.load_text(RULES))
    assert session.insert((path, COLUMNS)).n_records == 3


def test_rows_of_large_files_have_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "activity.csv"
    path.write_text("".join(f"{i},1,m{i % 7}\n" for i in range(0, 600_000, 2)) + "5,x,m1\n1,2\n", encoding="utf-8")
    for jobs in (1, 2):
        with pytest.warns(SetAsideWarning, match="2 of 300,002"):
            found = hf.recognise(hf.load_text(RULES), (path, COLUMNS), jobs=jobs)
        assert sorted((each.line, each.reason.partition(",")[0]) for each in found.reading.set_aside) == [
            (300001, "expected an integer or a time such as `2026-03-01T08:00:00Z` as `length`"),
            (300002, "expected 3 fields"),
        ]
        assert len(found) == 300_000


@pytest.mark.parametrize("more", [[], ["--engine", "reference"], ["--live", "--window", "30"]], ids=str)
def test_the_command_reads_lines_without_a_header(
    more: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "r.prolog").write_text(RULES, encoding="utf-8")
    (tmp_path / "activity.csv").write_text("".join(f"{','.join(row)}\n" for row in ROWS), encoding="utf-8")
    assert main(["run", str(tmp_path / "r.prolog"), "--input", f"{tmp_path}/activity.csv: {COLUMNS}", *more]) == 0
    assert "holdsFor(busy(m1)=true, [(3,8),(20,inf)])." in capsys.readouterr().out


def test_columns_that_are_not_read_have_no_name(tmp_path: Path) -> None:
    path = tmp_path / "activity.csv"
    path.write_text("7,3,x,5,m1\n8,4,y,1,m2\n", encoding="utf-8")
    assert answer((path, f"{ACTIVE}, columns(_, start, _, length, sensor)")) == {
        "busy(m1)=true": [(3, 8)], "busy(m2)=true": [(4, 5)]
    }  # fmt: skip


def test_facts_may_be_lines_without_a_header(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("1,ann\n2,bob\n", encoding="utf-8")
    rules = hf.load_text("happensAt(named(N), T) :- happensAt(seen(I), T), person(I, N). seen(_).")
    rules = rules.with_facts(tmp_path / "people.csv", "person(id:integer, name), columns(id, name)")
    found = hf.recognise(rules, hf.Event("seen", 1, at=3))
    assert found.happens_at("named(ann)") == [3]


@pytest.mark.parametrize("unit", ["s", "ms"])
def test_a_length_is_a_number_of_time_points_or_a_duration(unit: Any, tmp_path: Path) -> None:
    start, length = dt.datetime(2026, 3, 1, 8), dt.timedelta(minutes=90)
    expected = {"busy(m1)=true": [(start, start + length)]}
    n = length // (dt.timedelta(seconds=1) if unit == "s" else dt.timedelta(milliseconds=1))
    for lengths in (pa.array([length]), pa.array([length], pa.duration("s")), pa.array([n]), pa.array([float(n)])):
        table = pa.table({"start": [start], "length": lengths, "sensor": ["m1"]})
        assert answer((table, ACTIVE), time_unit=unit) == expected
        assert answer((table.to_pandas(), ACTIVE), time_unit=unit) == expected
        pq.write_table(table, tmp_path / "rows.parquet")
        assert answer((tmp_path / "rows.parquet", ACTIVE), time_unit=unit) == expected


def test_lengths_that_do_not_fit_are_set_aside() -> None:
    lengths = pa.array([1_500, 0, -5_000, 2_000], pa.duration("ms"))
    table = pa.table({"start": [1, 2, 3, 4], "length": lengths, "sensor": ["m1"] * 4})
    with pytest.warns(SetAsideWarning):
        found = hf.recognise(hf.load_text(RULES), (table, ACTIVE))
    assert [each.reason for each in found.reading.set_aside] == [
        "the length in `length` is not a whole number of units of time: the unit is `s`",
        "the interval ends at 2, not after its start 2",
        "the interval ends at -2, not after its start 3",
    ]
    assert found.holds_for("busy(m1)=true") == [(4, 6)]


def test_wrong_descriptions_are_refused(tmp_path: Path) -> None:
    table = pa.table({"start": [1], "length": [2], "sensor": ["m1"]})
    (tmp_path / "rows.jsonl").write_text('{"start": 1, "length": 2, "sensor": "m1"}\n', encoding="utf-8")
    cases: list[tuple[Any, str, str]] = [
        (table, COLUMNS, "HF505.*`table` has names"),
        (tmp_path / "rows.jsonl", COLUMNS, "HF505.*has names"),
        (table, ACTIVE.replace("start + ", "sensor + "), r"expected the column of the start before `\+`"),
        (table, f"{ACTIVE}, columns(start, 5)", "expected the name of a column"),
        (table, f"{ACTIVE}, other(start)", r"`columns\(column, …\)`"),
    ]
    for data, columns, message in cases:
        with pytest.raises(DataProblem, match=message):
            hf.recognise(hf.load_text(RULES), (data, columns))
    (tmp_path / "rows.csv").write_text("1,2,m1\n", encoding="utf-8")
    with pytest.raises(
        DataProblem, match=r"HF505.*column `length` not found.*\n.*\n.*\n.*\n.*\n.*its columns are `start`"
    ):
        hf.recognise(hf.load_text(RULES), (tmp_path / "rows.csv", f"{ACTIVE}, columns(start, b, c)"))
