"""A stream in a process of its own, which a test kills: `streamed_job.py RULES RECORDS CHECKPOINT OUTPUT`.

It writes a line for every micro-batch that is complete, and ends with the input.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

import holdsfor as hf
from tests.spark.conftest import JAVA_OPTIONS, WITHOUT_COMPILER


def main(rules: str, records: str, checkpoint: str, output: str) -> None:
    options: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "512m",
        "spark.python.daemon.module": "holdsfor.spark.cluster.worker_daemon",
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        **WITHOUT_COMPILER,
    }
    spark = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    spark.sparkContext.setLogLevel("FATAL")
    lines = spark.readStream.option("maxFilesPerTrigger", 1).text(records)
    stream = hf.spark.stream(lines, hf.load(rules), window=20, step=10, start=0, buckets=2)
    writer = stream.changes.writeStream.format("parquet").option("checkpointLocation", checkpoint)
    writer = writer.onProgress(lambda progress: print(f"batch {progress.decision.batch}", flush=True))
    writer.trigger(availableNow=True).start(output).awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
