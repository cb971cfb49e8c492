"""The records of a micro-batch to facts, in the workers: the progress of sources, late records, and routed records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from itertools import chain
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.columns.encoding import Symbols
from holdsfor.columns.query_times import QueryTimes
from holdsfor.kernels.keys import Int64
from holdsfor.parallel.exchange.facts import REVISION, Facts, Load, Texts
from holdsfor.parallel.exchange.shuffle_blocks import NO_STAGE, ShuffleBlock
from holdsfor.parallel.stages.stream_buckets import StreamRouter
from holdsfor.sources.fields import Horizon
from holdsfor.sources.inputs import InputReader
from holdsfor.sources.reading import ColumnReading
from holdsfor.spark.exchange.shuffle_rows import rows_of
from holdsfor.spark.input.frame_reader import SOURCE, ReaderSettings, TableReader, combined_batches
from holdsfor.spark.input.lines import LineReader
from holdsfor.spark.input.set_aside import FileBlock
from holdsfor.spark.input.whole_files import WholeFileReader
from holdsfor.spark.streaming.output_rows import SEPARATOR
from holdsfor.syntax.time_points import LATEST

__all__ = ["NEWEST", "PROGRESS", "Lateness", "ReadTask", "StreamReaderSettings", "numbered_retractions"]

PROGRESS = "progress"
"""The kind of blocks with the latest arrival and the earliest time-point of the records of a source."""

NEWEST = "newest"
"""The kind of blocks with the latest arrival or start of the records of a source."""

_RECORDS = ("event", "fluent", "-event", "-fluent")
_RETRACTIONS = ("-event", "-fluent")
_PASSED = "passed"


@dataclass
class _FollowedReading(ColumnReading):
    """Records, and the arrivals of those that no rule uses: they too show how far a source is."""

    follows_time: ClassVar[bool] = True

    passed: list[int] = field(default_factory=list)

    def note_unused(self, arrivals: Int64, places: Int64) -> None:
        if len(arrivals):
            self.passed.append(int(arrivals.max()))


@dataclass(frozen=True)
class StreamReaderSettings(ReaderSettings):
    """The settings of the readers of a stream. Records after the horizon are set aside."""

    horizon: Horizon = Horizon()

    def input_reader(self, place: FileBlock, n_before: int = 0) -> InputReader:
        reading = _FollowedReading(n_places=place.in_order(n_before), horizon=self.horizon)
        return InputReader(self.rules.compiled().names, self.tick, Symbols(), reading, self.clock())

    def load(self, input_reader: InputReader, place: FileBlock) -> Load:
        load, reading = super().load(input_reader, place), input_reader.reading
        assert isinstance(reading, _FollowedReading)
        facts = [each for each in load.facts if each.kind != REVISION]
        if reading.passed:
            times = {"arrival": np.array([max(reading.passed)], np.int64)}
            facts.append(Facts(_PASSED, "", 0, 1, times=times))
        return replace(load, facts=facts)


@dataclass(frozen=True)
class Lateness:
    """Finds the records that are late, dropped or cut.

    `queries` are the query times of the run, `previous` is the last one of earlier micro-batches: a record that comes
    after it arrives after it.
    """

    queries: QueryTimes
    previous: int | None

    def problems(self, facts: Facts) -> Iterator[Facts]:
        """The records and retractions with each outcome; the kind has the outcome and the kind of the record."""
        records = facts.records()
        if self.previous is not None:
            records = replace(records, arrivals=np.maximum(records.arrivals, self.previous + 1))
        is_outside = (records.starts if records.ends is None else records.ends - 1) < self.queries.first_point
        outcome = records.admission_outcome(self.queries, LATEST)
        dropped = np.union1d(outcome.rows[outcome.dropped], is_outside.nonzero()[0])
        found = {"dropped": dropped, "cut": outcome.rows[outcome.cut], "late": outcome.rows[outcome.late]}
        for kind, rows in found.items():
            rows = rows if kind == "dropped" else rows[~is_outside[rows]]
            if len(rows):
                times = {name: facts.times[name] for name in ("arrival", "start", "end") if name in facts.times}
                plain = replace(facts, kind=f"{kind} {facts.kind.removeprefix('-')}", times=times, texts={})
                yield plain.take(rows)


@dataclass(frozen=True)
class ReadTask:
    """Reads the rows of one input of a micro-batch, and routes their records. Some sources have horizons."""

    reader: TableReader | LineReader | WholeFileReader
    batch: int
    number: int
    sender: StreamRouter
    lateness: Lateness | None
    horizons: Mapping[str, Horizon] = field(default_factory=dict)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Rows for all stages, and those without a stage: progress, counts and problems."""
        partition = _partition()
        for i, (source, load) in enumerate(self._loads(batches)):
            texts = Texts(load.symbols)
            read = f"{self.batch} {self.number} {partition} {i}"
            yield from rows_of(self._shuffle_blocks(source, load, texts, read), texts)

    def _loads(self, batches: Iterable[Any]) -> Iterator[tuple[str, Load]]:
        """The records of each source; without a column of sources, the input is one source."""
        remaining = iter(batches)
        first = next(remaining, None)
        batches = remaining if first is None else chain([first], remaining)
        if first is None or SOURCE not in first.schema.names:
            source = str(self.number)
            yield from ((source, load) for load in self._reader_of(source)(batches))
            return
        for table in combined_batches(batches):
            sources = table.column(SOURCE)
            rest = table.drop_columns([SOURCE])
            for source in pc.unique(sources).to_pylist():
                is_of = pc.is_null(sources) if source is None else pc.equal(sources, pa.scalar(source, sources.type))
                name = f"{self.number}/{source}"
                loads = self._reader_of(name)(rest.filter(is_of).combine_chunks().to_batches())
                yield from ((name, load) for load in loads)

    def _reader_of(self, source: str) -> TableReader | LineReader | WholeFileReader:
        setting, horizon = self.reader.setting, self.horizons.get(source)
        if horizon is None:
            return self.reader
        assert isinstance(setting, StreamReaderSettings)
        return replace(self.reader, setting=replace(setting, horizon=horizon))

    def _shuffle_blocks(self, source: str, load: Load, texts: Texts, read: str) -> Iterator[ShuffleBlock]:
        records = [facts for facts in load.facts if facts.kind in _RECORDS and facts.n]
        passed = [facts.times["arrival"] for facts in load.facts if facts.kind == _PASSED]
        arrivals = [facts.times["arrival"] for facts in records] + passed
        if arrivals:
            first = min((int(facts.times["start"].min()) for facts in records), default=None)
            last = max(int(column.max()) for column in arrivals)
            newest = max([last, *(int(facts.times["start"].max()) for facts in records)])
            yield ShuffleBlock(NO_STAGE, (0,), 1, Facts(PROGRESS, source, 0, 1), first, last)
            yield ShuffleBlock(NO_STAGE, (0,), 1, Facts(NEWEST, source, 0, 1), newest, newest)
        for facts in load.facts:
            if facts.kind != _PASSED:
                yield from self.sender.shuffle_blocks(numbered_retractions(facts, read), texts)
        for facts in records if self.lateness is not None else ():
            assert self.lateness is not None
            yield from (ShuffleBlock(NO_STAGE, (0,), 1, each) for each in self.lateness.problems(facts))


def _partition() -> int:
    """The number of the partition that the task reads, which Spark keeps when it repeats the task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return 0 if context is None else context.partitionId()


def numbered_retractions(facts: Facts, read: str) -> Facts:
    """The facts, retractions with distinct texts: several buckets may report that one of them has no record.

    A task that is repeated gives each retraction the same text; `read` is what the task has read in the stream.
    """
    if facts.kind not in _RETRACTIONS:
        return facts
    n_equal: Counter[str] = Counter()
    texts = []
    for text in facts.texts["text"].to_pylist():
        n_equal[text] += 1
        origin = f"{read} {facts.table} {n_equal[text]} {text}"
        texts.append(f"{blake2b(origin.encode(), digest_size=16).hexdigest()}{SEPARATOR}{text}")
    return replace(facts, texts={"text": pa.array(texts, pa.string())})
