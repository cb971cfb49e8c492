"""The result tables of a run, and the format in which they are written.

Each output fluent and event has a table of its own, with typed columns. Tables also exist for the records set aside,
for the changes of reports, and for the list of all tables.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.analysis.result_columns import TableColumns
from holdsfor.columns.file_metadata import TableDescription, table_metadata
from holdsfor.columns.result_table import typed_schema
from holdsfor.columns.time_type import TimeType
from holdsfor.sources.times import Unit
from holdsfor.spark.job.recognition import Recognition
from holdsfor.spark.output.time_columns import day_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["TABLES", "Form", "Format", "Part", "ReportKind", "ResultTable", "result_tables_of"]

Format = Literal["parquet", "csv", "json"]
Part = Literal["day"]

ReportKind = Literal["known", "changes"]
"""The content of reports: the known results, or the changes."""

TABLES = "tables"
"""The list of all tables, written last: its presence shows that all tables are complete."""

_SET_ASIDE, _CHANGES = "set_aside", "report_changes"
_LISTED = pa.schema([("table", pa.string()), ("kind", pa.string()), ("name", pa.string()), ("arity", pa.int32())])
_FRACTIONS = {"s": "", "ms": ".SSS", "us": ".SSSSSS"}


@dataclass(frozen=True)
class ResultTable:
    """A table of results.

    `time` is the column with the time of a row, `times` is the type of all times, and `about` is the kind, name and
    arity that the list of tables has. `description` is that of a table of settled results, which queries read.
    """

    name: str
    frame: DataFrame
    time: str | None = None
    times: TimeType | None = None
    about: tuple[str, str | None, int | None] = (TABLES, None, None)
    description: TableDescription | None = None


def result_tables_of(found: Recognition, reports: Collection[ReportKind] = ()) -> list[ResultTable]:
    """The tables of a run with the given reports; the list of tables is the last one."""
    layouts = list(found.columns)
    own = [_SET_ASIDE, _CHANGES, TABLES]
    names = _distinct([layout.table for layout in layouts], own)
    tables: list[ResultTable] = []
    if "changes" in reports:
        about = ("changes", None, None)
        tables.append(ResultTable(_CHANGES, found.reports.changes, times=found.time_type, about=about))
    if "known" in reports:
        titles = _distinct([f"report_{name}" for name in names], [*own, *names])
        for name, layout in zip(titles, layouts, strict=True):
            tables.append(_of_layout(found, layout, name, found.reports.table_of(layout), "report of "))
    tables.append(ResultTable(_SET_ASIDE, _set_aside(found), about=("set aside", None, None)))
    for name, layout in zip(names, layouts, strict=True):
        table = _of_layout(found, layout, name, found.table_of(layout))
        tables.append(replace(table, description=_description(layout, found.time_type)))
    return [*tables, _listed(found, tables)]


def _set_aside(found: Recognition) -> DataFrame:
    """The records set aside; if none were counted, their table needs no job."""
    if found.reasons.n or found.unreadable:
        return found.set_aside
    return found.spark.createDataFrame([], found.set_aside.schema)


def _of_layout(found: Recognition, layout: TableColumns, name: str, frame: DataFrame, prefix: str = "") -> ResultTable:
    kind, time = ("event", "time") if layout.value is None else ("fluent", "start")
    return ResultTable(name, frame, time, found.time_type, (f"{prefix}{kind}", *layout.key))


def _description(layout: TableColumns, times: TimeType | None) -> TableDescription:
    return TableDescription.of(typed_schema(layout, times).with_metadata(table_metadata(layout, times)))


def _listed(found: Recognition, tables: Sequence[ResultTable]) -> ResultTable:
    rows = [(table.name, *table.about) for table in tables]
    columns = [pa.array(column, kind) for column, kind in zip(zip(*rows, strict=True), _LISTED.types, strict=True)]
    frame = found.spark.createDataFrame(pa.Table.from_arrays(columns, schema=_LISTED))
    return ResultTable(TABLES, frame.coalesce(1))


def _distinct(names: Sequence[str], taken: Collection[str]) -> list[str]:
    """The names as identifiers that folders, catalogues and databases accept, different in any case of letters.

    >>> _distinct(["gap", "Gap", "has left", "tables", "+"], ["tables"])
    ['gap', 'Gap_', 'has_left', 'tables_', 'table__']
    """
    used, found = {name.lower() for name in taken}, list[str]()
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        plain = plain if plain[:1].isalpha() else f"table_{plain}"
        while plain.lower() in used:
            plain += "_"
        used.add(plain.lower())
        found.append(plain)
    return found


@dataclass(frozen=True)
class Form:
    """The format of tables: by default Parquet without partitions.

    The day of a row is that of its `start` or `time`, in UTC or in local time if times have no offset. Integers are
    time-points of `time_unit` since 1970.
    """

    format: Format = "parquet"
    partition_by: tuple[Part, ...] = ()
    time_unit: Unit = "s"

    def writer(self, result: ResultTable) -> Any:
        """The Spark writer of a table."""
        parts = self.parts(result)
        frame = self._with_parts(result)
        if parts:
            # A task has rows of many days: without a shuffle each task would write a file for each day.
            frame = frame.hint("rebalance", *parts)
        if "query_time" in frame.columns:  # readers of one query time can skip the others
            frame = frame.sortWithinPartitions(*parts, "query_time")
        return self._written(frame, result.times).partitionBy(*parts)

    def schema_writer(self, result: ResultTable) -> Any:
        """The Spark writer of a file without rows, which has the schema of a table that would have no partition."""
        frame = self._with_parts(result)
        return self._written(frame.sparkSession.createDataFrame([], frame.schema), result.times).mode("append")

    def parts(self, result: ResultTable) -> list[str]:
        """The partition columns of a table; a table without times is not partitioned."""
        if "day" not in self.partition_by or result.time is None:
            return []
        name, taken = "day", {column.lower() for column in result.frame.columns}
        while name in taken:
            name += "_"
        return [name]

    def _with_parts(self, result: ResultTable) -> DataFrame:
        """The rows of a table with all its partition columns."""
        frame = result.frame
        for name in self.parts(result):
            assert result.time is not None
            day = day_of(result.time, frame.schema[result.time].dataType.typeName(), self.time_unit)
            frame = frame.withColumn(name, day)
        return frame

    def _written(self, frame: DataFrame, times: TimeType | None) -> Any:
        writer = frame.write.format(self.format)
        if self.format == "parquet":
            return writer
        if times is not None:  # the default depends on the session, and has no microseconds
            moment = f"yyyy-MM-dd'T'HH:mm:ss{_FRACTIONS[times.unit]}"
            writer = writer.option("timeZone", times.zone or "UTC").option("timestampNTZFormat", moment)
            writer = writer.option("timestampFormat", f"{moment}XXX")
        if self.format == "json":
            return writer.option("ignoreNullFields", "false")
        return writer.option("header", "true").option("escape", '"')
