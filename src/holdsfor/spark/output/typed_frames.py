"""The tables of single fluents and events as DataFrames, and their types, which are known before a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from holdsfor.analysis.result_columns import TableColumns
from holdsfor.columns.result_table import typed_schema
from holdsfor.columns.time_type import TimeType
from holdsfor.spark.output.time_columns import moment

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructType

__all__ = ["spark_schema", "typed_frame"]


def spark_schema(layout: TableColumns, times: TimeType | None) -> StructType:
    """The columns and types of the table of a fluent or event."""
    from pyspark.sql.pandas.types import from_arrow_schema

    of_spark = None if times is None else TimeType("us", times.zone)
    return from_arrow_schema(typed_schema(layout, of_spark), prefer_timestamp_ntz=True)


def typed_frame(
    rows: DataFrame,
    layout: TableColumns,
    times: TimeType | None,
    *,
    has_query_time: bool = False,
    has_op: bool = False,
) -> DataFrame:
    """The rows of `TypedRows` under the names of the layout, with timestamps if the times of the run are such."""
    from pyspark.sql import functions as F

    names = typed_schema(layout).names[: -1 if layout.value is None else -2]
    columns = [moment("query_time", times)] if has_query_time else []
    columns += [F.col("op")] if has_op else []
    columns += [F.col(f"c{i}").alias(name) for i, name in enumerate(names)]
    if layout.value is None:
        return rows.select(*columns, moment("start", times).alias("time"))
    return rows.select(*columns, moment("start", times), moment("end", times))
