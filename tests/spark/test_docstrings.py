"""The examples of `hf.spark` run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.docs.docstrings import PUBLIC, failures, on_spark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.in_turn(3)


@pytest.mark.parametrize("name", sorted(name for name in PUBLIC if on_spark(name)))
def test_examples_run(name: str, spark: SparkSession) -> None:
    assert failures(name, {"spark": spark}) == ""
