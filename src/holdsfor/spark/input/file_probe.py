"""Probe of every input file before the job starts: its format, its columns, and whether it can be read.

The driver reads the first lines of a text file, or the footer of a table, with the same readers that the workers use.
A fault is therefore reported before the run, in the words of these readers. Files are opened through the file systems
of Spark, because Python has no access to others on a cluster.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from holdsfor.analysis.names import Names
from holdsfor.columns.encoding import Symbols
from holdsfor.errors import DataProblem, Diagnostic, Diagnostics
from holdsfor.sources.blocks import read_block, text_blocks
from holdsfor.sources.column_mapping import Mapping
from holdsfor.sources.csv_rows import CsvReader
from holdsfor.sources.formats import Format, format_of_suffix
from holdsfor.sources.inputs import InputReader, text_form
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.text_columns import TextReader
from holdsfor.sources.times import Clock
from holdsfor.sources.unreadable import Unreadable
from holdsfor.spark.input.frame_sources import TimeForms
from holdsfor.spark.input.lines import LineFile
from holdsfor.spark.input.listing import File, java_message, java_problems
from holdsfor.syntax.source import LONGEST_LINE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["FileProbe", "ProbedFile", "Tabular"]

_HEAD = 1 << 16
_LONGEST_HEAD = 1 << 26
_AT_ONCE = 16
_TEXTS = "records are lines of text"
_TABLES = "is it a whole Parquet or ORC file?"


@dataclass(frozen=True)
class Tabular:
    """A file that holds a table: its format, and its columns and types as a text that can be compared."""

    form: Format
    schema: str


@dataclass(frozen=True)
class ProbedFile:
    """The result of a probe. `forms` are those of the first times that are not integers."""

    file: File
    content: LineFile | Tabular
    forms: TimeForms = TimeForms()


@dataclass(frozen=True)
class FileProbe:
    """Probes files, several in parallel."""

    spark: SparkSession
    names: Names
    tick: int
    form: Format | None
    mapping: Mapping | None

    def all(self, files: Sequence[File]) -> list[ProbedFile | Unreadable]:
        """The content of each file, or the reason why it cannot be read; a description that fits no file is HF505."""
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            found = list(pool.map(self._probe, files))
        unfit = [each for each in found if isinstance(each, Unreadable) and each.lacks_described_columns]
        if unfit and len(unfit) == len(found):
            raise DataProblem(Diagnostics([diagnostic for each in unfit for diagnostic in each.diagnostics]))
        return found

    def _probe(self, file: File) -> ProbedFile | Unreadable:
        form = self.form or format_of_suffix(file.path)
        try:
            if form == "arrow":
                message = f"`{file.path}` cannot be read: Spark does not read Arrow files"
                raise DataProblem(Diagnostic("HF501", message, hint="write it as Parquet", file=file.path))
            if form in ("parquet", "orc"):
                return ProbedFile(file, Tabular(form, self._schema(file, form)))
            return self._lines(file, form)
        except DataProblem as problem:
            return Unreadable.because(file.path, problem, is_among_others=True)

    # -- lines ---------------------------------------------------------------------------------------------------------

    def _lines(self, file: File, form: Format | None) -> ProbedFile:
        """The format and header of a file of lines, found by reading its first lines, up to one with a time."""
        size = _HEAD
        while True:
            head, is_whole = self._head(file, size)
            found = self._read_head(file, form, head)
            has_form = isinstance(found.content, LineFile) and found.content.are_dates is not None
            if is_whole or has_form or size >= _LONGEST_HEAD:
                return found
            size *= 4

    def _read_head(self, file: File, form: Format | None, head: bytes) -> ProbedFile:
        form = text_form(form, head, file.path, self.mapping, self.names)
        input_reader = InputReader(self.names, self.tick, Symbols(), ColumnReading(), Clock())
        reader = input_reader.line_reader(form, file.path, self.mapping)
        for block in text_blocks(head, file.path):
            read_block(reader, block)
        header = reader.header if isinstance(reader, CsvReader) else None
        are_dates = False if isinstance(reader, TextReader) else reader.file_times.are_dates
        return ProbedFile(file, LineFile(file.path, form, header, are_dates=are_dates), _forms(input_reader.clock))

    def _head(self, file: File, size: int) -> tuple[bytes, bool]:
        """The first lines of a file, at least up to the first line that is not blank, and whether these are all."""
        while True:
            content = self._bytes(file, size)
            is_whole = len(content) < size
            if file.path.endswith(".gz"):
                content, is_all = _unpacked(content, file.path)
                is_whole &= is_all
            lines = content if is_whole else content[: content.rfind(b"\n") + 1]
            if lines.strip() or is_whole:
                return lines, is_whole
            if len(content) - len(lines) > LONGEST_LINE:
                return content, is_whole
            if len(content) >= _LONGEST_HEAD:
                message = f"`{file.path}` has only blank lines in its first {len(lines)} bytes"
                raise DataProblem(Diagnostic("HF501", message, hint=_TEXTS, file=file.path))
            size *= 4

    def _bytes(self, file: File, size: int) -> bytes:
        stream = None
        try:
            path, configuration = self._hadoop_path(file)
            stream = path.getFileSystem(configuration).open(path)
            return bytes(stream.readNBytes(size))
        except java_problems() as error:
            raise _unreadable(file, error, _TEXTS) from None
        finally:
            if stream is not None:
                stream.close()

    # -- tables --------------------------------------------------------------------------------------------------------

    def _schema(self, file: File, form: Format) -> str:
        try:
            path, configuration = self._hadoop_path(file)
            if form == "orc":
                orc = self._jvm.org.apache.orc.OrcFile
                return str(orc.createReader(path, orc.readerOptions(configuration)).getSchema().toString())
            hadoop = self._jvm.org.apache.parquet.hadoop
            reader = hadoop.ParquetFileReader.open(hadoop.util.HadoopInputFile.fromPath(path, configuration))
            try:
                columns = str(reader.getFileMetaData().getSchema().toString())
            finally:
                reader.close()
        except java_problems() as error:
            raise _unreadable(file, error, _TABLES) from None
        return columns.partition("\n")[2]  # the first line has a name that depends on the writer

    # -- the file systems of Spark -------------------------------------------------------------------------------------

    @property
    def _jvm(self) -> Any:
        return self.spark.sparkContext._jvm

    def _hadoop_path(self, file: File) -> tuple[Any, Any]:
        path = self._jvm.org.apache.hadoop.fs.Path(self._jvm.java.net.URI(file.uri))
        return path, self.spark.sparkContext._jsc.hadoopConfiguration()


def _forms(clock: Clock) -> TimeForms:
    """The forms of the times that a clock has read."""
    is_of_records = clock.time_type is not None
    return TimeForms(clock.has_offset, None) if is_of_records else TimeForms(None, clock.has_offset)


def _unpacked(packed: bytes, path: str) -> tuple[bytes, bool]:
    """The decompressed beginning of a gzip file, which may have several members, and whether it is all of it."""
    content = b""
    try:
        while packed and len(content) < _LONGEST_HEAD:
            part = zlib.decompressobj(wbits=31)
            content += part.decompress(packed, _LONGEST_HEAD - len(content))
            packed = part.unconsumed_tail or part.unused_data
        return content, not packed
    except zlib.error as error:
        message = f"`{path}` cannot be read: {str(error).lower()}"
        raise DataProblem(Diagnostic("HF501", message, hint=_TEXTS, file=path)) from None


def _unreadable(file: File, problem: Exception, hint: str) -> DataProblem:
    reason = java_message(problem)
    for shown in (file.uri, f"file:{file.path}", file.path):  # Hadoop shows a local file as `file:/path`
        reason = reason.replace(shown, "it")
    return DataProblem(Diagnostic("HF501", f"`{file.path}` cannot be read: {reason}", hint=hint, file=file.path))
