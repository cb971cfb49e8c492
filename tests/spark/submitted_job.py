"""A job for `spark-submit`: runs a recognition on a cluster, and waits in the last stage until a file appears.

    submitted_job.py FOLDER RECORDS RULES…

Each task with results of the last stage writes a file `task-PARTITION-PID` with the path of its `holdsfor` into the
folder, and continues when the file `go` exists. Results are written to `answer.json`.
"""

import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyspark import TaskContext
from pyspark.sql import SparkSession

import holdsfor as hf


def main(folder: Path, records: str, *rules: str) -> None:
    def wait(batches: Iterator[Any]) -> Iterator[Any]:
        import holdsfor

        kept = list(batches)
        task = TaskContext.get()
        assert task is not None
        mark = folder / f"task-{task.partitionId()}-{os.getpid()}"
        mark.with_suffix(".new").write_text(holdsfor.__file__, encoding="utf-8")
        mark.with_suffix(".new").rename(mark)
        until = time.monotonic() + 600
        while not (folder / "go").exists() and time.monotonic() < until:
            time.sleep(0.1)
        yield from kept

    spark = SparkSession.builder.getOrCreate()
    found = hf.spark.recognise(spark.read.text(records), hf.load(*rules), start=0, buckets=2)
    intervals = found.intervals.mapInArrow(wait, found.intervals.schema)
    answer = {
        "intervals": [[row.fvp, row.start, row.end] for row in intervals.collect()],
        "events": [[row.fvp, row.start, row.end] for row in found.events.collect()],
        "code": hf.__file__,
    }
    spark.stop()
    (folder / "answer.json").write_text(json.dumps(answer), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
