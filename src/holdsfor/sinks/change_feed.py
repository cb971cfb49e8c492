"""A feed of changes: the rows to remove (`-`) and the rows to add (`+`) at each query time.

The rows have the columns of results, and `op`. At each query time, rows to remove come before rows to add. Applied in
this order to an empty set, they give the results known at each query time. A feed is written while the run goes on: the
rows of a query time are flushed before the next one is evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from holdsfor.sinks.result_lines import ENTITY_COLUMNS, ReportView, csv_rows, json_rows
from holdsfor.sinks.row_texts import csv_row
from holdsfor.sinks.table_sets import OpenTables, TableSet
from holdsfor.sinks.time_formats import ShowTime, as_terms, time_type_of

if TYPE_CHECKING:
    from holdsfor.columns.result_table import TableLayout
    from holdsfor.columns.time_type import TimeType

__all__ = ["ChangeFeed", "ChangeRows", "FeedTables", "feed_schema"]


@dataclass(frozen=True)
class ChangeRows:
    """The changes of a query time as rows: results that are gone, and results that have come."""

    query_time: int
    gone: ReportView
    come: ReportView

    @property
    def signed(self) -> tuple[tuple[str, ReportView], tuple[str, ReportView]]:
        return ("-", self.gone), ("+", self.come)

    def table(self, times: TimeType | None = None) -> Any:
        """All changes as one Arrow table."""
        import pyarrow as pa  # type: ignore[import-untyped]

        parts = [_with_op(part.table(times, has_query_time=True), op) for op, part in self.signed]
        return pa.concat_tables(parts).combine_chunks()

    def table_of(self, layout: TableLayout, times: TimeType | None, query_time: int | None = None) -> Any:
        """The changes of one fluent or event as a table with a typed column for each argument."""
        import pyarrow as pa

        at = self.query_time if query_time is None else query_time
        return pa.concat_tables(_with_op(part.table_of(layout, times, at), op) for op, part in self.signed)


def feed_schema(times: TimeType | None = None) -> Any:
    """The columns of a feed: those of results, with `op` after the query time."""
    from holdsfor.columns.result_table import result_schema

    return _schema_with_op(result_schema(times, has_query_time=True))


def _schema_with_op(schema: Any) -> Any:
    import pyarrow as pa

    return schema.insert(1, pa.field("op", pa.string()))


def _with_op(table: Any, op: str) -> Any:
    import pyarrow as pa

    return table.add_column(1, pa.field("op", pa.string()), pa.repeat(pa.scalar(op), len(table)))


class FeedTables(TableSet):
    """The tables of a feed: those of results, with `op`."""

    def schema(self, layout: TableLayout) -> Any:
        schema = super().schema(layout)
        return _schema_with_op(schema).with_metadata(schema.metadata)


# -- lines -------------------------------------------------------------------------------------------------------------


def _text(rows: ChangeRows, shown: ShowTime) -> Iterator[str]:
    """`-(F=V, (S,E)).` and `+(E, T).`, one per line, after a line with the query time; nothing without changes."""
    is_first = True
    for op, part in rows.signed:
        for text in _terms(part, shown):
            if is_first:
                yield f"% query time {shown(rows.query_time)}"
                is_first = False
            yield f"{op}({text})."


def _terms(part: ReportView, shown: ShowTime) -> Iterator[str]:
    for fvp, starts, ends in part.listed_fvps():
        for start, end in zip(as_terms(starts, shown), as_terms(ends, shown), strict=True):
            yield f"{fvp.name}, ({start},{end})"
    for event, times in part.listed_events():
        for time in as_terms(times, shown):
            yield f"{event.name}, {time}"


def _jsonl(rows: ChangeRows, shown: ShowTime) -> Iterator[str]:
    for op, part in rows.signed:
        yield from json_rows(part, {"query_time": shown(rows.query_time), "op": op}, shown)


def _csv(rows: ChangeRows, shown: ShowTime) -> Iterator[str]:
    for op, part in rows.signed:
        yield from csv_rows(part, [shown(rows.query_time), op], shown)


_LINES: dict[str, Callable[[ChangeRows, ShowTime], Iterator[str]]] = {"text": _text, "jsonl": _jsonl, "csv": _csv}


# -- the feed ----------------------------------------------------------------------------------------------------------


class ChangeFeed:
    """An open feed. The output is begun with the first rows: only then the times of a live input are known."""

    def __init__(
        self,
        form: str,
        output: IO[Any] | str,
        shown: Callable[[], ShowTime],
        layouts: Callable[[], list[Any]],
        *,
        continues: bool = False,
    ) -> None:
        self._form, self._output, self._shown, self._layouts = form, output, shown, layouts
        self._continues = continues
        self._stack = ExitStack()
        self._add: Callable[[ChangeRows], None] | None = None
        self.files: list[Any] = []
        """The files of a folder or a database, which get their names at the end."""

    def add(self, rows: ChangeRows) -> None:
        """Write the changes of a query time."""
        if self._add is None:
            self._add = self._begun()
        self._add(rows)

    def complete(self, *, is_complete: bool) -> None:
        """Note at the end whether the run was complete; a feed without changes is an empty table."""
        if self._add is None:
            self._add = self._begun()
        for file in self.files:
            file.is_complete = is_complete

    def __enter__(self) -> ChangeFeed:
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def _begun(self) -> Callable[[ChangeRows], None]:
        if isinstance(self._output, str):
            return self._begun_tables(self._output)
        return self._begun_lines(self._output) if self._form in _LINES else self._begun_table(self._output)

    def _begun_lines(self, file: IO[Any]) -> Callable[[ChangeRows], None]:
        lines, shown = _LINES[self._form], self._shown()
        if self._form == "csv" and not self._continues:
            file.write(csv_row("query_time", "op", "kind", *ENTITY_COLUMNS, "start", "end") + "\n")

        def add(rows: ChangeRows) -> None:
            file.writelines(f"{line}\n" for line in lines(rows, shown))
            file.flush()

        file.flush()
        return add

    def _begun_table(self, file: IO[Any]) -> Callable[[ChangeRows], None]:
        from holdsfor.columns.file_metadata import time_metadata
        from holdsfor.sinks.writers import table_writer

        times = time_type_of(self._shown())
        schema = feed_schema(times).with_metadata(time_metadata(times))
        writer = self._stack.enter_context(table_writer(file, self._form, schema))

        def add(rows: ChangeRows) -> None:
            table = rows.table(times)
            if len(table):
                writer.write_table(table.replace_schema_metadata(schema.metadata))

        return add

    def _begun_tables(self, output: str) -> Callable[[ChangeRows], None]:
        tables = FeedTables(self._layouts(), self._shown(), has_query_time=True)
        opened = self._stack.enter_context(OpenTables(tables, self._form, output))
        self.files = opened.files
        return opened.add
