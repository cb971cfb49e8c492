"""A stream in a process of its own, which a test kills: `streamed_job.py RULES RECORDS CHECKPOINT OUTPUT`.

`OUTPUT` is a text of JSON with the `feeds`, each with its name, `format` and `options`, the configuration of Spark that
they need, and the `window` and `step`. The job writes a line for every micro-batch that is complete, and ends with the
input.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pyspark.sql import SparkSession

import holdsfor as hf


def main(rules: str, records: str, checkpoint: str, output: str) -> None:
    given: dict[str, Any] = json.loads(output)
    options: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.python.daemon.module": "holdsfor.spark.cluster.worker_daemon",
        **given["configuration"],
    }
    spark = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    spark.sparkContext.setLogLevel("FATAL")
    lines = spark.readStream.option("maxFilesPerTrigger", 1).text(records)
    stream = hf.spark.stream(lines, hf.load(rules), window=given["window"], step=given["step"], start=0, buckets=2)
    writers = [
        getattr(stream, each["feed"]).writeStream.format(each["format"]).options(**each["options"])
        for each in given["feeds"]
    ]
    writer = writers[0] if len(writers) == 1 else stream.writeStream.feeds(*writers)
    writer = writer.onProgress(lambda progress: print(f"batch {progress.decision.batch}", flush=True))
    writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start().awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
