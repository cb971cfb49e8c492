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
from holdsfor.kernels.keys import Int64
from holdsfor.sources.arrow import read_table
from holdsfor.sources.column_reading import ColumnReading, Piece, Retraction
from holdsfor.sources.inputs import Intake
from holdsfor.sources.mapping import Mapping, read_mapping
from holdsfor.sources.text import SetAside
from holdsfor.sources.times import Clock, Unit
from holdsfor.spark.exchange import Group, Layout, constants_of, words_of_constants
from holdsfor.spark.rules import Rules
from holdsfor.spark.set_aside import Place, set_aside_rows

__all__ = ["FILE", "NOWHERE", "ROW", "Setting", "Settler", "TableReader", "mapping_of", "records_of", "rows_of_records"]

FILE, ROW = "__file", "__row"
"""Columns that say from which file, by its number, and which of its rows a row is."""

NOWHERE = Place("table")
"""Where rows of a DataFrame stand."""


@dataclass(frozen=True)
class Setting:
    """What all readers of a run have in common: the rules, the time-points, the clock, and the form of rows.

    Where something may be taken back, rows have their place in the order of reading.
    """

    rules: Rules
    tick: int
    layout: Layout
    unit: Unit = "s"
    has_offset: bool | None = None
    has_places: bool = False

    def intake(self, place: Place, n_before: int = 0) -> Intake:
        """An empty reading of a place, behind some of its lines, with the clock of the run."""
        clock = Clock(self.unit, has_offset=self.has_offset)
        reading = ColumnReading(n_places=place.in_order(n_before))
        return Intake(self.rules.compiled().names, self.tick, Symbols(), reading, clock)

    def rows(self, intake: Intake, place: Place) -> Iterator[Any]:
        """What was read as rows; it stands in a place."""
        for batch, places in self._records(intake, place):
            yield self.placed(batch, places)
        yield from map(self.placed, self._others(intake, place))

    def placed(self, batch: Any, places: Any = None) -> Any:
        """Rows with their places, if they have such."""
        if not self.has_places:
            return batch
        return batch.append_column("place", pa.nulls(len(batch), pa.int64()) if places is None else pa.array(places))

    def _records(self, intake: Intake, place: Place) -> Iterator[tuple[Any, Int64]]:
        symbols = intake.symbols
        events, fluents, retractions = intake.reading.unsettled()
        added, taken = intake.reading.unsettled_places()
        for (key, records), places in zip((*events.items(), *fluents.items()), added, strict=True):
            yield rows_of_records(self.layout, key, records, symbols), place.known(places)
        for (key, records, origins), places in zip(retractions, taken, strict=True):
            texts = pa.array([place.packed(origin) for origin in origins], pa.string())
            rows = rows_of_records(self.layout, key, records, symbols, takes_back=True, text=texts)
            yield rows, place.known(places, is_retraction=True)

    def _others(self, intake: Intake, place: Place) -> Iterator[Any]:
        reading = intake.reading
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
    columns: tuple[str, ...]
    mapping: str | None = None
    files: dict[int, Place] = field(default_factory=dict)
    place: Place = NOWHERE

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            for place, n_before, part in self._parts(batch):
                intake = self.setting.intake(place, n_before)
                table = pa.Table.from_batches([part]).rename_columns(list(self.columns))
                given = (table, intake.names, intake.tick, intake.symbols, intake.reading)
                mapping = mapping_of(self.mapping)
                read_table(*given, file=place.file, mapping=mapping, clock=intake.clock, n_before=n_before)
                yield from self.setting.rows(intake, place)

    def _parts(self, batch: Any) -> Iterator[tuple[Place, int, Any]]:
        """Rows that follow each other in one file, with the number of those before them."""
        if not self.files:
            yield self.place, 0, batch
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
                n_before = 0 if rows is None else int(rows[begin])
                yield self.files[int(numbers[begin])], n_before, content.slice(begin, end - begin)


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
    """Takes back what is taken back, in a table that has, of each record, all that equal it, with their places."""

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
        is_event, places = group.kind == "event", group.times("place")
        if len(added):
            reading.add(Piece(is_event, key, records.take(added), places[added]))
        texts = group.table["text"].to_pylist()
        facts = [*records.columns, records.starts, *([] if records.ends is None else [records.ends])]
        for row in taken.tolist():
            origin = SetAside("", 0, texts[row], "takes back a record that is not there")
            words = tuple(int(column[row]) for column in facts)
            retraction = Retraction(words, int(records.arrivals[row]), int(places[row]), origin)
            reading.take_back(is_event, key, [retraction])
        reading.settle()
        for standing in (*reading.events.values(), *reading.fluents.values()):
            yield rows_of_records(self.layout, key, standing, symbols)
        misfits = reading.set_aside
        yield from set_aside_rows(
            self.layout, (misfit.text for misfit in misfits), (misfit.reason for misfit in misfits)
        )
