"""Records of a DataFrame to rows that travel, in the workers, batch by batch.

What is read means what it means in a file or an Arrow table, because the same readers read it (`holdsfor.sources`).
Rows of kind `set aside`, `unused` and `lines` go along with the records, and one `read` row per batch counts them:
whoever does not want them does not pay for more than their bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key
from holdsfor.columns.words import Symbols
from holdsfor.sources.arrow import read_table
from holdsfor.sources.column_reading import ColumnReading, Piece, Retraction
from holdsfor.sources.inputs import Intake
from holdsfor.sources.mapping import Mapping, read_mapping
from holdsfor.sources.text import SetAside
from holdsfor.sources.times import Clock, Unit
from holdsfor.spark.exchange import Group, Layout, constants_of, words_of_constants
from holdsfor.spark.rules import Rules
from holdsfor.spark.set_aside import Place, set_aside_rows

__all__ = ["FILE", "ROW", "Setting", "Settler", "TableReader", "mapping_of", "records_of", "rows_of_records"]

FILE, ROW = "__file", "__row"
"""Columns that say from which file, by its number, and which of its rows a row is."""


@dataclass(frozen=True)
class Setting:
    """What all readers of a run have in common: the rules, the time-points, the clock, and the form of rows."""

    rules: Rules
    tick: int
    layout: Layout
    unit: Unit = "s"
    has_offset: bool | None = None

    def intake(self) -> Intake:
        """An empty reading, with the clock of the run."""
        clock = Clock(self.unit, has_offset=self.has_offset)
        return Intake(self.rules.compiled().names, self.tick, Symbols(), ColumnReading(), clock)

    def rows(self, intake: Intake, place: Place) -> Iterator[Any]:
        """What was read as rows; it stands in a place."""
        reading, symbols = intake.reading, intake.symbols
        events, fluents, retractions = reading.unsettled()
        for key, records in (*events.items(), *fluents.items()):
            yield rows_of_records(self.layout, key, records, symbols)
        for key, records, origins in retractions:
            texts = pa.array([place.packed(origin) for origin in origins], pa.string())
            yield rows_of_records(self.layout, key, records, symbols, takes_back=True, text=texts)
        misfits = reading.set_aside
        yield from set_aside_rows(self.layout, map(place.packed, misfits), (misfit.reason for misfit in misfits))
        yield from _counted(self.layout, "unused", reading.unused)
        yield from _counted(self.layout, "read", Counter({"": reading.n_records}))


@lru_cache(maxsize=64)
def mapping_of(text: str | None) -> Mapping | None:
    """A description of columns that has travelled."""
    return None if text is None else read_mapping(text)


@dataclass(frozen=True)
class TableReader:
    """Reads batches of tables, with the columns of records or those of a mapping; `files` are those they come from."""

    setting: Setting
    mapping: str | None = None
    files: dict[int, str] = field(default_factory=dict)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for place, n_before, part in self._parts(batch):
                intake = self.setting.intake()
                given = (pa.Table.from_batches([part]), intake.names, intake.tick, intake.symbols, intake.reading)
                mapping = mapping_of(self.mapping)
                read_table(*given, file=place.file, mapping=mapping, clock=intake.clock, n_before=n_before)
                yield from self.setting.rows(intake, place)

    def _parts(self, batch: Any) -> Iterator[tuple[Place, int, Any]]:
        """Rows that follow each other in one file, with the number of those before them."""
        if not self.files:
            yield Place("table"), 0, batch
            return
        numbers = batch.column(FILE).to_numpy(zero_copy_only=False)
        rows = batch.column(ROW).to_numpy(zero_copy_only=False) if ROW in batch.schema.names else None
        content = batch.select([name for name in batch.schema.names if name not in (FILE, ROW)])
        is_next = numbers[1:] == numbers[:-1]
        if rows is not None:
            is_next &= rows[1:] == rows[:-1] + 1
        bounds = [0, *(np.flatnonzero(~is_next) + 1).tolist(), len(batch)]
        for begin, end in pairwise(bounds):
            if begin < end:
                place = Place(self.files[int(numbers[begin])], block=None if rows is None else 0)
                yield place, 0 if rows is None else int(rows[begin]), content.slice(begin, end - begin)


def rows_of_records(
    layout: Layout, key: Key, records: Records, symbols: Symbols, *, takes_back: bool = False, **more: Any
) -> Any:
    """Records of one name as rows."""
    n, is_event = len(records), records.ends is None
    return layout.rows(
        n,
        "event" if is_event else "fluent",
        *key,
        [constants_of(column, symbols) for column in records.columns],
        arrival=pa.array(records.arrivals),
        start=pa.array(records.seen_from),
        end=pa.nulls(n, pa.int64()) if records.ends is None else pa.array(records.ends),
        takes_back=pa.array(np.full(n, takes_back)),
        **more,
    )


def records_of(group: Group, symbols: Symbols, *, arriving: int | None = None) -> Records:
    """The records of rows of one name; those that have been admitted arrive together."""
    columns = [words_of_constants(constants, symbols) for constants in group.constants()]
    ends = group.times("end") if group.kind == "fluent" else None
    arrivals = group.times("arrival") if arriving is None else np.full(group.table.num_rows, arriving, np.int64)
    return Records(columns, arrivals, group.times("start"), ends)


def _counted(layout: Layout, kind: str, counts: Counter[str]) -> Iterator[Any]:
    for name, n in counts.items():
        yield layout.rows(1, kind, name, 0, start=pa.array([n], pa.int64()))


@dataclass(frozen=True)
class Settler:
    """Takes back what is taken back, in a table that has, of each record, all that equal it.

    At one arrival a record comes before what takes it back: rows of a DataFrame have no order of their own.
    """

    layout: Layout

    def __call__(self, table: Any) -> Any:
        batches = [batch for group in Group.all_of(table) for batch in self._settled(group)]
        return pa.Table.from_batches(batches, self.layout.schema)

    def _settled(self, group: Group) -> Iterator[Any]:
        if group.kind not in ("event", "fluent"):
            yield from group.table.select(self.layout.schema.names).to_batches()
            return
        symbols, reading, key = Symbols(), ColumnReading(), (group.name, group.arity)
        records = records_of(group, symbols)
        takes_back = group.table["takes_back"].combine_chunks().to_numpy(zero_copy_only=False)
        added, taken = np.flatnonzero(~takes_back), np.flatnonzero(takes_back)
        is_event = group.kind == "event"
        if len(added):
            reading.add(Piece(is_event, key, records.take(added), np.zeros(len(added), np.int64)))
        texts = group.table["text"].to_pylist()
        facts = [*records.columns, records.starts, *([] if records.ends is None else [records.ends])]
        for row in taken.tolist():
            origin = SetAside("", 0, texts[row], "takes back a record that is not there")
            words = tuple(int(column[row]) for column in facts)
            reading.take_back(is_event, key, [Retraction(words, int(records.arrivals[row]), 1, origin)])
        reading.settle()
        for standing in (*reading.events.values(), *reading.fluents.values()):
            yield rows_of_records(self.layout, key, standing, symbols)
        misfits = reading.set_aside
        yield from set_aside_rows(
            self.layout, (misfit.text for misfit in misfits), (misfit.reason for misfit in misfits)
        )
