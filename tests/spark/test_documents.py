"""The Python blocks about Spark in the documents run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import holdsfor as hf
from holdsfor.cli.main import main
from tests.docs.console import ROOT
from tests.spark import readme_stream

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PAGE = "docs/spark.md"


def blocks(document: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return [
        block for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE) if "hf.spark" in block
    ]


def test_examples_run(spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    rules = hf.load("apps/toy/rules.prolog", "apps/toy/background.prolog")
    names: dict[str, Any] = {"hf": hf, "spark": spark, "rules": rules}
    assert blocks(PAGE)
    for block in blocks(PAGE):
        exec(compile(block, PAGE, "exec"), names)
    shown = capsys.readouterr().out
    assert "14" in shown
    assert "22" in shown


def test_the_readme_shows_the_result_of_a_spark_table(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (shown,) = re.findall(
        r"^```python\n([^`]*hf\.spark[^`]*)^```\n\n```text\n(.*?)^```", readme, re.DOTALL | re.MULTILINE
    )
    block, output = shown
    trips = spark.read.csv("docs/your-own-data/trips.csv", header=True, inferSchema=True)
    trips.createOrReplaceTempView("trips")
    zone = str(spark.conf.get("spark.sql.session.timeZone"))
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    try:
        exec(compile(block, "README.md", "exec"), {"hf": hf, "spark": spark})
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
        spark.catalog.dropTempView("trips")
    assert capsys.readouterr().out.strip() == output.strip()


def test_the_command_of_the_readme_has_the_results_of_the_file(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The messages are in a file of a folder; `test_stream_kafka.py` reads them from a topic."""
    monkeypatch.chdir(ROOT)
    (tmp_path / "trips").mkdir()
    (tmp_path / "trips/1.jsonl").write_text("\n".join(readme_stream.messages()), encoding="utf-8")
    assert main([*readme_stream.arguments(str(tmp_path / "trips"), tmp_path), "--once"]) == 0
    changes = pq.read_table(tmp_path / "changes")
    assert readme_stream.applied(changes) == readme_stream.results_of_the_file()
