"""Results as tables of Spark's catalogue."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.spark.output.atomic_rename import Swap, recover, swap
from holdsfor.spark.output.result_tables import RESULTS, Form, ResultTable
from holdsfor.spark.output.targets import refuse_existing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["CatalogueTarget", "refuse_in_memory_catalogue"]


def refuse_in_memory_catalogue(spark: Any) -> None:
    """Refuse a catalogue in memory, whose tables would be lost at the end of the run."""
    if spark.conf.get("spark.sql.catalogImplementation", "in-memory") == "in-memory":
        message = "the catalogue of this run is in memory: its tables would be lost at the end of the run"
        hint = "`--conf spark.sql.catalogImplementation=hive` uses a persistent catalogue"
        raise UsageProblem(Diagnostic("HF782", message, hint=hint))


class CatalogueTarget:
    """Tables `NAME_intervals`, `NAME_events`, `NAME_set_aside`, and those of reports.

    They are written under temporary names and renamed when all are complete. Only one run at a time may do that.
    """

    def __init__(self, spark: SparkSession, name: str, form: Form, *, overwrite: bool = False) -> None:
        self.shown, self.spark = f"table:{name}", spark
        self._form, self._overwrite = form, overwrite
        self._tables = _Tables(spark)
        unique = uuid4().hex[:12]
        names = {result: _quoted(name, result) for result in RESULTS}
        self._swaps = {
            result: Swap(table, _suffixed(table, unique), _suffixed(table, "before")) for result, table in names.items()
        }

    def check(self) -> None:
        """Refuse to replace existing tables without `overwrite`."""
        recover(self._tables, list(self._swaps.values()))
        there = [each.name for each in self._swaps.values() if self._tables.exists(each.name)]
        if there and not self._overwrite:
            refuse_existing(there[-1].replace("`", ""))

    def write(self, result: ResultTable) -> None:
        # The table is created empty first: if the job then fails, dropping the table also deletes its folder.
        beside = self._swaps[result.name].beside
        self._form.writer(replace(result, frame=result.frame.limit(0))).saveAsTable(beside)
        self._form.writer(result).mode("append").saveAsTable(beside)

    def move(self) -> None:
        swap(self._tables, list(self._swaps.values()))

    def discard(self) -> None:
        for each in self._swaps.values():
            self._tables.drop(each.beside)


class _Tables:
    """The tables of the catalogue of a session."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def exists(self, name: str) -> bool:
        return self._spark.catalog.tableExists(name)

    def rename(self, name: str, to: str) -> None:
        self._spark.sql(f"ALTER TABLE {name} RENAME TO {to}")

    def drop(self, name: str) -> None:
        self._spark.sql(f"DROP TABLE IF EXISTS {name}")


def _quoted(name: str, result: str) -> str:
    parts = name.split(".")
    if not all(parts):
        message = f"expected a table name after `table:`, found `{name}`"
        raise UsageProblem(Diagnostic("HF781", message, hint="such as `table:found` or `table:sea.found`"))
    *schema, table = (part.strip("`").replace("`", "``") for part in parts)
    return ".".join(f"`{part}`" for part in (*schema, f"{table}_{result}"))


def _suffixed(table: str, suffix: str) -> str:
    return f"{table[:-1]}_{suffix}`"
