"""Records of a DataFrame to facts, in the workers, many batches at a time.

What is read means what it means in a file or an Arrow table (`holdsfor.sources`). What does not fit is set aside, and
what was read is counted, as facts of their own kind.
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
from holdsfor.spark.facts import Facts, Load, Texts, by_name, facts_of_records, owners
from holdsfor.spark.parcels import NOWHERE, Parcel, rows_of
from holdsfor.spark.rules import Rules
from holdsfor.spark.sending import by_owner

__all__ = ["Reader", "Settler", "together"]

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
class Reader:
    """Reads batches of records; those of text have one column, with a line of text in each row."""

    rules: Rules
    tick: int
    shape: Literal["table", "text"]

    def __call__(self, batches: Iterable[Any]) -> Iterator[Load]:
        return map(self.read, together(batches))

    def read(self, table: Any) -> Load:
        """The records of a table."""
        names = self.rules.compiled().names
        symbols, reading = Symbols(), ColumnReading()
        if self.shape == "text":
            lines = table.column(0).fill_null("").to_pylist()
            read_columns("\n".join(lines).encode(), "text", names, self.tick, symbols, reading)
        else:
            read_table(table, names, self.tick, symbols, reading)
        return Load(list(_facts(reading)), symbols)


def _facts(reading: ColumnReading) -> Iterator[Facts]:
    events, fluents, retractions = reading.unsettled()
    for key, records in (*events.items(), *fluents.items()):
        yield facts_of_records(key, records)
    for key, records, origins in retractions:
        yield _taking_back(key, records, origins)
    yield from _set_aside(reading.set_aside)
    yield from _counted("unused", reading.unused)
    yield from _counted("read", Counter({"": reading.n_records}))


def _taking_back(key: Key, records: Records, origins: list[SetAside]) -> Facts:
    facts = facts_of_records(key, records)
    texts = {"text": pa.array([origin.text for origin in origins], pa.string())}
    return Facts(f"-{facts.kind}", *key, facts.n, facts.words, facts.times, texts)


def _set_aside(misfits: list[SetAside]) -> Iterator[Facts]:
    if misfits:
        texts = pa.array([misfit.text for misfit in misfits], pa.string())
        reasons = pa.array([misfit.reason for misfit in misfits], pa.string())
        yield Facts("set aside", "", 0, len(misfits), texts={"text": texts, "reason": reasons})


def _counted(kind: str, counts: Counter[str]) -> Iterator[Facts]:
    yield from (Facts(kind, name, 0, n) for name, n in counts.items() if n)


# -- retractions -------------------------------------------------------------------------------------------------------

_KINDS = ("event", "fluent")


@dataclass(frozen=True)
class Settler:
    """Takes back what is taken back, where a record and all that equal it are in one bucket.

    At one arrival a record comes before what takes it back: rows of a DataFrame have no order of their own.
    """

    n_buckets: int

    def send(self, loads: Iterable[Load]) -> Iterator[Any]:
        """Rows of parcels, with what is equal in one bucket; what cannot be taken back goes to the first."""
        for load in loads:
            texts = Texts(load.symbols)
            yield from rows_of((parcel for facts in load.facts for parcel in self._parcels(facts, texts)), texts)

    def _parcels(self, facts: Facts, texts: Texts) -> Iterator[Parcel]:
        if "start" not in facts.times:
            yield Parcel(NOWHERE, (0,), self.n_buckets, facts)
            return
        mixed = facts.times["start"].copy()
        for words in facts.words[:1]:
            mixed += owners(words, 1 << 40, texts)
        everything = np.arange(facts.n, dtype=np.int64)
        yield from by_owner(NOWHERE, facts, everything, owners(np.abs(mixed), self.n_buckets, texts), self.n_buckets)

    def settle(self, loads: Iterable[Load]) -> Iterator[Load]:
        """What stands, of all loads of a bucket; they have one table of symbols."""
        loads = list(loads)
        if loads:
            facts = by_name(facts for load in loads for facts in load.facts)
            yield Load(list(_standing(facts)), loads[0].symbols)


def _standing(facts: list[Facts]) -> Iterator[Facts]:
    taken = {(each.kind[1:], each.key): each for each in facts if each.kind.startswith("-")}
    added = {(each.kind, each.key): each for each in facts if each.kind in _KINDS}
    yield from (each for each in facts if not each.kind.startswith("-") and each.kind not in _KINDS)
    for kind, key in dict.fromkeys([*added, *taken]):
        retractions = taken.get((kind, key))
        if retractions is None:
            yield added[kind, key]
        else:
            yield from _settled(kind == "event", added.get((kind, key)), retractions)


def _settled(is_event: bool, added: Facts | None, taken: Facts) -> Iterator[Facts]:
    reading, records = ColumnReading(), taken.records()
    if added is not None:
        reading.add(Piece(is_event, added.key, added.records(), np.zeros(added.n, np.int64)))
    columns = [*records.columns, records.starts, *([] if records.ends is None else [records.ends])]
    rows = zip(*(column.tolist() for column in columns), strict=True)
    for row, arrival, text in zip(rows, records.arrivals.tolist(), taken.texts["text"].to_pylist(), strict=True):
        origin = SetAside("table", 0, text, "takes back a record that is not there")
        reading.take_back(is_event, taken.key, [Retraction(row, arrival, 1, origin)])
    reading.settle()
    for key, standing in (*reading.events.items(), *reading.fluents.items()):
        yield facts_of_records(key, standing)
    yield from _set_aside(reading.set_aside)
