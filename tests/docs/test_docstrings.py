"""Every public name has a docstring with an example that runs."""

from __future__ import annotations

import inspect

import pytest

from tests.docs.docstrings import PUBLIC, examples, failures, on_spark

# Polars is not among the tools of a contributor. The methods of prepared history serve the planner of a run.
WITHOUT = {f"holdsfor.{owner}.to_polars" for owner in ("Report", "Result")} | {
    f"holdsfor.spark.Prepared.{method}"
    for method in (
        "check",
        "check_clock",
        "used",
        "unused_by",
        "extent",
        "shuffle_blocks",
        "remarks",
        "kinds",
        "all_of",
        "files_by_bucket",
    )
}
# The example of the class shows its tables, and `print` the columns. Some methods serve the command and the output.
WITHOUT |= {
    f"holdsfor.spark.Recognition.{table}"
    for table in (
        "results",
        "intervals",
        "events",
        "set_aside",
        "unmatched",
        "counts",
        "one_bucket",
        "stages",
        "run",
        "unreadable",
        "faults",
        "programs",
        "without_result",
        "columns",
        "time_type",
        "time_unit",
        "spark",
        "reasons",
        "table_of",
    )
}
# The example of the class has its feeds.
WITHOUT |= {
    f"holdsfor.spark.RecognitionStream.{name}"
    for name in ("changes", "changes_of", "settled", "problems", "writeStream", "micro_batches", "adapt")
}


def test_the_public_names_are_found() -> None:
    assert {"holdsfor.load", "holdsfor.Session.query", "holdsfor.Report.changes", "holdsfor.Result.query_time"} <= set(
        PUBLIC
    )
    assert {"holdsfor.allen.Pairs.expand", "holdsfor.intervals.union", "holdsfor.spark.recognise"} <= set(PUBLIC)
    assert set(PUBLIC) >= WITHOUT


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - WITHOUT))
def test_public_names_have_an_example(name: str) -> None:
    assert examples(name)


@pytest.mark.parametrize("name", sorted(name for name in PUBLIC if not on_spark(name)))
def test_examples_run(name: str) -> None:
    assert failures(name, {}) == ""


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_public_names_are_typed(name: str) -> None:
    signature = str(inspect.signature(PUBLIC[name]))
    assert "Any" not in signature
    assert inspect.isclass(PUBLIC[name]) or "->" in signature
