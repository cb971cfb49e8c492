"""Failures of Spark are recognised by error conditions, classes and SQL states."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from holdsfor.errors import on_command_line
from holdsfor.spark.cluster.causes import Cause, causes_of
from holdsfor.spark.cluster.failures import failure_of
from holdsfor.spark.cluster.session_start import Log
from holdsfor.spark.job.retry import failed_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WRITES: dict[str, tuple[Callable[[Any, Path], None], str]] = {
    "a folder below a file": (
        lambda frame, folder: frame.write.parquet(f"{folder}/file/found"),
        "write permission",
    ),
    "a file system without a package": (
        lambda frame, _: frame.write.parquet("nosuch://host/found"),
        "spark.jars.packages",
    ),
    "a schema that is missing": (lambda frame, _: frame.write.saveAsTable("nosuch.found"), "see `-o`"),
    "a database without a driver": (
        lambda frame, _: frame.write.jdbc("jdbc:nosuch://host/db", "found"),
        "needs the driver",
    ),
}


@pytest.mark.parametrize("name", WRITES)
def test_a_target_that_cannot_be_written_is_reported_with_a_hint(
    name: str, spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    write, hint = WRITES[name]
    with pytest.raises(Exception, match=r".") as problem:
        write(spark.range(1), tmp_path)
    failure = failure_of(problem.value, "found", Log(tmp_path / "log"))
    assert failure.exit_code == 1
    assert failure.text.startswith("error[HF620]: results cannot be written to `found`: ")
    assert hint in failure.text


def test_a_chain_of_causes_has_classes_conditions_and_parameters(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "cut off.gz"
    path.write_bytes(gzip.compress(bytes(range(256)) * 1000)[:-100])
    with pytest.raises(Exception, match=r".") as problem:
        spark.read.text(str(path)).count()
    causes = causes_of(problem.value)
    read = next(cause for cause in causes if cause.condition == "FAILED_READ_FILE.NO_HINT")
    assert read.parameters["path"].endswith("cut%20off.gz")
    assert causes[-1].name == "EOFException"
    failed = failed_file(causes)
    assert failed is not None
    assert failed.file == str(path)


@pytest.mark.parametrize(
    ("cause", "hint"),
    [
        (Cause("org.postgresql.util.PSQLException", "no", sql_state="28P01"), "HOLDSFOR_JDBC_PASSWORD"),
        (Cause("java.sql.BatchUpdateException", "no", sql_state=""), "the previous results are unchanged"),
        (Cause("org.apache.hadoop.security.AccessControlException", "no"), "write permission"),
    ],
    ids=["password", "database", "permission"],
)
def test_causes_are_enough(cause: Cause, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("holdsfor.spark.cluster.failures.causes_of", lambda problem: (cause,))
    with on_command_line():
        assert hint in failure_of(RuntimeError("no"), "found", Log(tmp_path / "log")).text
