"""The tests on Spark are one unit of work, every other test is its own."""

from __future__ import annotations

from tests.scheduling import unit_of_work


def test_tests_on_spark_stay_together_and_others_do_not() -> None:
    assert unit_of_work("tests/spark/test_laws.py::test_a[b]") == unit_of_work("tests/spark/test_inputs.py::test_c")
    for nodeid in (
        "tests/unit/spark/input/test_lines.py::test_a",
        "src/holdsfor/api/loading.py::holdsfor.api.loading.term",
    ):
        assert unit_of_work(nodeid) == nodeid
