"""The result tables of a run, and the format in which they are written."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from holdsfor.sources.times import Unit
from holdsfor.spark.job.recognition import Recognition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["RESULTS", "Form", "Format", "Part", "ReportKind", "ResultTable", "args_as_json", "result_tables_of"]

Format = Literal["parquet", "csv", "json"]
Part = Literal["fluent", "day"]

ReportKind = Literal["known", "changes"]
"""The content of reports: the known results, or the changes."""

RESULTS = ("report_changes", "report_events", "report_intervals", "set_aside", "events", "intervals")
"""The tables that a run may have. Intervals come last, so their presence shows that all tables are complete."""

_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}


@dataclass(frozen=True)
class ResultTable:
    """A table of results; `about` is the column with the name of a fluent or event, `time` the one with its time."""

    name: str
    frame: DataFrame
    about: str | None = None
    time: str | None = None


def result_tables_of(found: Recognition, reports: Collection[ReportKind] = ()) -> list[ResultTable]:
    """The tables of a run with the given reports, in the order of `RESULTS`."""
    tables: list[ResultTable] = []
    if "changes" in reports:
        tables.append(ResultTable("report_changes", found.reports.changes))
    if "known" in reports:
        tables.append(ResultTable("report_events", found.reports.events, about="name", time="time"))
        tables.append(ResultTable("report_intervals", found.reports.intervals, about="fluent", time="start"))
    return [
        *tables,
        ResultTable("set_aside", found.set_aside),
        ResultTable("events", found.events, about="name", time="time"),
        ResultTable("intervals", found.intervals, about="fluent", time="start"),
    ]


@dataclass(frozen=True)
class Form:
    """The format of tables: by default Parquet, partitioned by fluent or by the name of the event.

    The day of an interval is the day of its start in UTC. Time-points are seconds, milliseconds or microseconds since
    1970.
    """

    format: Format = "parquet"
    partition_by: tuple[Part, ...] | None = None
    time_unit: Unit = "s"

    def writer(self, result: ResultTable) -> Any:
        """The Spark writer of a table."""
        parts = self.parts(result)
        frame = self._with_parts(result)
        if "day" in parts:
            # A task has rows of many days: without a shuffle each task would write a file for each day.
            frame = frame.hint("rebalance", *parts)
        if "query_time" in frame.columns:  # readers of one query time can skip the others
            frame = frame.sortWithinPartitions(*parts, "query_time")
        return self._written(frame).partitionBy(*parts)

    def schema_writer(self, result: ResultTable) -> Any:
        """The Spark writer of a file without rows, which has the schema of a table that would have no partition."""
        frame = self._with_parts(result)
        return self._written(frame.sparkSession.createDataFrame([], frame.schema)).mode("append")

    def parts(self, result: ResultTable) -> list[str]:
        """The partition columns of a table; a table without names and times is not partitioned."""
        default: tuple[Part, ...] = ("fluent",) if self.format == "parquet" else ()
        asked = default if self.partition_by is None else self.partition_by
        columns = {"fluent": result.about, "day": result.time and "day"}
        return [column for part in asked if (column := columns[part]) is not None]

    def _with_parts(self, result: ResultTable) -> DataFrame:
        """The rows of a table with all its partition columns."""
        frame = args_as_json(result.frame) if self.format == "csv" else result.frame
        return frame.withColumn("day", self._day(result)) if "day" in self.parts(result) else frame

    def _written(self, frame: DataFrame) -> Any:
        writer = frame.write.format(self.format)
        return writer.option("header", "true") if self.format == "csv" else writer

    def _day(self, result: ResultTable) -> Any:
        from pyspark.sql import functions as F

        n = _PER_DAY[self.time_unit]
        days = f"(`{result.time}` - pmod(`{result.time}`, {n})) div {n}"
        return F.expr(f"date_add(date'1970-01-01', cast({days} as int))")


def args_as_json(frame: DataFrame) -> DataFrame:
    """The table with its lists of arguments as text."""
    from pyspark.sql import functions as F

    return frame.withColumn("args", F.to_json("args")) if "args" in frame.columns else frame
