"""Tables of Delta Lake that a stream fills.

A transaction of Delta Lake has the name of an application and a number, and a table refuses a number that it has. A
micro-batch that Spark repeats after a crash therefore changes nothing. `append` takes both as options of the writer,
`MERGE` as settings of the session.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["DeltaSink", "DeltaView"]

_SETTINGS = "spark.databricks.delta.write."


@dataclass(frozen=True)
class DeltaSink:
    """A table to which rows are added."""

    needs_every_batch: ClassVar[bool] = False

    application: str
    path: str | None = None
    table: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    partition_by: Sequence[str] = ()

    def write(self, frame: DataFrame, number: int) -> None:
        transaction = {"txnAppId": self.application, "txnVersion": str(number)}
        writer = frame.write.format("delta").mode("append").options(**{**self.options, **transaction})
        writer = writer.partitionBy(*self.partition_by) if self.partition_by else writer
        if self.table is not None:
            writer.saveAsTable(self.table)
        else:
            writer.save(self.path)


@dataclass(frozen=True)
class DeltaView:
    """A table with the current results: rows with the `op` `-` are deleted, those with `+` are inserted or updated.

    A micro-batch has at most one row for each key; Delta Lake refuses a `MERGE` with more.
    """

    needs_every_batch: ClassVar[bool] = False

    application: str
    key: Sequence[str]
    path: str | None = None
    table: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    partition_by: Sequence[str] = ()

    def write(self, frame: DataFrame, number: int) -> None:
        spark, target = frame.sparkSession, self._target
        kept = [name for name in frame.columns if name != "op"]
        # A table without rows has no number of a micro-batch: the first MERGE is not taken for a repetition.
        empty = DeltaSink(f"{self.application}/table", self.path, self.table, self.options, self.partition_by)
        empty.write(frame.select(kept).limit(0), 0)
        same = " AND ".join(f"t.{name} = b.{name}" for name in map(_quoted, self.key))
        assigned = ", ".join(f"t.{name} = b.{name}" for name in map(_quoted, kept))
        names, values = (", ".join(f"{prefix}{_quoted(name)}" for name in kept) for prefix in ("", "b."))
        with _transaction(spark, self.application, number):
            spark.sql(
                f"MERGE INTO {target} t USING {{changes}} b ON {same} "
                "WHEN MATCHED AND b.op = '-' THEN DELETE "
                f"WHEN MATCHED THEN UPDATE SET {assigned} "
                f"WHEN NOT MATCHED AND b.op = '+' THEN INSERT ({names}) VALUES ({values})",
                changes=frame,
            )

    def has_written(self, spark: SparkSession, number: int) -> bool:
        """Whether the table is there; only Delta Lake itself can read the numbers of its transactions."""
        from pyspark.errors import AnalysisException

        try:
            spark.sql(f"DESCRIBE DETAIL {self._target}").collect()
        except AnalysisException:
            return False
        return True

    @property
    def _target(self) -> str:
        if self.table is not None:
            return ".".join(map(_quoted, self.table.split(".")))
        assert self.path is not None
        return f"delta.{_quoted(self.path)}"


@contextmanager
def _transaction(spark: SparkSession, application: str, number: int) -> Iterator[None]:
    """Number the transactions of a session."""
    names = [f"{_SETTINGS}txnAppId", f"{_SETTINGS}txnVersion"]
    for name, value in zip(names, (application, str(number)), strict=True):
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name in names:
            spark.conf.unset(name)


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"
