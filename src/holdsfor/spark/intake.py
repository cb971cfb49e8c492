"""The records of all inputs on their way to the stages: read, settled if anything can be taken back, judged, sent.

All of that is one way through the workers for each input, and one more where records must first meet what takes them
back. Where the first and last time-point have to be found out, what was read is kept until they are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

from holdsfor.columns.words import Symbols
from holdsfor.spark.facts import Facts, Load, Texts
from holdsfor.spark.inputs import Source
from holdsfor.spark.parquet_files import Piece, local_files, pieces_of, tables_of
from holdsfor.spark.parcels import NOWHERE, PARCELS, Parcel, loads_of, rows_of
from holdsfor.spark.reading import Reader, Settler
from holdsfor.spark.rules import Rules
from holdsfor.spark.run import Admission
from holdsfor.spark.sending import Sender

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["Intake", "frame_of", "keep"]

Loads: TypeAlias = Iterable[Load]
Rows: TypeAlias = Iterator[Any]


def frame_of(frame: DataFrame, work: Callable[[Iterator[Any]], Rows], schema: Any = PARCELS) -> DataFrame:
    """What becomes of the batches of a DataFrame; `schema` is that of Arrow."""
    from pyspark.sql.pandas.types import from_arrow_schema

    return frame.mapInArrow(work, from_arrow_schema(schema))


def keep(frame: DataFrame, kept: list[DataFrame]) -> DataFrame:
    """The frame, kept in memory or on disk once it is computed."""
    kept.append(frame.persist())
    return frame


@dataclass
class Intake:
    """The inputs of a run."""

    sources: list[Source]
    rules: Rules
    tick: int
    n_buckets: int
    kept: list[DataFrame]
    _read: DataFrame | None = field(default=None, init=False)

    def bounds(self) -> tuple[int | None, int | None]:
        """The first and last time-point of the records: a pass over them, at once."""
        from pyspark.sql import functions as F

        tick = self.tick
        self._read = keep(self._then(lambda loads: _packed(loads, tick)), self.kept)
        found = self._read.agg(F.min("first"), F.max("last")).first()
        assert found is not None
        return found[0], found[1]

    def sent(self, admission: Admission, sender: Sender) -> DataFrame:
        """Parcels to all stages, and to none: counts, and what is set aside."""

        def send(loads: Loads) -> Rows:
            return sender(admission(loads))

        if self._read is None:
            return keep(self._then(send), self.kept)
        return keep(frame_of(self._read, lambda batches: send(loads_of(batches))), self.kept)

    def _then(self, work: Callable[[Loads], Rows]) -> DataFrame:
        """What becomes of the records that stand."""
        if not any(source.may_take_back for source in self.sources):
            return self._each_then(work)
        settler = Settler(self.n_buckets)
        met = self._each_then(settler.send).repartition(self.n_buckets, "place")
        return frame_of(met, lambda batches: work(settler.settle(loads_of(batches, Symbols()))))

    def _each_then(self, work: Callable[[Loads], Rows]) -> DataFrame:
        frames = [_read_then(source, Reader(self.rules, self.tick, source.shape), work) for source in self.sources]
        return reduce(lambda one, other: one.union(other), frames)


def _read_then(source: Source, reader: Reader, work: Callable[[Loads], Rows]) -> DataFrame:
    pieces = _pieces(source)
    if pieces is None:
        return frame_of(source.frame, lambda batches: work(reader(batches)))
    columns, n = source.frame.columns, len(pieces)
    numbers = source.frame.sparkSession.range(0, n, 1, max(1, n))

    def read(batches: Iterator[Any]) -> Rows:
        chosen = (pieces[i] for batch in batches for i in batch.column(0).to_pylist())
        return work(reader.read(table) for _, _, table in tables_of(chosen, columns))

    return frame_of(numbers, read)


def _pieces(source: Source) -> list[Piece] | None:
    """The pieces of the files that a source consists of, if the workers can open them."""
    files = local_files(source.frame) if source.shape == "table" else None
    if files is None:
        return None
    return pieces_of(source.frame, files, int(source.frame.sparkSession.sparkContext.defaultParallelism))


def _packed(loads: Loads, tick: int) -> Rows:
    for load in loads:
        yield from rows_of((_parcel(facts, tick) for facts in load.facts), Texts(load.symbols))


def _parcel(facts: Facts, tick: int) -> Parcel:
    if facts.kind not in ("event", "fluent") or not facts.n:
        return Parcel(NOWHERE, (0,), 1, facts)
    starts, ends = facts.times["start"], facts.times.get("end")
    last = int(starts.max()) if ends is None else (int(ends.max()) - 1) // tick * tick
    return Parcel(NOWHERE, (0,), 1, facts, int(starts.min()), last)
