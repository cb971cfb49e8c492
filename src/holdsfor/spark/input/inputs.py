"""The input arguments of a job: DataFrames of records, of lines or with other columns, files, and prepared history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from holdsfor.analysis.names import Names
from holdsfor.analysis.sorts import Place
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import DataProblem, Diagnostic, did_you_mean
from holdsfor.sources.column_kinds import split_kind
from holdsfor.sources.column_roles import columns_by_role
from holdsfor.sources.formats import Format
from holdsfor.sources.input_columns import line_columns
from holdsfor.sources.number_checks import TextUses
from holdsfor.sources.table_layout import layout_of
from holdsfor.sources.unreadable import Unreadable, refuse_if_all
from holdsfor.spark.input.files import Files, Form
from holdsfor.spark.input.frame_reader import SOURCE, mapping_of
from holdsfor.spark.input.frame_sources import FrameSource, checked_table, quoted
from holdsfor.spark.input.lines import LineReader, are_ordered, lines_of_frame
from holdsfor.spark.input.set_aside import FileBlock
from holdsfor.spark.input.whole_files import WholeFileReader, whole_files
from holdsfor.spark.prepared.history import Prepared, is_prepared, prepared

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Columns", "Given", "Inputs", "Lines", "Mapped", "events", "files", "fluents", "inputs_of"]

Columns: TypeAlias = "str | dict[str, str]"
"""The meaning of columns: a description such as `happensAt(speed(vessel, knots), ts)`, or roles by column name."""

Given: TypeAlias = "DataFrame | Mapped | Prepared | Files | str | Path | tuple[DataFrame | str, Columns]"

_HINT = "give DataFrames, paths, pairs of a DataFrame and its columns, or `hf.spark.events` and `hf.spark.fluents`"


@dataclass(frozen=True)
class Mapped:
    """A DataFrame with the columns of records; all of its rows have the same name.

    `titles` are the original names of the columns of arguments and values.
    """

    name: str
    frame: DataFrame
    titles: Mapping[str, str]


@dataclass(frozen=True)
class Lines:
    """A DataFrame whose column `value` has lines of text or JSON, or whole CSV files; `mapping` describes columns."""

    frame: DataFrame
    form: Format
    mapping: str | None = None


def files(path: str | Path, *, form: Form | None = None) -> Files:
    """The files of a path, folder or pattern in a given format, or a table of the catalogue.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string").createTempView("wins")
    >>> hf.spark.recognise(hf.spark.files("wins", form="table"), rules).intervals.first().fvp
    'rich(chris)=true'
    >>> spark.catalog.dropTempView("wins")
    True
    """
    return Files(str(path), form)


def events(name: str, frame: DataFrame, *, time: str, args: Sequence[str] = (), arrival: str | None = None) -> Mapped:
    """A DataFrame in which every row is an event of one name, with the columns of its time and its arguments.

    >>> import holdsfor as hf
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> wins = spark.createDataFrame([(13, "chris")], "ts long, who string")
    >>> hf.spark.recognise(hf.spark.events("win", wins, time="ts", args=["who"]), rules).intervals.first().start
    14
    """
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
) -> Mapped:
    """A DataFrame in which every row is a value of one fluent, over an interval or, without `end`, at a time-point.

    >>> import holdsfor as hf
    >>> rules = hf.load_text('''
    ... inputEntity(near(_)=true).
    ... holdsFor(close(X)=true, I) :- holdsFor(near(X)=true, I).
    ... ''')
    >>> rows = spark.createDataFrame([(3, 9, "v1", "true")], "begin long, stop long, vessel string, is_near string")
    >>> near = hf.spark.fluents("near", rows, start="begin", end="stop", value="is_near", args=["vessel"])
    >>> hf.spark.recognise(near, rules).intervals.select("fvp", "start", "end").collect()
    [Row(fvp='close(v1)=true', start=3, end=9)]
    """
    columns = {"start": start, "arrival": arrival or start, "value": value}
    return _mapped(name, frame, columns if end is None else {**columns, "end": end}, args)


def _mapped(name: str, frame: DataFrame, columns: dict[str, str], args: Sequence[str]) -> Mapped:
    from pyspark.sql import functions as F

    constants = {"value": columns["value"]} if "value" in columns else {}
    constants |= {f"arg{i + 1}": column for i, column in enumerate(args)}
    wanted = {role: column for role, column in columns.items() if role != "value"}
    titles: dict[str, str] = {}
    for role, column in constants.items():
        plain, kind = (column, None) if column in frame.columns else split_kind(column)
        wanted[role if kind is None else f"{role}:{kind}"] = titles[role] = plain
    for column in wanted.values():
        if column not in frame.columns:
            message = f"column `{column}` not found among the columns of the DataFrame: {', '.join(frame.columns)}"
            raise DataProblem(Diagnostic("HF502", message, hint=did_you_mean(column, frame.columns)))
    own = [F.col(quoted(column)).alias(role) for role, column in wanted.items()]
    return Mapped(name, frame.select(F.lit(name).alias("name"), *own), titles)


# -- given → sources ---------------------------------------------------------------------------------------------------


@dataclass
class Inputs:
    """The inputs of a run: sources, prepared history, and files that cannot be read."""

    sources: list[FrameSource] = field(default_factory=list)
    histories: list[Prepared] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)

    def add(self, found: FrameSource | Prepared | Unreadable) -> None:
        match found:
            case FrameSource():
                self.sources.append(found)
            case Prepared():
                self.histories.append(found)
            case Unreadable():
                self.unreadable.append(found)

    @property
    def n_files(self) -> int:
        return sum(source.n_files for source in self.sources) + len(self.unreadable)


def inputs_of(given: Given | Iterable[Given], names: Names, tick: int, columns: Columns | None = None) -> Inputs:
    """The inputs of a run, checked against the rules; an empty list is HF501."""
    is_one = isinstance(given, Mapped | Prepared | Files | str | Path) or hasattr(given, "mapInArrow")
    listed: list[Any] = [given] if is_one or _is_pair(given) else list(given)  # type: ignore[arg-type]
    if columns is not None:
        if len(listed) != 1 or _is_pair(listed[0]):
            message = "`columns` describes one DataFrame, found several inputs"
            raise DataProblem(Diagnostic("HF505", message, hint="give pairs of a DataFrame and its columns"))
        listed = [(listed[0], columns)]
    inputs = Inputs()
    for each in listed:
        for found in _found(each, names, tick, inputs.n_files):
            inputs.add(found)
    refuse_if_all(inputs.unreadable, len(inputs.sources) + len(inputs.histories))
    if not inputs.sources and not inputs.histories:
        raise DataProblem(Diagnostic("HF501", "there is no input", hint=_HINT))
    return inputs


def _is_pair(given: Any) -> bool:
    """Whether an input is a pair with a description of its columns."""
    return isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], str | dict)


def _found(given: Any, names: Names, tick: int, order: int) -> Iterable[FrameSource | Prepared | Unreadable]:
    given, mapping = given if _is_pair(given) else (given, None)
    if isinstance(given, str | Path):
        given = Files(str(given))
    if isinstance(given, Files) and given.form is None and mapping is None and is_prepared(_session(), given.given):
        given = prepared(_session(), given.given)
    if isinstance(given, Prepared):
        given.check(names, tick)
        return [given]
    if isinstance(given, Files):
        return _described(given, mapping).sources(_session(), names, tick, order)
    if isinstance(given, Lines):
        return [_source_of_lines(given, names, order)]
    if isinstance(given, Mapped):
        _check_texts(given, names)
    frame = given.frame if isinstance(given, Mapped) else given
    if not hasattr(frame, "mapInArrow"):
        raise DataProblem(Diagnostic("HF502", f"expected a DataFrame, found `{type(given).__name__}`", hint=_HINT))
    titles = given.titles if isinstance(given, Mapped) else None
    if isinstance(mapping, dict):
        frame, titles = _renamed(frame, mapping)
        mapping = None
    if mapping is None and _is_of_lines(frame):
        return [_source_of_lines(Lines(frame, "text"), names, order)]
    source = checked_table(frame, names, tick, mapping, place=FileBlock("table", order=order))
    return [source if titles is None else _titled(source, titles, given.name if isinstance(given, Mapped) else None)]


def _source_of_lines(lines: Lines, names: Names, order: int) -> FrameSource:
    described = mapping_of(lines.mapping)
    if described is not None:
        described.check_record(names)
    columns = line_columns(described, None, names)
    if lines.form == "csv":
        files = partial(WholeFileReader, mapping=lines.mapping, order=order)
        return FrameSource(whole_files(lines.frame), files, may_retract=True, columns=columns)
    place = FileBlock("text", order=order, is_ordered=are_ordered(lines.frame))
    reader = partial(LineReader, mapping=lines.mapping, place=place, form=lines.form)
    return FrameSource(lines_of_frame(lines.frame), reader, may_retract=True, columns=columns)


def _is_of_lines(frame: DataFrame) -> bool:
    """Whether the only column of a DataFrame is one of text, besides the source of its rows in a stream."""
    own = [name for name in frame.columns if name != SOURCE]
    return own == ["value"] and frame.schema["value"].dataType.typeName() == "string"


def _titled(source: FrameSource, titles: Mapping[str, str], name: str | None) -> FrameSource:
    """A source whose columns of records have names of their own, and records of one name or of any."""
    columns = {
        place: replace(column, name=titles.get(_column(place)), is_described=name is not None)
        for place, column in source.columns.items()
        if name in (None, place[0])
    }
    return replace(source, columns=columns)


def _column(place: Place) -> str:
    return "value" if place[2] == "value" else f"arg{int(place[2]) + 1}"


def _check_texts(given: Mapped, names: Names) -> None:
    """Refuse columns of text that the rules use as numbers."""
    texts = layout_of(given.frame.columns, None, names, "table").texts
    strings = {f.name for f in given.frame.schema if f.dataType.typeName() == "string"}
    uses = TextUses("table", names.number_uses, Symbols(), is_mapped=False)
    for record in names.records:
        if record.name == given.name:
            uses.check_columns(record, {ours: theirs for ours, theirs in texts.items() if theirs in strings})


def _described(files: Files, mapping: Any) -> Files:
    """Files with the description of their columns appended to the path."""
    if isinstance(mapping, dict):
        message = "columns by name describe a DataFrame, found files"
        hint = "the columns of files are described as text: `happensAt(event(column, …), column)`"
        raise DataProblem(Diagnostic("HF505", message, hint=hint))
    return files if mapping is None else Files(f"{files.given}: {mapping}", files.form, files.without)


def _renamed(frame: DataFrame, named: dict[str, str]) -> tuple[DataFrame, dict[str, str]]:
    """The DataFrame with the columns of records, and the original names of its columns."""
    from pyspark.sql import functions as F

    columns = columns_by_role(named, frame.columns)
    source = [name for name in frame.columns if name == SOURCE]
    renamed = frame.select(*(F.col(quoted(column)).alias(role) for role, column in columns.items()), *source)
    return renamed, {split_kind(role)[0]: column for role, column in columns.items()}


def _session() -> SparkSession:
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
