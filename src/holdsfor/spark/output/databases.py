"""Results as tables of a PostgreSQL database.

The tasks of Spark write to temporary tables, each over its own connection. The driver then drops the old tables and
renames the new ones in one transaction. Databases without transactional renames are refused: a failure could lose the
old and the new tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from holdsfor.errors import Diagnostic, ExecutionProblem, Hint, UsageProblem
from holdsfor.spark.input.listing import java_problems
from holdsfor.spark.output.result_tables import TABLES, ResultTable
from holdsfor.spark.output.targets import refuse_existing, refuse_foreign

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = [
    "DRIVER_OPTIONS",
    "DatabaseTarget",
    "check_url",
    "connected",
    "query_values",
    "quoted_name",
    "run_statement",
    "without_secrets",
]

DRIVER_OPTIONS = {"driver": "org.postgresql.Driver", "numPartitions": "16"}
"""Java does not find drivers in `spark.jars` by itself; and the tasks of a cluster would open too many connections."""

_SCHEME = re.compile(r"(?:\w+:)+(?://)?")
_AUTHORITY = re.compile(r"(?:[\w.,%-]|\[[0-9A-Fa-f:.]+\]|:\d+)*(?:/|$)")
_LONGEST_NAME = 63
_SEE_TABLE = Hint("see `table`", on_command_line="see `--table`")
_UNIQUE = 12


def without_secrets(url: str) -> str:
    """The address of a database without user and password, for messages.

    >>> without_secrets("jdbc:postgresql://ann:secret@host/sea?password=secret")
    'jdbc:postgresql://host/sea'
    >>> without_secrets("jdbc:postgresql://ann:sec/ret@host:5432/sea")
    'jdbc:postgresql://…'
    """
    without_user = re.sub(r"//[^/]*@", "//", url, count=1)
    shown = re.split(r"[?;]", without_user, maxsplit=1)[0]
    scheme = _SCHEME.match(shown)
    prefix = scheme[0] if scheme else ""
    # A password with a slash that is not escaped: its end is not known.
    is_known = "@" not in without_user and _AUTHORITY.match(shown, len(prefix))
    return shown if is_known else f"{prefix}…"


def check_url(url: str, table: str) -> None:
    """Refuse a database without transactional renames, and names that are not those of tables."""
    if not url.startswith("jdbc:postgresql:"):
        message = f"expected `jdbc:postgresql:` as a database for results, found `{without_secrets(url)}`"
        hint = "write a folder, or with Python `found[…].write.jdbc`, which does not replace in one transaction"
        raise UsageProblem(Diagnostic("HF783", message, hint=hint))
    longest = _LONGEST_NAME - len("_report_changes")
    *schema, name = table.split(".")
    if not name or not all(schema) or len(schema) > 1 or len(name.encode()) > longest:
        message = f"expected `NAME` or `SCHEMA.NAME` of at most {longest} bytes, found `{table}`"
        raise UsageProblem(Diagnostic("HF781", message, hint=_SEE_TABLE))


class DatabaseTarget:
    """Tables `NAME_overdue` for each fluent and event, `NAME_set_aside`, and `NAME_tables`, which lists them.

    A schema may come before the name.
    """

    def __init__(
        self, spark: SparkSession, url: str, table: str, properties: Mapping[str, str], *, overwrite: bool = False
    ) -> None:
        check_url(url, table)
        self.shown = without_secrets(url)
        self.spark, self._overwrite = spark, overwrite
        self._options = {**DRIVER_OPTIONS, **properties, "url": url}
        *self._schema, self._name = table.split(".")
        self._unique = uuid4().hex[:_UNIQUE]
        self._written: list[str] = []

    def check(self) -> None:
        """Refuse to replace existing results without `overwrite`."""
        with self._connected() as connection:
            is_there = self._exists(connection, TABLES)
        if is_there and not self._overwrite:
            refuse_existing(self._shown_name(TABLES))

    def begin(self, names: Sequence[str]) -> None:
        """Refuse names that the database would truncate, and to replace tables that are not results."""
        for name in names:
            if len(self._named(name).encode()) > _LONGEST_NAME:
                message = f"the table `{self._named(name)}` has a name of more than {_LONGEST_NAME} bytes"
                raise UsageProblem(Diagnostic("HF781", message, hint=_SEE_TABLE))
        with self._connected() as connection:
            replaced = {*self._listed(connection), TABLES}
            for name in names:
                if name not in replaced and self._exists(connection, name):
                    refuse_foreign(self._shown_name(name))

    def write(self, result: ResultTable) -> None:
        """Write a temporary table, and compare its row count with the result: a task that is lost may write twice."""
        expected = result.frame.count()  # computes the result with all tasks; the write uses fewer
        self._written.append(result.name)
        beside = self._beside(result.name)
        result.frame.write.format("jdbc").options(**{**self._options, "dbtable": beside}).save()
        with self._connected() as connection:
            found = query_values(connection, f"SELECT count(*) FROM {beside}")[0]
        if found != expected:
            message = f"the database has {found} rows of `{result.name}`, expected {expected}"
            raise ExecutionProblem(Diagnostic("HF620", message, hint="nothing was replaced: run again"))

    def move(self) -> None:
        with self._connected() as connection:
            connection.setAutoCommit(False)
            before = [*self._listed(connection), TABLES] if self._overwrite else []
            for name in before:
                run_statement(connection, f"DROP TABLE IF EXISTS {self._qualified(self._named(name))}")
            for name in self._written:
                run_statement(
                    connection, f"ALTER TABLE {self._beside(name)} RENAME TO {quoted_name(self._named(name))}"
                )
            connection.commit()

    def discard(self) -> None:
        with self._connected() as connection:
            for name in self._written:
                run_statement(connection, f"DROP TABLE IF EXISTS {self._beside(name)}")

    def _exists(self, connection: Any, name: str) -> bool:
        found = query_values(connection, "SELECT to_regclass(?)::text", self._qualified(self._named(name)))
        return found[0] is not None

    def _listed(self, connection: Any) -> list[str]:
        """The tables of the results that are there."""
        if not self._exists(connection, TABLES):
            return []
        try:
            return query_values(connection, f'SELECT "table" FROM {self._qualified(self._named(TABLES))}')
        except java_problems():
            refuse_foreign(self._shown_name(TABLES))
            raise

    def _named(self, name: str) -> str:
        return f"{self._name}_{name}"

    def _shown_name(self, name: str) -> str:
        return f"{self.shown} {'.'.join([*self._schema, self._named(name)])}"

    def _beside(self, name: str) -> str:
        """The temporary name of a table, which does not grow with its name."""
        return self._qualified(f"holdsfor_{self._unique}_{self._written.index(name)}")

    def _qualified(self, table: str) -> str:
        return ".".join(map(quoted_name, [*self._schema, table]))

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        with connected(self.spark, self._options) as connection:
            yield connection


@contextmanager
def connected(spark: SparkSession, options: Mapping[str, str]) -> Iterator[Any]:
    """A connection of the driver, made like Spark's own; changes that are not committed are rolled back."""
    jvm: Any = spark.sparkContext._jvm
    scala = jvm.PythonUtils.toScalaMap({**options, "dbtable": "unused"})
    given = jvm.org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions(scala)
    dialect = jvm.org.apache.spark.sql.jdbc.JdbcDialects.get(options["url"])
    connection = dialect.createConnectionFactory(given).apply(-1)
    try:
        yield connection
    finally:
        connection.close()


def quoted_name(name: str) -> str:
    """A name in a statement of SQL."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def run_statement(connection: Any, statement: str) -> None:
    """Execute a statement without parameters."""
    prepared = connection.createStatement()
    try:
        prepared.execute(statement)
    finally:
        prepared.close()


def query_values(connection: Any, query: str, *parameters: str) -> list[Any]:
    """The first column of the rows that a query returns."""
    prepared = connection.prepareStatement(query)
    try:
        for i, parameter in enumerate(parameters, start=1):
            prepared.setString(i, parameter)
        rows, found = prepared.executeQuery(), list[Any]()
        while rows.next():
            found.append(rows.getObject(1))
        return found
    finally:
        prepared.close()
