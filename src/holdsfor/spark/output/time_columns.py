"""Time-points of results as timestamps of Spark. The time zone of the session makes no difference."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from holdsfor.columns.time_type import TimeType

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["day_of", "moment", "with_times"]

_INSTANTS = {"s": "timestamp_seconds", "ms": "timestamp_millis", "us": "timestamp_micros"}
_UNITS = {"s": "SECOND", "ms": "MILLISECOND", "us": "MICROSECOND"}
_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000}


def with_times(frame: DataFrame, columns: Collection[str], times: TimeType | None) -> DataFrame:
    """The frame with its columns of time-points as timestamps."""
    return frame.select(*(moment(name, times) if name in columns else name for name in frame.columns))


def moment(column: str, times: TimeType | None) -> Any:
    """A column of time-points as timestamps, which have no zone if the times have no offset."""
    from pyspark.sql import functions as F

    if times is None:
        return F.col(column)
    if times.zone is not None:
        return F.expr(f"{_INSTANTS[times.unit]}({column})").alias(column)
    first = "timestamp_ntz'1970-01-01 00:00:00'"
    return F.expr(f"timestampadd({_UNITS[times.unit]}, {column}, {first})").alias(column)


def day_of(column: str, kind: str, unit: str) -> Any:
    """The day of a time-point or a timestamp, in UTC or in local time if there is no offset."""
    from pyspark.sql import functions as F

    if kind == "timestamp_ntz":
        return F.expr(f"cast(`{column}` as date)")
    n, number = _PER_DAY["us" if kind == "timestamp" else unit], f"`{column}`"
    number = f"unix_micros({number})" if kind == "timestamp" else number
    return F.expr(f"date_add(date'1970-01-01', cast(({number} - pmod({number}, {n})) div {n} as int))")
