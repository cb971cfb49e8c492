"""Examples about Spark run with the tests on Spark, in `tests/spark/test_docstrings.py`."""

from __future__ import annotations

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the doctests that need a session of Spark."""
    items[:] = [item for item in items if not _needs_spark(item)]


def _needs_spark(item: pytest.Item) -> bool:
    return isinstance(item, pytest.DoctestItem) and any("hf.spark." in each.source for each in item.dtest.examples)
