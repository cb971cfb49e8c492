"""A client of Spark Connect: sends this package to the server, and runs a recognition there.

connected_job.py URL ANSWER RECORDS RULES…
"""

import contextlib
import io
import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import holdsfor as hf
from holdsfor.cli.main import main as holdsfor


def main(url: str, answer: Path, records: str, *rules: str) -> None:
    spark = SparkSession.builder.remote(url).config("spark.sql.shuffle.partitions", "2").getOrCreate()
    hf.spark.ship(spark)
    hf.spark.ship(spark)
    found = hf.spark.recognise(spark.read.text(records), hf.load(*rules), start=0)
    rows = [[row.fvp, row.start, row.end] for row in found.results.collect()]
    found.unpersist()
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        code = holdsfor(["spark", "run", *rules, "--input", records, "-o", f"{answer}.folder"])
    spark.stop()
    answer.write_text(json.dumps({"rows": rows, "code": code, "errors": errors.getvalue()}), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
