"""Reports of query times to standard output, a file or a named pipe: as lines, or as a Parquet or Arrow table.

Each report is written and flushed before the next query time is computed. When a run stops for any reason, the file has
all earlier reports.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from holdsfor.errors import Diagnostic, UsageProblem, did_you_mean
from holdsfor.sinks.beside import Beside, is_replaceable, written_beside
from holdsfor.sinks.change_lines import CHANGE_LINES, ChangeReport, change_schema
from holdsfor.sinks.output_files import naming, open_output
from holdsfor.sinks.result_lines import LINES, ReportView, report_schema
from holdsfor.sinks.table_sets import duckdb, is_folder
from holdsfor.sinks.time_formats import ShowTime, as_integer, time_type_of

if TYPE_CHECKING:
    from holdsfor.columns.time_type import TimeType

__all__ = [
    "CHANGES",
    "FORMATS",
    "QUERY_TIME",
    "REPORTS",
    "TABLES",
    "Output",
    "ReportFormats",
    "check_output",
    "check_suffix",
    "format_of",
    "opened",
    "table_writer",
    "write_reports",
]

TABLES = ("parquet", "arrow")
FORMATS = (*LINES, *TABLES, "duckdb")
QUERY_TIME = "holdsfor.query_time"
"""The key of the query time in the metadata of a table without a column for it."""

_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".duckdb": "duckdb",
}
_TIMES = ("start", "end", "time")
_TEXT_SUFFIXES = ("", ".txt", ".text", ".log", ".out", ".prolog", ".pl", ".fifo", ".pipe")


class _Tabular(Protocol):
    @property
    def query_time(self) -> int: ...

    def table(self, times: TimeType | None = None, *, has_query_time: bool = ...) -> Any: ...


ReportT = TypeVar("ReportT", bound=_Tabular)
ReportT_contra = TypeVar("ReportT_contra", bound=_Tabular, contravariant=True)


class _Lines(Protocol[ReportT_contra]):
    def __call__(
        self, reports: Iterable[ReportT_contra], shown: ShowTime, /, *, has_query_time: bool
    ) -> Iterator[str]: ...


class _Schema(Protocol):
    def __call__(self, times: TimeType | None, /, *, has_query_time: bool) -> Any: ...


@dataclass(frozen=True)
class ReportFormats(Generic[ReportT]):
    """The formats of one kind of report: a function to lines for each text format, and the columns of a table."""

    lines: Mapping[str, _Lines[ReportT]]
    schema: _Schema


REPORTS: ReportFormats[ReportView] = ReportFormats(LINES, report_schema)
CHANGES: ReportFormats[ChangeReport] = ReportFormats(CHANGE_LINES, change_schema)


def format_of(output: str | None) -> str:
    """The format of a file's suffix, Parquet for a folder, else text.

    >>> format_of("answer.parquet"), format_of("answer/"), format_of(None)
    ('parquet', 'parquet', 'text')
    """
    if is_folder(output):
        return "parquet"
    return _SUFFIXES.get(Path(output).suffix.lower(), "text") if output else "text"


def check_suffix(output: str | None) -> None:
    """Refuse a file whose suffix names another format, if it is neither a pipe nor a device.

    >>> check_suffix("answer.xlsx")
    Traceback (most recent call last):
    holdsfor.errors.UsageProblem: error[HF735]: unknown format of `answer.xlsx`
    hint: ...
    """
    suffix = Path(output).suffix.lower() if output else ""
    if suffix in _SUFFIXES or suffix in _TEXT_SUFFIXES or suffix[1:].isdigit() or _is_special(str(output)):
        return
    known = [*_SUFFIXES, ".txt"]
    listed = f"the suffixes are {', '.join(known[:-1])} and {known[-1]}; `--format` sets the format of other files"
    hint = did_you_mean(suffix, known) or listed
    raise UsageProblem(Diagnostic("HF735", f"unknown format of `{output}`", hint=hint))


def _is_special(output: str) -> bool:
    try:
        return Path(output).exists() and not Path(output).is_file()
    except (OSError, ValueError):
        return True


def check_output(form: str, output: str | None, times: str = "integer") -> None:
    """Refuse a table on a terminal, and a folder of texts."""
    if form == "duckdb":
        duckdb()
    if is_folder(output) and form in ("text", "duckdb"):
        message = f"an answer as {form} is one file, and `{output}` is a folder"
        raise UsageProblem(
            Diagnostic("HF730", message, hint="a folder has a file for each fluent: parquet, csv, jsonl")
        )
    if form == "duckdb" and output is None:
        hint = "give a file: `-o answer.duckdb`"
        raise UsageProblem(Diagnostic("HF730", "an answer as duckdb needs an output file", hint=hint))
    if form in TABLES and (output is None or _is_terminal(Path(output))):
        hint = f"give a file: `-o answer.{form}`"
        raise UsageProblem(Diagnostic("HF730", f"an answer as {form} needs an output file", hint=hint))


def _is_terminal(path: Path) -> bool:
    if not path.is_char_device():
        return False
    device = os.open(path, os.O_WRONLY | os.O_NOCTTY)
    try:
        return os.isatty(device)
    finally:
        os.close(device)


@contextmanager
def opened(
    path: str | None,
    form: str,
    on_waiting: Callable[[str], None] = lambda _: None,
    *,
    continues: bool = False,
    is_feed: bool = False,
) -> Iterator[Output]:
    """The output of that path, else standard output. An output that `continues` keeps its lines.

    A file is written beside its place and renamed when it is complete, unless it `is_feed`, to which a live run adds
    lines. A named pipe is opened when it has a reader, and `on_waiting` is called if it has none yet; if the reader
    closes the pipe before the end, the error names the pipe.
    """
    if path is None:
        with naming("standard output"):
            yield Output(sys.stdout)
    elif continues or is_feed or not is_replaceable(path):
        target: str | int = _opened_pipe(path, on_waiting) if Path(path).is_fifo() else path
        with _opened_file(target, form, path, "a" if continues and isinstance(target, str) else "w") as file:
            yield Output(file)
    else:
        with written_beside(path) as beside, _opened_file(str(beside.path), form, path, "w") as file:
            yield Output(file, beside)


@dataclass(frozen=True)
class Output:
    """An open output, and the file that it becomes if it is written beside its place."""

    file: IO[Any]
    beside: Beside | None = None


@contextmanager
def _opened_file(target: str | int, form: str, path: str, mode: Literal["w", "a"]) -> Iterator[IO[Any]]:
    """An open file or pipe; errors of writing name the path."""
    file = open_output(target, "wb" if form in TABLES else mode, path)
    try:
        yield file
        file.close()
    finally:
        with contextlib.suppress(OSError):
            file.close()


def _opened_pipe(pipe: str, on_waiting: Callable[[str], None]) -> int:
    """A named pipe that has a reader, open for writing."""
    try:
        opened = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        on_waiting(pipe)
        return os.open(pipe, os.O_WRONLY)
    os.set_blocking(opened, True)
    return opened


def write_reports(
    reports: Iterable[ReportT],
    formats: ReportFormats[ReportT],
    form: str,
    output: IO[Any],
    shown: ShowTime = as_integer,
    *,
    continues: bool = False,
    has_query_time: bool = True,
) -> None:
    """Write reports, each before the next is computed. Lines that continue an output have no header.

    Without `has_query_time`, tables and rows have no column for the query time.
    """
    if form in TABLES:
        from holdsfor.columns.file_metadata import time_metadata

        times = time_type_of(shown)
        schema = formats.schema(times, has_query_time=has_query_time)
        reports = iter(reports)
        first = next(reports, None)
        metadata = time_metadata(times)
        if first is not None and not has_query_time:
            metadata |= {QUERY_TIME: str(first.query_time)}
        schema = schema.with_metadata(metadata)
        given = reports if first is None else chain([first], reports)
        _write_tables((each.table(times, has_query_time=has_query_time) for each in given), form, schema, output)
    else:
        lines = formats.lines[form](_flushing(reports, output), shown, has_query_time=has_query_time)
        n_skipped = 1 if continues and form == "csv" else 0
        output.writelines(f"{line}\n" for line in islice(lines, n_skipped, None))
    output.flush()


def _flushing(reports: Iterable[ReportT], output: IO[Any]) -> Iterator[ReportT]:
    output.flush()
    for each in reports:
        yield each
        output.flush()


def _write_tables(tables: Iterable[Any], form: str, schema: Any, output: IO[Any]) -> None:
    with table_writer(output, form, schema) as writer:
        for table in tables:
            if len(table):
                writer.write_table(table.replace_schema_metadata(schema.metadata))


def table_writer(output: IO[Any], form: str, schema: Any) -> Any:
    """A writer of tables with these columns.

    Starts and ends of a Parquet file are encoded as differences: a third less time and two thirds of the size of
    dictionaries, which suit the other columns.
    """
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet  # type: ignore[import-untyped]

    if form == "parquet":
        times = {name for name in _TIMES if name in schema.names and not pa.types.is_string(schema.field(name).type)}
        others = [field.name for field in schema if field.name not in times]
        lists = [f"{name}.list.element" for name in others if pa.types.is_list(schema.field(name).type)]
        return pyarrow.parquet.ParquetWriter(
            output,
            schema,
            compression="zstd",
            use_dictionary=[*others, *lists],
            column_encoding=dict.fromkeys(times, "DELTA_BINARY_PACKED"),
        )
    return pa.ipc.new_file(output, schema, options=pa.ipc.IpcWriteOptions(compression="zstd"))
