"""A stream from topic to topic until it is killed: `kafka_stream.py BROKER JARS RULES CHECKPOINT`.

It prints a line of JSON for every micro-batch, with the last query time and the number of sources.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pyspark.sql import SparkSession

import holdsfor as hf
from holdsfor.spark.streaming.command_inputs import InputSettings, streams_of
from tests.spark.conftest import JAVA_OPTIONS, WITHOUT_COMPILER
from tests.spark.random_stream import STEP, WINDOW


def main(broker: str, jars: str, rules: str, checkpoint: str) -> None:
    options: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.jars": jars,
        "spark.python.daemon.module": "holdsfor.spark.cluster.worker_daemon",
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        **WITHOUT_COMPILER,
    }
    spark = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    spark.sparkContext.setLogLevel("FATAL")
    given = streams_of(spark, [f"kafka://{broker}/records"], InputSettings())
    stream = hf.spark.stream(given, hf.load(rules), window=WINDOW, step=STEP, start=0, buckets=2)
    servers = {"kafka.bootstrap.servers": broker}
    writer = stream.changes.writeStream.format("kafka").options(topic="changes", **servers)
    writer.onProgress(_print).option("checkpointLocation", checkpoint).start().awaitTermination()


def _print(progress: Any) -> None:
    decision = progress.decision
    print(json.dumps({"query_time": decision.last, "sources": len(decision.sources)}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
