"""Records of a DataFrame to rows that travel, in the workers, batch by batch.

What is read means what it means in a file or an Arrow table (`holdsfor.sources`). Rows of kind `set aside` and `unused`
go along with the records, and one `read` row per batch counts them: whoever does not want them does not pay for more
than their bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key
from holdsfor.columns.words import Symbols
from holdsfor.sources.column_reading import ColumnReading, Piece, Retraction
from holdsfor.sources.columns import read_columns, read_table
from holdsfor.sources.text import SetAside
from holdsfor.spark.exchange import Group, Layout, constants_of, words_of_constants
from holdsfor.spark.rules import Rules

__all__ = ["Reader", "Settler", "records_of", "rows_of_records"]


@dataclass(frozen=True)
class Reader:
    """Reads batches of records; those of text have one column, with a line of text in each row."""

    rules: Rules
    tick: int
    layout: Layout
    shape: Literal["table", "text"]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        names = self.rules.compiled().names
        for batch in batches:
            symbols, reading = Symbols(), ColumnReading()
            if self.shape == "text":
                lines = batch.column(0).fill_null("").to_pylist()
                read_columns("\n".join(lines).encode(), "text", names, self.tick, symbols, reading)
            else:
                read_table(pa.Table.from_batches([batch]), names, self.tick, symbols, reading)
            yield from self._rows(reading, symbols)

    def _rows(self, reading: ColumnReading, symbols: Symbols) -> Iterator[Any]:
        events, fluents, retractions = reading.unsettled()
        for key, records in (*events.items(), *fluents.items()):
            yield rows_of_records(self.layout, key, records, symbols)
        for key, records, origins in retractions:
            texts = pa.array([origin.text for origin in origins], pa.string())
            yield rows_of_records(self.layout, key, records, symbols, takes_back=True, text=texts)
        yield from _set_aside(self.layout, reading.set_aside)
        yield from _counted(self.layout, "unused", reading.unused)
        yield from _counted(self.layout, "read", Counter({"": reading.n_records}))


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


def records_of(group: Group, symbols: Symbols) -> Records:
    """The records of rows of one name."""
    columns = [words_of_constants(constants, symbols) for constants in group.constants()]
    ends = group.times("end") if group.kind == "fluent" else None
    return Records(columns, group.times("arrival"), group.times("start"), ends)


def _set_aside(layout: Layout, misfits: list[SetAside]) -> Iterator[Any]:
    if misfits:
        texts = pa.array([misfit.text for misfit in misfits], pa.string())
        reasons = pa.array([misfit.reason for misfit in misfits], pa.string())
        yield layout.rows(len(misfits), "set aside", "", 0, text=texts, reason=reasons)


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
            origin = SetAside("table", 0, texts[row], "takes back a record that is not there")
            words = tuple(int(column[row]) for column in facts)
            reading.take_back(is_event, key, [Retraction(words, int(records.arrivals[row]), 1, origin)])
        reading.settle()
        for standing in (*reading.events.values(), *reading.fluents.values()):
            yield rows_of_records(self.layout, key, standing, symbols)
        yield from _set_aside(self.layout, reading.set_aside)
