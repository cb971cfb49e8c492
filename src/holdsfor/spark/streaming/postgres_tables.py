"""Tables of PostgreSQL that a stream fills: one transaction changes the rows and notes the number of the micro-batch.

The tasks of Spark write the rows of a micro-batch to a table of their own, in transactions of their own. The driver
then moves them to the target in one transaction, which notes the number first. A micro-batch whose number is noted is
not written again. If a lost driver still runs beside its successor, the second one to note the number waits for the
first one, finds the number, and moves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import uuid4

from holdsfor.errors import Diagnostic, ExecutionProblem
from holdsfor.spark.output.databases import (
    DRIVER_OPTIONS,
    check_url,
    connected,
    query_values,
    quoted_name,
    run_statement,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["PostgresSink", "PostgresView", "with_json_lists"]

Move = Callable[[Any, str, str, Sequence[str]], None]
"""Moves the rows of a table to another one, with a connection, the two quoted names and the names of the columns."""


@dataclass(frozen=True)
class PostgresSink:
    """A table to which rows are added."""

    needs_every_batch: ClassVar[bool] = False

    application: str
    options: Mapping[str, str]

    def write(self, frame: DataFrame, number: int) -> None:
        _write_once(frame, number, self.application, self.options, _add_rows)

    def last_number(self, spark: SparkSession) -> int | None:
        options, _, _ = _target_of(self.options)
        with connected(spark, options) as connection:
            return _last_number(connection, self.application)


@dataclass(frozen=True)
class PostgresView:
    """A table with the current results: rows with the `op` `-` are deleted, those with `+` are inserted or updated.

    `key` are the columns that identify a row, plain names; one of them is `long`.
    """

    needs_every_batch: ClassVar[bool] = False

    application: str
    options: Mapping[str, str]
    key: Sequence[str]
    long: str

    def write(self, frame: DataFrame, number: int) -> None:
        _write_once(frame, number, self.application, self.options, self._merge_rows)

    def last_number(self, spark: SparkSession) -> int | None:
        options, _, _ = _target_of(self.options)
        with connected(spark, options) as connection:
            return _last_number(connection, self.application)

    def has_written(self, spark: SparkSession, number: int) -> bool:
        options, _, target = _target_of(self.options)
        with connected(spark, options) as connection:
            last = _last_number(connection, self.application)
            return last is not None and last >= number and _exists(connection, target)

    def _merge_rows(self, connection: Any, target: str, beside: str, columns: Sequence[str]) -> None:
        """Delete the rows whose keys have changed, and insert those that are known now.

        A row of an index has at most 2,704 bytes, and names of entities may be longer: the index has their hashes.
        """
        hashed = [f"md5({name})" if name == self.long else name for name in self.key]
        if not _exists(connection, target):
            run_statement(connection, f"CREATE TABLE {target} (LIKE {beside})")
            run_statement(connection, f"ALTER TABLE {target} DROP COLUMN op")
            run_statement(connection, f"CREATE INDEX ON {target} ({', '.join(hashed)})")
        same = [f"t.{name} = b.{name}" for name in self.key] + [f"md5(t.{self.long}) = md5(b.{self.long})"]
        run_statement(connection, f"DELETE FROM {target} t USING {beside} b WHERE {' AND '.join(same)}")
        listed = ", ".join(quoted_name(name) for name in columns if name != "op")
        run_statement(connection, f"INSERT INTO {target} ({listed}) SELECT {listed} FROM {beside} WHERE op = '+'")


def _add_rows(connection: Any, target: str, beside: str, columns: Sequence[str]) -> None:
    run_statement(connection, f"CREATE TABLE IF NOT EXISTS {target} (LIKE {beside})")
    listed = ", ".join(map(quoted_name, columns))
    run_statement(connection, f"INSERT INTO {target} ({listed}) SELECT {listed} FROM {beside}")


def _write_once(frame: DataFrame, number: int, application: str, given: Mapping[str, str], move: Move) -> None:
    spark, (options, table, target) = frame.sparkSession, _target_of(given)
    with connected(spark, options) as connection:
        run_statement(connection, _BATCHES)
        last = _last_number(connection, application)
        if last is not None and last >= number:
            return
        _drop_left(connection, application)
    frame = with_json_lists(frame)
    expected = frame.count()
    # The rows of two drivers never come together in one table.
    beside = quoted_name(f"{_prefix(application)}{number}_{uuid4().hex[:8]}")
    frame.write.format("jdbc").options(**{**options, "dbtable": beside}).save()
    with connected(spark, options) as connection:
        connection.setAutoCommit(False)
        if _claim(connection, application, number):
            _refuse_other_rows(query_values(connection, f"SELECT count(*) FROM {beside}")[0], expected, table)
            move(connection, target, beside, frame.columns)
        run_statement(connection, f"DROP TABLE IF EXISTS {beside}")
        connection.commit()


def _target_of(given: Mapping[str, str]) -> tuple[dict[str, str], str, str]:
    """The options of connections, and the name of the table, plain and quoted."""
    options = {**DRIVER_OPTIONS, **given}
    table = options.pop("dbtable")
    check_url(options["url"], table)
    return options, table, ".".join(map(quoted_name, table.split(".")))


def _last_number(connection: Any, application: str) -> int | None:
    """The last micro-batch that is noted."""
    if not _exists(connection, "holdsfor_batches"):
        return None
    return max((int(number) for number in query_values(connection, _LAST, application)), default=None)


def _exists(connection: Any, name: str) -> bool:
    """Whether there is a table of a quoted name."""
    return query_values(connection, "SELECT to_regclass(?)::text", name)[0] is not None


def _prefix(application: str) -> str:
    """The beginning of the names of the tables that tasks write."""
    return f"holdsfor_{sha256(application.encode()).hexdigest()[:12]}_"


def _drop_left(connection: Any, application: str) -> None:
    """Drop the tables that a crash has left."""
    for name in query_values(connection, _LEFT, f"^{_prefix(application)}[0-9]+(_[0-9a-f]+)?$"):
        run_statement(connection, f"DROP TABLE IF EXISTS {quoted_name(name)}")


def _claim(connection: Any, application: str, number: int) -> bool:
    """Note the number of a micro-batch; False if the number, or a later one, is noted already.

    The transaction of another driver that notes a number ends first.
    """
    statement = connection.prepareStatement(_DONE)
    try:
        statement.setString(1, application)
        statement.setLong(2, number)
        return int(statement.executeUpdate()) == 1
    finally:
        statement.close()


_BATCHES = "CREATE TABLE IF NOT EXISTS holdsfor_batches (application text PRIMARY KEY, batch bigint NOT NULL)"
_LEFT = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename ~ ?"
_LAST = "SELECT batch FROM holdsfor_batches WHERE application = ?"
_DONE = (
    "INSERT INTO holdsfor_batches VALUES (?, ?) ON CONFLICT (application) DO UPDATE SET batch = excluded.batch "
    "WHERE holdsfor_batches.batch < excluded.batch"
)


def _refuse_other_rows(found: int, expected: int, table: str) -> None:
    """Refuse rows that a lost task has written twice."""
    if int(found) != expected:
        message = f"the database has {found} rows for `{table}`, expected {expected}"
        raise ExecutionProblem(Diagnostic("HF620", message, hint="nothing was added: start the stream again"))


def with_json_lists(frame: DataFrame) -> DataFrame:
    """The rows with lists as texts of JSON, for places that have no lists."""
    from pyspark.sql import functions as F

    kinds = {each.name: each.dataType.typeName() for each in frame.schema}
    return frame.select(*(F.to_json(n).alias(n) if kind == "array" else F.col(n) for n, kind in kinds.items()))
