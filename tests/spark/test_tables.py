"""Results on Spark are the tables of the embedded engine, with the same columns, types and rows, in any time zone."""

from __future__ import annotations

import datetime
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.errors import DataProblem, SetAsideWarning, UsageProblem
from holdsfor.sources.set_aside_reasons import SetAsideProblem
from holdsfor.spark.output.result_tables import Form, ResultTable
from tests.properties.staged import in_any_order
from tests.spark.answers import embedded_tables, spark_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.in_turn(3)

RULES = """
initiatedAt(load(Truck)=Kg, T) :- happensAt(weighed(Truck, Kg), T), Kg > 0.
initiatedAt(late(Truck, Day)=true, T) :- happensAt(weighed(Truck, _), T), happensAt(due(Truck, Day), T).
happensAt(met(A, B), T) :- happensAt(weighed(A, _), T), happensAt(due(B, _), T), A \\= B.
initiatedAt(hour(Truck)=H, T) :- happensAt(weighed(Truck, _), T), hour_of_day(T, H).
"""
WEIGHED, DUE = "happensAt(weighed('Truck.No', kg), at)", "happensAt(due(truck, start), at)"
AT = datetime.datetime(2024, 10, 27, 0, 30)
SPRING = datetime.datetime(2024, 3, 31, 0, 30)


@pytest.fixture
def zone(spark: SparkSession) -> Iterator[Callable[[str], None]]:
    """A function that sets the time zone of the session."""
    before = str(spark.conf.get("spark.sql.session.timeZone"))
    yield lambda name: spark.conf.set("spark.sql.session.timeZone", name)
    spark.conf.set("spark.sql.session.timeZone", before)


def inputs(kind: Any) -> tuple[Any, Any]:
    """Tables with the same times as one type: names that clash, integers and text, a time as an argument."""
    hours = [AT + datetime.timedelta(hours=i) for i in (0, 0, 2, 30)]
    times = pa.array(hours, pa.timestamp("us")).cast(pa.timestamp("us", kind.tz)).cast(kind)
    weighed = pa.table({"Truck.No": ["A 1", "b", "A 1", "007"], "kg": [7, 8, None, 2**40], "at": times})
    due = pa.table({"truck": ["b", "A 1", "A 1", "c"], "start": ["x", "y", "1", "2"], "at": times})
    return weighed, due


def frame_of(spark: SparkSession, table: Any) -> DataFrame:
    """A DataFrame in which times without a zone are such, in any session."""
    kind = "timestamp" if table["at"].type.tz else "timestamp_ntz"
    micros = table.set_column(2, "at", table["at"].cast(pa.int64()))
    at = "timestamp_micros(at)" if kind == "timestamp" else "timestampadd(MICROSECOND, at, timestamp_ntz'1970-01-01')"
    return spark.createDataFrame(micros).selectExpr(*(f"`{name}`" for name in table.column_names[:2]), f"{at} as at")


@pytest.mark.filterwarnings("ignore::holdsfor.errors.SetAsideWarning", "ignore::holdsfor.errors.ParallelismWarning")
@pytest.mark.parametrize(
    ("kind", "tz"), [(pa.timestamp("us", "UTC"), "Europe/Athens"), (pa.timestamp("us"), None)], ids=["zone", "local"]
)
def test_tables_have_the_embedded_schemas_and_rows(
    kind: Any, tz: str | None, zone: Callable[[str], None], spark: SparkSession, tmp_path: Path
) -> None:
    rules, (weighed, due) = hf.load_text(RULES), inputs(kind)
    expected = embedded_tables(rules, (weighed, WEIGHED), (due, DUE), tz=tz)
    assert expected["load"][0].names == ["Truck.No", "value", "start", "end"]
    assert expected["late"][0].names == ["Truck.No", "start_", "value", "start", "end"]
    assert str(expected["load"][0].field("value").type) == "int64"
    given = [(frame_of(spark, weighed), WEIGHED), (frame_of(spark, due), DUE)]
    zone("America/New_York")
    found = hf.spark.recognise(rules, *given, tz=tz)
    assert list(found.schemas()["late"].names) == expected["late"][0].names
    assert found["met"].schema == found.schemas()["met"]
    assert spark_tables(found) == expected
    zone("Asia/Kolkata")
    with hf.spark.recognise(rules, *given, tz=tz) as found:
        assert in_any_order(found["hour"].toArrow()) == expected["hour"]
        for form in ("csv", "json"):
            form_of = Form(form)
            form_of.writer(ResultTable("hour", found["hour"], times=found.time_type)).save(str(tmp_path / form))
    csv, lines = ("".join(path.read_text() for path in tmp_path.glob(f"{form}/part*")) for form in ("csv", "json"))
    assert ("b,3,2024-10-27T03:30:01+03:00," if tz else "b,0,2024-10-27T00:30:01,") in csv
    assert ('"start":"2024-10-27T03:30:01+03:00","end":null' if tz else '"start":"2024-10-27T00:30:01"') in lines


def test_times_without_an_offset_are_those_of_the_zone_of_the_run(
    zone: Callable[[str], None], spark: SparkSession, tmp_path: Path
) -> None:
    """In files that the workers open, in files of text, and in a prepared history."""
    zone("America/New_York")
    rules = hf.load_text("initiatedAt(load(V)=Kg, T) :- happensAt(weighed(V, Kg), T).")
    times = pa.array([SPRING, SPRING + datetime.timedelta(days=1)], pa.timestamp("us"))
    table = pa.table({"v": ["a", "b"], "kg": [1.5, 2.0], "at": times})
    pq.write_table(table, tmp_path / "own.parquet")
    (tmp_path / "own.csv").write_text("v,kg,at\na,1.5,2024-03-31 00:30\nb,2.0,2024-04-01T00:30:00\n", encoding="utf-8")
    described = "happensAt(weighed(v, kg:number), at)"
    expected = embedded_tables(rules, (table, described), tz="Europe/Athens")
    assert expected["load"][1][0][2] == datetime.datetime(2024, 3, 30, 22, 30, 1, tzinfo=datetime.UTC)
    found = hf.spark.recognise(rules, f"{tmp_path}/own.parquet: {described}", tz="Europe/Athens")
    assert spark_tables(found) == expected
    history = hf.spark.prepare(rules, f"{tmp_path}/own.csv: {described}", f"{tmp_path}/history", tz="Europe/Athens")
    assert spark_tables(hf.spark.recognise(rules, history, tz="Europe/Athens")) == expected
    with pytest.raises(DataProblem, match=r"HF791.*time unit `s`, found `ms`"):
        hf.spark.recognise(rules, history, time_unit="ms")


def test_arguments_of_a_run_are_those_of_the_embedded_engine(spark: SparkSession) -> None:
    rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    wins = spark.createDataFrame([(13, "chris"), (90_000, "anna")], "ts long, who string")
    described = (wins, "happensAt(win(who), ts)")
    with hf.spark.recognise(rules, described, start="1970-01-01", end=datetime.date(1970, 1, 2), window="2h") as found:
        assert repr(found) == "Recognition on Spark of 1 tables\n  rich: who, value, start, end"
        assert found.run.query_times[0] == 7200
        assert [tuple(row) for row in found["rich/1"].collect()] == [("chris", "true", 14, None)]
        first = found.reports["rich"].orderBy("query_time").first()
        assert first == (7200, "chris", "true", 14, None)
        with pytest.raises(KeyError, match="no rule defines `ritch`; did you mean `rich`"):
            found["ritch"]
    assert not any(frame.is_cached for frame in found._job.input.kept)
    as_dates = hf.spark.recognise(rules, described, start=0, end=30, times="iso").schemas()["rich"]
    assert as_dates.simpleString() == "struct<who:string,value:string,start:timestamp,end:timestamp>"
    with pytest.raises(UsageProblem, match=r"HF704.*expected data"):
        hf.spark.recognise(rules)


def test_records_set_aside_are_a_warning_or_an_error(spark: SparkSession) -> None:
    rules = hf.load_text("initiatedAt(fast(V)=true, T) :- happensAt(speed(V, N), T), N > 5.")
    rows = [("a", 9.0, 1), ("b", None, 2), ("c", None, 3), (None, 7.0, 4)]
    frame = spark.createDataFrame(rows, "v string, n double, ts long")
    described = "happensAt(speed(v, n), ts)"
    with pytest.warns(SetAsideWarning) as embedded:
        hf.recognise(rules, (frame.toArrow(), described))
    choices: list[dict[str, Any]] = [{}, {"start": 0, "end": 9}]
    for bounds in choices:
        found = hf.spark.recognise(rules, (frame, described), **bounds)
        with pytest.warns(SetAsideWarning) as on_spark:
            assert found["fast"].count() == 1
        (warning,) = on_spark
        assert str(warning.message).replace("table:0", "table:2", 1).replace("table:0", "table:4") == str(
            embedded[0].message
        )
        assert warning.filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert found.results.count() == 1
        found.unpersist()
    with pytest.raises(SetAsideProblem, match=r"HF510.*3 of 4 records set aside: 2 × `n` is null"):
        hf.spark.recognise(rules, (frame, described), max_set_aside="50%").results  # noqa: B018
    with pytest.raises(SetAsideProblem, match=r"HF510.*the only record is set aside"):
        hf.spark.recognise(rules, (frame.where("v = 'b'"), described), start=0, end=9).reports  # noqa: B018
