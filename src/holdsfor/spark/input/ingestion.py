"""Ingestion: read the records of all inputs, apply retractions, admit records, and route them to the stages.

Each input takes one pass through the workers. Inputs with retractions need one shuffle, which brings a record and its
retractions together. If the first and last time-point are not given, the records are cached while both are computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import QueryTimes
from holdsfor.errors import Diagnostic, UsageProblem
from holdsfor.parallel.exchange.facts import Facts, Load, Texts
from holdsfor.parallel.exchange.retractions import Retractor, remaining_facts
from holdsfor.parallel.exchange.routing import Router
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.parallel.stages.admission import JobAdmission
from holdsfor.spark.cluster.connect import parallelism
from holdsfor.spark.cluster.worker_python import use_running_python
from holdsfor.spark.exchange.shuffle_rows import SHUFFLE_SCHEMA, loads_of, rows_of, sent_rows
from holdsfor.spark.input.frame_reader import ReaderSettings, TableReader
from holdsfor.spark.input.frame_sources import FrameSource
from holdsfor.spark.input.parquet_files import RowGroups, pieces_of, tables_of
from holdsfor.spark.input.parquet_relation import parquet_relation
from holdsfor.spark.input.set_aside import TALLIED, Tally

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Ingestion", "check_buckets", "frame_of", "keep", "rows_frame", "time_points", "union"]

Loads: TypeAlias = Iterable[Load]
Rows: TypeAlias = Iterator[Any]
Work: TypeAlias = Callable[[Loads], Rows]

_ROWS_OF_A_BUCKET = 1 << 19
_ROWS_OF_A_READ = 1 << 17
_MANY_BUCKETS = 256
_BYTES_OF_A_ROW = 24
_MOST_BUCKETS = 1_000_000
MOST_STREAM_BUCKETS = 10_000
"""Each bucket of a stream is a task in every micro-batch, and the driver of Spark holds them all."""

_ABSURD = 1 << 50  # bytes: Spark reports a huge size where the size is unknown


def check_buckets(buckets: int | None, most: int = _MOST_BUCKETS) -> None:
    """Refuse a number of buckets below 1, or one with more files and tasks than a run can have."""
    if buckets is not None and not 1 <= buckets <= most:
        expected = "at least 1" if buckets < 1 else f"at most {most:,}"
        raise UsageProblem(Diagnostic("HF770", f"the number of buckets is {buckets:,}, expected {expected}"))


def frame_of(frame: DataFrame, work: Callable[[Iterator[Any]], Rows], schema: Any = SHUFFLE_SCHEMA) -> DataFrame:
    """The batches of a DataFrame transformed by a function; `schema` is the Arrow schema of the result."""
    from pyspark.sql.pandas.types import from_arrow_schema

    use_running_python(frame.sparkSession)
    return frame.mapInArrow(work, from_arrow_schema(schema))


def keep(frame: DataFrame, kept: list[DataFrame]) -> DataFrame:
    """The frame, cached in memory or on disk once it is computed."""
    kept.append(frame.persist())
    return frame


def union(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(lambda one, other: one.union(other), frames)


def rows_frame(spark: SparkSession, shuffle_blocks: Sequence[ShuffleBlock]) -> DataFrame:
    """A few shuffle blocks without symbols as a DataFrame."""
    return spark.createDataFrame(pa.Table.from_batches(rows_of(shuffle_blocks, Texts(Symbols()))))


@dataclass
class Ingestion:
    """The inputs of a run: sources, and shuffle blocks of records that were read before.

    `tally` are the numbers of records, if `bounds` has read them.
    """

    spark: SparkSession
    sources: Sequence[FrameSource]
    shuffle_blocks: Sequence[DataFrame]
    setting: ReaderSettings
    kept: list[DataFrame]
    has_windows: bool = False
    tally: Tally | None = field(default=None, init=False)
    _pieces: list[_Pieces | None] = field(init=False)
    _read: DataFrame | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        n_tasks = self.n_tasks
        self._pieces = [_pieces_of(source, self.setting, n_tasks) for source in self.sources]

    @property
    def has_any(self) -> bool:
        return bool(self.sources) or bool(self.shuffle_blocks)

    @cached_property
    def n_tasks(self) -> int:
        """The number of tasks that can run in parallel."""
        return parallelism(self.spark)

    @property
    def n_buckets(self) -> int:
        """The number of buckets that the sources need."""
        return self.n_buckets_of(
            sum(_n_rows(source, pieces) for source, pieces in zip(self.sources, self._pieces, strict=True))
        )

    def n_buckets_of(self, n_rows: int) -> int:
        """Two buckets per parallel task, so that a small bucket does not leave a core idle; more for many records.

        A worker holds one bucket at a time, so its memory does not grow with the history. Above 256 buckets, the number
        and the size of buckets both grow with the square root of the input: with thousands of buckets the shuffle
        blocks of one task would become too short.
        """
        n = n_rows // _ROWS_OF_A_BUCKET
        return max(2 * self.n_tasks, n if n < _MANY_BUCKETS else math.isqrt(n * _MANY_BUCKETS))

    def bounds(self, n_buckets: int) -> tuple[int | None, int | None]:
        """The first and last time-point of the records. Reads all records now."""
        from pyspark.sql import functions as F

        tick = self.setting.tick
        self._read = keep(self.apply(lambda loads: _packed(loads, tick), n_buckets), self.kept)
        counts = [F.sum(F.when(F.col("kind") == kind, F.col("n"))) for kind in TALLIED]
        found = self._read.agg(F.min("first"), F.max("last"), *counts).first()
        assert found is not None
        self.tally = Tally(*(n or 0 for n in found[2:]))
        return found[0], found[1]

    def sent(self, admission: JobAdmission, sender: Router, n_buckets: int) -> DataFrame:
        """Shuffle blocks for all stages, and those without a stage: counts and invalid records."""

        def send(loads: Loads) -> Rows:
            return sent_rows(admission(loads), sender.shuffle_blocks)

        if self._read is None:
            return self.apply(send, n_buckets)
        return frame_of(self._read, lambda batches: send(loads_of(batches)))

    def apply(self, work: Work, n_buckets: int) -> DataFrame:
        """The result of `work` on the records that remain after retractions."""
        if not any(source.may_retract for source in self.sources):
            return self._apply_to_each(work)
        retractor = Retractor(n_buckets, self.has_windows)
        together = self._apply_to_each(lambda loads: sent_rows(loads, retractor.shuffle_blocks)).repartition(
            min(n_buckets, self.n_buckets), "place"
        )
        return frame_of(together, lambda batches: work(retractor.apply(loads_of(batches, Symbols()))))

    def _apply_to_each(self, work: Work) -> DataFrame:
        frames = [
            frame_of(shuffle_blocks, lambda batches: work(loads_of(batches))) for shuffle_blocks in self.shuffle_blocks
        ]
        for source, pieces in zip(self.sources, self._pieces, strict=True):
            frames.append(_read(source, pieces, self.setting, work, self.n_tasks))
        return union(frames)


@dataclass(frozen=True)
class _Pieces:
    """The pieces of the files of a source, and the types of its columns in order."""

    pieces: list[RowGroups]
    types: dict[str, Any]

    @property
    def n_rows(self) -> int:
        return sum(piece.n for piece in self.pieces)


def _read(source: FrameSource, files: _Pieces | None, setting: ReaderSettings, work: Work, n_tasks: int) -> DataFrame:
    reader = source.reader(setting)
    if files is None or not isinstance(reader, TableReader):
        return frame_of(source.frame, lambda batches: work(reader(batches)))
    return _read_files(source.frame.sparkSession, files, reader, work, n_tasks)


def _read_files(spark: SparkSession, files: _Pieces, reader: TableReader, work: Work, n_tasks: int) -> DataFrame:
    """The result of `work` on files that the workers open; Spark distributes the numbers of their pieces.

    A task reads several small files.
    """
    pieces, types, n = files.pieces, files.types, len(files.pieces)

    def read(batches: Iterator[Any]) -> Rows:
        chosen = (pieces[i] for batch in batches for i in batch.column(0).to_pylist())
        tables = tables_of(chosen, types)
        return work(reader.of_file(piece.source.shown, n_before, table) for piece, n_before, table in tables)

    n_parts = min(n, max(4 * n_tasks, files.n_rows // _ROWS_OF_A_READ))
    return frame_of(spark.range(0, n, 1, max(1, n_parts)), read)


def _pieces_of(source: FrameSource, setting: ReaderSettings, n_tasks: int) -> _Pieces | None:
    """The pieces of a source that consists of files which the workers can open."""
    reader = source.reader(setting)
    if source.plain is None or not isinstance(reader, TableReader):
        return None
    relation = parquet_relation(source.plain, reader.columns)
    pieces = None if relation is None else pieces_of(relation, n_tasks)
    return None if relation is None or pieces is None else _Pieces(pieces, relation.types)


def _n_rows(source: FrameSource, files: _Pieces | None) -> int:
    """An estimate of the number of records of a source, without reading it."""
    if files is not None:
        return files.n_rows
    plan = getattr(getattr(source.frame, "_jdf", None), "queryExecution", None)
    n_bytes = 0 if plan is None else int(str(plan().optimizedPlan().stats().sizeInBytes()))
    return n_bytes // _BYTES_OF_A_ROW if n_bytes < _ABSURD else 0


def _packed(loads: Loads, tick: int) -> Rows:
    def send(facts: Facts, texts: Texts) -> Iterator[ShuffleBlock]:
        yield ShuffleBlock(NO_STAGE, (0,), 1, facts, *_extent(facts, tick))

    return sent_rows(loads, send)


def _extent(facts: Facts, tick: int) -> tuple[int, int] | tuple[None, None]:
    """The first and last time-point of facts, if they are records that remain after retractions."""
    if facts.kind not in ("event", "fluent") or facts.n == 0:
        return None, None
    if "op" in facts.times:
        return _extent(next(remaining_facts(facts, QueryTimes(0, 0), tick), Facts("nothing", "", 0, 0)), tick)
    return time_points(facts, tick)


def time_points(facts: Facts, tick: int) -> tuple[int, int]:
    """The first and last time-point of records."""
    return int(facts.times["start"].min()), facts.records().last_time_point(tick)
