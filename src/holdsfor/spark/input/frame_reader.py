"""Records of a DataFrame to facts, in the workers, many batches at a time.

The readers of `holdsfor.sources` parse the records, so a record means the same in a DataFrame, a file and an Arrow
table. Invalid records and counts are facts of their own kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.encoding import Symbols
from holdsfor.kernels.keys import Int64
from holdsfor.parallel.exchange.facts import REVISION, Facts, Load, facts_of_records, set_aside_facts
from holdsfor.parallel.exchange.shipped_rules import Rules
from holdsfor.parallel.stages.kind_facts import kind_facts
from holdsfor.sources.arrow import read_table
from holdsfor.sources.column_mapping import Mapping as Described
from holdsfor.sources.column_mapping import read_mapping
from holdsfor.sources.file_times import FileTimes
from holdsfor.sources.inputs import InputReader
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.times import Clock, Unit
from holdsfor.spark.input.set_aside import FileBlock

__all__ = ["FILE", "ROW", "SOURCE", "TABLE", "ReaderSettings", "TableReader", "combined_batches", "mapping_of"]

FILE, ROW = "__file", "__row"
"""Columns with the number of a row's file, and with the number of the row in this file."""

SOURCE = "__source"
"""A column with the source of a row of a stream, such as a partition."""

TABLE = FileBlock("table")
"""The origin of the rows of a DataFrame."""

_ROWS = 1 << 20
_BYTES = 1 << 28


def combined_batches(batches: Iterable[Any]) -> Iterator[Any]:
    """Batches of Spark, which are short, combined into tables large enough to read efficiently."""
    batches_so_far: list[Any] = []
    n_rows = n_bytes = 0
    for batch in batches:
        batches_so_far.append(batch)
        n_rows += batch.num_rows
        n_bytes += batch.nbytes
        if n_rows >= _ROWS or n_bytes >= _BYTES:
            yield pa.Table.from_batches(batches_so_far)
            batches_so_far, n_rows, n_bytes = [], 0, 0
    if batches_so_far:
        yield pa.Table.from_batches(batches_so_far)


@dataclass(frozen=True)
class ReaderSettings:
    """The settings of all readers of a run: the rules, the tick and the clock.

    With `has_places`, records keep their place in the order of reading, which retractions need.
    """

    rules: Rules
    tick: int
    unit: Unit | None = "s"
    has_offset: bool | None = None
    has_places: bool = False
    zone: str | None = None

    def clock(self) -> Clock:
        """The clock of the run."""
        return Clock(self.unit, has_offset=self.has_offset, zone=self.zone)

    def input_reader(self, place: FileBlock, n_before: int = 0) -> InputReader:
        """A new reader for a place, after `n_before` of its lines, with the clock of the run."""
        reading = ColumnReading(n_places=place.in_order(n_before))
        return InputReader(self.rules.compiled().names, self.tick, Symbols(), reading, self.clock())

    def load(self, input_reader: InputReader, place: FileBlock) -> Load:
        """The facts that a reader has read from a place."""
        facts = [*kind_facts(input_reader), *self._records(input_reader, place), *_others(input_reader.reading, place)]
        return Load(facts, input_reader.symbols)

    def _records(self, input_reader: InputReader, place: FileBlock) -> Iterator[Facts]:
        for each in input_reader.reading.unsettled():
            if len(each.records):
                yield self._placed(facts_of_records(each.key, each.records), place.known(each.records.read_at))
            if each.retractions is not None:
                records, origins = each.retractions.records, each.retractions.origins
                texts = {"text": pa.array([place.packed(origin) for origin in origins], pa.string())}
                places = place.known(records.read_at, is_retraction=True)
                facts = self._placed(facts_of_records(each.key, records), places)
                yield replace(facts, kind=f"-{facts.kind}", texts=texts)

    def _placed(self, facts: Facts, places: Int64) -> Facts:
        return replace(facts, times={**facts.times, "place": places}) if self.has_places else facts


def _revisions(reading: ColumnReading, place: FileBlock) -> Iterator[Facts]:
    """The records that belong to revisions: their ids, operations and places."""
    found = reading.revisions
    if found:
        texts = {"id": [each.revision for each in found], "text": [place.packed(each.origin) for each in found]}
        ops = np.array([each.is_retraction for each in found], dtype=np.int64)
        arrays = {name: pa.array(column, pa.string()) for name, column in texts.items()}
        yield Facts(REVISION, "", 0, len(found), times={"is_retraction": ops}, texts=arrays)


def _others(reading: ColumnReading, place: FileBlock) -> Iterator[Facts]:
    yield from _revisions(reading, place)
    misfits = reading.set_aside
    yield from set_aside_facts(list(map(place.packed, misfits)), [misfit.reason for misfit in misfits])
    counts = [*(("unused", name, n) for name, n in reading.unused.items()), ("read", "", reading.n_records)]
    yield from (Facts(kind, name, 0, n) for kind, name, n in counts if n)


@lru_cache(maxsize=64)
def mapping_of(text: str | None) -> Described | None:
    """The parsed description of columns, which is sent to workers as text."""
    return None if text is None else read_mapping(text)


@dataclass(frozen=True)
class TableReader:
    """Reads batches of tables with the columns of records or of a mapping; `files` are their files by number.

    `are_dates` is the form of the times of each file with times as texts.
    """

    setting: ReaderSettings
    columns: tuple[str, ...]
    mapping: str | None = None
    files: Mapping[int, FileBlock] = field(default_factory=dict)
    place: FileBlock = TABLE
    are_dates: Mapping[str, bool] = field(default_factory=dict)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Load]:
        for table in combined_batches(batches):
            for place, n_before, part in self._parts(table):
                yield self._read(place, n_before, part)

    def of_file(self, path: str, n_before: int, table: Any) -> Load:
        """The records in rows of a file, after `n_before` rows of this file."""
        return self._read(self._by_path.get(path, self.place), n_before, table)

    @cached_property
    def _by_path(self) -> dict[str, FileBlock]:
        return {each.file: each for each in self.files.values()}

    def _read(self, place: FileBlock, n_before: int, table: Any) -> Load:
        input_reader = self.setting.input_reader(place, n_before)
        given = (
            table.rename_columns(list(self.columns)),
            input_reader.names,
            input_reader.tick,
            input_reader.symbols,
            input_reader.reading,
        )
        read_table(
            *given,
            file=place.file,
            mapping=mapping_of(self.mapping),
            clock=input_reader.clock,
            n_before=n_before,
            file_times=FileTimes(self.are_dates.get(place.file), is_typed=True),
        )
        return self.setting.load(input_reader, place)

    def _parts(self, table: Any) -> Iterator[tuple[FileBlock, int, Any]]:
        """Runs of consecutive rows of one file, each with the number of rows before it."""
        if not self.files:
            yield self.place, 0, table
            return
        numbers = table.column(FILE).to_numpy()
        rows = table.column(ROW).to_numpy() if ROW in table.schema.names else None
        content = table.select([name for name in table.schema.names if name not in (FILE, ROW)])
        is_next = numbers[1:] == numbers[:-1]
        if rows is not None:
            is_next &= rows[1:] == rows[:-1] + 1
        bounds = [0, *(np.flatnonzero(~is_next) + 1).tolist(), len(table)]
        for begin, end in pairwise(bounds):
            if begin < end:
                n_before = 0 if rows is None else int(rows[begin])
                yield self.files[int(numbers[begin])], n_before, content.slice(begin, end - begin)
