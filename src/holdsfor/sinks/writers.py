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
from itertools import islice
from pathlib import Path
from typing import IO, Any, Generic, Protocol, TypeVar

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sinks.change_lines import CHANGE_LINES, ChangeReport, change_schema
from holdsfor.sinks.output_files import naming
from holdsfor.sinks.result_lines import LINES, ReportView, report_schema
from holdsfor.sinks.time_formats import ShowTime, as_integer

__all__ = ["CHANGES", "FORMATS", "REPORTS", "ReportFormats", "check_output", "format_of", "opened", "write_reports"]

TABLES = ("parquet", "arrow")
FORMATS = (*LINES, *TABLES)
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet", ".arrow": "arrow"}


class _Tabular(Protocol):
    def table(self) -> Any: ...


ReportT = TypeVar("ReportT", bound=_Tabular)


@dataclass(frozen=True)
class ReportFormats(Generic[ReportT]):
    """The formats of one kind of report: a function to lines for each text format, and the columns of a table."""

    lines: Mapping[str, Callable[[Iterable[ReportT], ShowTime], Iterator[str]]]
    schema: Callable[[], Any]


REPORTS: ReportFormats[ReportView] = ReportFormats(LINES, report_schema)
CHANGES: ReportFormats[ChangeReport] = ReportFormats(CHANGE_LINES, change_schema)


def format_of(output: str | None) -> str:
    """The format of a file's suffix, else text.

    >>> format_of("answer.parquet"), format_of(None)
    ('parquet', 'text')
    """
    return _SUFFIXES.get(Path(output).suffix.lower(), "text") if output else "text"


def check_output(form: str, output: str | None, times: str = "integer") -> None:
    """Refuse a table on a terminal or with times as text."""
    if form in TABLES and times != "integer":
        message = f"an answer as {form} has integers as times"
        raise UsageProblem(Diagnostic("HF731", message, hint="`--times iso` is for text, jsonl and csv"))
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
    path: str | None, form: str, on_waiting: Callable[[str], None] = lambda _: None, *, continues: bool = False
) -> Iterator[IO[Any]]:
    """The output of that path, else standard output. An output that `continues` keeps its lines.

    A named pipe is opened when it has a reader, and `on_waiting` is called if it has none yet; if the reader closes the
    pipe before the end, the error names the pipe.
    """
    if path is None:
        with naming("standard output"):
            yield sys.stdout
        return
    target: str | int = _opened_pipe(path, on_waiting) if Path(path).is_fifo() else path
    mode = "a" if continues and isinstance(target, str) else "w"
    file: IO[Any] = open(target, "wb") if form in TABLES else open(target, mode, encoding="utf-8")  # noqa: SIM115, PTH123
    try:
        yield file
        file.close()
    except BrokenPipeError as gone:
        with contextlib.suppress(BrokenPipeError):
            file.close()
        raise BrokenPipeError(gone.errno, "its reader has closed it", path) from None
    except OSError as error:
        with contextlib.suppress(OSError):
            file.close()
        if error.filename is not None:
            raise
        raise OSError(error.errno, error.strerror or str(error), path) from None
    finally:
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
) -> None:
    """Write reports, each before the next is computed. Lines that continue an output have no header."""
    if form in TABLES:
        _write_tables(reports, form, formats.schema(), output)
    else:
        lines = formats.lines[form](_flushing(reports, output), shown)
        n_skipped = 1 if continues and form == "csv" else 0
        output.writelines(f"{line}\n" for line in islice(lines, n_skipped, None))
    output.flush()


def _flushing(reports: Iterable[ReportT], output: IO[Any]) -> Iterator[ReportT]:
    output.flush()
    for each in reports:
        yield each
        output.flush()


def _write_tables(reports: Iterable[ReportT], form: str, schema: Any, output: IO[Any]) -> None:
    with _table_writer(output, form, schema) as writer:
        for each in reports:
            table = each.table()
            if len(table):
                writer.write_table(table)


def _table_writer(output: IO[Any], form: str, schema: Any) -> Any:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet  # type: ignore[import-untyped]

    if form == "parquet":
        return pyarrow.parquet.ParquetWriter(output, schema, compression="zstd")
    return pa.ipc.new_file(output, schema, options=pa.ipc.IpcWriteOptions(compression="zstd"))
