"""Records of a DataFrame to facts, in the workers, many batches at a time.

What is read means what it means in a file or an Arrow table, because the same readers read it (`holdsfor.sources`).
What does not fit is set aside, and what was read is counted, as facts of their own kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.encoding import Symbols
from holdsfor.kernels.keys import Int64
from holdsfor.sources.arrow import read_table
from holdsfor.sources.column_mapping import Mapping as Described
from holdsfor.sources.column_mapping import read_mapping
from holdsfor.sources.inputs import InputReader
from holdsfor.sources.reading import ColumnReading
from holdsfor.sources.times import Clock, Unit
from holdsfor.spark.exchange.facts import Facts, Load, facts_of_records
from holdsfor.spark.exchange.shipped_rules import Rules
from holdsfor.spark.input.set_aside import FileBlock, set_aside_facts

__all__ = ["FILE", "ROW", "TABLE", "Setting", "TableReader", "mapping_of", "together"]

FILE, ROW = "__file", "__row"
"""Columns that say from which file, by its number, and which of its rows a row is."""

TABLE = FileBlock("table")
"""Where rows of a DataFrame stand."""

_ROWS = 1 << 20
_BYTES = 1 << 28


def together(batches: Iterable[Any]) -> Iterator[Any]:
    """Tables of so many batches as are worth reading at once: Spark hands over short ones."""
    waiting: list[Any] = []
    n_rows = n_bytes = 0
    for batch in batches:
        waiting.append(batch)
        n_rows += batch.num_rows
        n_bytes += batch.nbytes
        if n_rows >= _ROWS or n_bytes >= _BYTES:
            yield pa.Table.from_batches(waiting)
            waiting, n_rows, n_bytes = [], 0, 0
    if waiting:
        yield pa.Table.from_batches(waiting)


@dataclass(frozen=True)
class Setting:
    """What all readers of a run have in common: the rules, the time-points and the clock.

    Where something may be retracted, records have their place in the order of reading.
    """

    rules: Rules
    tick: int
    unit: Unit = "s"
    has_offset: bool | None = None
    has_places: bool = False

    def input_reader(self, place: FileBlock, n_before: int = 0) -> InputReader:
        """An empty reading of a place, behind some of its lines, with the clock of the run."""
        clock = Clock(self.unit, has_offset=self.has_offset)
        reading = ColumnReading(n_places=place.in_order(n_before))
        return InputReader(self.rules.compiled().names, self.tick, Symbols(), reading, clock)

    def load(self, input_reader: InputReader, place: FileBlock) -> Load:
        """What was read; it stands in a place."""
        return Load([*self._records(input_reader, place), *_others(input_reader.reading, place)], input_reader.symbols)

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


def _others(reading: ColumnReading, place: FileBlock) -> Iterator[Facts]:
    misfits = reading.set_aside
    yield from set_aside_facts(list(map(place.packed, misfits)), [misfit.reason for misfit in misfits])
    counts = [*(("unused", name, n) for name, n in reading.unused.items()), ("read", "", reading.n_records)]
    yield from (Facts(kind, name, 0, n) for kind, name, n in counts if n)


@lru_cache(maxsize=64)
def mapping_of(text: str | None) -> Described | None:
    """A description of columns that has travelled."""
    return None if text is None else read_mapping(text)


@dataclass(frozen=True)
class TableReader:
    """Reads batches of tables, with the columns of records or those of a mapping; `files` are those they come from."""

    setting: Setting
    columns: tuple[str, ...]
    mapping: str | None = None
    files: Mapping[int, FileBlock] = field(default_factory=dict)
    place: FileBlock = TABLE

    def __call__(self, batches: Iterable[Any]) -> Iterator[Load]:
        for table in together(batches):
            for place, n_before, part in self._parts(table):
                yield self._read(place, n_before, part)

    def of_file(self, path: str, n_before: int, table: Any) -> Load:
        """The records of rows of a file, behind some of them."""
        place = next((each for each in self.files.values() if each.file == path), self.place)
        return self._read(place, n_before, table)

    def _read(self, place: FileBlock, n_before: int, table: Any) -> Load:
        input_reader = self.setting.input_reader(place, n_before)
        given = (
            table.rename_columns(list(self.columns)),
            input_reader.names,
            input_reader.tick,
            input_reader.symbols,
            input_reader.reading,
        )
        mapping = mapping_of(self.mapping)
        read_table(*given, file=place.file, mapping=mapping, clock=input_reader.clock, n_before=n_before)
        return self.setting.load(input_reader, place)

    def _parts(self, table: Any) -> Iterator[tuple[FileBlock, int, Any]]:
        """Rows that follow each other in one file, with the number of those before them."""
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
