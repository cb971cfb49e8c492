"""Sources of a job: DataFrames, each with the reader that turns its batches into facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow.types as pt  # type: ignore[import-untyped]

from holdsfor.analysis.names import Names
from holdsfor.analysis.place_types import InputColumn
from holdsfor.analysis.sorts import Place
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.sources.arrow import read_table
from holdsfor.sources.file_times import DATE, TIME, is_date
from holdsfor.sources.input_columns import arrow_types, schema_columns
from holdsfor.sources.nested_columns import field_path
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.table_layout import TIMES, Layout, layout_of
from holdsfor.sources.times import Clock
from holdsfor.spark.input.frame_reader import FILE, ROW, SOURCE, TABLE, ReaderSettings, TableReader, mapping_of
from holdsfor.spark.input.lines import LineReader
from holdsfor.spark.input.listing import java_message
from holdsfor.spark.input.set_aside import FileBlock
from holdsfor.spark.input.whole_files import WholeFileReader

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["FrameSource", "TimeForms", "checked_table", "time_forms"]

_PEEKED = 100


@dataclass(frozen=True)
class TimeForms:
    """Whether dates and times have an offset from UTC: those of records, and those of their arguments.

    None means that there are none, or that all times are integers.
    """

    records: bool | None = None
    arguments: bool | None = None

    @property
    def has_offset(self) -> bool | None:
        """The form of all times of a run, which that of its records decides."""
        return self.arguments if self.records is None else self.records


@dataclass(frozen=True)
class FrameSource:
    """A DataFrame, its reader, and the known properties of its records.

    `forms` are the forms of times that the probe of files has found; otherwise the columns `times` and
    `argument_times` show them. `are_dates` are the forms of times as texts by file. `columns` are the types and names
    of the columns in the places of records. `plain` is the table before its columns were selected, which workers may
    read from its files.
    """

    frame: DataFrame
    reader: Callable[[ReaderSettings], TableReader | LineReader | WholeFileReader]
    may_retract: bool
    columns: Mapping[Place, InputColumn] = field(default_factory=dict)
    forms: TimeForms | None = None
    times: tuple[str, ...] = ()
    argument_times: tuple[str, ...] = ()
    are_dates: Mapping[str, bool] = field(default_factory=dict)
    n_files: int = 1
    plain: DataFrame | None = None


def checked_table(
    frame: DataFrame,
    names: Names,
    tick: int,
    mapping: str | None = None,
    files: dict[int, FileBlock] | None = None,
    place: FileBlock = TABLE,
    plain: DataFrame | None = None,
) -> FrameSource:
    """A table as a source; HF502 or HF505 if its columns cannot be read as records."""
    from pyspark.sql import functions as F

    added = (FILE, ROW, SOURCE) if files else (SOURCE,)
    own = [name for name in frame.columns if name not in added]
    described = mapping_of(mapping)
    fields = {} if described is None else _fields(frame, described.wanted)
    layout = layout_of([*own, *fields], described, names, place.file)
    selected = {name: F.col(fields.get(name) or quoted(name)) for name in layout.wanted}
    empty = _arrow_schema(frame.select(*(column.alias(name) for name, column in selected.items()))).empty_table()
    read_table(empty, names, tick, Symbols(), ColumnReading(), mapping=described)
    origin = [name for name in added if name in frame.columns]
    aliases = {name: f"c{i}" for i, name in enumerate(layout.wanted)}  # PySpark does not pass on names with dots
    chosen = frame.select(*(selected[name].alias(alias) for name, alias in aliases.items()), *origin)
    are_dates = _times_by_file(chosen, layout, aliases, files or {}, place)
    return FrameSource(
        chosen,
        partial(
            TableReader, columns=tuple(aliases), mapping=mapping, files=files or {}, place=place, are_dates=are_dates
        ),
        may_retract="op" in layout.columns or "revision" in layout.columns,
        columns=schema_columns(arrow_types(empty.schema), described, names),
        times=tuple(aliases[layout.columns[name]] for name in TIMES if name in layout.columns),
        argument_times=tuple(aliases[layout.columns[name]] for name in _argument_times(layout, empty.schema)),
        are_dates=are_dates,
        n_files=len(files or [place]),
        plain=frame if plain is None else plain,
    )


def _times_by_file(
    frame: DataFrame, layout: Layout, aliases: Mapping[str, str], files: Mapping[int, FileBlock], place: FileBlock
) -> dict[str, bool]:
    """Whether the times of each file are dates, if they are texts: its first start that is a time decides.

    The rows of a stream are not there yet.
    """
    from pyspark.sql import functions as F

    start = aliases[layout.columns["start"]] if "start" in layout.columns else None
    if start is None or frame.isStreaming or frame.schema[start].dataType.typeName() != "string":
        return {}
    is_wanted = F.trim(start).rlike(TIME)
    for column, text in layout.conditions:
        is_wanted &= F.col(aliases[column]).cast("string") == text
    starts = frame.where(is_wanted)
    if not files:
        alone = starts.select(start).first()
        return {} if alone is None else {place.file: is_date(alone[0]) is True}
    first = F.min_by(start, ROW) if ROW in frame.columns else F.first(start)
    found = starts.groupBy(FILE).agg(first).collect()
    return {files[number].file: is_date(text) is True for number, text in found}


def _argument_times(layout: Layout, schema: Any) -> list[str]:
    """The columns of arguments and values that are dates and times."""
    return [
        ours
        for ours, theirs in layout.columns.items()
        if ours not in TIMES
        and (
            layout.kinds.get(ours) == "time"
            or (ours not in layout.kinds and pt.is_timestamp(schema.field(theirs).type))
        )
    ]


def _fields(frame: DataFrame, wanted: Sequence[str]) -> dict[str, str]:
    """The wanted names that are fields inside columns, with their quoted paths."""
    paths = {name: field_path(name, frame.columns, partial(_has_field, frame.schema)) for name in wanted}
    return {name: ".".join(map(quoted, path)) for name, path in paths.items() if path is not None}


def _has_field(schema: Any, path: list[str]) -> bool:
    kind = schema[path[0]].dataType
    for name in path[1:]:
        if kind.typeName() != "struct" or name not in kind.names:
            return False
        kind = kind[name].dataType
    return True


def quoted(column: str) -> str:
    """The quoted name of a column."""
    return f"`{column.replace('`', '``')}`"


def time_forms(sources: Sequence[FrameSource]) -> TimeForms:
    """The forms of the times of a run, decided by the first times that are not integers.

    The type of a column decides; if the column has texts, its first rows decide.
    """
    records = _first(_record_forms(sources))
    return TimeForms(records, _first(_argument_forms(sources)) if records is None else None)


def _first(forms: Iterator[bool | None]) -> bool | None:
    return next((form for form in forms if form is not None), None)


def _record_forms(sources: Sequence[FrameSource]) -> Iterator[bool | None]:
    for source in sources:
        if source.forms is not None:
            yield source.forms.records
        has_dates = not source.are_dates or any(source.are_dates.values())
        for column in source.times:
            if has_dates or source.frame.schema[column].dataType.typeName() != "string":
                yield _of_column(source.frame, column)


def _argument_forms(sources: Sequence[FrameSource]) -> Iterator[bool | None]:
    for source in sources:
        if source.forms is not None:
            yield source.forms.arguments
        yield from (_of_column(source.frame, column) for column in source.argument_times)


def _of_column(frame: DataFrame, column: str) -> bool | None:
    from pyspark.sql import functions as F

    kind = frame.schema[column].dataType.typeName()
    if kind != "string":
        return {"timestamp": True, "timestamp_ntz": False, "date": False}.get(kind)
    clock = Clock()
    for row in frame.select(column).where(F.trim(column).rlike(DATE)).limit(_PEEKED).collect():
        clock.read(row[0])
    return clock.has_offset


def _arrow_schema(frame: DataFrame) -> Any:
    """The Arrow schema of a DataFrame; any time zone will do, because readers only check that there is one."""
    from pyspark.errors import PySparkException
    from pyspark.sql.pandas.types import to_arrow_schema

    try:
        return to_arrow_schema(frame.schema, timezone="UTC")
    except PySparkException as problem:
        message = f"a column has a type that records cannot have: {java_message(problem)}"
        raise DataProblem(Diagnostic("HF502", message, hint="cast the column first")) from None
