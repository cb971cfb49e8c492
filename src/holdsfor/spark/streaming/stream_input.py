"""The inputs of a stream: streaming DataFrames, as one stream with the rows of each in a column of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdsfor.analysis.pipeline import Compiled
from holdsfor.analysis.place_types import InputColumn
from holdsfor.analysis.sorts import Place
from holdsfor.errors import DataProblem, Diagnostic, UsageProblem, did_you_mean
from holdsfor.sources.input_columns import merged_columns
from holdsfor.sources.number_checks import refuse_conflicts
from holdsfor.spark.input.frame_reader import SOURCE
from holdsfor.spark.input.frame_sources import FrameSource, quoted
from holdsfor.spark.input.inputs import Columns, Lines, inputs_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["StreamInput", "stream_input"]

_INPUT = "__input"
_CLOCK = -1
_BLANKS = re.compile(r"\s+(?=(?:[^']*'[^']*')*[^']*$)")


@dataclass(frozen=True)
class StreamInput:
    """The streaming DataFrames of a run, and one DataFrame with the rows of all of them.

    `descriptions` are those of the columns of each, and `formats` those of their lines, as a restart compares them.
    """

    sources: Sequence[FrameSource]
    frame: DataFrame
    columns: Mapping[Place, InputColumn]
    descriptions: tuple[str, ...]
    formats: tuple[str, ...]

    @property
    def spark(self) -> SparkSession:
        return self.frame.sparkSession

    def parts(self, batch: DataFrame) -> list[DataFrame]:
        """The rows of each input in a micro-batch, with the columns that its reader expects."""
        from pyspark.sql import functions as F

        if _INPUT not in batch.columns:
            return [batch]
        return [
            batch.where(F.col(_INPUT) == number).select(f"{_column(number)}.*") for number in range(len(self.sources))
        ]


def stream_input(
    data: Any,
    compiled: Compiled,
    tick: int,
    columns: Columns | None,
    arrival: str | None,
    source: str | None,
    *,
    has_clock: bool,
) -> StreamInput:
    """The inputs of a stream, checked against its rules.

    `arrival` and `source` are the columns with the arrival and the source of a record. With `has_clock`, the stream has
    a micro-batch every second, even if its inputs have no rows.
    """
    given = [_with_arrival(_with_source(each, source), arrival) for each in _listed(data, columns)]
    sources = inputs_of(given, compiled.names, tick).sources
    found: dict[Place, InputColumn] = {}
    for each in sources:
        found = merged_columns(found, each.columns)
    refuse_conflicts(compiled.names, found)
    formats = tuple(each.form if isinstance(each, Lines) else "" for each in given)
    together = _together(sources, has_clock=has_clock)
    return StreamInput(sources, together, found, tuple(map(_description, given)), formats)


def _description(each: Any) -> str:
    """The description of the columns of an input, without blanks outside quotes; empty for the columns of records."""
    described = each.mapping if isinstance(each, Lines) else each[1] if isinstance(each, tuple) else None
    if isinstance(described, dict):
        return ",".join(sorted(f"{column}={role}" for column, role in described.items()))
    return _BLANKS.sub("", described or "")


def _listed(data: Any, columns: Columns | None) -> list[Any]:
    """The inputs as DataFrames, or pairs of a DataFrame and its columns."""
    is_pair = isinstance(data, tuple) and len(data) == 2 and isinstance(data[1], str | dict)
    listed = list(data) if isinstance(data, list | tuple) and not is_pair else [data]
    if columns is not None:
        if len(listed) != 1 or isinstance(listed[0], tuple):
            message = "`columns` describes one DataFrame, found several inputs"
            raise DataProblem(Diagnostic("HF505", message, hint="give pairs of a DataFrame and its columns"))
        listed = [(listed[0], columns)]
    for each in listed:
        frame = each[0] if isinstance(each, tuple) else each.frame if isinstance(each, Lines) else each
        if not getattr(frame, "isStreaming", False):
            found = "a DataFrame that is not a stream" if hasattr(frame, "mapInArrow") else f"`{type(frame).__name__}`"
            hint = "`spark.readStream` gives a streaming DataFrame; `hf.spark.recognise` takes tables and files"
            raise UsageProblem(Diagnostic("HF794", f"expected a streaming DataFrame, found {found}", hint=hint))
    return listed


def _with_source(each: Any, source: str | None) -> Any:
    """An input whose rows have the column of their source."""
    if source is None or isinstance(each, Lines):
        return each
    from pyspark.sql import functions as F

    frame, columns = each if isinstance(each, tuple) else (each, None)
    _check_column(frame, source)
    frame = frame.withColumn(SOURCE, F.col(quoted(source)).cast("string"))
    if columns is None and source not in ("name", "start", "end", "arrival", "value", "op", "revision"):
        frame = frame.drop(source)
    return frame if columns is None else (frame, columns)


def _with_arrival(each: Any, arrival: str | None) -> Any:
    """An input whose column of arrivals is described."""
    if arrival is None or isinstance(each, Lines):
        return each
    frame, columns = each if isinstance(each, tuple) else (each, None)
    _check_column(frame, arrival)
    if isinstance(columns, str):
        name = "'" + arrival.replace("\\", "\\\\").replace("'", "\\'") + "'"
        return frame, f"{columns}, arrival({name})"
    if columns is not None:
        return frame, {**columns, arrival: "arrival"}
    return frame if arrival == "arrival" else frame.withColumnRenamed(arrival, "arrival")


def _check_column(frame: DataFrame, column: str) -> None:
    if column not in frame.columns:
        message = f"column `{column}` not found among the columns of the DataFrame: {', '.join(frame.columns)}"
        raise DataProblem(Diagnostic("HF502", message, hint=did_you_mean(column, frame.columns)))


def _column(number: int) -> str:
    return f"__rows{number}"


def _together(sources: Sequence[FrameSource], *, has_clock: bool) -> DataFrame:
    """One streaming DataFrame with the rows of all inputs; the DataFrame of a single input as it is."""
    if len(sources) == 1 and not has_clock:
        return sources[0].frame
    from functools import reduce

    from pyspark.sql import functions as F

    kinds = [source.frame.schema for source in sources]

    def rows(number: int, frame: DataFrame) -> DataFrame:
        columns = [
            F.struct(*(F.col(quoted(name)) for name in frame.columns)).alias(_column(other))
            if other == number
            else F.lit(None).cast(kind).alias(_column(other))
            for other, kind in enumerate(kinds)
        ]
        return frame.select(F.lit(number).alias(_INPUT), *columns)

    frames = [rows(number, source.frame) for number, source in enumerate(sources)]
    if has_clock:
        session = sources[0].frame.sparkSession
        frames.append(rows(_CLOCK, session.readStream.format("rate").option("rowsPerSecond", 1).load()))
    return reduce(lambda one, other: one.union(other), frames)
