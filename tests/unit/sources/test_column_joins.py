"""Columns and facts whose types never join are refused before the run: integers, floats and texts.

The bug this is for: pandas makes a column of ids floats when one of them is missing, and the ids join nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem

IDS: dict[str, list[Any]] = {"integers": [7, 8], "floats": [7.0, 8.0], "text": ["7", "8"]}
DIFFERENT = [(one, other) for one in IDS for other in IDS if one != other]
EVENTS = "happensAt(both(V), T) :- happensAt(stop(V), T), happensAt(speed(V, _), T)."
FLUENT = """
initiatedAt(moving(V)=true, T) :- happensAt(speed(V, _), T).
happensAt(both(V), T) :- happensAt(stop(V), T), holdsAt(moving(V)=true, T).
"""
FACTS = "happensAt(known(V), T) :- happensAt(stop(V), T), vessel(V, _)."
STOP, SPEED = "happensAt(stop(id{0}), ts)", "happensAt(speed(mmsi{0}, knots), ts)"


def stops(ids: list[Any]) -> pa.Table:
    return pa.table({"id": ids, "ts": [2, 3]})


def speeds(ids: list[Any]) -> pa.Table:
    return pa.table({"mmsi": ids, "knots": [3, 4], "ts": [1, 3]})


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
@pytest.mark.parametrize("rule", [EVENTS, FLUENT], ids=["events", "a fluent"])
def test_columns_of_different_types_that_a_rule_joins_are_refused(rule: str, one: str, other: str) -> None:
    rules = hf.load_text(rule)
    inputs = [(stops(IDS[one]), STOP.format("")), (speeds(IDS[other]), SPEED.format(""))]
    for given in (inputs, inputs[::-1]):
        with pytest.raises(DataProblem, match="HF507") as found:
            hf.recognise(rules, *given)
        assert "column `id` of `stop/1`" in str(found.value)
        assert "column `mmsi` of `speed/2`" in str(found.value)
        session = hf.Session(rules, start=0, window=10)
        session.insert(given[0])
        with pytest.raises(DataProblem, match="HF507"):
            session.insert(given[1])
        assert session.n_records == 2
    cured = [(stops(IDS[one]), STOP.format(":integer")), (speeds(IDS[other]), SPEED.format(":integer"))]
    assert hf.recognise(rules, *cured).times


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_a_column_and_facts_of_different_types_are_refused(one: str, other: str) -> None:
    rules = hf.load_text(FACTS).with_facts(pa.table({"v": IDS[other], "x": ["a", "b"]}), "vessel(v, x)")
    with pytest.raises(
        DataProblem, match=rf"HF507[\s\S]*column `id` of `stop/1` [\s\S]*`vessel\(V,_\)`, which has {other}"
    ):
        hf.recognise(rules, (stops(IDS[one]), STOP.format("")))
    assert hf.recognise(rules, (stops(IDS[other]), STOP.format(""))).times


def test_an_error_names_both_columns_and_the_cure() -> None:
    frame = pd.DataFrame({"id": [7, None], "ts": [1, 2]})
    with pytest.raises(DataProblem) as found:
        hf.recognise(hf.load_text(EVENTS), (frame, STOP.format("")), (speeds([7, 8]), SPEED.format("")))
    assert str(found.value) == (
        "error[HF507]: column `id` of `stop/1` has floats, but a rule joins `stop(V)` with `speed(V,_)`, which has "
        "integers in column `mmsi` of `speed/2` (line 1 of `text`)\n"
        "hint: write `id:integer` in the description of the columns"
    )


def test_the_types_of_columns_of_records_follow_from_the_records() -> None:
    rules = hf.load_text(EVENTS)

    def table(name: str, ids: list[Any]) -> pa.Table:
        return pa.table({"name": [name] * 2, "start": [1, 2], "arg1": ids, "arg2": [1, 1]})

    stop = table("stop", IDS["floats"]).drop_columns("arg2")
    with pytest.raises(DataProblem, match=r"`arg1` of `stop/1` has floats[\s\S]*call the column `arg1:integer`"):
        hf.recognise(rules, stop, table("speed", IDS["integers"]))
    assert hf.recognise(rules, stop, table("other", IDS["integers"])).times == {}
    assert hf.recognise(rules, stop, table("speed", IDS["floats"])).times


def test_a_second_input_of_another_type_is_refused_if_none_of_its_ids_can_join() -> None:
    rules = hf.load_text(EVENTS)
    first = [(stops([7, 8]), STOP.format("")), (speeds([7, 8]), SPEED.format(""))]
    with pytest.raises(DataProblem, match=r"column `id` of `stop/1` has floats"):
        hf.recognise(rules, *first, (stops([7.0, 8.0]), STOP.format("")))
    hf.recognise(rules, *first, (stops(["a", "b"]), STOP.format("")), (speeds(["a", "b"]), SPEED.format("")))


def test_facts_of_both_types_and_facts_in_a_choice_are_accepted() -> None:
    for facts in ("vessel(7, a). vessel(x, b).", "vessel(x, b). vessel(X, b) :- X = 7.", "port(1)."):
        goal = "vessel(V, _)" if "vessel" in facts else "(port(V) ; V = 7)"
        rules = hf.load_text(f"{facts} happensAt(known(V), T) :- happensAt(stop(V), T), {goal}.")
        assert hf.recognise(rules, (stops([7, 8]), STOP.format(""))).times


def test_a_fluent_is_refused_whose_only_grounding_has_facts_of_another_type() -> None:
    fluent = "initiatedAt(seen(V)=true, T) :- happensAt(stop(V), T). grounding(seen(V)=true) :- vessel(V)."
    with pytest.raises(DataProblem, match=r"joins `seen\(V\)=true` with `vessel\(V\)`, which has text"):
        hf.recognise(hf.load_text(f"{fluent} vessel(a). vessel(b)."), (stops([7, 8]), STOP.format("")))
    hf.recognise(hf.load_text(f"{fluent} vessel(a). vessel(7)."), (stops([7, 8]), STOP.format("")))


@pytest.mark.parametrize("options", [[], ["--jobs", "2"], ["--window", "10"], ["--engine", "reference"]])
def test_the_command_refuses_columns_that_never_join(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rules.prolog").write_text(EVENTS)
    pyarrow.parquet.write_table(stops([7.0, 8.0]), tmp_path / "stops.parquet")
    (tmp_path / "speeds.csv").write_text("mmsi,knots,ts\n7,1,1\n8,1,2\n")
    inputs = [
        f"{tmp_path}/stops.parquet: {STOP.format('')}",
        f"{tmp_path}/speeds.csv: {SPEED.format(':integer')}",
    ]
    assert main(["run", f"{tmp_path}/rules.prolog", "--input", *inputs, *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "error[HF507]: column `id` of `stop/1` has floats" in err


def test_a_live_run_refuses_columns_that_never_join(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules.prolog").write_text(EVENTS)
    (tmp_path / "stops.csv").write_text("id,ts\n7,1\n")
    (tmp_path / "speeds.csv").write_text("mmsi,knots,ts\n7,1,1\n")
    inputs = [f"{tmp_path}/stops.csv: {STOP.format(':text')}", f"{tmp_path}/speeds.csv: {SPEED.format(':integer')}"]
    run = ["run", f"{tmp_path}/rules.prolog", "--live", "--window", "10", "--step", "5", "--input", *inputs]
    assert main(run) == 2
    assert "error[HF507]: column `id` of `stop/1` is text" in capsys.readouterr().err
