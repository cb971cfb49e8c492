"""prepared = unprepared = embedded: history that was written once, by any rules that fit, in any part of its time."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import holdsfor as hf
from holdsfor.errors import DataProblem
from tests.apps.runs import RUNS
from tests.properties.keyed_programs import keyed_case
from tests.spark.answers import embedded_rows, options_of, records_of, spark_rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def counts_of(found: Any) -> dict[tuple[str, str], int]:
    return {(row.what, row.name): row.n for row in found.counts.collect()}


@pytest.mark.parametrize("name", ["maritime", "voting"])
def test_an_application_has_the_same_answer_from_prepared_history(
    name: str, spark: SparkSession, tmp_path: Path
) -> None:
    run, place = RUNS[name], str(tmp_path / "history")
    rules, options = hf.load(*run.files), options_of(run)
    history = hf.spark.prepare(spark.read.text(str(records_of(run))), rules, place, buckets=3)
    assert spark_rows(hf.spark.recognise(history, rules, **options)) == embedded_rows(rules, records_of(run), **options)
    known = history.extent(rules.names)
    assert None not in known
    middle = (known[0] + known[1]) // 2 if known[0] is not None and known[1] is not None else 0
    part = {**options, "start": middle, "end": middle + 400}
    found = hf.spark.recognise(hf.spark.prepared(spark, place), rules, **part)
    unprepared = hf.spark.recognise(spark.read.text(str(records_of(run))), rules, buckets=2, **part)
    assert counts_of(found) == counts_of(unprepared)
    assert spark_rows(found) == embedded_rows(rules, records_of(run), **part)
