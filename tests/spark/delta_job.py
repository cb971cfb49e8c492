"""Streams into tables of Delta Lake that the catalogue names: `delta_job.py CONFIGURATION RULES RECORDS FOLDER`.

The job prints the rows of the tables as JSON, and then the refusal of a current view whose table was dropped.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from pyspark.sql import SparkSession

import holdsfor as hf
from holdsfor.errors import HoldsforError

WINDOW, STEP = 20, 10


def main(configuration: str, rules: str, records: str, folder: str) -> None:
    settings = {**json.loads(configuration), "spark.sql.warehouse.dir": f"{folder}/warehouse"}
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    spark.sparkContext.setLogLevel("FATAL")
    lines = spark.readStream.option("maxFilesPerTrigger", 1).text(records)
    stream = hf.spark.stream(lines, hf.load(rules), window=WINDOW, step=STEP, start=0, buckets=1)

    def run(feed: str, **more: Any) -> None:
        writer = getattr(stream, feed).writeStream.trigger(availableNow=True)
        place = f"{folder}/{feed}-checkpoint"
        writer.toTable(feed, format="delta", checkpointLocation=place, **more).awaitTermination()

    for _ in range(2):
        run("changes", partitionBy="op")
        run("current")
    for feed in ("changes", "current"):
        print(json.dumps([row.asDict() for row in spark.table(feed).collect()]))
    spark.sql("DROP TABLE current")
    try:
        run("current")
    except HoldsforError as problem:
        print(str(problem).splitlines()[0])


if __name__ == "__main__":
    main(*sys.argv[1:])
