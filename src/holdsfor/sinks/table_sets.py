"""Results as several tables, one for each output fluent and event: a folder of files, or a DuckDB database.

All tables are written beside their place and get their names when the last report is complete. A folder of CSV or JSON
lines also has `_tables.json`, with the names and types of the columns, from which `holdsfor query` reads the tables.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

from holdsfor.columns.file_metadata import TABLES_FILE
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.sinks.beside import Beside, is_part_of, written_beside
from holdsfor.sinks.output_files import naming, open_output
from holdsfor.sinks.time_formats import ShowTime, time_type_of

if TYPE_CHECKING:
    from holdsfor.columns.result_table import TableLayout
    from holdsfor.columns.time_type import TimeType

__all__ = [
    "NamedLayout",
    "OpenTables",
    "TableSet",
    "as_duckdb",
    "check_folder",
    "duckdb",
    "is_folder",
    "write_table_set",
]


class NamedLayout(Protocol):
    """The columns of a table, and its name."""

    @property
    def table(self) -> str: ...


class _Typed(Protocol):
    """A report, or the changes of a query time."""

    @property
    def query_time(self) -> int: ...

    def table_of(self, layout: TableLayout, times: TimeType | None, query_time: int | None = None) -> Any: ...


class TableSet:
    """The tables of a run: their columns, and the notation of their times."""

    def __init__(self, layouts: Sequence[Any], shown: ShowTime, *, has_query_time: bool) -> None:
        self.layouts = layouts
        self.shown = shown
        self.has_query_time = has_query_time

    def of(self, report: _Typed, layout: TableLayout) -> Any:
        """The table of a report."""
        return report.table_of(layout, time_type_of(self.shown), report.query_time if self.has_query_time else None)

    def schema(self, layout: TableLayout) -> Any:
        from holdsfor.columns.file_metadata import table_metadata
        from holdsfor.columns.result_table import typed_schema

        times = time_type_of(self.shown)
        schema = typed_schema(layout, times, has_query_time=self.has_query_time)
        return schema.with_metadata(table_metadata(layout, times))


def is_folder(output: str | None) -> bool:
    """Whether an output names a folder: it ends with a slash, or is an existing folder."""
    return output is not None and (output.endswith("/") or Path(output).is_dir())


def write_table_set(
    reports: Iterable[_Typed],
    tables: TableSet,
    form: str,
    output: str,
    is_complete: Callable[[], bool] = lambda: True,
) -> list[Beside]:
    """Write the tables of reports to a folder or a database; the files get their names when this returns.

    `is_complete` is called after the last report: files of a run that was stopped are not complete.
    """
    with OpenTables(tables, form, output) as opened:
        for report in reports:
            opened.add(report)
        for file in opened.files:
            file.is_complete = is_complete()
    return opened.files


class OpenTables:
    """The tables of a folder or a database, open for the rows of reports; the files get their names at the end."""

    def __init__(self, tables: TableSet, form: str, output: str) -> None:
        self._tables, self._form, self._output = tables, form, output
        self._stack = ExitStack()
        self.files: list[Beside] = []

    def __enter__(self) -> OpenTables:
        with ExitStack() as stack:
            self._adders = self._database(stack) if self._form == "duckdb" else self._folder(stack)
            self._stack = stack.pop_all()
        return self

    def add(self, report: _Typed) -> None:
        """Append the rows of a report to each table."""
        for add, layout in zip(self._adders, self._tables.layouts, strict=True):
            add(self._tables.of(report, layout))

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def _folder(self, stack: ExitStack) -> list[Callable[[Any], None]]:
        Path(self._output).mkdir(parents=True, exist_ok=True)
        layouts, shown = self._tables.layouts, self._tables.shown
        places = [Path(self._output) / file_name(layout.table, self._form) for layout in layouts]
        self.files = [stack.enter_context(written_beside(place)) for place in places]
        opened = [
            _TableFile(file, self._form, self._tables.schema(layout), shown)
            for file, layout in zip(self.files, layouts, strict=True)
        ]
        if (described := _describe_files(self._tables, self._form)) is not None:
            self.files.append(stack.enter_context(written_beside(Path(self._output) / TABLES_FILE)))
            with naming(self.files[-1].place):
                self.files[-1].path.write_text(described, encoding="utf-8")
        return [stack.enter_context(each).add for each in opened]

    def _database(self, stack: ExitStack) -> list[Callable[[Any], None]]:
        self.files = [stack.enter_context(written_beside(self._output))]
        self.files[0].path.unlink()
        stack.enter_context(_naming_database(self.files[0]))
        connection = stack.enter_context(closing(duckdb().connect(str(self.files[0].path))))
        for layout in self._tables.layouts:
            add_table(connection, layout.table, self._tables.schema(layout).empty_table())
        return [partial(add_rows, connection, layout.table) for layout in self._tables.layouts]


# -- folders -----------------------------------------------------------------------------------------------------------


def file_name(table: str, form: str) -> str:
    """The file of a table; characters that a file name cannot have are percent-encoded.

    >>> file_name("gap", "parquet"), file_name("a/b", "csv")
    ('gap.parquet', 'a%2Fb.csv')
    """
    return f"{quote(table, safe=' ()+,=@_-').replace('.', '%2E')}.{form}"


def check_folder(output: str, form: str, layouts: Iterable[NamedLayout]) -> None:
    """Refuse a folder with files that the run would not replace, since old tables would look like results; HF733."""
    own = {TABLES_FILE, *(file_name(layout.table, form) for layout in layouts)}
    folder = Path(output)
    found = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    others = [name for name in found if name not in own and not any(is_part_of(name, each) for each in own)]
    if others:
        message = f"the folder `{output}` has other files, such as `{others[0]}`"
        raise UsageProblem(Diagnostic("HF733", message, hint="name a new folder, or one with results of these rules"))


def _describe_files(tables: TableSet, form: str) -> str | None:
    """The names and types of the columns of all files, for formats that store neither; None for other formats."""
    from holdsfor.columns.file_metadata import TableDescription
    from holdsfor.sinks.writers import TABLES

    if form in TABLES:
        return None
    found = {
        file_name(layout.table, form): TableDescription.of(tables.schema(layout)).as_json() for layout in tables.layouts
    }
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


class _TableFile:
    """A file of one table, in any format."""

    def __init__(self, file: Beside, form: str, schema: Any, shown: ShowTime) -> None:
        self._beside, self._form, self._schema, self._shown = file, form, schema, shown

    def __enter__(self) -> _TableFile:
        from holdsfor.sinks.writers import TABLES, table_writer

        self._writer: Any = None
        target, place = str(self._beside.path), self._beside.place
        self._file = open_output(target, "wb" if self._form in TABLES else "w", place)
        if self._form in TABLES:
            self._writer = table_writer(self._file, self._form, self._schema)
        else:
            self._add_lines(self._schema.empty_table(), has_header=True)
        return self

    def add(self, table: Any) -> None:
        """Append the rows of a table."""
        if self._writer is None:
            self._add_lines(table, has_header=False)
        elif len(table):
            self._writer.write_table(table.replace_schema_metadata(self._schema.metadata))

    def _add_lines(self, table: Any, *, has_header: bool) -> None:
        from holdsfor.sinks.table_lines import table_lines

        lines = table_lines(table, self._form, self._shown, has_header=has_header)
        self._file.writelines(f"{line}\n" for line in lines)

    def __exit__(self, *error: object) -> None:
        try:
            if self._writer is not None:
                self._writer.close()
        finally:
            self._file.close()


# -- databases ---------------------------------------------------------------------------------------------------------


def as_duckdb(tables: dict[str, Any], path: str | Path | None = None) -> Any:
    """A connection to a database with Arrow tables, in a new file, or in memory without a path or with `:memory:`."""
    if path is None or str(path) == ":memory:":
        connection = duckdb().connect()
        for name, table in tables.items():
            add_table(connection, name, table)
        return connection
    with written_beside(path) as file, _naming_database(file):
        file.path.unlink()
        with duckdb().connect(str(file.path)) as connection:
            for name, table in tables.items():
                add_table(connection, name, table)
    return duckdb().connect(str(path))


@contextmanager
def _naming_database(file: Beside) -> Iterator[None]:
    """Errors of DuckDB, such as that of a full disk, as errors of the file; and remove what DuckDB leaves beside it."""
    try:
        yield
    except duckdb().Error as problem:
        raise OSError(errno.EIO, str(problem).partition("\n")[0].rpartition(": ")[2], str(file.place)) from None
    finally:
        file.path.with_name(f"{file.path.name}.wal").unlink(missing_ok=True)


def add_table(connection: Any, name: str, table: Any) -> None:
    """Create a table of a connection from an Arrow table, with its description as the comment."""
    from holdsfor.columns.file_metadata import TableDescription

    _with_rows(connection, table, f"CREATE TABLE {_quoted(name)} AS SELECT * FROM holdsfor_rows")
    if table.schema.metadata:
        described = json.dumps(TableDescription.of(table.schema).as_json(), ensure_ascii=False).replace("'", "''")
        connection.execute(f"COMMENT ON TABLE {_quoted(name)} IS '{described}'")


def add_rows(connection: Any, name: str, table: Any) -> None:
    """Append the rows of an Arrow table."""
    if len(table):
        _with_rows(connection, table, f"INSERT INTO {_quoted(name)} SELECT * FROM holdsfor_rows")


def _with_rows(connection: Any, table: Any, statement: str) -> None:
    connection.register("holdsfor_rows", table)
    try:
        connection.execute(statement)
    finally:
        connection.unregister("holdsfor_rows")


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def duckdb() -> Any:
    """The module of DuckDB; HF734 without it."""
    try:
        import duckdb as module  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        message, hint = "a DuckDB database needs the package `duckdb`", "`pip install 'holdsfor[duckdb]'`"
        raise UsageProblem(Diagnostic("HF734", message, hint=hint)) from None
    return module
