"""A revision is a retraction and an insertion with one `revision` id, in every kind of input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem
from holdsfor.sources.revision_ids import MOST_OPEN, RevisionRecord, incomplete_revisions, pair_revisions
from holdsfor.sources.text_records import NOWHERE

RULE = "initiatedAt(on(X)=true, T) :- happensAt(go(X), T). terminatedAt(on(X)=true, T) :- happensAt(halt(X), T)."
RULES = hf.load_text(RULE)
ROWS = [
    {"name": "go", "start": 1, "arg1": "a", "op": "+", "revision": None},
    {"name": "halt", "start": 5, "arg1": "a", "op": "+", "revision": None},
    {"name": "halt", "start": 5, "arg1": "a", "op": "-", "revision": "r1"},
    {"name": "halt", "start": 7, "arg1": "a", "op": "+", "revision": "r1"},
]
ALONE = {"name": "go", "start": 8, "arg1": "b", "op": "+", "revision": "r2"}
OWN = "happensAt(go(who), ts), op(sign), revision(fix)"


def table(*rows: dict[str, Any]) -> Any:
    return pa.Table.from_pylist(list(rows))


def files(folder: Path, rows: list[dict[str, Any]]) -> list[Path]:
    """The rows as CSV, JSON lines and Parquet."""
    csv, jsonl, parquet = (folder / f"records.{suffix}" for suffix in ("csv", "jsonl", "parquet"))
    lines = [",".join("" if value is None else str(value) for value in row.values()) for row in rows]
    csv.write_text("\n".join([",".join(rows[0]), *lines]) + "\n")
    jsonl.write_text("".join(json.dumps(row) + "\n" for row in rows))
    pyarrow.parquet.write_table(table(*rows), parquet)
    return [csv, jsonl, parquet]


def test_a_revision_is_accepted_from_every_input(tmp_path: Path) -> None:
    for given in (table(*ROWS), *files(tmp_path, ROWS)):
        for window in (None, 10):
            result = hf.recognise(RULES, given, window=window)
            assert result.intervals[hf.term("on(a)=true")] == [(2, 8)]
            assert (result.unmatched, result.set_aside) == (0, 0)


def test_an_incomplete_revision_is_unmatched(tmp_path: Path) -> None:
    for given in (table(*ROWS, ALONE), *files(tmp_path, [*ROWS, ALONE])):
        for window in (None, 10):
            result = hf.recognise(RULES, given, window=window)
            assert result.unmatched == 1
            assert result.intervals[hf.term("on(b)=true")] == [(9, None)]


def test_a_session_counts_incomplete_revisions_of_a_call() -> None:
    session = hf.Session(RULES, start=0, window=20)
    assert session.insert(table(*ROWS)).unmatched == []
    done = session.insert(table(ALONE, ALONE | {"start": 9}))
    assert [each.reason for each in done.unmatched] == ["revision `r2` has no retraction"] * 2
    report = session.query()
    assert report.unmatched == 2
    assert report.holds_for("on(a)=true") == [(2, 8)]
    strict = hf.Session(RULES, start=0, window=20, strict=True)
    with pytest.raises(DataProblem, match="revision `r2` has no retraction"):
        strict.insert(table(ALONE))
    assert strict.query().intervals == {}


def test_columns_of_a_mapping_may_be_the_operation_and_the_revision() -> None:
    own = pa.table({"who": ["a", "a", "a"], "ts": [1, 1, 4], "sign": ["+", "-", "+"], "fix": [None, 7, 7]})
    result = hf.recognise(RULES, (own, OWN))
    assert result.intervals == {hf.term("on(a)=true"): [(5, None)]}
    assert result.unmatched == 0


@pytest.mark.parametrize("options", [["--engine", "reference"], [], ["--live", "--window", "10"]])
def test_every_engine_names_incomplete_revisions(
    options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rules.prolog").write_text(RULE, encoding="utf-8")
    for file in files(tmp_path, [*ROWS, ALONE])[:2]:
        stats, set_aside = (file.with_suffix(f"{file.suffix}.{name}") for name in ("stats", "set_aside"))
        given = ["run", f"{tmp_path}/rules.prolog", "--input", str(file), *options]
        assert main([*given, "--stats", str(stats), "--set-aside", str(set_aside)]) == 0
        assert json.loads(stats.read_text())["unmatched"] == 1
        assert json.loads(set_aside.read_text())["reason"] == "revision `r2` has no retraction"
        assert main([*given, "--strict"]) == 2
        assert "revision `r2` has no retraction" in capsys.readouterr().err


def test_the_reason_names_the_missing_record() -> None:
    assert incomplete_revisions(["a", "a", "b", "c", "c"], [True, False, True, False, False]) == {
        2: "revision `b` has no insertion",
        3: "revision `c` has no retraction",
        4: "revision `c` has no retraction",
    }
    assert incomplete_revisions(["a"] * 3, [True, False, False])[0] == (
        "revision `a` has 1 retraction and 2 insertions, expected one of each"
    )


def test_a_stream_stores_few_open_revisions() -> None:
    records = [RevisionRecord(str(i), False, NOWHERE) for i in range(MOST_OPEN + 3)]
    waiting, alone = pair_revisions(records)
    assert len(waiting) == MOST_OPEN
    assert [each.reason for each in alone] == [f"revision `{i}` has no retraction" for i in range(3)]
    assert pair_revisions([*waiting, RevisionRecord("9", True, NOWHERE)])[1] == []
    assert len(pair_revisions([records[0], records[0]])[1]) == 1
