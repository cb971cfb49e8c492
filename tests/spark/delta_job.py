"""A stream into tables of Delta Lake: `delta_job.py RULES RECORDS CHECKPOINT FOLDER`.

It writes the changes and the current view below the folder. It ends with the input, and then writes both tables as
lines of JSON to standard output.
"""

from __future__ import annotations

import json
import os
import sys

from pyspark.sql import SparkSession

import holdsfor as hf


def main(rules: str, records: str, checkpoint: str, folder: str) -> None:
    options: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.driver.memory": "1g",
        "spark.jars": os.environ["HOLDSFOR_DELTA_JARS"],
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
    }
    spark = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    spark.sparkContext.setLogLevel("FATAL")
    lines = spark.readStream.option("maxFilesPerTrigger", 1).text(records)
    stream = hf.spark.stream(lines, hf.load(rules), window=20, step=10, start=0, buckets=2)
    places = {"changes": f"{folder}/changes", "current": f"{folder}/the `current` view"}
    writers = [
        getattr(stream, feed).writeStream.format("delta").option("path", place) for feed, place in places.items()
    ]
    writer = stream.writeStream.feeds(*writers).option("checkpointLocation", checkpoint)
    writer.trigger(availableNow=True).start().awaitTermination()
    found = {
        feed: [row.asDict() for row in spark.read.format("delta").load(place).collect()]
        for feed, place in places.items()
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
