"""The kind `integer` of a column: integers of texts and of numbers, with the type int64 in results."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.errors import SetAsideWarning

RULES = hf.load_text("initiatedAt(level(S)=N, T) :- happensAt(read(S, N), T).")
MAPPING = "happensAt(read(sensor, n:integer), ts)"


def found(given: Any, mapping: str = MAPPING) -> list[int]:
    result = hf.recognise(RULES, (given, mapping), start=0)
    table = result["level"]
    assert table.schema.field("value").type == pa.int64()
    return [row["value"] for row in sorted(table.to_pylist(), key=lambda row: row["start"])]


def table(column: Any) -> Any:
    n = len(column)
    return pa.table({"sensor": [f"s{i}" for i in range(n)], "n": column, "ts": list(range(1, n + 1))})


@pytest.mark.parametrize(
    "column",
    [
        ["3", "-5", "007"],
        [" 3", "-5.0", "+7"],
        pa.array([3.0, -5.0, 7.0]),
        pa.array([3.0, -5.0, 7.0], pa.float32()),
        pa.array([3, -5, 7], pa.int16()),
        pa.array([Decimal("3.00"), Decimal("-5.00"), Decimal("7.00")]),
        pa.array(["3", "-5", "7"]).dictionary_encode(),
        pa.array([3.0, -5.0, 7.0]).dictionary_encode(),
    ],
    ids=["texts", "odd texts", "floats", "short floats", "integers", "decimals", "dictionary", "dictionary of floats"],
)
def test_whole_numbers_of_any_type_are_integers(column: Any) -> None:
    assert found(table(column)) == [3, -5, 7]


@pytest.mark.parametrize(
    ("column", "reasons"),
    [
        (["3", "4.5", "many", "7"], ["found `4.5`", "found `many`"]),
        (pa.array([3.0, 4.5, float("inf"), 7.0]), ["found `4.5`", "found `inf`"]),
        (pa.array([3.0, 2.0**60, None, 7.0]), ["found `1.152921504606847e+18`", "`n` is null"]),
        (pa.array([True, None, False, None]).cast(pa.string()), []),
    ],
    ids=["texts", "floats", "large and missing", "booleans"],
)
def test_other_values_are_set_aside(column: Any, reasons: list[str]) -> None:
    if not reasons:
        with pytest.raises(Exception, match="HF510"):
            found(table(column))
        return
    with pytest.warns(SetAsideWarning):
        result = hf.recognise(RULES, (table(column), MAPPING), start=0)
    assert result["level"].column("value").to_pylist() == [3, 7]
    assert all(reason in each.reason for reason, each in zip(reasons, result.reading.set_aside, strict=True))


def test_files_roles_and_facts_have_the_kind(tmp_path: Path) -> None:
    csv, lines, records = tmp_path / "n.csv", tmp_path / "n.jsonl", tmp_path / "records.csv"
    csv.write_text("sensor,n,ts\ns0,3,1\ns1,5.0,2\n")
    objects = [
        {"sensor": "s0", "n": 3, "ts": 1},
        {"sensor": "s1", "n": 5.0, "ts": 2},
        {"sensor": "s2", "n": "7", "ts": 3},
    ]
    lines.write_text("\n".join(map(json.dumps, objects)))
    records.write_text("name,start,arg1,arg2:integer\nread,1,s0,3\nread,2,s1,5.0\n")
    assert found(str(csv)) == [3, 5]
    assert found(str(lines)) == [3, 5, 7]
    result = hf.recognise(RULES, str(records), start=0)
    assert result["level"].schema.field("value").type == pa.int64()
    roles = {"kind": "name", "ts": "start", "sensor": "arg1", "n": "arg2:integer"}
    with_name = table(["3", "5"]).append_column("kind", pa.array(["read", "read"]))
    assert hf.recognise(RULES, (with_name, roles), start=0)["level"].column("value").to_pylist() == [3, 5]
    rules = hf.load_text("initiatedAt(level(S)=N, T) :- happensAt(read(S), T), size(S, N).")
    rules = rules.with_facts([{"id": "s0", "n": "3.0"}], "size(id, n:integer)")
    assert hf.recognise(rules, ["read|1|1|s0"]).holds_for("level(s0)=3") == [(2, None)]


def test_an_optional_column_of_integers_may_lack_values() -> None:
    result = hf.recognise(RULES, (table(["3", None]), "happensAt(read(sensor, n:integer?), ts)"), start=0)
    assert [show for _, show, *_ in result] == ["level(s0)=3", "level(s1)=none"]
