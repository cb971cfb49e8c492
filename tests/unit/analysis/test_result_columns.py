"""The names and types of the columns of results follow from the inputs and the rules, before any record is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.feather  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.analysis.result_columns import result_columns
from holdsfor.sources.input_columns import input_columns

SPEEDS = pa.table({"mmsi": pa.array([1, 2]), "knots": [3.5, 20.0], "harbour": ["A 1", "b"], "ts": [1, 5]})
SPEED = "happensAt(speed(mmsi, knots), ts)"
DOCK = "happensAt(dock(mmsi, harbour), ts)"


def columns(rules: str, *inputs: Any) -> dict[str, list[str]]:
    compiled = hf.load_text(rules)
    found = result_columns(compiled, input_columns(inputs, compiled.names))
    return {
        table.table: [f"{name}:{kind}" for name, kind in table.arguments]
        + [f"={table.value}"] * (table.value is not None)
        for table in found
    }


ON = "initiatedAt(on(X)=true, T) :- "


@pytest.mark.parametrize(
    ("rules", "expected"),
    {
        "an argument of a typed column": (
            "initiatedAt(on(V)=true, T) :- happensAt(speed(V, _), T).",
            ["mmsi:int64", "=text"],
        ),
        "a value": ("initiatedAt(on(V)=K, T) :- happensAt(speed(V, K), T).", ["mmsi:int64", "=float64"]),
        "two arguments of one column": (
            "initiatedAt(on(V,W)=true, T) :- happensAt(speed(V, _), T), happensAt(dock(W, _), T).",
            ["mmsi_1:int64", "mmsi_2:int64", "=text"],
        ),
        "rules of different types": (
            "initiatedAt(on(V)=true, T) :- happensAt(speed(V, _), T).\n"
            "initiatedAt(on(H)=true, T) :- happensAt(dock(_, H), T).",
            ["mmsi:text", "=text"],
        ),
        "integers and floats": (
            "initiatedAt(on(V)=true, T) :- happensAt(speed(V, _), T).\n"
            "initiatedAt(on(K)=true, T) :- happensAt(speed(_, K), T).",
            ["mmsi:float64", "=text"],
        ),
        "a computed number": (
            "initiatedAt(on(N)=M, T) :- happensAt(speed(V, K), T), N is V + 1, M is K / 2.",
            ["arg1:int64", "=float64"],
        ),
        "a time-point": ("initiatedAt(on(T)=true, T) :- happensAt(speed(_, _), T).", ["arg1:int64", "=text"]),
        "facts": (
            "initiatedAt(on(C)=N, T) :- happensAt(speed(V, _), T), ship(V, C, N).\nship(1, tug, 3). ship(2, 'A', 4).",
            ["arg1:text", "=int64"],
        ),
        "a disjunction": (
            "initiatedAt(on(X)=true, T) :- happensAt(speed(V, K), T), (X = V ; X = K).",
            ["arg1:float64", "=text"],
        ),
        "a count": (
            "initiatedAt(on(V)=N, T) :- happensAt(speed(V,_), T), aggregate_all(count, happensAt(dock(V,_), T), N).",
            ["mmsi:int64", "=int64"],
        ),
        "a structure": ("initiatedAt(on(f(V))=true, T) :- happensAt(speed(V, _), T).", ["arg1:text", "=text"]),
        "a comparison": (
            "initiatedAt(on(V)=K, T) :- happensAt(speed(V, K), T), K > 3.",
            ["mmsi:int64", "=float64"],
        ),
        "an unbound argument ranges over its sort": (
            "initiatedAt(on(V,W)=true, T) :- happensAt(speed(V, _), T), near(V, W).\nnear(1, 2).\n"
            "initiatedAt(on(V,_)=false, T) :- happensAt(dock(V, _), T).",
            ["mmsi:int64", "arg2:int64", "=text"],
        ),
    }.values(),
)
def test_the_columns_of_a_fluent(rules: str, expected: list[str]) -> None:
    assert columns(rules, (SPEEDS, SPEED), (SPEEDS, DOCK))["on"] == expected


def test_static_fluents_have_the_columns_of_their_operands() -> None:
    rules = """
    initiatedAt(a(V)=K, T) :- happensAt(speed(V, K), T).
    initiatedAt(b(H)=true, T) :- happensAt(dock(_, H), T).
    holdsFor(both(V,W)=true, I) :- holdsFor(a(V)=_, J), holdsFor(a(W)=_, K), intersect_all([J,K], I).
    holdsFor(some(X)=true, I) :- holdsFor(a(X)=_, J), holdsFor(b(X)=true, K), union_all([J,K], I).
    """
    found = columns(rules, (SPEEDS, SPEED), (SPEEDS, DOCK))
    assert found["both"] == ["mmsi_1:int64", "mmsi_2:int64", "=text"]
    assert found["some"] == ["mmsi:text", "=text"]


def test_names_that_are_taken_get_an_underscore() -> None:
    table = pa.table({"start": [1], "Value": ["x"], "at": [3]})
    rules = (
        "initiatedAt(on(S,V)=true, T) :- happensAt(up(S, V), T).\nhappensAt(seen(S,V), T) :- happensAt(up(S, V), T)."
    )
    found = columns(rules, (table, "happensAt(up(start, 'Value'), at)"))
    assert found == {"on": ["start_:int64", "Value_:text", "=text"], "seen": ["start:int64", "Value:text"]}


def test_fluents_of_one_name_have_tables_with_their_arity() -> None:
    rules = ON + "happensAt(up(X), T).\ninitiatedAt(on(X,Y)=true, T) :- happensAt(up(X,Y), T)."
    assert list(columns(rules)) == ["on_1", "on_2"]


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv"])
def test_a_file_has_the_columns_of_its_schema(suffix: str, tmp_path: Path) -> None:
    file = tmp_path / f"speeds.{suffix}"
    writers = {
        "parquet": pyarrow.parquet.write_table,
        "arrow": lambda table, path: pyarrow.feather.write_feather(table, str(path)),
        "csv": lambda table, path: path.write_text("mmsi,knots,ts\n1,2.5,3\n"),
    }
    writers[suffix](SPEEDS, file)
    rules = "initiatedAt(on(V)=K, T) :- happensAt(speed(V, K), T)."
    typed, untyped = ["mmsi:int64", "=float64"], ["mmsi:text", "=text"]
    assert columns(rules, f"{file}: {SPEED}")["on"] == (untyped if suffix == "csv" else typed)
    if suffix == "csv":
        kinds = "happensAt(speed(mmsi:text, knots:number), ts)"
        assert columns(rules, f"{file}: {kinds}")["on"] == ["mmsi:text", "=float64"]


def test_roles_of_columns_name_the_columns_of_results() -> None:
    table = pa.table({"vessel": ["a"], "what": ["up"], "ts": [1]})
    roles = {"vessel": "arg1", "what": "name", "ts": "start"}
    assert columns(ON + "happensAt(up(X), T).", (table, roles))["on"] == ["vessel:text", "=text"]


def test_records_without_columns_have_numbered_arguments_as_text() -> None:
    assert columns(ON + "happensAt(up(X), T).", ["up|1|1|3"])["on"] == ["arg1:text", "=text"]


def test_a_table_is_found_by_name_and_a_misspelling_is_an_error() -> None:
    rules = hf.load_text(ON + "happensAt(up(X), T).")
    result = hf.recognise(rules, ["up|1|1|3"])
    assert result["on"].equals(result["on/1"])
    for name, message in {"onn": "did you mean `on`", "up": "`up` is input", "xyz": "the results are `on`"}.items():
        with pytest.raises(KeyError, match=message):
            result[name]
