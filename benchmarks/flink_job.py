"""Jobs on Flink for `benchmarks/flink.py`, under a Python that has PyFlink.

`python benchmarks/flink_job.py KIND BOUND RECORDS RESULTS [RECORDS RESULTS …]` runs one job after the other in one JVM,
from a folder of CSV files to a folder of CSV files, and prints a line of JSON for each. `KIND` is `match`, for
MATCH_RECOGNIZE in SQL, or `keyed`, for a function in Python with keyed state and a timer for each record. Records are
`id,state,time`, with times in milliseconds and delays of less than BOUND seconds.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

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


def match(tables: StreamTableEnvironment) -> None:
    tables.execute_sql(MATCH).wait()


def keyed(tables: StreamTableEnvironment) -> None:
    """The records of a lamp wait in its state until the watermark has passed them."""
    from pyflink.common import Row, Types  # type: ignore[import-not-found]
    from pyflink.datastream.functions import KeyedProcessFunction  # type: ignore[import-not-found]
    from pyflink.datastream.state import (  # type: ignore[import-not-found]
        MapStateDescriptor,
        ValueStateDescriptor,
    )

    class Ended(KeyedProcessFunction):  # type: ignore[misc]
        def open(self, runtime_context: Any) -> None:
            waiting = MapStateDescriptor("waiting", Types.LONG(), Types.STRING())
            self.waiting = runtime_context.get_map_state(waiting)
            self.since = runtime_context.get_state(ValueStateDescriptor("since", Types.LONG()))

        def process_element(self, value: Any, ctx: Any) -> None:
            self.waiting.put(value[2], value[1])
            ctx.timer_service().register_event_time_timer(value[2])

        def on_timer(self, timestamp: int, ctx: Any) -> Iterator[Any]:
            is_on, since = self.waiting.get(timestamp) == "on", self.since.value()
            self.waiting.remove(timestamp)
            if is_on and since is None:
                self.since.update(timestamp)
            elif not is_on and since is not None:
                yield Row(ctx.get_current_key(), since + 1, timestamp + 1)
                self.since.clear()

    rows = tables.to_data_stream(tables.from_path("records"))
    kind = Types.ROW_NAMED(["id", "start", "end"], [Types.LONG(), Types.LONG(), Types.LONG()])
    ended = rows.key_by(lambda row: row[0], Types.LONG()).process(Ended(), kind)
    tables.from_data_stream(ended).execute_insert("results").wait()


KINDS = {"match": match, "keyed": keyed}


def main() -> None:
    kind, bound, *folders = sys.argv[1:]
    for records, results in zip(folders[::2], folders[1::2], strict=True):
        tables = environment(int(bound), records, results)
        began = time.perf_counter(), time.process_time(), cost_of_children()
        KINDS[kind](tables)
        processor = time.process_time() - began[1] + cost_of_children().since(began[2]).total
        print(json.dumps({"processor": processor, "seconds": time.perf_counter() - began[0]}), flush=True)


if __name__ == "__main__":
    main()
