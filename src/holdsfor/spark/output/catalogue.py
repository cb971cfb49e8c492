"""Results as tables of Spark's catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from holdsfor.errors import Diagnostic, Hint, UsageProblem
from holdsfor.spark.output.atomic_rename import Swap, recover, swap
from holdsfor.spark.output.result_tables import TABLES, Form, ResultTable
from holdsfor.spark.output.targets import refuse_existing, refuse_foreign

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["CatalogueTarget", "refuse_in_memory_catalogue"]


def refuse_in_memory_catalogue(spark: Any) -> None:
    """Refuse a catalogue in memory, whose tables would be lost at the end of the run."""
    if spark.conf.get("spark.sql.catalogImplementation", "in-memory") == "in-memory":
        message = "the catalogue of this run is in memory: its tables would be lost at the end of the run"
        hint = Hint(
            "`.enableHiveSupport()` of the session uses a persistent catalogue",
            on_command_line="`--conf spark.sql.catalogImplementation=hive` uses a persistent catalogue",
        )
        raise UsageProblem(Diagnostic("HF782", message, hint=hint))


class CatalogueTarget:
    """Tables `NAME_overdue` for each fluent and event, `NAME_set_aside`, and `NAME_tables`, which lists them.

    They are written under temporary names and renamed when all are complete, the list last. Only one run at a time may
    do that. The new list has a fixed temporary name, so that the next run can undo an interrupted replacement.
    """

    def __init__(self, spark: SparkSession, name: str, form: Form, *, overwrite: bool = False) -> None:
        self.shown, self.spark = f"table:{name}", spark
        self._form, self._overwrite = form, overwrite
        self._tables = _Tables(spark)
        self._prefix = _checked(name)
        self._unique = uuid4().hex[:12]
        self._names: Sequence[str] = ()

    def check(self) -> None:
        """Undo an interrupted replacement, and refuse to replace existing results without `overwrite`."""
        self._recover()
        if self._tables.exists(self._named(TABLES)) and not self._overwrite:
            refuse_existing(_shown(self._named(TABLES)))

    def begin(self, names: Sequence[str]) -> None:
        """Refuse to replace tables that are not results."""
        replaced = set(self._tables.listed(self._named(TABLES)))
        for name in names:
            if name not in replaced and name != TABLES and self._tables.exists(self._named(name)):
                refuse_foreign(_shown(self._named(name)))
        self._names = names

    def write(self, result: ResultTable) -> None:
        # The table is created empty first: if the job then fails, dropping the table also deletes its folder.
        beside = self._swap(result.name).beside
        self._form.writer(replace(result, frame=result.frame.limit(0))).saveAsTable(beside)
        self._form.writer(result).mode("append").saveAsTable(beside)

    def move(self) -> None:
        before = self._tables.listed(self._named(TABLES))
        swap(self._tables, self._swaps([*before, *self._names]))

    def discard(self) -> None:
        for name in self._names:
            self._tables.drop(self._swap(name).beside)

    def _recover(self) -> None:
        """Complete or undo a replacement that was interrupted."""
        last = self._swap(TABLES)
        before, after = self._tables.listed(last.before), self._tables.listed(last.beside)
        if not self._tables.exists(last.name):
            for name in set(after) - set(before):
                self._tables.drop(self._named(name))
        if before or after:
            recover(self._tables, self._swaps([*before, *after]))
        self._tables.drop(last.beside)

    def _swaps(self, names: Iterable[str]) -> list[Swap]:
        """The swaps of some tables, that of the list of tables last."""
        others = dict.fromkeys(name for name in names if name != TABLES)
        return [self._swap(name) for name in (*others, TABLES)]

    def _swap(self, name: str) -> Swap:
        beside = "next" if name == TABLES else self._unique
        return Swap(self._named(name), self._named(name, beside), self._named(name, "before"))

    def _named(self, name: str, *suffix: str) -> str:
        *schema, table = self._prefix
        return ".".join(map(_quoted, (*schema, "_".join([table, name, *suffix]))))


class _Tables:
    """The tables of the catalogue of a session."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def exists(self, name: str) -> bool:
        return self._spark.catalog.tableExists(name)

    def listed(self, name: str) -> list[str]:
        """The tables in a list of tables; none if the list does not exist."""
        if not self.exists(name):
            return []
        found = self._spark.read.table(name)
        if "table" not in found.columns:
            refuse_foreign(_shown(name))
        return [row[0] for row in found.select("table").collect()]

    def rename(self, name: str, to: str) -> None:
        self._spark.sql(f"ALTER TABLE {name} RENAME TO {to}")

    def drop(self, name: str) -> None:
        self._spark.sql(f"DROP TABLE IF EXISTS {name}")


def _checked(name: str) -> list[str]:
    """The schema and the name of tables."""
    parts = name.split(".")
    if not all(parts):
        message = f"expected a table name after `table:`, found `{name}`"
        raise UsageProblem(Diagnostic("HF781", message, hint="such as `table:found` or `table:sea.found`"))
    return [part.strip("`") for part in parts]


def _quoted(name: str) -> str:
    doubled = name.replace("`", "``")
    return f"`{doubled}`"


def _shown(name: str) -> str:
    return name.replace("`", "")
