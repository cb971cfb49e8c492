"""Columns of every type: nulls, booleans, decimals, dates, timestamps, dictionaries and nested fields."""

from __future__ import annotations

import datetime
import json
import math
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import holdsfor as hf
from holdsfor.errors import DataProblem
from holdsfor.syntax.printer import show
from tests.seeds import examples

RULES = hf.load_text("happensAt(seen(A), T) :- happensAt(saw(A), T).")
MARCH = datetime.date(2026, 3, 1)


def seen(data: Any, description: str) -> dict[str, list[int]]:
    """The constants that a run sees, with their times."""
    found = hf.recognise(RULES, (data, description), max_set_aside="100%")
    return {show(event)[5:-1]: times for event, times in found.times.items()}


@pytest.mark.parametrize(
    ("column", "constants"),
    [
        (pa.array([True, False]), ["true", "false"]),
        (pa.array([Decimal("1.50"), Decimal("0.0000001")], pa.decimal128(20, 7)), ["1.5", "1.0e-07"]),
        (pa.array([Decimal(12), Decimal(10**30)], pa.decimal128(38, 0)), ["12", str(10**30)]),
        (pa.array([Decimal(1200), Decimal(7)], pa.decimal256(50, 0)), ["1200", "7"]),
        (pa.array([MARCH, datetime.date(1969, 12, 31)]), ["'2026-03-01'", "'1969-12-31'"]),
        (pa.array([MARCH, MARCH + datetime.timedelta(1)], pa.date64()), ["'2026-03-01'", "'2026-03-02'"]),
        (pa.array([datetime.datetime(1970, 1, 2), datetime.datetime(1970, 1, 1)]), ["86400", "0"]),
        (pa.array(["x", "1.50"]).dictionary_encode(), ["x", "'1.50'"]),
        (pa.array([2, 7]).dictionary_encode(), ["2", "7"]),
        (pa.array(["x", "y"], pa.string_view()), ["x", "y"]),
    ],
)
def test_a_column_of_each_type_has_constants(column: Any, constants: list[str]) -> None:
    table = pa.table({"a": column, "ts": [1, 2]})
    assert sorted(seen(table, "happensAt(saw(a), ts)")) == sorted(constants)


def test_categories_of_pandas_are_text() -> None:
    frame = pd.DataFrame({"a": pd.Categorical(["low", "high", "low"]), "ts": [1, 2, 3]})
    assert seen(frame, "happensAt(saw(a), ts)") == {"high": [2], "low": [1, 3]}


def test_time_makes_time_points_of_dates_and_texts(tmp_path: Path) -> None:
    assert seen(pa.table({"a": [MARCH], "ts": [1]}), "happensAt(saw(a:time), ts)") == {"1772323200": [1]}
    file = tmp_path / "due.csv"
    file.write_text("ts,a\n1,2026-03-01T01:00:00+01:00\n2,soon\n", encoding="utf-8")
    found = hf.recognise(RULES, f"{file}: happensAt(saw(a:time), ts)")
    assert found.happens_at("seen(1772323200)") == [1]
    assert [each.line for each in found.reading.set_aside] == [3]


# -- nulls -------------------------------------------------------------------------------------------------------------

CELLS = st.one_of(st.none(), st.sampled_from([1, 2.5, -7]))


@given(st.lists(CELLS, min_size=1, max_size=8))
@settings(max_examples=examples(25))
def test_null_is_none_with_a_question_mark_and_sets_the_record_aside_without(cells: list[float | None]) -> None:
    """In a table, in CSV and in JSON lines, for NaN, an empty field and a missing key."""
    lines = [{"ts": i} | ({} if cell is None else {"a": float(cell)}) for i, cell in enumerate(cells)]
    table = pa.table({"a": pa.array(cells, pa.float64()), "ts": range(len(cells))})
    with_nan = pa.table({"a": [math.nan if cell is None else float(cell) for cell in cells], "ts": range(len(cells))})

    with tempfile.TemporaryDirectory() as folder:
        text, objects = Path(folder) / "a.csv", Path(folder) / "a.jsonl"
        text.write_text("ts,a\n" + "".join(f"{row['ts']},{row.get('a', '')}\n" for row in lines), encoding="utf-8")
        objects.write_text("".join(f"{json.dumps(row)}\n" for row in lines), encoding="utf-8")
        for data in (table, with_nan, str(text), str(objects)):
            optional = seen(data, "happensAt(saw(a?), ts)")
            required = seen(data, "happensAt(saw(a), ts)")
            nulls = [i for i, cell in enumerate(cells) if cell is None]
            assert optional == required | ({"none": nulls} if nulls else {})
            assert sum(map(len, required.values())) == len(cells) - len(nulls)


def test_a_null_without_a_question_mark_names_its_column() -> None:
    table = pa.table({"speed": [1.5, None, None], "ts": [1, 2, 3]})
    found = hf.recognise(RULES, (table, "happensAt(saw(speed), ts)"))
    assert [(each.line, each.reason) for each in found.reading.set_aside] == [
        (2, "`speed` is null"),
        (3, "`speed` is null"),
    ]


def test_values_may_be_null_and_kinds_combine_with_the_question_mark() -> None:
    rules = hf.load_text(
        "initiatedAt(on(A)=true, T) :- happensAt(start(gear(A)=none), T).\ncollectIntervals(gear(_)=_)."
    )
    table = pa.table({"g": ["003", None], "v": ["1", "2"], "b": [1, 1], "e": [5, 6]})
    found = hf.recognise(rules, (table, "holdsFor(gear(v:number)=g:number?, [(b, e)])"), start=0)
    assert found.holds_for("on(2)=true") == [(1, None)]


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ("happensAt(saw(a), ts?)", "a start cannot be null"),
        ("happensAt(saw(a:numbr?), ts)", "expected the kind of a column"),
        ("happensAt(saw(a.b), ts)", "column `a.b` not found"),
    ],
)
def test_a_wrong_mark_is_an_error_with_its_place(description: str, message: str) -> None:
    with pytest.raises(DataProblem, match=message):
        seen(pa.table({"a": [1], "ts": [1]}), description)


# -- nested fields -----------------------------------------------------------------------------------------------------


def test_fields_inside_columns_are_columns(tmp_path: Path) -> None:
    rows = [
        {"ts": 1, "p": {"lat": 1.5, "q": {"r": "x"}}},
        {"ts": 2, "p": {"lat": 2.5, "q": None}},
        {"ts": 3, "p": None},
    ]
    file = tmp_path / "p.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    for data in (pa.Table.from_pylist(rows), str(file)):
        assert seen(data, "happensAt(saw(p.lat), ts)") == {"1.5": [1], "2.5": [2]}
        assert seen(data, "happensAt(saw(p.q.r?), ts)") == {"none": [2, 3], "x": [1]}


def test_a_column_with_a_dot_in_its_name_comes_first() -> None:
    table = pa.table({"p": [{"lat": 1}], "p.lat": [2], "ts": [1]})
    assert seen(table, "happensAt(saw(p.lat), ts)") == {"2": [1]}
