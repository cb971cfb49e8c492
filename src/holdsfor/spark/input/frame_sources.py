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
from holdsfor.sources.input_columns import arrow_types, schema_columns
from holdsfor.sources.nested_columns import field_path
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.table_layout import TIMES, Layout, layout_of
from holdsfor.sources.times import Clock
from holdsfor.spark.input.frame_reader import FILE, ROW, TABLE, ReaderSettings, TableReader, mapping_of
from holdsfor.spark.input.lines import LineReader
from holdsfor.spark.input.listing import java_message
from holdsfor.spark.input.set_aside import FileBlock

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
    `argument_times` show them. `columns` are the types and names of the columns in the places of records. `plain` is
    the table before its columns were selected, which workers may read from its files.
    """

    frame: DataFrame
    reader: Callable[[ReaderSettings], TableReader | LineReader]
    may_retract: bool
    columns: Mapping[Place, InputColumn] = field(default_factory=dict)
    forms: TimeForms | None = None
    times: tuple[str, ...] = ()
    argument_times: tuple[str, ...] = ()
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

    own = [name for name in frame.columns if name not in (FILE, ROW)] if files else frame.columns
    described = mapping_of(mapping)
    fields = {} if described is None else _fields(frame, described.wanted)
    layout = layout_of([*own, *fields], described, names, place.file)
    selected = {name: F.col(fields.get(name) or quoted(name)) for name in layout.wanted}
    empty = _arrow_schema(frame.select(*(column.alias(name) for name, column in selected.items()))).empty_table()
    read_table(empty, names, tick, Symbols(), ColumnReading(), mapping=described)
    origin = [name for name in (FILE, ROW) if files and name in frame.columns]
    aliases = {name: f"c{i}" for i, name in enumerate(layout.wanted)}  # PySpark does not pass on names with dots
    columns = [selected[name].alias(alias) for name, alias in aliases.items()]
    return FrameSource(
        frame.select(*columns, *origin),
        partial(TableReader, columns=tuple(aliases), mapping=mapping, files=files or {}, place=place),
        may_retract="op" in layout.columns or "revision" in layout.columns,
        columns=schema_columns(arrow_types(empty.schema), described, names),
        times=tuple(aliases[layout.columns[name]] for name in TIMES if name in layout.columns),
        argument_times=tuple(aliases[layout.columns[name]] for name in _argument_times(layout, empty.schema)),
        n_files=len(files or [place]),
        plain=frame if plain is None else plain,
    )


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
        yield from (_of_column(source.frame, column) for column in source.times)


def _argument_forms(sources: Sequence[FrameSource]) -> Iterator[bool | None]:
    for source in sources:
        if source.forms is not None:
            yield source.forms.arguments
        yield from (_of_column(source.frame, column) for column in source.argument_times)


def _of_column(frame: DataFrame, column: str) -> bool | None:
    kind = frame.schema[column].dataType.typeName()
    if kind != "string":
        return {"timestamp": True, "timestamp_ntz": False, "date": False}.get(kind)
    clock = Clock()
    for row in frame.select(column).where(f"{column} is not null").limit(_PEEKED).collect():
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
