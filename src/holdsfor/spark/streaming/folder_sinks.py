"""Folders with the rows of micro-batches: one folder for each, `batch=12`.

The folder of a micro-batch is published when it is complete (`published_folders`). Spark writes the files, row by row.
Parquet files without settings of their own are written by the workers that decode the rows, as columns: that takes a
tenth of the processor time, and the rows do not pass through the JVM.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlsplit
from uuid import uuid4

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.spark.input.ingestion import frame_of
from holdsfor.spark.output.folders import HadoopFiles
from holdsfor.spark.streaming.feed_rows import Decoding, FeedRows
from holdsfor.spark.streaming.output_owner import FolderOwner
from holdsfor.spark.streaming.published_folders import hidden, publishing
from holdsfor.spark.streaming.state_files import StreamFiles

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["BATCH", "FolderSink", "ParquetSink"]

BATCH = "batch"
"""The folders of micro-batches are partitions by this column."""

_WRITTEN = pa.schema([("file", pa.string())])
_ROWS = 1 << 18  # of a row group
_PLAIN = re.compile(r"[\w./:=@+,-]*", re.ASCII)
"""Paths that are the same as URIs, where Arrow reads URIs."""

_CODECS = {"snappy": "snappy", "gzip": "gzip", "zstd": "zstd", "none": "none", "uncompressed": "none"}
"""The compressions of Spark that Arrow has, by the names in both."""


@dataclass(frozen=True)
class FolderSink:
    """A folder with one folder for each micro-batch that has rows."""

    needs_every_batch: ClassVar[bool] = False

    path: str
    format: str
    owner: FolderOwner
    options: Mapping[str, str] = field(default_factory=dict)
    partition_by: Sequence[str] = ()

    def write(self, frame: DataFrame, number: int) -> None:
        files = HadoopFiles(frame.sparkSession, self.path)
        with self._publishing(files, number) as place:
            if place is not None:
                writer = frame.write.format(self.format).options(**self.options)
                (writer.partitionBy(*self.partition_by) if self.partition_by else writer).save(place)

    def last_number(self, spark: SparkSession) -> int | None:
        return self.owner.last_number(spark)

    def _publishing(self, files: HadoopFiles, number: int) -> AbstractContextManager[str | None]:
        """The folder to write a micro-batch to; None if the micro-batch is written."""
        self.owner.claim(files)
        return publishing(files, f"{files.root}/{BATCH}={number}")


@dataclass(frozen=True)
class ParquetSink(FolderSink):
    """A folder of Parquet files without options, on the file system of the checkpoint if workers are to write them."""

    checkpoint: str = ""

    def write_rows(self, rows: FeedRows, number: int) -> None:
        """Write the rows of a feed, decoded from shuffle blocks."""
        session = rows.blocks.sparkSession
        files, codec = HadoopFiles(session, self.path), _codec(session)
        if codec is None or not _is_same_system(files.root, self.checkpoint):
            self.write(rows.frame, number)
            return
        with self._publishing(files, number) as place:
            if place is not None:
                self._write(rows, files, place, codec)

    def _write(self, rows: FeedRows, files: HadoopFiles, place: str, codec: str) -> None:
        """Let the workers write files, and take those of the tasks that Spark counts: it may run a task twice."""
        parts = hidden(place)
        try:
            task = _FileTask(StreamFiles(parts), rows.decoding, codec)
            written = [row["file"] for row in frame_of(rows.blocks, task, _WRITTEN).collect()]
            files.make_folder(place)
            for name in written:
                files.rename(f"{parts}/{name}", f"{place}/{name}")
        finally:
            files.drop(parts)


def _is_same_system(place: str, checkpoint: str) -> bool:
    """Whether workers can open a place, because the state of the stream is there too."""
    one, other = urlsplit(place), urlsplit(checkpoint)
    is_plain = one.scheme == "file" or _PLAIN.fullmatch(place) is not None
    return (one.scheme, one.netloc) == (other.scheme, other.netloc) and is_plain


def _codec(session: SparkSession) -> str | None:
    """The compression of Parquet files that Spark is set to; None if only Spark can write such files."""
    hadoop: Any = session.sparkContext._jsc.hadoopConfiguration()
    if hadoop.get("parquet.crypto.factory.class") is not None:
        return None
    return _CODECS.get(str(session.conf.get("spark.sql.parquet.compression.codec", "snappy")).lower())


@dataclass(frozen=True)
class _FileTask:
    """Writes the rows of a task to a file of its own."""

    folder: StreamFiles
    decoding: Decoding
    codec: str

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The name of the file, if there are rows."""
        tables = _row_groups(self.decoding(batches))
        first = next(tables, None)
        if first is None:
            return
        import pyarrow.parquet as pq  # type: ignore[import-untyped]

        name = f"part-{uuid4().hex}.parquet"
        with (
            _plain_errors(),
            self.folder.new_file(name) as file,
            pq.ParquetWriter(file, first.schema, compression=self.codec, store_schema=False) as writer,
        ):
            writer.write_table(first)
            for table in tables:
                writer.write_table(table)
        yield pa.RecordBatch.from_arrays([pa.array([name])], schema=_WRITTEN)


@contextmanager
def _plain_errors() -> Iterator[None]:
    """Raise the errors of the system, such as a full disk, with its text: Arrow describes its own step first."""
    try:
        yield
    except OSError as problem:
        raise OSError(str(problem) if problem.errno is None else os.strerror(problem.errno)) from None


def _row_groups(batches: Iterable[Any]) -> Iterator[Any]:
    """Batches combined into tables of bounded length."""
    waiting: list[Any] = []
    n = 0
    for batch in batches:
        waiting.append(batch)
        n += len(batch)
        if n >= _ROWS:
            yield pa.Table.from_batches(waiting)
            waiting, n = [], 0
    if n:
        yield pa.Table.from_batches(waiting)
