"""The tests on Spark are one unit of work, those of some files too, and every other test is its own."""

from __future__ import annotations

from tests.scheduling import unit_of_work


def test_tests_on_spark_stay_together_and_others_do_not() -> None:
    assert unit_of_work("tests/spark/test_laws.py::test_a[b]") == unit_of_work("tests/spark/test_inputs.py::test_c")
    for nodeid in (
        "tests/unit/spark/input/test_lines.py::test_a",
        "src/holdsfor/api/loading.py::holdsfor.api.loading.term",
    ):
        assert unit_of_work(nodeid) == nodeid


def test_tests_of_imports_share_their_syntax_trees() -> None:
    assert unit_of_work("tests/test_imports.py::test_a") == unit_of_work("tests/test_imports.py::test_b[c]")
