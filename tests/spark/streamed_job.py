"""A stream in a process of its own, which a test kills: `streamed_job.py RULES RECORDS CHECKPOINT OUTPUT`.

`OUTPUT` is a text of JSON with the `feed`, the `format`, its `options`, and the `jars` that it needs. The job writes a
line for every micro-batch that is complete, and ends with the input.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pyspark.sql import SparkSession

import holdsfor as hf
from tests.spark.conftest import JAVA_OPTIONS, WITHOUT_COMPILER
from tests.spark.random_stream import STEP, WINDOW


def main(rules: str, records: str, checkpoint: str, output: str) -> None:
    given: dict[str, Any] = json.loads(output)
    options: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "512m",
        "spark.python.daemon.module": "holdsfor.spark.cluster.worker_daemon",
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        "spark.jars": given["jars"],
        **WITHOUT_COMPILER,
    }
    spark = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    spark.sparkContext.setLogLevel("FATAL")
    lines = spark.readStream.option("maxFilesPerTrigger", 1).text(records)
    stream = hf.spark.stream(lines, hf.load(rules), window=WINDOW, step=STEP, start=0, buckets=2)
    writer = getattr(stream, given["feed"]).writeStream.format(given["format"]).options(**given["options"])
    writer = writer.onProgress(lambda progress: print(f"batch {progress.decision.batch}", flush=True))
    writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start().awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
