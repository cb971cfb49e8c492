"""Spark = embedded: the same records and rules have the same answer, with any number of buckets and files.

`tests/properties/test_stages.py` tests the stages on hundreds of programs; here Spark does the shuffles.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import holdsfor as hf
from tests.apps.runs import RUNS
from tests.properties.keyed_programs import keyed_case
from tests.properties.staged import in_any_order
from tests.seeds import some
from tests.spark.answers import embedded_rows, options_of, records_of, spark_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BUCKETS = (7, 2, 12, 1)


def scattered(lines: list[str], folder: Path, seed: int) -> str:
    """The lines in any order, in several files."""
    chance = random.Random(seed)
    chance.shuffle(lines)
    n_files = chance.randint(1, 3)
    folder.mkdir()
    for i in range(n_files):
        (folder / f"part{i}.txt").write_text("\n".join(lines[i::n_files]) + "\n", encoding="utf-8")
    return str(folder)


@pytest.mark.parametrize("name", some(RUNS, 4))
def test_an_application_has_the_same_tables(name: str, spark: SparkSession, tmp_path: Path) -> None:
    run, number = RUNS[name], list(RUNS).index(name)
    rules, options = hf.load(*run.files), options_of(run)
    lines = records_of(run).read_text(encoding="utf-8").splitlines()
    folder = scattered(lines, tmp_path / "records", number)
    found = hf.spark.recognise(rules, spark.read.text(folder), buckets=BUCKETS[number % 4], **options)
    embedded = hf.recognise(rules, records_of(run), **options)
    assert in_any_order(found.results.toArrow()) == in_any_order(embedded.to_arrow())
    assert list(found.schemas()) == list(embedded.tables())
    for table in some(found.schemas(), 2):  # each is a job; the stages are tested with all tables
        assert in_any_order(found[table].toArrow()) == in_any_order(embedded[table])
    found.unpersist()


@pytest.mark.parametrize("name", some(["ctm", "voting"], 1))
def test_windows_settle_the_same_answer_with_late_records(name: str, spark: SparkSession, tmp_path: Path) -> None:
    run = RUNS[name]
    chance = random.Random(1)
    late: list[str] = []
    for line in records_of(run).read_text(encoding="utf-8").splitlines():
        record, arrival, rest = line.split("|", 2)
        late.append(f"{record}|{int(arrival) + chance.choice([0, 0, 1, 12, 40])}|{rest}")
    path = tmp_path / "late.txt"
    path.write_text("\n".join(late) + "\n", encoding="utf-8")
    rules, options = hf.load(*run.files), {**options_of(run), "window": run.window, "step": max(1, run.window // 2)}
    embedded = hf.recognise(rules, path, **options)
    assert embedded.dropped
    found = hf.spark.recognise(spark.read.text(str(path)), rules, buckets=2, **options)
    counts = {row.what: row.n for row in found.counts.collect()}
    assert counts["dropped"] == embedded.dropped
    assert spark_rows(found) == embedded_rows(rules, path, **options)


@pytest.mark.parametrize("seed", some([6002, 6005, 6130, 6021], 2))
def test_random_programs_have_the_same_answer(seed: int, spark: SparkSession, tmp_path: Path) -> None:
    case = keyed_case(seed)
    lines = [text for _, text in case.records]
    folder = scattered(lines, tmp_path / "records", seed)
    rules = hf.load_text(case.text)
    options: dict[str, Any] = {"start": case.start, "end": case.end}
    found = hf.spark.recognise(spark.read.text(folder), rules, buckets=3, **options)
    files = sorted(Path(folder).iterdir())
    assert spark_rows(found) == embedded_rows(rules, *files, **options)


def test_allen_memory_has_the_same_effect(spark: SparkSession, tmp_path: Path) -> None:
    rules = hf.load_text("""
        collectIntervals(low(_)=true).
        collectIntervals(high(_)=true).
        holdsFor(follows(X)=true, I) :-
            holdsFor(low(X)=true, I1), holdsFor(high(X)=true, I2), allen(before, I1, I2, target, I).
        grounding(low(X)=true) :- thing(X).
        grounding(high(X)=true) :- thing(X).
        grounding(follows(X)=true) :- thing(X).
        thing(a). thing(b). thing(c).
    """)
    path = tmp_path / "records.txt"
    lows = [f"low|4|1|4|true|{thing}\n" for thing in "abc"]
    highs = [f"high|{at}|{at}|{at + 1}|true|{thing}\n" for thing, at in zip("abc", (7, 15, 35), strict=True)]
    path.write_text("".join(lows + highs), encoding="utf-8")
    memories: list[dict[str, int]] = [{"allen_memory": 5}, {"window": 20, "step": 10}, {}]
    for n_related, memory in enumerate(memories, start=1):
        options: dict[str, Any] = {"start": 0, "end": 40, **memory}
        expected = embedded_rows(rules, path, **options)
        assert len(expected) == n_related
        assert spark_rows(hf.spark.recognise(spark.read.text(str(path)), rules, buckets=2, **options)) == expected
