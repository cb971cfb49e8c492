"""One series of measurements for `benchmarks/spark.py`, in its own process: `embedded`, or Spark on some cores.

It prints JSON, a line for each measurement. Processor seconds are those of this process, or of the JVM and the workers
of Spark below it. Spark is warm: it has processed a small history before.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from histories import History, history
from processes import Peak, cost_of_children

import holdsfor as hf
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import QueryTimes
from holdsfor.runtime.reports.report_tables import DecodedReport
from holdsfor.runtime.session import EngineSession
from holdsfor.sources.inputs import read_inputs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from holdsfor.spark import Recognition

WARM_UP = 200_000


def embedded(given: History) -> dict[str, float]:
    """Processor seconds of this process to read, to recognise, and to make a table of the answer."""
    rules, symbols = given.rules(), Symbols()
    began = time.process_time()
    reading = read_inputs(sorted(map(str, given.records.iterdir())), rules.names, 1, symbols)
    read = time.process_time()
    session = EngineSession(rules, start=0, symbols=symbols)
    for key, records in (*reading.events.items(), *reading.fluents.items()):
        session.insert_columns(key, records.up_to(given.end))
    del reading
    session.announce(QueryTimes(0, given.end))
    report = session.query(given.end)
    recognised = time.process_time()
    n_rows = DecodedReport(report, symbols).table().num_rows
    decoded = time.process_time()
    return {"read": read - began, "recognise": recognised - read, "decode": decoded - recognised, "results": n_rows}


def recognised(found: Recognition) -> None:
    """Compute and cache all results."""
    settled = found._job.settled
    for frame in (settled.sent, *settled.found):
        frame.count()


def decoded(found: Recognition) -> None:
    """Decode every interval and time-point to a row of Spark."""
    found.results.write.format("noop").mode("overwrite").save()


def measured(work: Callable[[], object]) -> dict[str, float]:
    """Seconds, and processor seconds of the JVM and of the workers."""
    before, began = cost_of_children(), time.perf_counter()
    work()
    cost = cost_of_children().since(before)
    return {"seconds": time.perf_counter() - began, "jvm": cost.jvm, "workers": cost.workers}


def series(spark: SparkSession, given: History, *, prepares: bool) -> Iterator[dict[str, Any]]:
    """The measurements from the files; then of preparing, and of the same from prepared history."""
    rules = given.rules()
    options: dict[str, Any] = {"start": 0, "end": given.end}

    def run(what: str, data: Any) -> Iterator[dict[str, Any]]:
        found = hf.spark.recognise(data, rules, **options)
        yield {"what": f"{what}, recognised", **measured(lambda: recognised(found))}
        yield {"what": f"{what}, decoded", **measured(lambda: decoded(found))}
        found.unpersist()

    table = spark.read.parquet(str(given.records))
    yield from run("files", table)
    yield from run("table", table.where("start >= 0"))
    if prepares:
        place = str(given.prepared)
        yield {"what": "prepare", **measured(lambda: hf.spark.prepare(table, rules, place, overwrite=True))}
    yield from run("prepared", hf.spark.prepared(spark, str(given.prepared)))


@contextmanager
def started(cores: int, heap: str = "4g") -> Iterator[SparkSession]:
    """Spark with as many tasks as cores, bound to these cores, since its JVM would use another core otherwise."""
    from pyspark.sql import SparkSession

    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    options: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": heap,
        "spark.sql.execution.arrow.maxRecordsPerBatch": "100000",
    }
    session = SparkSession.builder.master(f"local[{cores}]").appName("benchmark").config(map=options).getOrCreate()
    session.sparkContext.setLogLevel("FATAL")
    yield session
    session.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description="One series of measurements.")
    parser.add_argument("app")
    parser.add_argument("records", type=int)
    parser.add_argument("cores", type=int, help="cores of Spark; 0 is the embedded engine")
    parser.add_argument("--prepare", action="store_true", help="prepare the history first")
    options = parser.parse_args()
    given = history(options.app, options.records)
    with Peak() as peak:
        if not options.cores:
            print(json.dumps({"what": "embedded", **embedded(given)}))
        else:
            with started(options.cores) as spark:
                for _ in series(spark, history(options.app, WARM_UP), prepares=True):
                    pass
                for row in series(spark, given, prepares=options.prepare):
                    print(json.dumps(row), flush=True)
    print(json.dumps({"what": "memory", "jvm": peak.jvm, "worker": peak.worker, "driver": peak.driver}))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent))
    main()
