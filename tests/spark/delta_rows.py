"""The rows of tables of Delta Lake as lines of JSON, one for each table: `delta_rows.py CONFIGURATION PATH...`."""

from __future__ import annotations

import json
import sys

from pyspark.sql import SparkSession


def main(configuration: str, *paths: str) -> None:
    spark = SparkSession.builder.master("local[2]").config(map=json.loads(configuration)).getOrCreate()
    spark.sparkContext.setLogLevel("FATAL")
    for path in paths:
        print(json.dumps([row.asDict() for row in spark.read.format("delta").load(path).collect()]))


if __name__ == "__main__":
    main(*sys.argv[1:])
