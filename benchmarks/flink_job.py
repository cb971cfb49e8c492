"""MATCH_RECOGNIZE on Flink for `benchmarks/flink.py`, under a Python that has PyFlink.

`python benchmarks/flink_job.py BOUND RECORDS RESULTS [RECORDS RESULTS …]` runs one job after the other in one JVM, from
a folder of CSV files to a folder of CSV files, and prints a line of JSON for each. Records are `id,state,time`, with
times in milliseconds and delays of less than BOUND seconds.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

from processes import cost_of_children

if TYPE_CHECKING:
    from pyflink.table import StreamTableEnvironment  # type: ignore[import-not-found]

SLOTS = 2
CHECKPOINTS = 10_000  # milliseconds from one to the next
RECORDS = """
CREATE TABLE records (
    id BIGINT, state STRING, `time` BIGINT,
    ts AS TO_TIMESTAMP_LTZ(`time`, 3),
    WATERMARK FOR ts AS ts - INTERVAL '{bound}' SECOND
) WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{path}')
"""
RESULTS = """
CREATE TABLE results (id BIGINT, `start` BIGINT, `end` BIGINT)
WITH ('connector' = 'filesystem', 'format' = 'csv', 'path' = '{path}')
"""
MATCH = """
INSERT INTO results
SELECT id, began + 1, ended + 1 FROM records MATCH_RECOGNIZE (
    PARTITION BY id ORDER BY ts
    MEASURES A.`time` AS began, B.`time` AS ended
    ONE ROW PER MATCH AFTER MATCH SKIP PAST LAST ROW
    PATTERN (A C* B)
    DEFINE A AS A.state = 'on', C AS C.state = 'on', B AS B.state = 'off'
)
"""


def environment(bound: int, records: str, results: str) -> StreamTableEnvironment:
    """Two slots, a watermark of the bound, and the tables `records` and `results`."""
    from pyflink.datastream import StreamExecutionEnvironment  # type: ignore[import-not-found]
    from pyflink.table import StreamTableEnvironment

    streams = StreamExecutionEnvironment.get_execution_environment()
    streams.set_parallelism(SLOTS)
    streams.enable_checkpointing(CHECKPOINTS)
    tables = StreamTableEnvironment.create(streams)
    tables.execute_sql(RECORDS.format(bound=bound, path=_quoted(records)))
    tables.execute_sql(RESULTS.format(path=_quoted(results)))
    return tables


def _quoted(path: str) -> str:
    """A path inside a literal of SQL."""
    return path.replace("'", "''")


def main() -> None:
    bound, *folders = sys.argv[1:]
    for records, results in zip(folders[::2], folders[1::2], strict=True):
        tables = environment(int(bound), records, results)
        began = time.perf_counter(), time.process_time(), cost_of_children()
        tables.execute_sql(MATCH).wait()
        processor = time.process_time() - began[1] + cost_of_children().since(began[2]).total
        print(json.dumps({"processor": processor, "seconds": time.perf_counter() - began[0]}), flush=True)


if __name__ == "__main__":
    main()
