"""prepared = unprepared = embedded, for all rules that read the same records and for any start and end."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from holdsfor.errors import DataProblem
from tests.apps.runs import RUNS
from tests.properties.staged import embedded_reports
from tests.seeds import some
from tests.spark.answers import embedded_rows, options_of, records_of, spark_reports, spark_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.in_turn(3)


def counts_of(found: Any) -> dict[tuple[str, str], int]:
    return {(row.what, row.name): row.n for row in found.counts.collect()}


def test_an_application_has_the_same_answer_from_prepared_history(spark: SparkSession, tmp_path: Path) -> None:
    run = RUNS["maritime"]
    rules, options = hf.load(*run.files), options_of(run)
    history = hf.spark.prepare(spark.read.text(str(records_of(run))), rules, str(tmp_path / "history"), buckets=3)
    assert spark_rows(hf.spark.recognise(history, rules, **options)) == embedded_rows(rules, records_of(run), **options)


def test_any_part_of_prepared_history_has_the_unprepared_answer(spark: SparkSession, tmp_path: Path) -> None:
    run, place = RUNS["voting"], str(tmp_path / "history")
    rules, options = hf.load(*run.files), options_of(run)
    history = hf.spark.prepare(spark.read.text(str(records_of(run))), rules, place, buckets=3)
    first, last = history.extent(rules.names)
    assert first is not None
    assert last is not None
    part = {**options, "start": (first + last) // 2, "end": (first + last) // 2 + 400}
    found = hf.spark.recognise(hf.spark.prepared(spark, place), rules, **part)
    unprepared = hf.spark.recognise(spark.read.text(str(records_of(run))), rules, buckets=2, **part)
    assert counts_of(found) == counts_of(unprepared)
    assert spark_rows(found) == embedded_rows(rules, records_of(run), **part)


RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(velocity(V, Speed), T), Speed > 5.
terminatedAt(fast(V)=true, T) :- happensAt(velocity(V, Speed), T), Speed =< 5.
"""
PAIRS = """
collectIntervals(near(_, _)=true).
dynamicDomain(vessel(_)).
collectGrounds([velocity(V, _), near(V, _)=_, near(_, V)=_], vessel(V)).
grounding(idle(V)=true) :- vessel(V).
grounding(fast(V)=true) :- vessel(V).
grounding(near(V, W)=true) :- vessel(V), vessel(W).
grounding(race(V, W)=true) :- vessel(V), vessel(W).
initially(idle(_)=true).
terminatedAt(idle(V)=true, T) :- happensAt(velocity(V, Speed), T), Speed > 5.
initiatedAt(idle(V)=true, T) :- happensAt(velocity(V, Speed), T), Speed =< 5.
holdsFor(race(V, W)=true, I) :-
    holdsFor(near(V, W)=true, I1), holdsFor(fast(V)=true, I2), holdsFor(fast(W)=true, I3),
    intersect_all([I1, I2, I3], I).
"""


def late_lines() -> list[str]:
    """Records that are late or unused; some are retracted."""
    chance = random.Random(5)
    lines: list[str] = []
    for at in range(0, 120, 2):
        vessel, other = chance.sample(["anna", "'B b'", "7", "cid"], 2)
        arrival = at + chance.choice([0, 0, 3, 30])
        line = f"velocity|{arrival}|{at}|{vessel}|{chance.choice(['3', '7.5'])}"
        lines += [line, f"near|{arrival + 9}|{at}|{at + 9}|true|{vessel}|{other}"]
        if chance.random() < 0.2:
            lines.append(f"-{line.replace(f'|{arrival}|', f'|{arrival + 1}|', 1)}")
    return [*lines, "velocity|5|x|anna|3", "sail|6|6|anna", "-velocity|9|9|zoe|1"]


def settled_lines() -> list[str]:
    """The same records after their retractions, as in prepared history."""
    retracted = {without_arrival(line[1:]) for line in late_lines() if line.startswith("-")}
    return [line for line in late_lines() if not line.startswith("-") and without_arrival(line) not in retracted]


def without_arrival(line: str) -> tuple[str, ...]:
    name, _, *rest = line.split("|")
    return name, *rest


def settled_frame(spark: SparkSession, records: Path) -> DataFrame:
    path = records.with_name("settled.txt")
    path.write_text("\n".join(settled_lines()) + "\n", encoding="utf-8")
    return spark.read.text(str(path))


@pytest.fixture(scope="module")
def history_of_pairs(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("prepared")
    records = folder / "records.txt"
    records.write_text("\n".join(late_lines()) + "\n", encoding="utf-8")
    hf.spark.prepare(spark.read.text(str(records)), hf.load_text(RULES + PAIRS), str(folder / "history"), buckets=3)
    return records, folder / "history"


@pytest.mark.parametrize(
    "options", some([{}, {"start": 30, "end": 70, "buckets": 2}, {"window": 20, "step": 10}], 1), ids=str
)
def test_late_records_retractions_and_domains_have_the_unprepared_answer(
    options: dict[str, Any], spark: SparkSession, history_of_pairs: tuple[Path, Path]
) -> None:
    records, place = history_of_pairs
    rules = hf.load_text(RULES + PAIRS)
    found = hf.spark.recognise(hf.spark.prepared(spark, str(place)), rules, **options)
    unprepared = hf.spark.recognise(spark.read.text(str(records)), rules, **{"buckets": 2, **options})
    settled = hf.spark.recognise(settled_frame(spark, records), rules, **{"buckets": 2, **options})
    admission_counts = {key: n for key, n in counts_of(settled).items() if key[0] in ("late", "dropped", "cut")}
    assert counts_of(found) == {**counts_of(unprepared), **admission_counts}
    assert sorted(found.set_aside.collect()) == sorted(unprepared.set_aside.collect())
    embedded = {name: value for name, value in options.items() if name != "buckets"}
    assert spark_rows(found) == embedded_rows(rules, records, **embedded)


ASKING = """
happensAt(known(V, Q), T) :- happensAt(velocity(V, _), T), queryTime(Q).
grounding(known(V, _)) :- vessel(V).
"""


@pytest.mark.parametrize("more", some(["", ASKING], 1))
def test_reports_are_the_same_from_prepared_history(
    more: str, spark: SparkSession, history_of_pairs: tuple[Path, Path]
) -> None:
    records, place = history_of_pairs
    rules = hf.load_text(RULES + PAIRS + more)
    options: dict[str, Any] = {"start": 0, "end": 120, "window": 20, "step": 10}
    found = hf.spark.recognise(hf.spark.prepared(spark, str(place)), rules, **options)
    settled = hf.spark.recognise(settled_frame(spark, records), rules, buckets=2, **options)
    assert spark_reports(found) == embedded_reports(settled_lines(), rules, found.run)
    counts = found.reports.counts.collect()
    assert sorted(counts) == sorted(settled.reports.counts.collect())
    assert {row.what for row in counts} == {"late", "dropped", "cut"}
    assert spark_rows(found) == embedded_rows(rules, records, **options)


def test_other_input_may_retract_prepared_records(
    spark: SparkSession, history_of_pairs: tuple[Path, Path], tmp_path: Path
) -> None:
    records, place = history_of_pairs
    rules = hf.load_text(RULES + PAIRS)
    taken = next(line for line in late_lines() if line.startswith("velocity|118|118|"))
    more = tmp_path / "more.txt"
    more.write_text(f"-{taken.replace('|118|', '|200|', 1)}\nvelocity|90|90|dora|9\n", encoding="utf-8")
    given: list[Any] = [hf.spark.prepared(spark, str(place)), spark.read.text(str(more))]
    found = hf.spark.recognise(given, rules, buckets=2)
    assert spark_rows(found) == embedded_rows(rules, records, more)


def test_spark_reads_the_blocks_that_workers_cannot_open(
    spark: SparkSession, history_of_pairs: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    records, place = history_of_pairs
    rules = hf.load_text(RULES + PAIRS)
    history = hf.spark.prepared(spark, str(place))
    assert sorted(history.files_by_bucket()) == [0, 1, 2]
    monkeypatch.setattr(hf.spark.Prepared, "files_by_bucket", lambda self: {})
    assert spark_rows(hf.spark.recognise(history, rules)) == embedded_rows(rules, records)


def test_rules_that_read_other_records_are_refused(
    spark: SparkSession, history_of_pairs: tuple[Path, Path], tmp_path: Path
) -> None:
    history = hf.spark.prepared(spark, str(history_of_pairs[1]))
    fewer = hf.spark.recognise(history, hf.load_text(RULES))
    assert counts_of(fewer)["unused", "near"] == sum(each.n for each in history.known if each.name == "near")
    with pytest.raises(DataProblem, match="use `sail` differently"):
        hf.spark.recognise(history, hf.load_text(RULES + "happensAt(off(V), T) :- happensAt(sail(V), T)."))
    with pytest.raises(DataProblem, match="use `near` differently"):
        hf.spark.recognise(
            history, hf.load_text(RULES + "happensAt(near(V, V), T) :- happensAt(start(fast(V)=true), T).")
        )
    with pytest.raises(DataProblem, match="clock tick 1"):
        hf.spark.recognise(history, hf.load_text(RULES), tick=2)
    with pytest.raises(DataProblem, match="is not prepared history"):
        hf.spark.prepared(spark, str(tmp_path))
    damages = {
        "{": "has a damaged",
        "[]": "has a damaged",
        '{"format": 9}': "in format 9",
        '{"format": 2}': "has no records",
    }
    for text, message in damages.items():
        (tmp_path / "prepared.json").write_text(text, encoding="utf-8")
        with pytest.raises(DataProblem, match=message):
            hf.spark.prepared(spark, str(tmp_path))


def test_the_command_prepares_completely_or_not_at_all(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, records, place = tmp_path / "rules.prolog", tmp_path / "records.txt", tmp_path / "history"
    rules.write_text(RULES, encoding="utf-8")
    records.write_text("velocity|1|1|anna|9\nvelocity|x|1|anna|9\nsail|2|2|anna\n", encoding="utf-8")
    prepare = ["spark", "prepare", str(rules), "--input", str(records), "-o", str(place), "--buckets", "2"]
    assert main(prepare) == 0
    err = capsys.readouterr().err
    assert "3 records read, 1 set aside, 1 of names that no rule uses" in err
    assert "1 record prepared in 2 buckets" in err
    assert json.loads((place / "prepared.json").read_text(encoding="utf-8"))["unused"] == {"sail": 1}
    assert main(prepare) == 2
    assert "error[HF771]" in capsys.readouterr().err
    assert main([*prepare, "--overwrite", "--tick", "0"]) == 2
    assert main(["spark", "run", str(rules), "--input", str(place), "-o", str(tmp_path / "found"), "--end", "5"]) == 0
    assert "3 records read, 1 set aside" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["found", "history", "records.txt", "rules.prolog"]
