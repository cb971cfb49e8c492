"""DataFrames as input: records in the long form, lines of text, or tables of one event or fluent each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from holdsfor.analysis.names import Names
from holdsfor.columns.words import Symbols
from holdsfor.errors import DataProblem, Diagnostic, did_you_mean
from holdsfor.sources.column_reading import ColumnReading
from holdsfor.sources.columns import read_table
from holdsfor.spark.prepared import Prepared

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Given", "Source", "events", "fluents", "sources_of"]

_HINT = "give a DataFrame of records, one with a column of text, or `hf.spark.events` and `hf.spark.fluents`"


@dataclass(frozen=True)
class Source:
    """A DataFrame with records in the long form, or with lines of text."""

    frame: DataFrame
    shape: Literal["table", "text"]

    @property
    def may_take_back(self) -> bool:
        return self.shape == "text" or "op" in self.frame.columns


Given: TypeAlias = "DataFrame | Source | Prepared"


def events(name: str, frame: DataFrame, *, time: str, args: Sequence[str] = (), arrival: str | None = None) -> Source:
    """A DataFrame in which every row is an event of one name: which columns are its time and its arguments."""
    return _mapped(name, frame, {"start": time, "arrival": arrival or time}, args)


def fluents(
    name: str,
    frame: DataFrame,
    *,
    start: str,
    value: str,
    end: str | None = None,
    args: Sequence[str] = (),
    arrival: str | None = None,
) -> Source:
    """A DataFrame in which every row is a value of one fluent, over an interval or, without `end`, at a time-point."""
    columns = {"start": start, "arrival": arrival or start, "value": value}
    return _mapped(name, frame, columns if end is None else {**columns, "end": end}, args)


def _mapped(name: str, frame: DataFrame, columns: dict[str, str], args: Sequence[str]) -> Source:
    from pyspark.sql import functions as F

    wanted = {**columns, **{f"arg{i + 1}": column for i, column in enumerate(args)}}
    for column in wanted.values():
        if column not in frame.columns:
            message = f"column `{column}` not found among the columns of the DataFrame: {', '.join(frame.columns)}"
            raise DataProblem(Diagnostic("HF502", message, hint=did_you_mean(column, frame.columns)))
    selected = [F.lit(name).alias("name"), *(frame[column].alias(role) for role, column in wanted.items())]
    return Source(frame.select(*selected), "table")


def sources_of(given: Given | Iterable[Given], names: Names, tick: int) -> tuple[list[Source], list[Prepared]]:
    """The sources that were given, with columns that records may have, and prepared history, if it fits the rules."""
    listed = [given] if isinstance(given, Source | Prepared) or hasattr(given, "mapInArrow") else list(given)
    histories = [each for each in listed if isinstance(each, Prepared)]
    for history in histories:
        history.check(names, tick)
    return [_checked(_source(each), names, tick) for each in listed if not isinstance(each, Prepared)], histories


def _source(given: Any) -> Source:
    if isinstance(given, Source):
        return given
    if not hasattr(given, "mapInArrow"):
        raise DataProblem(Diagnostic("HF502", f"expected a DataFrame, found `{type(given).__name__}`", hint=_HINT))
    is_text = given.columns == ["value"] and given.schema["value"].dataType.typeName() == "string"
    return Source(given, "text" if is_text else "table")


def _checked(source: Source, names: Names, tick: int) -> Source:
    """The source, if an empty table with its columns could be read."""
    if source.shape == "table":
        read_table(_arrow_schema(source.frame).empty_table(), names, tick, Symbols(), ColumnReading())
    return source


def _arrow_schema(frame: DataFrame) -> Any:
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(frame.schema)
