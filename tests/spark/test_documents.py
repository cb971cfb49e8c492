"""The Python of the page about Spark does what it says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

import holdsfor as hf
from tests.docs.console import ROOT

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
