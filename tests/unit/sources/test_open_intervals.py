"""Input intervals without an end: `inf` in text, null in every source whose values can be null."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from pyarrow import orc

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.syntax.printer import show

RULES = """
collectIntervals(busy(_)=true).
grounding(busy(X)=true) :- m(X). grounding(idle(X)=true) :- m(X). m(a). m(b).
holdsFor(idle(X)=true, J) :- holdsFor(busy(X)=true, I), complement_all([I], J).
happensAt(freed(X), T) :- happensAt(end(busy(X)=true), T).
"""
TEXT = "busy|5|5|inf|true|a\nbusy|3|3|7|true|b\nbusy|9|9|10|true|b\n"
COLUMNS = 'holdsFor(busy(who)="true", [(since, until?)])'
ROWS = [(5, None, "a"), (3, 7, "b"), (9, 10, "b")]
ANSWER = {"idle(a)=true": [(3, 5)], "idle(b)=true": [(7, 9), (10, None)]}


Answer = dict[str, list[tuple[int, int | None]]]


def answer(data: Any, **options: Any) -> Answer:
    return shown(hf.recognise(hf.load_text(RULES), data, **options))


def shown(result: hf.Result | hf.Report) -> Answer:
    return {show(fvp): intervals for fvp, intervals in result.intervals.items()}


def table(ends: Any) -> Any:
    return pa.table({"who": ["a", "b", "b"], "since": [5, 3, 9], "until": ends})


@pytest.mark.parametrize("options", [{}, {"tick": 1, "window": 4, "step": 2}])
def test_a_text_record_may_end_at_inf(tmp_path: Path, options: dict[str, Any]) -> None:
    (tmp_path / "records.txt").write_text(TEXT, encoding="utf-8")
    assert answer(tmp_path / "records.txt", **options) == ANSWER


def test_inf_is_the_end_of_an_interval_at_any_tick(tmp_path: Path) -> None:
    (tmp_path / "records.txt").write_text("busy|40|40|inf|true|a\nbusy|0|0|80|true|b\n", encoding="utf-8")
    assert answer(tmp_path / "records.txt", tick=40)["idle(a)=true"] == [(0, 40)]


def test_csv_and_json_lines_have_inf_too(tmp_path: Path) -> None:
    csv, lines = tmp_path / "records.csv", tmp_path / "records.jsonl"
    csv.write_text(
        "name,start,end,value,arg1\nbusy,5,inf,true,a\nbusy,3,7,true,b\nbusy,9,10,true,b\n", encoding="utf-8"
    )
    rows = [(5, "inf", "a"), (3, 7, "b"), (9, 10, "b")]
    records = [{"name": "busy", "start": s, "end": e, "value": "true", "args": [x]} for s, e, x in rows]
    lines.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    assert answer(csv) == answer(lines) == ANSWER


def test_a_null_end_is_open_in_a_column_with_a_question_mark() -> None:
    assert answer((table(pa.array([None, 7, 10])), COLUMNS)) == ANSWER
    assert answer((table(pa.array(["inf", "7", "10"])), COLUMNS.replace("?", ""))) == ANSWER


def test_a_null_end_is_open_in_every_source(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    pl = pytest.importorskip("polars", reason="polars is not installed")
    described, columns = table(pa.array([None, 7, 10])), COLUMNS.replace("?", "")
    rows = [{"name": "busy", "start": s, "end": e, "value": "true", "arg1": x} for s, e, x in ROWS]
    events = [{"name": "other", "start": 4, "end": None, "value": None, "arg1": None}]
    files = {form: tmp_path / f"records.{form}" for form in ("parquet", "orc", "csv", "jsonl")}
    pq.write_table(pa.Table.from_pylist(events + rows), files["parquet"])
    orc.write_table(pa.Table.from_pylist(rows), files["orc"])
    files["csv"].write_text("who,since,until\na,5,\nb,3,7\nb,9,10\n", encoding="utf-8")
    files["jsonl"].write_text("".join(json.dumps(row) + "\n" for row in events + rows), encoding="utf-8")
    frame = described.to_pandas()
    assert frame["until"].dtype == "float64"
    given: list[Any] = [(described, columns), (frame, columns), (pl.from_arrow(described), columns)]
    given += [pd.DataFrame(rows), pl.DataFrame(rows), files["parquet"], files["orc"], files["jsonl"]]
    given += [f"{files['csv']}: {columns}", [hf.Fluent("busy", x, start=s, end=e) for s, e, x in ROWS]]
    for data in given:
        assert answer(data) == ANSWER, data
    infinite = frame.assign(until=[math.inf, 7.0, 10.0])
    assert answer((infinite, columns)) == ANSWER


def test_an_end_that_is_not_a_whole_number_is_set_aside() -> None:
    result = hf.recognise(hf.load_text(RULES), (table(pa.array([None, 7.5, 10.0])), COLUMNS))
    assert [each.reason for each in result.reading.set_aside] == ["expected an integer as `until`, found `7.5`"]


def test_a_record_without_an_end_is_a_time_point_if_its_fvp_arrives_as_points() -> None:
    rules = hf.load_text("""
        collectIntervals(mode(_)=open). points(mode(_)=seen).
        holdsFor(opened(X)=true, I) :- holdsFor(mode(X)=open, I).
        holdsFor(noted(X)=true, I) :- holdsFor(mode(X)=seen, I).
    """)
    rows = [("open", 2, None), ("seen", 5, None), ("open", 8, 9), ("seen", 7, None)]
    records = [{"name": "mode", "start": s, "end": e, "value": v, "arg1": "a"} for v, s, e in rows]
    found = shown(hf.recognise(rules, pa.Table.from_pylist(records)))
    assert found == {"noted(a)=true": [(5, 6), (7, 8)], "opened(a)=true": [(2, None)]}


def test_a_time_point_in_python_is_no_open_interval() -> None:
    result = hf.recognise(hf.load_text(RULES), [hf.Fluent("busy", "a", at=5), hf.Fluent("busy", "b", start=3)])
    assert [each.reason for each in result.reading.set_aside] == [
        "expected `busy|arrival|start|end|value|arg1`, found `busy|arrival|occurrence|value|arg1`"
    ]
    assert "idle(b)=true" not in shown(result)


def test_an_open_interval_that_does_not_fit_has_its_reason() -> None:
    record = {"name": "busy", "start": 2**62 + 1, "end": None, "value": "true", "arg1": "a"}
    result = hf.recognise(hf.load_text(RULES), pa.Table.from_pylist([record]), max_set_aside=1)
    assert [each.reason for each in result.reading.set_aside] == [
        f"the start {2**62 + 1} is not between -2^62 and 2^62"
    ]


def test_a_start_is_never_inf(tmp_path: Path) -> None:
    (tmp_path / "records.txt").write_text("busy|3|inf|inf|true|a\n" + TEXT, encoding="utf-8")
    result = hf.recognise(hf.load_text(RULES), tmp_path / "records.txt")
    assert (result.set_aside, shown(result)) == (1, ANSWER)


def test_an_open_fluent_of_python_is_closed_by_a_revision() -> None:
    session = hf.Session(hf.load_text(RULES), start=0, window=20, step=5)
    session.insert([hf.Fluent("busy", "a", start=2, end=math.inf)])
    assert shown(session.query(5))["idle(a)=true"] == [(0, 2)]
    session.retract([hf.Fluent("busy", "a", start=2, end=math.inf)])
    session.insert([hf.Fluent("busy", "a", start=2, end=8)])
    report = session.query(10)
    assert shown(report)["idle(a)=true"] == [(0, 2), (8, None)]
    assert report.unmatched == 0


def test_a_fact_of_the_rules_may_end_at_inf() -> None:
    rules = hf.load_text(RULES + "holdsFor(busy(a)=true, [(5,inf)]). holdsFor(busy(b)=true, [(3,7), (9,10)]).")
    assert shown(hf.recognise(rules, [])) == ANSWER


def test_the_reference_evaluator_reads_inf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rules.prolog").write_text(RULES, encoding="utf-8")
    (tmp_path / "records.txt").write_text(TEXT, encoding="utf-8")
    outputs = []
    for engine in ("reference", "columnar"):
        files = [str(tmp_path / "rules.prolog"), "--input", str(tmp_path / "records.txt")]
        assert main(["run", *files, "--engine", engine]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert "idle(a)=true, [(3,5)]" in outputs[0]
