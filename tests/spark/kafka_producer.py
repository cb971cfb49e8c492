"""Write lines of standard input to a topic until it ends: `kafka_producer.py BROKER JARS TOPIC`.

A line is a partition, a blank and a message. A blank line writes the lines before it, and is answered with `written`.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession

from tests.spark.conftest import JAVA_OPTIONS, WITHOUT_COMPILER


def session(jars: str) -> SparkSession:
    """A small session with the connector."""
    options: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "512m",
        "spark.jars": jars,
        "spark.driver.extraJavaOptions": JAVA_OPTIONS,
        **WITHOUT_COMPILER,
    }
    spark = SparkSession.builder.master("local[1]").config(map=options).getOrCreate()
    spark.sparkContext.setLogLevel("FATAL")
    return spark


def main(broker: str, jars: str, topic: str) -> None:
    spark = session(jars)
    rows: list[tuple[int, str]] = []
    for line in sys.stdin:
        partition, _, message = line.rstrip("\n").partition(" ")
        if message:
            rows.append((int(partition), message))
            continue
        frame = spark.createDataFrame(rows, "partition int, value string").coalesce(1)
        frame.write.format("kafka").options(topic=topic, **{"kafka.bootstrap.servers": broker}).save()
        rows.clear()
        print("written", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
