"""Preparation of history: read records, apply retractions, partition by the keys of the rules, sort by time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from holdsfor.analysis.pipeline import Compiled, check_clock
from holdsfor.columns.encoding import Symbols
from holdsfor.distribution.stages import HashRoute, Stages, plan_stages
from holdsfor.parallel.exchange.facts import Facts, Load, Texts, by_name, owners
from holdsfor.parallel.exchange.routing import by_owner
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.runtime.session import EngineSession
from holdsfor.runtime.windows import check_windows
from holdsfor.sources.times import Clock, Unit
from holdsfor.spark.exchange.shuffle_rows import by_bucket, loads_of, rows_of, sent_rows
from holdsfor.spark.input.ingestion import check_buckets, frame_of, time_points
from holdsfor.spark.input.inputs import Columns, Given
from holdsfor.spark.job.job_input import JobInput, in_order, read_job_input
from holdsfor.spark.output.folders import ReplaceableFolder
from holdsfor.spark.output.targets import replacing
from holdsfor.spark.prepared.history import DESCRIPTION, RECORDS, Prepared, PreparedTable, description, prepared

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["prepare"]

_ROWS = 1 << 16
_ROW_GROUP = 1 << 24


def prepare(
    rules: Compiled | Given | Iterable[Given],
    data: Compiled | Given | Iterable[Given],
    path: str,
    *,
    tick: int = 1,
    buckets: int | None = None,
    overwrite: bool = False,
    columns: Columns | None = None,
    time_unit: Unit | None = None,
    tz: str | None = None,
) -> Prepared:
    """Write history in a form that later runs read faster, and return it as input of `recognise`.

    Rules and data may be given in either order, as in `recognise`.

    A time without an offset is a time of `tz`, else of UTC. The folder is written completely or not at all. Existing
    history is replaced only with `overwrite`.

    >>> import holdsfor as hf
    >>> from tempfile import TemporaryDirectory
    >>> rules = hf.load_text("initiatedAt(rich(X)=true, T) :- happensAt(win(X), T).")
    >>> wins = spark.createDataFrame([("win", 13, "chris")], "name string, start long, arg1 string")
    >>> with TemporaryDirectory() as folder:
    ...     history = hf.spark.prepare(rules, wins, f"{folder}/history")
    ...     hf.spark.recognise(rules, history).intervals.first().fvp
    'rich(chris)=true'
    """
    check_windows(tick, None, None)
    check_buckets(buckets)
    check_clock(time_unit, tz)
    compiled, given = in_order(rules, [data])
    job_input = read_job_input(given, compiled, Rules.of(compiled), tick, columns, Clock(time_unit, zone=tz))
    ingestion = job_input.everything
    place = ReplaceableFolder(ingestion.spark, path, DESCRIPTION, overwrite=overwrite)
    place.check()
    n_buckets = ingestion.n_buckets if buckets is None else buckets
    partitioner = _Partitioner(
        _keys(plan_stages(compiled, EngineSession(compiled, start=0, tick=tick).rules.program)), n_buckets, tick
    )
    laid = ingestion.apply(partitioner.send, n_buckets).repartition(n_buckets, "place")
    with replacing(place):
        _write(frame_of(laid, partitioner.sort), job_input, partitioner, place)
    return replace(prepared(ingestion.spark, path), unreadable=tuple(job_input.unreadable))


def _keys(stages: Stages) -> dict[tuple[str, str, int], int]:
    """The partition key of each table: the argument by which the first keyed stage reads it."""
    keys: dict[tuple[str, str, int], int] = {}
    for stage in stages.stages:
        for table, how in stage.receives:
            if stage.is_keyed and isinstance(how, HashRoute):
                keys.setdefault(table, how.argument)
    return keys


@dataclass(frozen=True)
class _Partitioner:
    """Partitions tables by key; tables without a key are partitioned by time."""

    keys: dict[tuple[str, str, int], int]
    n_buckets: int
    tick: int

    def send(self, loads: Iterable[Load]) -> Iterator[Any]:
        return sent_rows(loads, self._shuffle_blocks)

    def _shuffle_blocks(self, facts: Facts, texts: Texts) -> Iterator[ShuffleBlock]:
        if facts.kind not in ("event", "fluent"):
            yield ShuffleBlock(NO_STAGE, (0,), self.n_buckets, facts)
            return
        key = self.keys.get(facts.table)
        keys = np.abs(facts.times["start"]) if key is None else facts.words[key]
        yield from by_owner(NO_STAGE, facts, None, owners(keys, self.n_buckets, texts), self.n_buckets)

    def sort(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The shuffle blocks of each bucket, merged by name and sorted by time."""
        for bucket, shuffle_blocks in by_bucket(batches).items():
            symbols = Symbols()
            together = by_name(facts for load in loads_of(shuffle_blocks, symbols) for facts in load.facts)
            yield from rows_of((p for facts in together for p in self._sorted(bucket, facts)), Texts(symbols))

    def _sorted(self, bucket: int, facts: Facts) -> Iterator[ShuffleBlock]:
        if facts.kind not in ("event", "fluent"):
            yield ShuffleBlock(NO_STAGE, (bucket,), self.n_buckets, facts)
            return
        facts = facts.take(np.argsort(facts.times["start"], kind="stable"))
        for first in range(0, facts.n, _ROWS):
            part = facts.part(first, min(first + _ROWS, facts.n))
            yield ShuffleBlock(NO_STAGE, (bucket,), self.n_buckets, part, *time_points(part, self.tick))


def _write(laid: DataFrame, job_input: JobInput, partitioner: _Partitioner, place: ReplaceableFolder) -> None:
    path = f"{place.beside}/{RECORDS}"
    writer = laid.write.partitionBy("bucket").option("compression", "zstd").option("parquet.block.size", _ROW_GROUP)
    writer.parquet(path)
    unused, known = _found(place.spark.read.parquet(path), partitioner.keys)
    names, setting = job_input.compiled.names, job_input.ingestion.setting
    columns, times = job_input.columns, job_input.time_type
    about = description(names, setting, partitioner.n_buckets, unused, known, columns, times)
    place.write_text(DESCRIPTION, json.dumps(about, indent=2) + "\n")


def _found(frame: DataFrame, keys: dict[tuple[str, str, int], int]) -> tuple[dict[str, int], list[PreparedTable]]:
    """The counts of unused records, and the tables with their number of records and time-points."""
    from pyspark.sql import functions as F

    grouped = frame.groupBy("kind", "name", "arity").agg(F.sum("n"), F.min("first"), F.max("last"))
    rows = sorted(map(tuple, grouped.collect()))
    known = [
        PreparedTable(kind, name, arity, keys.get((kind, name, arity)), *more)
        for kind, name, arity, *more in rows
        if kind in ("event", "fluent")
    ]
    return {name: n for kind, name, _, n, *_ in rows if kind == "unused"}, known
