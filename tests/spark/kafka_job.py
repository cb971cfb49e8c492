"""From topic to topic: `kafka_job.py BROKER JARS RULES RECORDS CHECKPOINT` writes records, and prints changes.

The records are lines of a file, whose first field is the partition. The changes are printed as they are in the topic.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark.sql import SparkSession

import holdsfor as hf
from holdsfor.spark.streaming.command_inputs import InputSettings, streams_of
from tests.spark.conftest import JAVA_OPTIONS, WITHOUT_COMPILER


def main(broker: str, jars: str, rules: str, records: str, checkpoint: str) -> None:
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
    servers = {"kafka.bootstrap.servers": broker}
    rows = [line.split(" ", 1) for line in Path(records).read_text(encoding="utf-8").splitlines()]
    lines = spark.createDataFrame([(int(partition), line) for partition, line in rows], "partition int, value string")
    lines.coalesce(1).write.format("kafka").options(topic="records", **servers).save()
    given = streams_of(spark, [f"kafka://{broker}/records"], InputSettings())
    stream = hf.spark.stream(given, hf.load(rules), window=20, step=10, start=0, buckets=2)
    writer = stream.changes.writeStream.format("kafka").options(topic="changes", **servers)
    writer = writer.option("checkpointLocation", checkpoint).trigger(availableNow=True)
    writer.start().awaitTermination()
    found = spark.read.format("kafka").options(subscribe="changes", **servers).load()
    for row in found.selectExpr("cast(value as string) as value").collect():
        print(row.value)


if __name__ == "__main__":
    main(*sys.argv[1:])
