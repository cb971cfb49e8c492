"""Which worker runs which test: one worker has the JVM and all tests on Spark, the others share the rest.

The default of xdist hands out tests in large portions, so the last worker may be busy for minutes beside idle ones.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

__all__ = ["Scheduling", "unit_of_work"]


_TOGETHER = ("tests/test_imports.py",)
"""Files whose tests share a result that takes long: the syntax trees of all modules."""


def unit_of_work(nodeid: str) -> str:
    """The name of the tests that one worker runs together: those on Spark, those of some files, else the test."""
    if nodeid.startswith("tests/spark/"):
        return "spark"
    file = nodeid.partition("::")[0]
    return file if file in _TOGETHER else nodeid


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Units of work go one by one to the next worker that is free, the one with most tests first."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of_work(nodeid)
