"""A session of Spark for a command, and the problems of its workers as ours."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from holdsfor.errors import Diagnostic, UsageProblem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["started", "told_by_worker"]

_ROWS_OF_A_BATCH = 100_000  # to Python: a tenth of it, as Spark has it, takes a third longer
_TOLD = re.compile(r"(error\[HF\d{3}\]: .*?)(?:\n\s*\n|\Z)", re.DOTALL)


@contextmanager
def started(master: str | None, options: Mapping[str, str]) -> Iterator[SparkSession]:
    """A session that ends with the block, and its JVM with it; one that is there already is used, and stays."""
    try:
        from pyspark.errors import PySparkRuntimeError
        from pyspark.sql import SparkSession
    except ImportError:
        hint = "pip install 'holdsfor[spark]'"
        raise UsageProblem(Diagnostic("HF773", "Spark needs the package `pyspark`", hint=hint)) from None
    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("holdsfor").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", _ROWS_OF_A_BATCH)
    builder = builder if master is None else builder.master(master)
    for name, value in options.items():
        builder = builder.config(name, value)
    try:
        session = builder.getOrCreate()
    except PySparkRuntimeError as problem:
        if "JAVA_GATEWAY" not in str(problem):
            raise
        hint = "install Java 17 or newer, for example: apt install openjdk-17-jre-headless"
        raise UsageProblem(Diagnostic("HF773", "Spark needs Java, and it could not be started", hint=hint)) from None
    try:
        session.sparkContext.setLogLevel("FATAL")  # what goes wrong is told once, by the exception
        yield session
    finally:
        session.stop()


def told_by_worker(problem: Exception) -> str | None:
    """The diagnostic that stopped a worker, if it was one.

    >>> told_by_worker(RuntimeError("Traceback:\\nholdsfor.errors.ExecutionProblem: error[HF604]: division by zero\\n"))
    'error[HF604]: division by zero'
    """
    found = _TOLD.search(str(problem))
    return None if found is None else found.group(1).rstrip()
