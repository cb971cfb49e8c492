"""The answer of a run: written to a file, a stream, a folder of tables or a database."""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Iterator
from functools import partial
from itertools import chain, islice
from typing import TypeVar

from holdsfor.analysis.pipeline import Compiled
from holdsfor.cli.engines.engine import Engine
from holdsfor.cli.engines.parallel import is_reported_by_query_time
from holdsfor.cli.terminal.wait_notices import notify_waiting
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sinks.beside import Beside
from holdsfor.sinks.result_lines import ReportView
from holdsfor.sinks.table_sets import TableSet, check_folder, is_folder, write_table_set
from holdsfor.sinks.writers import CHANGES, REPORTS, Output, opened, write_reports
from holdsfor.sinks.written_lines import write_written

__all__ = ["announce_incomplete", "check_table_set", "check_tables", "is_table_set", "write_answer"]

Found = TypeVar("Found")


def is_table_set(form: str, output: str | None) -> bool:
    """Whether each fluent has its own table."""
    return form == "duckdb" or is_folder(output)


def check_tables(options: argparse.Namespace, compiled: Compiled) -> None:
    """Refuse several tables for a live run or for changes, and folders with other files."""
    if options.report == "changes" and is_table_set(options.format, options.output):
        hint = "name a file, such as `-o answer.jsonl`; `--changes out/` writes a table of changes for each fluent"
        message = "`--report changes` has one output, not a table for each fluent"
        raise UsageProblem(Diagnostic("HF730", message, hint=hint))
    check_table_set(options.output, options.format, compiled, is_live=options.live)


def check_table_set(output: str | None, form: str, compiled: Compiled, *, is_live: bool) -> None:
    """Refuse several tables for a live run, and folders with other files."""
    if not is_table_set(form, output):
        return
    if is_live:
        hint = "name a file, such as `-o answer.jsonl`"
        message = "a live run has one output, not a table for each fluent"
        raise UsageProblem(Diagnostic("HF730", message, hint=hint))
    if output is not None and is_folder(output):
        from holdsfor.analysis.result_columns import result_columns

        layouts = result_columns(compiled, {})
        check_folder(output, form, layouts)


def write_answer(engine: Engine, last: list[ReportView]) -> None:
    """Write the reports or changes of a run, and keep the last report for the timeline."""
    options = engine.options
    if is_table_set(options.format, options.output):
        tables = TableSet(list(engine.result_columns), engine.shown, has_query_time=is_reported_by_query_time(options))
        with engine.stop:
            files = write_table_set(
                _keeping_last(_reports(engine), last),
                tables,
                options.format,
                options.output,
                lambda: not engine.stop.is_asked,
            )
        announce_incomplete(files)
        return
    on_waiting = partial(notify_waiting, engine.log, "a reader")
    is_feed = options.live or options.replay is not None
    with (
        opened(options.output, options.format, on_waiting, continues=engine.continues, is_feed=is_feed) as output,
        engine.stop,
    ):
        _write_one(engine, output, last)
        if output.beside is not None:
            output.beside.is_complete = not engine.stop.is_asked
    announce_incomplete([] if output.beside is None else [output.beside])


def _write_one(engine: Engine, output: Output, last: list[ReportView]) -> None:
    options = engine.options
    if options.interactive and options.output is None:
        deque(engine.changes() if options.report == "changes" else _keeping_last(_reports(engine), last), maxlen=0)
        return
    if options.report == "changes":
        changes = _started(engine.changes())
        write_reports(changes, CHANGES, options.format, output.file, engine.shown, continues=engine.continues)
        return
    has_query_time = is_reported_by_query_time(options)
    written = None if options.timeline or options.interactive else engine.written_reports()
    if written is not None:
        write_written(_started(written), options.format, output.file, engine.shown, has_query_time=has_query_time)
        return
    reports = _started(_keeping_last(_reports(engine), last))
    write_reports(
        reports,
        REPORTS,
        options.format,
        output.file,
        engine.shown,
        continues=engine.continues,
        has_query_time=has_query_time,
    )


def _reports(engine: Engine) -> Iterator[ReportView]:
    return engine.reports(final=engine.options.final or bool(engine.options.timeline))


def _started(reports: Iterator[Found]) -> Iterator[Found]:
    """The reports, after the first of them is computed: only then the times of a live input are known."""
    first = list(islice(reports, 1))
    return chain(first, reports)


def _keeping_last(reports: Iterator[ReportView], last: list[ReportView]) -> Iterator[ReportView]:
    for known in reports:
        last[:] = [known]
        yield known


def announce_incomplete(files: list[Beside]) -> None:
    """Print the names of files that are not complete."""
    for file in files:
        if not file.is_complete:
            print(f"wrote {file.incomplete_place}, with the results before the interruption", file=sys.stderr)
