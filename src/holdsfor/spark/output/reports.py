"""Reports as DataFrames: the known results and the changes of each query time.

The workers return every interval and time-point with the query times between which it is known, and the last report
that includes it (`dated_buckets`). A report repeats these rows for their query times; no join is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from holdsfor.analysis.names import Names
from holdsfor.analysis.result_columns import ResultColumns, TableColumns, find_table
from holdsfor.columns.time_type import TimeType
from holdsfor.parallel.stages.admission import RunSchedule
from holdsfor.spark.input.ingestion import frame_of
from holdsfor.spark.output.result_rows import COUNTS_AT, VERSION_TIMES, AllRows, TypedRows, count_rows
from holdsfor.spark.output.time_columns import with_times
from holdsfor.spark.output.typed_frames import typed_frame

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Reports"]

_CHANGE_TIMES = ("query_time", "old_start", "old_end", "start", "end")


@dataclass(frozen=True)
class Reports:
    """The reports of all query times.

    `reports["overdue"]` is the table of one fluent or event, after a column `query_time`; `tables()` has all of them.
    `results` is one table of all fluents and events. `changes` has the changes of each query time to the results known
    before. `counts` has the number of late, dropped and cut records at each query time. `evaluations` has for each
    query time the microseconds of its evaluation (`seconds`), summed over all buckets, and the numbers of records that
    its window has and the previous one does not (`entered`), and vice versa (`left`).
    """

    _answers: DataFrame
    _counted: DataFrame
    _rows_of: Callable[[TableColumns], DataFrame]
    _run: RunSchedule
    _columns: ResultColumns
    _names: Names
    _times: TimeType | None

    def __getitem__(self, name: str) -> DataFrame:
        return self.table_of(find_table(self._columns, self._names, name))

    def tables(self) -> dict[str, DataFrame]:
        """The tables of all output fluents and events, by name."""
        return {layout.table: self.table_of(layout) for layout in self._columns}

    def in_integers(self) -> Reports:
        """The same reports with integers as times."""
        return replace(self, _times=None)

    def table_of(self, layout: TableColumns) -> DataFrame:
        """The reports of one fluent or event."""
        rows = TypedRows(layout, is_dated=True)
        reported = self._reported(frame_of(self._rows_of(layout), rows, rows.schema))
        return typed_frame(reported, layout, self._times, has_query_time=True)

    @cached_property
    def results(self) -> DataFrame:
        return with_times(self._reported(self._known), ("query_time", "start", "end"), self._times)

    @cached_property
    def changes(self) -> DataFrame:
        return with_times(_changes(self._known), _CHANGE_TIMES, self._times)

    @cached_property
    def counts(self) -> DataFrame:
        return self._count(self._counted.where("kind in ('late', 'dropped', 'cut')"))

    @cached_property
    def evaluations(self) -> DataFrame:
        figures = self._counted.where("kind in ('entered', 'left')")
        return self._count(figures.unionByName(self._answers.where("kind = 'seconds'")))

    def _count(self, counted: DataFrame) -> DataFrame:
        from pyspark.sql import functions as F

        rows = frame_of(counted, count_rows, COUNTS_AT)
        return with_times(rows.groupBy("query_time", "what").agg(F.sum("n").alias("n")), ["query_time"], self._times)

    @cached_property
    def _known(self) -> DataFrame:
        """All results with the query times between which they are known."""
        rows = AllRows(is_dated=True)
        return frame_of(self._answers.where("kind in ('fluent', 'event')"), rows, rows.schema)

    def _reported(self, known: DataFrame) -> DataFrame:
        """The rows of all reports: each result once for every query time that reports it."""
        from pyspark.sql import functions as F

        step = F.lit(self._run.step or self._run.window or 1).cast("long")
        query_time = F.explode(F.sequence("known_from", "last_report", step)).alias("query_time")
        dates = {field.name for field in VERSION_TIMES} - {"start", "end"}
        kept = [name for name in known.columns if name not in dates]
        return known.where("last_report is not null").select(query_time, *kept)


def _changes(known: DataFrame) -> DataFrame:
    """New results with the results that they replace, and results that are retracted."""
    from pyspark.sql import functions as F

    nothing = F.lit(None).cast("long")
    what = ["kind", "name", "arguments", "value", "fvp"]
    come = known.select(
        F.col("known_from").alias("query_time"), "change", *what, "old_start", "old_end", "start", "end"
    )
    gone = known.where("is_retracted").select(
        F.col("known_until").alias("query_time"),
        F.lit("retracted").alias("change"),
        *what,
        F.col("start").alias("old_start"),
        F.col("end").alias("old_end"),
        nothing.alias("start"),
        nothing.alias("end"),
    )
    return come.unionByName(gone)
