"""Input and results of `hf.spark.recognise`: DataFrames of records, tables of one event, retractions, errors."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.errors import DataProblem, OrderWarning, UsageProblem
from holdsfor.parallel.exchange.shipped_rules import Inline
from holdsfor.spark.cluster import broadcast_rules
from tests.spark.answers import embedded_rows, spark_rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.in_turn(3)

RULES = """
initiatedAt(fast(V)=true, T) :- happensAt(velocity(V, Speed), T), Speed > 5.
terminatedAt(fast(V)=true, T) :- happensAt(velocity(V, Speed), T), Speed =< 5.
initiatedAt(fast(V)=true, T) :- happensAt(start(pushed(V)=true), T).
happensAt(slows_down(V), T) :- happensAt(end(fast(V)=true), T).
"""
RECORDS: dict[str, list[Any]] = {
    "name": ["velocity", "velocity", "velocity", "pushed", "sail"],
    "start": [1, 4, 9, 2, 3],
    "end": [None, None, None, 3, None],
    "value": [None, None, None, "true", None],
    "arg1": ["Anna", "Anna", "b", "b", "b"],
    "arg2": [7.5, 5.0, 9.0, None, None],
}


@pytest.fixture(scope="module")
def rules() -> Any:
    return hf.load_text(RULES)


def frame_of(spark: SparkSession, columns: dict[str, list[Any]]) -> DataFrame:
    return spark.createDataFrame(pa.table(columns))


def test_a_frame_of_records_has_the_embedded_answer(spark: SparkSession, rules: Any) -> None:
    found = hf.spark.recognise(frame_of(spark, RECORDS), rules, buckets=2)
    assert (found.run.start, found.run.end) == (1, 9)
    counts = {(row.what, row.name): row.n for row in found.counts.collect()}
    assert counts == {("read", ""): 5, ("unused", "sail"): 1}
    assert spark_rows(found) == embedded_rows(rules, pa.table(RECORDS))


def test_results_have_names_arguments_and_values(spark: SparkSession, rules: Any) -> None:
    found = hf.spark.recognise(frame_of(spark, RECORDS), rules, start=0, end=10)
    assert sorted(map(tuple, found.results.collect()), key=str) == [
        ("event", "slows_down", ["Anna"], None, "slows_down('Anna')", 4, 4),
        ("fluent", "fast", ["Anna"], "true", "fast('Anna')=true", 2, 5),
        ("fluent", "fast", ["b"], "true", "fast(b)=true", 2, None),
    ]
    assert found.results.columns == hf.recognise(rules, pa.table(RECORDS)).to_arrow().column_names
    found.unpersist()


def test_tables_of_one_event_or_fluent_need_only_the_names_of_their_columns(spark: SparkSession, rules: Any) -> None:
    speeds = frame_of(
        spark, {"t": [1, 4, 9], "vessel": ["Anna", "Anna", "b"], "knots": [7.5, 5.0, 9.0], "x": [0, 0, 0]}
    )
    pushes = frame_of(spark, {"since": [2], "until": [3], "whom": ["b"], "is_so": ["true"]})
    given = [
        hf.spark.events("velocity", speeds, time="t", args=["vessel", "knots"]),
        hf.spark.fluents("pushed", pushes, start="since", end="until", value="is_so", args=["whom"]),
    ]
    found = hf.spark.recognise(given, rules, start=1, end=9, buckets=3)
    assert spark_rows(found) == embedded_rows(rules, pa.table(RECORDS))


def test_retracted_records_have_no_effect_and_misfits_are_set_aside(spark: SparkSession, rules: Any) -> None:
    lines = [
        "velocity|1|1|a|9", "velocity|2|2|a|1", "-velocity|3|2|a|1",
        "-velocity|3|2|zoe|1", "velocity|4|x|a|1", "slows_down|5|5|a",
    ]  # fmt: skip
    found = hf.spark.recognise(
        spark.createDataFrame([(line,) for line in lines], "value string"), rules, start=0, end=9
    )
    assert sorted(map(tuple, found.set_aside.collect())) == [
        ("text", 0, "slows_down|5|5|a", "`slows_down` is computed by the rules"),
        ("text", 0, "velocity|4|x|a|1", "expected an integer as occurrence, found `x`"),
    ]
    unmatched = ("text", 0, "-velocity|3|2|zoe|1", "retracts a record that is not there")
    assert list(map(tuple, found.unmatched.collect())) == [unmatched]
    assert spark_rows(found) == [("fast(a)=true", 2, None)]


@pytest.mark.parametrize("window", [None, 5])
def test_a_retraction_that_arrives_with_its_record_needs_an_input_in_order(
    spark: SparkSession, rules: Any, tmp_path: Path, window: int | None
) -> None:
    lines = ["-velocity|3|1|a|9", "velocity|3|1|a|9", "velocity|4|2|b|9", "-velocity|5|2|b|9", "velocity|3|1|c|9"]
    (tmp_path / "lines.txt").write_text("\n".join(lines), encoding="utf-8")
    schedule: dict[str, Any] = {"start": 0, "end": 9, "window": window}
    unordered = hf.spark.recognise(
        spark.createDataFrame([(line,) for line in lines], "value string"), rules, **schedule
    )
    with pytest.warns(OrderWarning, match="1 retraction and records with the same arrival"):
        assert spark_rows(unordered) == [("fast(c)=true", 2, None)]
    with warnings.catch_warnings():
        warnings.simplefilter("error", OrderWarning)
        ordered = hf.spark.recognise(str(tmp_path), rules, **schedule)
        assert spark_rows(ordered) == [("fast(a)=true", 2, None), ("fast(c)=true", 2, None)]


def test_entities_without_records_have_their_initial_values(spark: SparkSession) -> None:
    rules = hf.load_text("""
        initially(idle(_)=true).
        terminatedAt(idle(P)=true, T) :- happensAt(work(P), T).
        grounding(idle(P)=true) :- person(P).
        person(ann). person(bob). person(cid).
    """)
    lines = spark.createDataFrame([("work|3|3|bob",)], "value string")
    found = hf.spark.recognise(lines, rules, start=0, end=9, buckets=7)
    assert spark_rows(found) == [("idle(ann)=true", 0, None), ("idle(bob)=true", 0, 4), ("idle(cid)=true", 0, None)]


def test_facts_of_the_background_are_broadcast_and_lead_to_keys(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broadcast_rules, "_MANY_FACTS", 100)
    owners = "".join(f"owner(v{i}, o{(i + more) % 7}).\n" for i in range(60) for more in range(1 + i % 2 * 2))
    rules = hf.load_text(f"""
        initiatedAt(away(V)=true, T) :- happensAt(sail(V), T).
        terminatedAt(away(V)=true, T) :- happensAt(dock(V), T).
        initiatedAt(fleet(O)=N, T) :-
            happensAt(sail(V), T), owner(V, O), findall(W, (owner(W, O), holdsAt(away(W)=true, T)), L), length(L, N).
        initiatedAt(busy(V)=true, T) :- happensAt(sail(V), T), owner(V, O), holdsAt(fleet(O)=1, T).
        {owners}
    """)
    records: dict[str, list[Any]] = {
        "name": ["sail", "dock", "sail"] * 20,
        "start": list(range(60)),
        "arg1": [f"v{i * 7 % 9}" for i in range(60)],
    }
    found = hf.spark.recognise(frame_of(spark, records), rules, buckets=3)
    assert found.one_bucket == ()
    assert not isinstance(found._job.input.rules.carrier, Inline)
    assert spark_rows(found) == embedded_rows(rules, pa.table(records))


def test_no_job_runs_before_a_result_is_used(spark: SparkSession, rules: Any) -> None:
    spark.sparkContext.setJobGroup("unused", "recognise")
    found = hf.spark.recognise(frame_of(spark, RECORDS), rules)
    assert list(spark.sparkContext.statusTracker().getJobIdsForGroup("unused")) == []
    assert found.intervals.count() > 0
    assert list(spark.sparkContext.statusTracker().getJobIdsForGroup("unused")) != []
    spark.sparkContext.setJobGroup("", "")
    found.unpersist()


def test_many_buckets_of_a_small_input_share_tasks(spark: SparkSession, rules: Any) -> None:
    found = hf.spark.recognise(frame_of(spark, RECORDS), rules, start=0, end=9, buckets=500)
    assert spark_rows(found) == spark_rows(hf.spark.recognise(frame_of(spark, RECORDS), rules, start=0, end=9))
    assert all(frame.rdd.getNumPartitions() <= 20 for frame in found._job.input.kept)
    found.unpersist()


def test_invalid_arguments_are_reported_before_the_job(spark: SparkSession, rules: Any) -> None:
    wrong = frame_of(spark, {"name": ["velocity"], "when": [1]})
    with pytest.raises(DataProblem, match="column `start` not found"):
        hf.spark.recognise(wrong, rules)
    with pytest.raises(DataProblem, match="column `vesel` not found") as problem:
        hf.spark.events("velocity", frame_of(spark, {"t": [1], "vessel": ["a"]}), time="t", args=["vesel"])
    assert "did you mean `vessel`?" in str(problem.value)
    with pytest.raises(DataProblem, match="expected a DataFrame, found `int`"):
        hf.spark.recognise([3], rules)  # type: ignore[list-item, unused-ignore]
    with pytest.raises(UsageProblem, match="HF770"):
        hf.spark.recognise(frame_of(spark, RECORDS), rules, buckets=0)
    with pytest.raises(UsageProblem, match="HF702"):
        hf.spark.recognise(frame_of(spark, RECORDS), rules, start=5, end=1)


def test_facts_among_the_rules_are_records(spark: SparkSession) -> None:
    rules = hf.load_text(RULES + "happensAt(velocity(c, 9), 12). happensAt(velocity('Anna', 8), 6). pushes(b).")
    found = hf.spark.recognise(frame_of(spark, RECORDS), rules, buckets=2)
    assert (found.run.start, found.run.end) == (1, 12)
    assert spark_rows(found) == embedded_rows(rules, pa.table(RECORDS))
    assert {row.fvp for row in found.intervals.collect()} == {"fast('Anna')=true", "fast(b)=true", "fast(c)=true"}
    found.unpersist()


def test_rules_and_data_have_either_order_and_a_result_is_a_context(spark: SparkSession) -> None:
    rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    wins = spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string")
    with hf.spark.recognise(rules, wins, start=0, end=30) as found:
        assert found.intervals.select("fvp", "start").collect() == [("rich(chris)=true", 14)]
    with pytest.raises(UsageProblem, match="expected rules, found `str`"):
        hf.spark.recognise(wins, "r.prolog")


def test_stages_that_the_shown_output_does_not_need_do_not_run(spark: SparkSession) -> None:
    text = (
        RULES + "initiatedAt(stuck(W)=N, T) :- happensAt(start(fast(V)=true), T), pair(V, W), N is 1 / 0.\npair(b, c)."
    )
    rules = hf.load_text(text)
    found = hf.spark.recognise(frame_of(spark, RECORDS), rules, show=["slows_down", "fast(b)"], buckets=2, window=5)
    assert [vertex.label for stage in found._job.stages.stages for vertex in stage.computes] == [
        "fast(_)=true",
        "slows_down(_)",
    ]
    assert {row.fvp for row in found.reports.results.where("kind = 'fluent'").collect()} == {"fast(b)=true"}
    assert list(found.tables()) == ["fast", "slows_down"]
    expected = embedded_rows(rules, pa.table(RECORDS), show=["slows_down", "fast(b)"], window=5)
    assert spark_rows(found) == expected != []
