"""The current view of a stream: a table of all known results, which every micro-batch brings up to date.

A micro-batch may have several query times, so its changes are reduced first: of the changes with one key, the last one
counts. The key of an interval is its FVP and its start: two maximal intervals of an FVP never have the same start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from holdsfor.errors import DataProblem, Diagnostic
from holdsfor.spark.output.folders import HadoopFiles
from holdsfor.spark.streaming.delta_tables import DeltaView
from holdsfor.spark.streaming.output_owner import FolderOwner
from holdsfor.spark.streaming.postgres_tables import PostgresView
from holdsfor.spark.streaming.published_folders import is_published, publishing
from holdsfor.spark.streaming.sinks import Sink, SinkSettings, refuse_output

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["SnapshotSink", "current_sink_of", "last_changes", "read_current"]

_KEY = ("kind", "fvp", "start")
_SNAPSHOT = "snapshot"
_KEPT = 2
"""The number of snapshots that are kept: a reader of the last one but one can finish."""


def last_changes(changes: DataFrame) -> DataFrame:
    """The row to delete or to insert for each key that the query times of a micro-batch change: its last change.

    A query time may delete a row and insert one with the same key; deletes come first, and the insert then updates the
    row.
    """
    from pyspark.sql import functions as F

    order = F.struct("query_time", F.col("op") == "+")
    last = F.max_by(F.struct(*changes.columns), order).alias("last")
    return changes.groupBy(*_KEY).agg(last).select("last.*")


@dataclass(frozen=True)
class SnapshotSink:
    """A folder with the whole view after each of the last micro-batches with changes, as Parquet: `snapshot=12`."""

    needs_every_batch: ClassVar[bool] = False

    path: str
    owner: FolderOwner
    options: Mapping[str, str] = field(default_factory=dict)

    def write(self, frame: DataFrame, number: int) -> None:
        files = HadoopFiles(frame.sparkSession, self.path)
        self.owner.claim(files)
        numbers = _snapshots(files)
        with publishing(files, _place(files, number)) as place:
            if place is None:
                return
            self._merged(frame, files, numbers).write.options(**self.options).parquet(place)
        for old in [*numbers, number][:-_KEPT]:
            files.drop(_place(files, old))

    def last_number(self, spark: SparkSession) -> int | None:
        return self.owner.last_number(spark)

    def has_written(self, spark: SparkSession, number: int) -> bool:
        return any(each >= number for each in _snapshots(HadoopFiles(spark, self.path)))

    def _merged(self, changes: DataFrame, files: HadoopFiles, numbers: Sequence[int]) -> DataFrame:
        inserted = changes.where("op = '+'").drop("op")
        if not numbers:
            return inserted
        before = _read(changes.sparkSession, files, numbers[-1])
        return before.join(changes, list(_KEY), "left_anti").select(inserted.columns).union(inserted)


def current_sink_of(settings: SinkSettings) -> Sink:
    """The sink of the current view for a format: `parquet`, which is the default, `delta` or `jdbc`."""
    form = settings.form or "parquet"
    if form == "jdbc":
        return PostgresView(settings.application, settings.options, _KEY, long="fvp")
    if form == "delta":
        return _delta_view(settings)
    if form != "parquet" or settings.table is not None or settings.partition_by:
        found = f"the format `{form}`" if form != "parquet" else "a table or partitions"
        hint = "`foreachBatch` gets the rows to delete and to insert, for example for a MERGE"
        refuse_output(f"the current view is written as `parquet`, `delta` or `jdbc`, found {found}", hint)
    if settings.path is None:
        refuse_output("the format `parquet` needs a path", "write `.start(path)`")
    return SnapshotSink(settings.path, settings.owner(settings.path, "parquet", _SNAPSHOT), settings.options)


def _delta_view(settings: SinkSettings) -> Sink:
    if settings.path is None and settings.table is None:
        refuse_output("the format `delta` needs a path or a table", "write `.start(path)` or `.toTable(name)`")
    return DeltaView(settings.application, _KEY, settings.path, settings.table, settings.options, settings.partition_by)


def read_current(spark: SparkSession, path: str) -> DataFrame:
    """The last snapshot of a current view that a stream has written as Parquet.

    >>> from tempfile import mkdtemp
    >>> import holdsfor as hf
    >>> hf.spark.read_current(spark, mkdtemp())
    Traceback (most recent call last):
        ...
    holdsfor.errors.DataProblem: error[HF501]: `...` has no snapshot of a current view
    hint: give the folder of a query that writes `stream.current`
    """
    files = HadoopFiles(spark, path)
    numbers = _snapshots(files)
    if not numbers:
        hint = "give the folder of a query that writes `stream.current`"
        raise DataProblem(Diagnostic("HF501", f"`{path}` has no snapshot of a current view", hint=hint))
    return _read(spark, files, numbers[-1])


def _read(spark: SparkSession, files: HadoopFiles, number: int) -> DataFrame:
    return spark.read.parquet(_place(files, number))


def _place(files: HadoopFiles, number: int) -> str:
    """The folder of a snapshot."""
    return f"{files.root}/{_SNAPSHOT}={number}"


def _snapshots(files: HadoopFiles) -> list[int]:
    """The numbers of the complete snapshots, in order."""
    names = (files.within(files.root) or set()) if files.exists(files.root) else set()
    numbers = sorted(int(name.partition("=")[2]) for name in names if name.startswith(f"{_SNAPSHOT}="))
    return [number for number in numbers if is_published(files, _place(files, number))]
