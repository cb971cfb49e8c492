"""Which worker runs which test: one worker has the JVM and all tests on Spark, the others share the rest.

The default of xdist hands out tests in large portions, so the last worker may be busy for minutes beside idle ones.
"""

from __future__ import annotations

from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

__all__ = ["Scheduling", "unit_of_work"]


def unit_of_work(nodeid: str) -> str:
    """The name of the tests that one worker runs together: those on Spark, else the test itself."""
    return "spark" if nodeid.startswith("tests/spark/") else nodeid


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
    """Units of work go one by one to the next worker that is free, the one with most tests first."""

    def _split_scope(self, nodeid: str) -> str:
        return unit_of_work(nodeid)
