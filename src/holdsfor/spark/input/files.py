"""Files and catalogue tables as input of a job: the reader of each file.

Spark delivers the lines of text, CSV and JSON files, and the readers of this package parse them
(`holdsfor.spark.input.lines`). Spark reads tables. Files with different columns or types are read as different tables,
so that an integer in one file does not become a decimal because another file has decimals. A file that cannot be read
is reported; the others are read without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from holdsfor.analysis.names import Names
from holdsfor.analysis.place_types import InputColumn
from holdsfor.analysis.sorts import Place
from holdsfor.errors import DataProblem, Diagnostic, Diagnostics
from holdsfor.sources.formats import Format
from holdsfor.sources.input_columns import line_columns, merged_columns
from holdsfor.sources.input_files import split_description
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.input.file_probe import FileProbe, ProbedFile, Tabular
from holdsfor.spark.input.frame_reader import FILE, ROW, mapping_of
from holdsfor.spark.input.frame_sources import FrameSource, TimeForms, checked_table
from holdsfor.spark.input.lines import LineFile, LineReader, lines_of_files
from holdsfor.spark.input.listing import File, folder_of, java_message, java_problems, list_files
from holdsfor.spark.input.set_aside import FileBlock

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Files", "Form"]

_RETRACTING = frozenset(["op", "revision"])
"""Columns that need the shuffle of retractions."""

Form = Literal["text", "csv", "jsonl", "parquet", "orc", "table"]


@dataclass(frozen=True)
class Files:
    """A path, folder or pattern, optionally with a description of the columns after a colon; or a catalogue table.

    Without a `form`, the suffix and the first line of each file determine its format. `without` are files that an
    earlier attempt could not read.
    """

    given: str
    form: Form | None = None
    without: tuple[Unreadable, ...] = ()

    def sources(self, spark: SparkSession, names: Names, tick: int, order: int) -> Iterator[FrameSource | Unreadable]:
        """The records as DataFrames, and the unreadable files; a path that matches no file is HF501.

        `order` is the number of files before these in the order of reading.
        """
        path, mapping = split_description(self.given)
        if self.form == "table":
            yield checked_table(_catalogued(spark, path), names, tick, mapping, place=FileBlock("table", order=order))
            return
        files = list_files(spark, path)
        skipped = {each.file: each for each in self.without}
        yield from (skipped[file.path] for file in files if file.path in skipped)
        files = [file for file in files if file.path not in skipped]
        probed = FileProbe(spark, names, tick, self.form, mapping_of(mapping)).all(files)
        yield from (each for each in probed if isinstance(each, Unreadable))
        ordered = [(order + i, each) for i, each in enumerate(probed) if isinstance(each, ProbedFile)]
        yield from _lines(spark, ordered, names, mapping)
        yield from _tables(spark, path, ordered, names, tick, mapping)

    def excluding(self, unreadable: Unreadable) -> Files:
        """The same files without an unreadable one."""
        return replace(self, without=(*self.without, unreadable))


def _catalogued(spark: SparkSession, name: str) -> DataFrame:
    try:
        return spark.read.table(name)
    except java_problems() as problem:
        message = f"the table `{name}` cannot be read: {java_message(problem)}"
        raise DataProblem(Diagnostic("HF501", message, hint="`spark.catalog.listTables()` has the tables")) from None


# -- lines -------------------------------------------------------------------------------------------------------------


def _lines(
    spark: SparkSession, ordered: Sequence[tuple[int, ProbedFile]], names: Names, mapping: str | None
) -> Iterator[FrameSource]:
    """The lines of files, split at `\\n` only: the readers handle other line breaks."""
    files: dict[int, LineFile] = {}
    for order, each in ordered:
        if isinstance(each.content, LineFile):
            files[each.file.number] = replace(each.content, order=order)
    if files:
        patterns = [each.file.pattern for _, each in ordered if each.file.number in files]
        yield FrameSource(
            lines_of_files(spark.read.option("lineSep", "\n").text(patterns)),
            partial(LineReader, mapping=mapping, files=files),
            may_retract=any(_may_retract(file, mapping) for file in files.values()),
            columns=_columns(files.values(), names, mapping),
            forms=_forms([each.forms for _, each in ordered]),
            n_files=len(files),
        )


def _columns(files: Iterable[LineFile], names: Names, mapping: str | None) -> dict[Place, InputColumn]:
    """The columns of files of lines; a value may be anything, unless the mapping or a header declares its kind."""
    found: dict[Place, InputColumn] = {}
    for file in files:
        header = None if file.header is None else file.header.columns
        found = merged_columns(found, line_columns(mapping_of(mapping), header, names))
    return found


def _forms(probed: Sequence[TimeForms]) -> TimeForms:
    """The forms of the first times in some files."""
    return TimeForms(
        next((each.records for each in probed if each.records is not None), None),
        next((each.arguments for each in probed if each.arguments is not None), None),
    )


def _may_retract(file: LineFile, mapping: str | None) -> bool:
    described = mapping_of(mapping)
    if described is not None:
        return not _RETRACTING.isdisjoint(described.columns)
    return file.form != "csv" or (file.header is not None and not _RETRACTING.isdisjoint(file.header.columns))


# -- tables ------------------------------------------------------------------------------------------------------------


def _tables(
    spark: SparkSession,
    path: str,
    ordered: Sequence[tuple[int, ProbedFile]],
    names: Names,
    tick: int,
    mapping: str | None,
) -> Iterator[FrameSource | Unreadable]:
    """One source for each group of tables with the same columns and types."""
    groups: dict[Tabular, list[tuple[int, File]]] = {}
    for order, each in ordered:
        if isinstance(each.content, Tabular):
            groups.setdefault(each.content, []).append((order, each.file))
    for content, numbered in groups.items():
        block = 0 if content.form == "parquet" else None
        places = {file.number: FileBlock(file.path, block, order) for order, file in numbered}
        files = [file for _, file in numbered]
        try:
            plain = _table(spark, path, content.form, files)
            yield checked_table(_numbered(plain, content.form), names, tick, mapping, places, plain=plain)
        except DataProblem as problem:
            others = len(files) < len(ordered)
            yield from (Unreadable.because(each.path, _of(each, problem), is_among_others=others) for each in files)


def _table(spark: SparkSession, path: str, form: Format, files: Sequence[File]) -> DataFrame:
    """Several files as one table."""
    reader, folder = spark.read.format(form), folder_of(spark, path)
    try:
        return (reader if folder is None else reader.option("basePath", folder)).load([file.pattern for file in files])
    except java_problems() as problem:
        message = f"the table cannot be read: {java_message(problem)}"
        raise DataProblem(Diagnostic("HF501", message, hint="cast the column and write the file again")) from None


def _numbered(frame: DataFrame, form: Format) -> DataFrame:
    """The table with the number of each row's file and, for Parquet, the number of the row in it."""
    from pyspark.sql import functions as F

    more = {FILE: F.xxhash64("_metadata.file_path")}
    if form == "parquet":
        more[ROW] = F.col("_metadata.row_index")
    return frame.select("*", *(column.alias(name) for name, column in more.items()))


def _of(file: File, problem: DataProblem) -> DataProblem:
    """The same problem, with the name of a file."""
    return DataProblem(Diagnostics([replace(each, file=file.path) for each in problem.diagnostics]))
