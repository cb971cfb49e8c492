"""Results in their place: a folder with a table each for intervals, events and records set aside, whole or not at all.

Everything is written beside the place and moved there when it is complete, so that nobody sees half of it, and a second
run never mixes with the first. Places are of any file system that Spark can write to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.spark.recognition import Recognition

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Format", "Place", "Told", "refuse_existing"]

Format = Literal["parquet", "csv", "json"]
Told = Literal["known", "changes"]
"""What reports tell."""


def refuse_existing(path: str) -> None:
    """Tell that there is something in the place already."""
    raise UsageProblem(Diagnostic("HF771", f"`{path}` exists already", hint="`--overwrite` replaces it"))


@dataclass(frozen=True)
class Place:
    """A folder for results."""

    spark: SparkSession
    path: str
    overwrite: bool = False

    def write(self, found: Recognition, format_: Format, reports: Collection[Told] = ()) -> None:
        """Write all results, and of the reports those that are asked for."""

        def write(beside: str) -> None:
            _write(found.intervals, f"{beside}/intervals", format_, partition="fluent")
            _write(found.events, f"{beside}/events", format_, partition="name")
            _write(found.set_aside, f"{beside}/set_aside", format_)
            if "known" in reports:
                _write(found.reports.intervals, f"{beside}/report_intervals", format_, partition="fluent")
                _write(found.reports.events, f"{beside}/report_events", format_, partition="name")
            if "changes" in reports:
                _write(found.reports.changes, f"{beside}/report_changes", format_)

        self.check()
        self.replace(write)

    def check(self) -> None:
        """Refuse a place with something in it, unless it is to be replaced."""
        if self._exists(self.path) and not self.overwrite:
            refuse_existing(self.path)

    def replace(self, write: Callable[[str], None]) -> None:
        """Let something be written to a path beside the place, and move it there when it is complete."""
        beside = f"{self.path.rstrip('/')}.{uuid4().hex}"
        try:
            write(beside)
            self._move(beside)
        finally:
            self._delete(beside)

    def write_text(self, path: str, text: str) -> None:
        """Write a file with a text."""
        system, there = self._on(path)
        stream = system.create(there)
        stream.write(bytearray(text.encode()))
        stream.close()

    def _move(self, beside: str) -> None:
        """Put what was written in its place; what was there is deleted when that has worked."""
        before = f"{beside}.before"
        if self._exists(self.path):
            self._rename(self.path, before)
        self._rename(beside, self.path)
        self._delete(before)

    # -- the file system of Spark --------------------------------------------------------------------------------------

    def _on(self, path: str) -> tuple[Any, Any]:
        """The file system of a path, and the path as it knows it."""
        jvm: Any = self.spark.sparkContext._jvm
        there = jvm.org.apache.hadoop.fs.Path(path)
        return there.getFileSystem(self.spark.sparkContext._jsc.hadoopConfiguration()), there

    def _exists(self, path: str) -> bool:
        system, there = self._on(path)
        return bool(system.exists(there))

    def _delete(self, path: str) -> None:
        system, there = self._on(path)
        system.delete(there, True)

    def _rename(self, path: str, to: str) -> None:
        system, there = self._on(path)
        if not system.rename(there, self._on(to)[1]):
            raise OSError(f"cannot move {path} to {to}")


def _write(frame: DataFrame, path: str, format_: Format, partition: str | None = None) -> None:
    from pyspark.sql import functions as F

    if format_ == "csv" and "args" in frame.columns:
        frame = frame.withColumn("args", F.to_json("args"))
    if "query_time" in frame.columns:  # who reads the report of one query time skips the others
        frame = frame.sortWithinPartitions(*([partition] if partition else []), "query_time")
    writer = frame.write.format(format_)
    if format_ == "csv":
        writer = writer.option("header", "true")
    if format_ == "parquet" and partition is not None:
        writer = writer.partitionBy(partition)
    writer.save(path)
