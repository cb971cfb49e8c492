"""Sessions through Spark Connect: the client has no JVM, so functions that need one are replaced or refused."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from holdsfor.errors import Diagnostic, Hint, UsageProblem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["cancel", "is_connect", "is_elsewhere", "parallelism", "refuse_connect"]

_SETTLING = 1.0


def is_connect(spark: SparkSession) -> bool:
    return type(spark).__module__.startswith("pyspark.sql.connect")


def is_elsewhere(spark: SparkSession) -> bool:
    """Whether workers are, or may be, on other machines than the driver."""
    if is_connect(spark):
        return True
    master = str(spark.sparkContext.master)
    return master != "local" and not master.startswith("local[")


def parallelism(spark: SparkSession) -> int:
    """The number of tasks that run in parallel."""
    if is_connect(spark):
        rows = spark.range(1_000_000)  # more rows than any cluster has cores, so that no partition is empty
        return rows.selectExpr("spark_partition_id() as part").distinct().count()
    if is_elsewhere(spark):
        _wait_for_executors(spark)
    return int(spark.sparkContext.defaultParallelism)


def _wait_for_executors(spark: SparkSession) -> None:
    """Wait until the number of executors is stable: a session begins before the executors of a cluster have started."""
    spark.range(1).count()
    n_before = -1
    while (n := int(spark.sparkContext.defaultParallelism)) != n_before:
        n_before = n
        time.sleep(_SETTLING)


def cancel(spark: SparkSession) -> None:
    """Cancel all running jobs."""
    if is_connect(spark):
        spark.interruptAll()
    else:
        spark.sparkContext.cancelAllJobs()


def refuse_connect(spark: SparkSession, what: str) -> None:
    """Refuse output that cannot be written through Spark Connect."""
    if is_connect(spark):
        write = "write the DataFrames of `hf.spark.recognise`, or run"
        hint = Hint(f"{write} in a classic session", on_command_line=f"{write} where `--master` is not `sc://…`")
        raise UsageProblem(Diagnostic("HF787", f"{what} cannot be written through Spark Connect", hint=hint))
