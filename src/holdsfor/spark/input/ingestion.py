"""The records of all inputs on their way to the stages: read, settled if anything can be retracted, judged, sent.

All of that is one way through the workers for each input, and one more where records must first meet what takes them
back. Where the first and last time-point have to be found out, what was read is kept until they are known.
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
from holdsfor.spark.cluster.connect import parallelism
from holdsfor.spark.exchange.facts import Facts, Load, Texts
from holdsfor.spark.exchange.routing import Router
from holdsfor.spark.exchange.shuffle_blocks import NOWHERE, PARCELS, ShuffleBlock, loads_of, rows_of
from holdsfor.spark.input.frame_reader import Setting, TableReader
from holdsfor.spark.input.frame_sources import FrameSource
from holdsfor.spark.input.parquet_files import RowGroups, local_files, pieces_of, tables_of
from holdsfor.spark.input.retractions import Retractor, standing_facts
from holdsfor.spark.job.admission import JobAdmission

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Ingestion", "check_buckets", "frame_of", "keep", "rows_frame", "time_points", "union"]

Loads: TypeAlias = Iterable[Load]
Rows: TypeAlias = Iterator[Any]
Work: TypeAlias = Callable[[Loads], Rows]

_ROWS_OF_A_BUCKET = 1 << 19
_MANY_BUCKETS = 256
_BYTES_OF_A_ROW = 24
_ABSURD = 1 << 50  # bytes: what Spark says of the size that it does not know


def check_buckets(buckets: int | None) -> None:
    """Refuse a number of buckets that nothing can be divided into."""
    if buckets is not None and buckets < 1:
        raise UsageProblem(Diagnostic("HF770", f"the number of buckets is {buckets}, expected at least 1"))


def frame_of(frame: DataFrame, work: Callable[[Iterator[Any]], Rows], schema: Any = PARCELS) -> DataFrame:
    """What becomes of the batches of a DataFrame; `schema` is that of Arrow."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return frame.mapInArrow(work, from_arrow_schema(schema))


def keep(frame: DataFrame, kept: list[DataFrame]) -> DataFrame:
    """The frame, kept in memory or on disk once it is computed."""
    kept.append(frame.persist())
    return frame


def union(frames: Sequence[DataFrame]) -> DataFrame:
    return reduce(lambda one, other: one.union(other), frames)


def rows_frame(spark: SparkSession, shuffle_blocks: Sequence[ShuffleBlock]) -> DataFrame:
    """A few shuffle blocks without symbols as a DataFrame."""
    return spark.createDataFrame(pa.Table.from_batches(rows_of(shuffle_blocks, Texts(Symbols()))))


@dataclass
class Ingestion:
    """The inputs of a run: sources, and shuffle blocks of records that were read before."""

    spark: SparkSession
    sources: Sequence[FrameSource]
    shuffle_blocks: Sequence[DataFrame]
    setting: Setting
    kept: list[DataFrame]
    has_windows: bool = False
    _pieces: list[list[RowGroups] | None] = field(init=False)
    _read: DataFrame | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        n_tasks = self.n_tasks
        self._pieces = [_pieces_of(source, n_tasks) for source in self.sources]

    @property
    def has_any(self) -> bool:
        return bool(self.sources) or bool(self.shuffle_blocks)

    @cached_property
    def n_tasks(self) -> int:
        """How many tasks can run at once."""
        return parallelism(self.spark)

    @property
    def n_buckets(self) -> int:
        """Two buckets for each task, so that a small one does not leave a core idle; more where they would be large.

        What a worker holds is a bucket, so its memory does not grow with the history. Where there are very many, half
        of the growth goes into their size: shuffle blocks become short if what is read at once has to go to thousands.
        """
        n_rows = sum(_n_rows(source, pieces) for source, pieces in zip(self.sources, self._pieces, strict=True))
        n = n_rows // _ROWS_OF_A_BUCKET
        return max(2 * self.n_tasks, n if n < _MANY_BUCKETS else math.isqrt(n * _MANY_BUCKETS))

    def bounds(self, n_buckets: int) -> tuple[int | None, int | None]:
        """The first and last time-point of the records: a pass over them, at once."""
        from pyspark.sql import functions as F

        tick = self.setting.tick
        self._read = keep(self.then(lambda loads: _packed(loads, tick), n_buckets), self.kept)
        found = self._read.agg(F.min("first"), F.max("last")).first()
        assert found is not None
        return found[0], found[1]

    def sent(self, admission: JobAdmission, sender: Router, n_buckets: int) -> DataFrame:
        """Shuffle blocks to all stages, and to none: counts, and what is set aside."""

        def send(loads: Loads) -> Rows:
            return sender(admission(loads))

        if self._read is None:
            return self.then(send, n_buckets)
        return frame_of(self._read, lambda batches: send(loads_of(batches)))

    def then(self, work: Work, n_buckets: int) -> DataFrame:
        """What becomes of the records that stand."""
        if not any(source.may_take_back for source in self.sources):
            return self._each_then(work)
        settler = Retractor(n_buckets, self.has_windows)
        met = self._each_then(settler.send).repartition(n_buckets, "place")
        return frame_of(met, lambda batches: work(settler.settle(loads_of(batches, Symbols()))))

    def _each_then(self, work: Work) -> DataFrame:
        frames = [
            frame_of(shuffle_blocks, lambda batches: work(loads_of(batches))) for shuffle_blocks in self.shuffle_blocks
        ]
        for source, pieces in zip(self.sources, self._pieces, strict=True):
            frames.append(_read(source, pieces, self.setting, work))
        return union(frames)


def _read(source: FrameSource, pieces: list[RowGroups] | None, setting: Setting, work: Work) -> DataFrame:
    reader = source.reader(setting)
    if pieces is None or not isinstance(reader, TableReader):
        return frame_of(source.frame, lambda batches: work(reader(batches)))
    return _files(source.frame.sparkSession, pieces, reader, work)


def _files(spark: SparkSession, pieces: list[RowGroups], reader: TableReader, work: Work) -> DataFrame:
    """What becomes of the records of files that the workers open: Spark hands out the numbers of their pieces."""
    n = len(pieces)

    def read(batches: Iterator[Any]) -> Rows:
        chosen = (pieces[i] for batch in batches for i in batch.column(0).to_pylist())
        tables = tables_of(chosen, reader.columns)
        return work(reader.of_file(piece.file, n_before, table) for piece, n_before, table in tables)

    return frame_of(spark.range(0, n, 1, max(1, n)), read)


def _pieces_of(source: FrameSource, n_tasks: int) -> list[RowGroups] | None:
    files = None if source.plain is None else local_files(source.plain)
    return None if files is None or source.plain is None else pieces_of(source.plain, files, n_tasks)


def _n_rows(source: FrameSource, pieces: list[RowGroups] | None) -> int:
    """How many records a source has, as far as that can be told without reading it."""
    if pieces is not None:
        return sum(piece.n for piece in pieces)
    plan = getattr(getattr(source.frame, "_jdf", None), "queryExecution", None)
    n_bytes = 0 if plan is None else int(str(plan().optimizedPlan().stats().sizeInBytes()))
    return n_bytes // _BYTES_OF_A_ROW if n_bytes < _ABSURD else 0


def _packed(loads: Loads, tick: int) -> Rows:
    for load in loads:
        yield from rows_of((_shuffle_block(facts, tick) for facts in load.facts), Texts(load.symbols))


def _shuffle_block(facts: Facts, tick: int) -> ShuffleBlock:
    return ShuffleBlock(NOWHERE, (0,), 1, facts, *_extent(facts, tick))


def _extent(facts: Facts, tick: int) -> tuple[int, int] | tuple[None, None]:
    """The first and last time-point of facts, if they are records that stand."""
    if facts.kind not in ("event", "fluent") or facts.n == 0:
        return None, None
    if "op" in facts.times:
        return _extent(next(standing_facts(facts, QueryTimes(0, 0), tick), Facts("nothing", "", 0, 0)), tick)
    return time_points(facts, tick)


def time_points(facts: Facts, tick: int) -> tuple[int, int]:
    """The first and last time-point of records."""
    starts, ends = facts.times["start"], facts.times.get("end")
    last = int(starts.max()) if ends is None else (int(ends.max()) - 1) // tick * tick
    return int(starts.min()), last
