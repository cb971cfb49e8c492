"""What a run on Spark reads: DataFrames, each with what makes rows of its batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from holdsfor.analysis.names import Names
from holdsfor.columns.words import Symbols
from holdsfor.sources.arrow import read_table
from holdsfor.sources.column_reading import ColumnReading
from holdsfor.sources.layout import TIMES, layout_of
from holdsfor.sources.times import Clock
from holdsfor.spark.flow import Step
from holdsfor.spark.reading import FILE, NOWHERE, ROW, Setting, TableReader, mapping_of
from holdsfor.spark.set_aside import Place

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Source", "checked_table", "has_offset"]

_PEEKED = 100


@dataclass(frozen=True)
class Source:
    """A DataFrame, what makes rows of its batches, and what is known of its records.

    Times that are not integers have an offset from UTC or they have none; what the first of them has is known, or can
    be seen in columns of a DataFrame.
    """

    frame: DataFrame
    reader: Callable[[Setting], Step]
    may_take_back: bool
    has_offset: bool | None = None
    times: tuple[str, ...] = ()
    n_files: int = 1


def checked_table(
    frame: DataFrame,
    names: Names,
    tick: int,
    mapping: str | None = None,
    files: dict[int, Place] | None = None,
    place: Place = NOWHERE,
) -> Source:
    """The source that a table is, if an empty one with its columns could be read; HF502 or HF505 if not."""
    own = [name for name in frame.columns if name not in (FILE, ROW)] if files else frame.columns
    described = mapping_of(mapping)
    empty = _arrow_schema(frame.select(*map(quoted, own))).empty_table()
    read_table(empty, names, tick, Symbols(), ColumnReading(), mapping=described)
    layout = layout_of(own, described, names, "table")
    origin = [name for name in (FILE, ROW) if files and name in frame.columns]
    return Source(
        frame.select(*map(quoted, [*layout.wanted, *origin])),
        partial(TableReader, mapping=mapping, files=files or {}, place=place),
        may_take_back="op" in layout.columns,
        times=tuple(layout.columns[name] for name in TIMES if name in layout.columns),
        n_files=len(files or [place]),
    )


def quoted(column: str) -> str:
    """The name of a column, whatever characters it has."""
    return f"`{column.replace('`', '``')}`"


def has_offset(sources: Sequence[Source]) -> bool:
    """Whether times have an offset from UTC, as the first time of the run that is not an integer.

    Types tell; where times are texts, a few of them are looked at.
    """
    for source in sources:
        known = source.has_offset
        for column in source.times if known is None else ():
            known = _of_column(source.frame, column)
            if known is not None:
                break
        if known is not None:
            return known
    return True


def _of_column(frame: DataFrame, column: str) -> bool | None:
    kind = frame.schema[column].dataType.typeName()
    if kind != "string":
        return {"timestamp": True, "timestamp_ntz": False, "date": False}.get(kind)
    clock = Clock()
    for row in frame.select(quoted(column)).where(f"{quoted(column)} is not null").limit(_PEEKED).collect():
        clock.read(row[0])
    return clock.has_offset


def _arrow_schema(frame: DataFrame) -> Any:
    from pyspark.sql.pandas.types import to_arrow_schema

    return to_arrow_schema(frame.schema)
