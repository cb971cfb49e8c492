"""Files and tables as input of a run on Spark: which of them are read how.

Lines of all kinds come as they are, and our own readers read them (`holdsfor.spark.input.lines`). Tables come as Spark
reads them, those with other columns or types apart from each other: an integer of one file does not become a decimal
because another file has some. A file that cannot be read is told, and does not cost the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from holdsfor.analysis.names import Names
from holdsfor.errors import DataProblem, Diagnostic, Diagnostics
from holdsfor.sources.formats import Format
from holdsfor.sources.inputs import split_description
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.input.file_probe import FileProbe, ProbedFile, Tabular
from holdsfor.spark.input.frame_reader import FILE, ROW, mapping_of
from holdsfor.spark.input.frame_sources import FrameSource, checked_table
from holdsfor.spark.input.lines import LineFile, LineReader, lines_of_files
from holdsfor.spark.input.listing import File, folder_of, java_message, java_problems, list_files
from holdsfor.spark.input.set_aside import FileBlock

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Files", "Form"]

Form = Literal["text", "csv", "jsonl", "parquet", "orc", "table"]


@dataclass(frozen=True)
class Files:
    """A path, a folder or a pattern, with perhaps a description of the columns behind a colon, or a table.

    How the records are written is told by the suffix and the first line of each file, unless it is said. `without` are
    files that have turned out to be unreadable.
    """

    given: str
    form: Form | None = None
    without: tuple[Unreadable, ...] = ()

    def sources(self, spark: SparkSession, names: Names, tick: int, order: int) -> Iterator[FrameSource | Unreadable]:
        """The records as DataFrames, and what cannot be read; a path that stands for nothing is HF501.

        `order` is how much is read before it.
        """
        path, mapping = split_description(self.given)
        if self.form == "table":
            yield checked_table(_catalogued(spark, path), names, tick, mapping, place=FileBlock("table", order=order))
            return
        files = list_files(spark, path)
        skipped = {each.file: each for each in self.without}
        yield from (skipped[file.path] for file in files if file.path in skipped)
        files = [file for file in files if file.path not in skipped]
        looked = FileProbe(spark, names, tick, self.form, mapping_of(mapping)).all(files)
        yield from (each for each in looked if isinstance(each, Unreadable))
        ordered = [(order + i, each) for i, each in enumerate(looked) if isinstance(each, ProbedFile)]
        yield from _lines(spark, ordered, mapping)
        yield from _tables(spark, path, ordered, names, tick, mapping)

    def excluding(self, unreadable: Unreadable) -> Files:
        """The same without a file."""
        return replace(self, without=(*self.without, unreadable))


def _catalogued(spark: SparkSession, name: str) -> DataFrame:
    try:
        return spark.read.table(name)
    except java_problems() as problem:
        message = f"the table `{name}` cannot be read: {java_message(problem)}"
        raise DataProblem(Diagnostic("HF501", message, hint="`spark.catalog.listTables()` has the tables")) from None


# -- lines -------------------------------------------------------------------------------------------------------------


def _lines(
    spark: SparkSession, ordered: Sequence[tuple[int, ProbedFile]], mapping: str | None
) -> Iterator[FrameSource]:
    """The lines of files, with our own line breaks only: what else is one is for the readers to say."""
    files: dict[int, LineFile] = {}
    for order, each in ordered:
        if isinstance(each.content, LineFile):
            files[each.file.number] = replace(each.content, order=order)
    if files:
        patterns = [each.file.pattern for _, each in ordered if each.file.number in files]
        yield FrameSource(
            lines_of_files(spark.read.option("lineSep", "\n").text(patterns)),
            partial(LineReader, mapping=mapping, files=files),
            may_take_back=any(_may_take_back(file, mapping) for file in files.values()),
            has_offset=next((each.has_offset for _, each in ordered if each.has_offset is not None), None),
            n_files=len(files),
        )


def _may_take_back(file: LineFile, mapping: str | None) -> bool:
    described = mapping_of(mapping)
    if described is not None:
        return "op" in described.columns
    return file.form != "csv" or (file.header is not None and "op" in file.header.columns)


# -- tables ------------------------------------------------------------------------------------------------------------


def _tables(
    spark: SparkSession,
    path: str,
    ordered: Sequence[tuple[int, ProbedFile]],
    names: Names,
    tick: int,
    mapping: str | None,
) -> Iterator[FrameSource | Unreadable]:
    """The tables, by their columns and types."""
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
            yield from (Unreadable.because(file.path, _of(file, problem)) for file in files)


def _table(spark: SparkSession, path: str, form: Format, files: Sequence[File]) -> DataFrame:
    """The table that several files are."""
    reader, folder = spark.read.format(form), folder_of(spark, path)
    try:
        return (reader if folder is None else reader.option("basePath", folder)).load([file.pattern for file in files])
    except java_problems() as problem:
        message = f"the table cannot be read: {java_message(problem)}"
        raise DataProblem(Diagnostic("HF501", message, hint="cast the column, and write the file again")) from None


def _numbered(frame: DataFrame, form: Format) -> DataFrame:
    """A table with the number of each row's file, and that of the row where it has one."""
    from pyspark.sql import functions as F

    more = {FILE: F.xxhash64("_metadata.file_path")}
    if form == "parquet":
        more[ROW] = F.col("_metadata.row_index")
    return frame.select("*", *(column.alias(name) for name, column in more.items()))


def _of(file: File, problem: DataProblem) -> DataProblem:
    """The same problem, told of a file."""
    return DataProblem(Diagnostics([replace(each, file=file.path) for each in problem.diagnostics]))
