"""Results as tables of a PostgreSQL database.

The tasks of Spark write to temporary tables, each over its own connection. The driver then drops the old tables and
renames the new ones in one transaction. Databases without transactional renames are refused: a failure could lose the
old and the new tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from holdsfor.errors import Diagnostic, ExecutionProblem, UsageProblem
from holdsfor.spark.output.result_tables import RESULTS, ResultTable
from holdsfor.spark.output.targets import refuse_existing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["DatabaseTarget", "check_url", "without_secrets"]

_DEFAULTS = {"driver": "org.postgresql.Driver", "numPartitions": "16"}
"""Java does not find drivers in `spark.jars` by itself; and the tasks of a cluster would open too many connections."""

_LONGEST_NAME = 63
_UNIQUE = 12


def without_secrets(url: str) -> str:
    """The address of a database without user and password, for messages.

    >>> without_secrets("jdbc:postgresql://ann:secret@host/sea?password=secret")
    'jdbc:postgresql://host/sea'
    """
    return re.sub(r"//[^/]*@", "//", re.split(r"[?;]", url, maxsplit=1)[0])


def check_url(url: str, table: str) -> None:
    """Refuse a database without transactional renames, and table names that the database would truncate."""
    if not url.startswith("jdbc:postgresql:"):
        message = f"expected `jdbc:postgresql:` as a database for results, found `{without_secrets(url)}`"
        hint = "write a folder, or with Python `found.intervals.write.jdbc`, which does not replace in one transaction"
        raise UsageProblem(Diagnostic("HF783", message, hint=hint))
    longest = max(map(len, RESULTS)) + _UNIQUE + len("__")
    *schema, name = table.split(".")
    if not name or not all(schema) or len(schema) > 1 or len(name.encode()) > _LONGEST_NAME - longest:
        message = f"expected `NAME` or `SCHEMA.NAME` of at most {_LONGEST_NAME - longest} bytes, found `{table}`"
        raise UsageProblem(Diagnostic("HF781", message, hint="see `--table`"))


class DatabaseTarget:
    """Tables `NAME_intervals`, `NAME_events` and `NAME_set_aside`; a schema may come before the name."""

    def __init__(
        self, spark: SparkSession, url: str, table: str, properties: Mapping[str, str], *, overwrite: bool = False
    ) -> None:
        check_url(url, table)
        self.shown = without_secrets(url)
        self.spark, self._overwrite = spark, overwrite
        self._options = {**_DEFAULTS, **properties, "url": url}
        *self._schema, self._name = table.split(".")
        self._unique = uuid4().hex[:_UNIQUE]
        self._written: list[str] = []

    def check(self) -> None:
        """Refuse to replace existing tables without `overwrite`."""
        with self._connected() as connection:
            there = [result for result in RESULTS if self._exists(connection, result)]
        if there and not self._overwrite:
            refuse_existing(f"{self.shown} {'.'.join([*self._schema, self._named(there[-1])])}")

    def write(self, result: ResultTable) -> None:
        """Write a temporary table, and compare its row count with the result: a task that is lost may write twice."""
        expected = result.frame.count()  # computes the result with all tasks; the write uses fewer
        beside = self._qualified(self._beside(result.name))
        self._written.append(result.name)
        result.frame.write.format("jdbc").options(**{**self._options, "dbtable": beside}).save()
        with self._connected() as connection:
            found = _value(connection, f"SELECT count(*) FROM {beside}")
        if found != expected:
            message = f"the database has {found} rows of `{result.name}`, expected {expected}"
            raise ExecutionProblem(Diagnostic("HF620", message, hint="nothing was replaced: run again"))

    def move(self) -> None:
        with self._connected() as connection:
            connection.setAutoCommit(False)
            for result in RESULTS if self._overwrite else ():
                _run(connection, f"DROP TABLE IF EXISTS {self._qualified(self._named(result))}")
            for result in self._written:
                beside, name = self._qualified(self._beside(result)), _quoted(self._named(result))
                _run(connection, f"ALTER TABLE {beside} RENAME TO {name}")
            connection.commit()

    def discard(self) -> None:
        with self._connected() as connection:
            for result in self._written:
                _run(connection, f"DROP TABLE IF EXISTS {self._qualified(self._beside(result))}")

    def _exists(self, connection: Any, result: str) -> bool:
        return _value(connection, "SELECT to_regclass(?)::text", self._qualified(self._named(result))) is not None

    def _named(self, result: str) -> str:
        return f"{self._name}_{result}"

    def _beside(self, result: str) -> str:
        return f"{self._named(result)}_{self._unique}"

    def _qualified(self, table: str) -> str:
        return ".".join(map(_quoted, [*self._schema, table]))

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """A connection of the driver, made like Spark's own; changes that are not committed are rolled back."""
        jvm: Any = self.spark.sparkContext._jvm
        options = jvm.PythonUtils.toScalaMap({**self._options, "dbtable": "unused"})
        given = jvm.org.apache.spark.sql.execution.datasources.jdbc.JDBCOptions(options)
        dialect = jvm.org.apache.spark.sql.jdbc.JdbcDialects.get(self._options["url"])
        connection = dialect.createConnectionFactory(given).apply(-1)
        try:
            yield connection
        finally:
            connection.close()


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _run(connection: Any, statement: str) -> None:
    prepared = connection.createStatement()
    try:
        prepared.execute(statement)
    finally:
        prepared.close()


def _value(connection: Any, query: str, *parameters: str) -> Any:
    """The single value that a query returns."""
    prepared = connection.prepareStatement(query)
    try:
        for i, parameter in enumerate(parameters, start=1):
            prepared.setString(i, parameter)
        rows = prepared.executeQuery()
        rows.next()
        return rows.getObject(1)
    finally:
        prepared.close()
