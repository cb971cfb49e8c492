"""Tables of PostgreSQL that a stream fills: one transaction changes the rows and notes the number of the micro-batch.

The tasks of Spark write the rows of a micro-batch to a table of their own, in transactions of their own. The driver
then moves them to the target in one transaction. A micro-batch whose number is noted is not written again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar

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
    from pyspark.sql import DataFrame

__all__ = ["PostgresSink", "PostgresView"]

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


@dataclass(frozen=True)
class PostgresView:
    """A table with the current results: rows with the `op` `-` are deleted, those with `+` are inserted or updated."""

    needs_every_batch: ClassVar[bool] = False

    application: str
    options: Mapping[str, str]
    key: Sequence[str]

    def write(self, frame: DataFrame, number: int) -> None:
        _write_once(frame, number, self.application, self.options, self._merge_rows)

    def _merge_rows(self, connection: Any, target: str, beside: str, columns: Sequence[str]) -> None:
        kept = [name for name in columns if name != "op"]
        key = ", ".join(map(quoted_name, self.key))
        if query_values(connection, "SELECT to_regclass(?)::text", target)[0] is None:
            run_statement(connection, f"CREATE TABLE {target} (LIKE {beside})")
            run_statement(connection, f"ALTER TABLE {target} DROP COLUMN op, ADD PRIMARY KEY ({key})")
        same = " AND ".join(f"t.{name} = b.{name}" for name in map(quoted_name, self.key))
        run_statement(connection, f"DELETE FROM {target} t USING {beside} b WHERE b.op = '-' AND {same}")
        listed = ", ".join(map(quoted_name, kept))
        rest = [quoted_name(name) for name in kept if name not in self.key]
        updated = ", ".join(f"{name} = excluded.{name}" for name in rest)
        run_statement(
            connection,
            f"INSERT INTO {target} ({listed}) SELECT {listed} FROM {beside} WHERE op = '+' "
            f"ON CONFLICT ({key}) DO UPDATE SET {updated}",
        )


def _add_rows(connection: Any, target: str, beside: str, columns: Sequence[str]) -> None:
    run_statement(connection, f"CREATE TABLE IF NOT EXISTS {target} (LIKE {beside})")
    listed = ", ".join(map(quoted_name, columns))
    run_statement(connection, f"INSERT INTO {target} ({listed}) SELECT {listed} FROM {beside}")


def _write_once(frame: DataFrame, number: int, application: str, given: Mapping[str, str], move: Move) -> None:
    spark, options = frame.sparkSession, {**DRIVER_OPTIONS, **given}
    table = options.pop("dbtable")
    check_url(options["url"], table)
    target = ".".join(map(quoted_name, table.split(".")))
    with connected(spark, options) as connection:
        run_statement(connection, _BATCHES)
        done = query_values(connection, _LAST, application)
    if done and done[0] is not None and int(done[0]) >= number:
        return
    frame = _with_plain_types(frame)
    expected = frame.count()
    # A repeated micro-batch replaces the table that a crash has left.
    beside = quoted_name(f"holdsfor_{sha256(application.encode()).hexdigest()[:12]}_{number}")
    frame.write.format("jdbc").mode("overwrite").options(**{**options, "dbtable": beside}).save()
    with connected(spark, options) as connection:
        connection.setAutoCommit(False)
        _refuse_other_rows(query_values(connection, f"SELECT count(*) FROM {beside}")[0], expected, table)
        move(connection, target, beside, frame.columns)
        run_statement(connection, f"DROP TABLE {beside}")
        statement = connection.prepareStatement(_DONE)
        statement.setString(1, application)
        statement.setLong(2, number)
        statement.executeUpdate()
        statement.close()
        connection.commit()


_BATCHES = "CREATE TABLE IF NOT EXISTS holdsfor_batches (application text PRIMARY KEY, batch bigint NOT NULL)"
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


def _with_plain_types(frame: DataFrame) -> DataFrame:
    """Lists of texts as JSON."""
    from pyspark.sql import functions as F

    kinds = {each.name: each.dataType.typeName() for each in frame.schema}
    return frame.select(*(F.to_json(n).alias(n) if kind == "array" else F.col(n) for n, kind in kinds.items()))
