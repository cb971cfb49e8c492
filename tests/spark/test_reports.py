"""Reports on Spark = embedded reports: the same known results and changes at every query time, with late records.

`tests/properties/test_staged_reports.py` tests the stages on random programs; here Spark does the shuffles and repeats
rows for their query times.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import UsageProblem
from holdsfor.parallel.stages.admission import RunSchedule
from tests.apps.runs import RUNS
from tests.properties.staged import embedded_reports
from tests.seeds import some
from tests.spark.answers import embedded_rows, options_of, records_of, spark_reports, spark_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.in_turn(3)


def lines_of(name: str, seed: int, window: int) -> list[str]:
    """The records of an application; some are late, some are retracted."""
    chance, lines = random.Random(seed), list[str]()
    for line in records_of(RUNS[name]).read_text(encoding="utf-8").splitlines():
        record, arrival, rest = line.split("|", 2)
        at = int(arrival) + int(chance.choice([0, 0, 0, 0.4, 2]) * window)
        lines.append(f"{record}|{at}|{rest}")
        if chance.random() < 0.05:
            lines.append(f"-{record}|{at + 1 + window // 2}|{rest}")
    return lines


@pytest.mark.parametrize(
    ("name", "window"), some([("toy", 7), ("ctm", 30), ("voting", 10), ("netbill", 10), ("maritime", 2000)], 2)
)
def test_an_application_has_the_same_reports(name: str, window: int, spark: SparkSession, tmp_path: Path) -> None:
    run, number = RUNS[name], list(RUNS).index(name)
    options = {**options_of(run), "window": window, "step": window // 2 + 1}
    rules, lines = hf.load(*run.files), lines_of(name, number, window)
    path = tmp_path / "records.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = hf.spark.recognise(spark.read.text(str(path)), rules, buckets=3, **options)
    expected = embedded_reports(lines, rules, found.run)
    assert spark_reports(found) == expected
    assert any(known for known in expected.known.values())
    assert len(found.run.query_times) > 1
    counted = Counter[str]()
    for row in found.reports.counts.collect():
        assert row.query_time in found.run.query_times[1:] or row.what == "dropped"
        counted[row.what] += row.n
    admission_counts = found.counts.where("what in ('late', 'dropped', 'cut')").collect()
    assert counted == {row.what: row.n for row in admission_counts}
    found.unpersist()


def test_too_many_query_times_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "records.txt"
    path.write_text(f"on|2|2|a\non|{2**61}|{2**61}|a\n", encoding="utf-8")
    rules = hf.load_text("initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).")
    found = hf.spark.recognise(spark.read.text(str(path)), rules, buckets=1, window=5)
    assert [(row.fvp, row.start) for row in found.intervals.collect()] == [("lit(a)=true", 3)]
    with pytest.raises(UsageProblem, match="query times"):
        _ = found.reports
    found.unpersist()


def test_a_late_decision_of_a_stage_changes_reports_of_the_next_stage(spark: SparkSession, tmp_path: Path) -> None:
    rules = hf.load_text("""
        collectIntervals(near(_, _)=true).
        initiatedAt(lit(X)=true, T) :- happensAt(on(X), T).
        terminatedAt(lit(X)=true, T) :- happensAt(off(X), T).
        holdsFor(bright(X)=true, I) :- holdsFor(lit(X)=true, I1), intDurGreater(I1, 15, I).
        initiatedAt(warned(Y)=true, T) :- happensAt(start(near(X, Y)=true), T), not holdsAt(bright(X)=true, T).
        terminatedAt(warned(Y)=true, T) :- happensAt(calm(Y), T).
        grounding(bright(X)=true) :- lamp(X).
        grounding(lit(X)=true) :- lamp(X).
        lamp(a). lamp(b).
    """)
    lines = ["on|2|2|a", "off|33|30|a", "near|9|9|12|true|a|y", "near|11|11|14|true|b|z", "calm|31|31|z"]
    path = tmp_path / "records.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = hf.spark.recognise(spark.read.text(str(path)), rules, buckets=2, start=0, end=40, window=5)
    reports = spark_reports(found)
    assert reports == embedded_reports(lines, rules, found.run)
    assert reports.known[15]["warned(y)=true"] == {(9, None)}
    assert ("warned(y)=true", (9, None), None) in reports.changes[20]
    found.unpersist()


def test_rules_may_use_the_query_time_in_windows(spark: SparkSession, tmp_path: Path) -> None:
    rules = hf.load_text("happensAt(known(V, Q), T) :- happensAt(seen(V), T), queryTime(Q).")
    lines = ["seen|3|3|a", "seen|9|7|a", "seen|14|14|b", "seen|29|2|b"]
    path = tmp_path / "records.txt"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    options: dict[str, Any] = {"start": 0, "end": 30, "window": 10, "step": 5}
    found = hf.spark.recognise(spark.read.text(str(path)), rules, **options)
    reports = spark_reports(found)
    assert reports == embedded_reports(lines, rules, RunSchedule(0, 30, 1, 10, 5))
    assert reports.known[10] == {"known(a,10)": {3, 7}}
    assert spark_rows(found) == embedded_rows(rules, path, **options)


def test_the_command_writes_reports(spark: SparkSession, tmp_path: Path) -> None:
    rules, records, place = tmp_path / "rules.prolog", tmp_path / "records.txt", tmp_path / "found"
    rules.write_text("initiatedAt(at(X)=Y, T) :- happensAt(go_to(X, Y), T).\n", encoding="utf-8")
    records.write_text("go_to|9|9|chris|work\ngo_to|17|17|chris|pub\n", encoding="utf-8")
    arguments = ["spark", "run", str(rules), "--input", str(records), "-o", str(place), "--start", "0", "--end", "24"]
    assert main([*arguments, "--window", "12", "--report", "known", "--report", "changes"]) == 0
    written = sorted(path.name for path in place.iterdir() if path.is_dir())
    assert written == ["at", "report_at", "report_changes", "set_aside", "tables"]
    rows = sorted(tuple(row.values()) for row in rows_of(place / "report_at"))
    assert rows == [(12, "chris", "work", 10, None), (24, "chris", "pub", 18, None), (24, "chris", "work", 10, 18)]
    listed = {row["table"]: (row["kind"], row["name"], row["arity"]) for row in rows_of(place / "tables")}
    assert sorted([*listed, "tables"]) == written
    assert listed["report_at"] == ("report of fluent", "at", 1)
    changes = {(row["query_time"], row["fvp"], row["change"]) for row in rows_of(place / "report_changes")}
    assert {(12, "at(chris)=work", "added"), (24, "at(chris)=work", "shortened")} <= changes


def rows_of(place: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(place).to_pylist()
    return rows
