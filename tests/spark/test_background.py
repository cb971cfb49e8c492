"""Tables of facts, durations, the calendar and areas have the same meaning on Spark and embedded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import holdsfor as hf
from tests.spark.answers import embedded_rows, spark_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.in_turn(3)

RULES = """
initiatedAt(moored(V, A)=H, T) :-
    happensAt(at(V, La, Lo), T), vessel(V, Type), Type \\= none, in_area(La, Lo, A), hour_of_day(T, H).
fi(moored(V, A)=H, moored(V, A)=long, 2*hours) :- number(H).
happensAt(far(V), T) :- happensAt(at(V, La, Lo), T), distance(La, Lo, 48, -4, M), M > 60000.
"""


def test_facts_areas_and_the_calendar_have_the_embedded_answer(spark: SparkSession) -> None:
    pytest.importorskip("shapely")
    vessels = [{"id": f"v{i}", "type": "tug" if i % 2 else None} for i in range(20)]
    rules = hf.load_text(RULES).with_facts(vessels, "vessel(id, type?)")
    rules = rules.with_areas({"port": "POLYGON ((-5 48, -4 48, -4 49, -5 49, -5 48))"})
    rows = [(f"v{i % 20}", 48 + (i % 7) / 5, -5 + (i % 5) / 2, 1_711_846_000_000 + i * 997_000) for i in range(60)]
    frame = spark.createDataFrame(rows, "v string, la double, lo double, ts long")
    described, options = "happensAt(at(v, la, lo), ts)", {"time_unit": "ms", "tz": "Europe/Athens"}
    found = spark_rows(hf.spark.recognise((frame, described), rules, **options))  # type: ignore[arg-type]
    assert found == embedded_rows(rules, (frame.toArrow(), described), **options)
    assert len(found) > 10
