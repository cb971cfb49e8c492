"""The library: rules and data of every kind to results."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.errors import AnalysisProblem, DataProblem
from holdsfor.runtime.reports.report import ReportColumns
from holdsfor.runtime.session import EngineSession

TOY = Path(__file__).parents[3] / "apps" / "toy"
RULES = (TOY / "rules.prolog", TOY / "background.prolog")


@pytest.fixture(scope="module")
def result() -> hf.Result:
    return hf.recognise(hf.load(*RULES), TOY / "events.txt", start=0, end=30)


def test_the_day_of_chris(result: hf.Result) -> None:
    assert result.holds_for("happy(chris)=true") == [(14, 22)]
    assert result.holds_at(16) == ["happy(chris)=true", "location(chris)=work", "rich(chris)=true"]


def test_windows_do_not_change_the_answer(result: hf.Result) -> None:
    windowed = hf.recognise(hf.load(*RULES), TOY / "events.txt", start=0, end=30, window=6, step=3)
    assert windowed.intervals == result.intervals


def test_without_merged_windows_every_query_time_that_may_change_something_is_evaluated(
    result: hf.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    query = EngineSession.query

    def noted(session: EngineSession, at: int) -> ReportColumns:
        asked.append(at)
        return query(session, at)

    monkeypatch.setattr(EngineSession, "query", noted)
    rules, events = hf.load(*RULES), TOY / "events.txt"
    windowed = hf.recognise(rules, events, start=0, end=30, window=6, step=3, merge_windows=False)
    first_to_see_a_record = {9, 15, 18, 21}  # of 9, of 13, of 17, of 19 and 21
    assert first_to_see_a_record <= {*asked} <= {*range(3, 31, 3)}
    assert asked == sorted(asked)
    assert asked[-1] == 30
    assert windowed.intervals == result.intervals


def test_an_fvp_that_never_holds_has_no_intervals_and_a_misspelling_is_an_error(result: hf.Result) -> None:
    assert result.holds_for("sad(anna)=true") == []
    assert result.holds_for("happy(christine)=true") == []
    assert result.holds_for("location(chris)=homes") == []
    with pytest.raises(KeyError, match="did you mean `happy`"):
        result.holds_for("hapy(chris)=true")
    with pytest.raises(KeyError, match="did you mean `win_lottery`"):
        result.happens_at("win_lotery(chris)")


def test_the_same_records_as_table_and_as_parquet_file(result: hf.Result, tmp_path: Path) -> None:
    lines = [line.split("|") for line in (TOY / "events.txt").read_text().split()]
    table = pa.table(
        {
            "name": [fields[0] for fields in lines],
            "start": [int(fields[2]) for fields in lines],
            "arg1": [fields[3] for fields in lines],
            "arg2": [fields[4] if len(fields) > 4 else None for fields in lines],
        }
    )
    file = tmp_path / "events.parquet"
    pyarrow.parquet.write_table(table, file)
    for data in (table, file):
        assert hf.recognise(hf.load(*RULES), data, start=0, end=30).intervals == result.intervals


def test_a_result_is_a_table_too(result: hf.Result) -> None:
    table = result.to_arrow()
    row = {"kind": "fluent", "name": "location", "arguments": ["chris"], "value": "home"}
    assert row | {"fvp": "location(chris)=home", "start": 22, "end": None} in table.to_pylist()
    assert [tuple(row.values()) for row in table.select(["kind", "fvp", "start", "end"]).to_pylist()] == [
        *result.rows()
    ]


def test_a_result_has_a_text_and_html_form(result: hf.Result) -> None:
    assert repr(result).splitlines()[1] == "  happy(chris)=true  [(14,22)]"
    assert "<code>happy(chris)=true</code>" in result._repr_html_()


def test_errors_name_the_wrong_input() -> None:
    with pytest.raises(AnalysisProblem, match="HF202"):
        hf.load_text("initiatedAt(rich(X), T) :- happensAt(win(X), T).")
    with pytest.raises(DataProblem, match="HF502"):
        hf.recognise(hf.load(*RULES), {"name": ["go_to"]})
