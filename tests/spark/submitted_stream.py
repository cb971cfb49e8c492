"""A stream for `spark-submit`: `submitted_stream.py RULES RECORDS CHECKPOINT OUTPUT`.

It writes a line for every micro-batch that is complete, and ends with the input.
"""

import sys

from pyspark.sql import SparkSession

import holdsfor as hf


def main(rules: str, records: str, checkpoint: str, output: str) -> None:
    spark = SparkSession.builder.getOrCreate()
    lines = spark.readStream.option("maxFilesPerTrigger", 1).text(records)
    stream = hf.spark.stream(lines, hf.load(rules), window=20, step=10, start=0, buckets=2)
    writer = stream.changes.writeStream.format("parquet").option("checkpointLocation", checkpoint)
    writer = writer.onProgress(lambda progress: print(f"batch {progress.decision.batch} done", flush=True))
    writer.trigger(availableNow=True).start(output).awaitTermination()
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
