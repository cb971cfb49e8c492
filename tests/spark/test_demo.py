"""The demo on Spark: the stream and the job agree with the embedded engine, and a difference is reported."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import holdsfor as hf
from demo.spark import demo
from demo.spark.vessels import COLUMNS, files, write_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.long
def test_the_demo_shows_that_three_engines_agree(
    spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.main(tmp_path / "demo", pause=0) == 0
    shown = capsys.readouterr().out
    assert "+ meeting(37842339,calypso,delphi)=true  from 08:00:36" in shown
    assert "- speeding(aurora)=true" in shown, "a wrong speed has made an alarm, which is retracted"
    assert shown.count("\nyes  ") == 3
    assert (tmp_path / "demo/vessels.png").read_bytes().startswith(b"\x89PNG")


def test_the_demo_reports_a_lost_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, (_, records) in enumerate(files(demo.SEED)):
        write_file(tmp_path, f"{number:03}.jsonl", records)
    inputs = [f"{path}: {COLUMNS}" for path in sorted(tmp_path.glob("*.jsonl"))]
    rules: Any = hf.load(demo.RULES)
    assert not demo.compared(rules, inputs, [], set(), tmp_path / "vessels.png")
    assert capsys.readouterr().out.count("\nNO   ") == 3
