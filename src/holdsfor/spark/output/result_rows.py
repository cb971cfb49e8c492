"""Results decoded into rows, in the workers: all fluents and events as texts, or one of them in typed columns.

Times are integers here; `time_columns` makes timestamps of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.analysis.result_columns import TableColumns
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.result_table import result_schema
from holdsfor.columns.time_type import time_column
from holdsfor.columns.typed_values import ColumnType, arrow_type, typed_column
from holdsfor.kernels.keys import dense_ids
from holdsfor.kernels.packing import OPEN
from holdsfor.parallel.exchange.facts import Facts
from holdsfor.parallel.stages.dated_buckets import NOTHING
from holdsfor.spark.exchange.shuffle_rows import loads_of

__all__ = [
    "COUNTS_AT",
    "VERSION_TIMES",
    "AllRows",
    "TypedRows",
    "count_rows",
    "described_columns",
    "each_facts",
    "extent_columns",
    "record_batches",
]

_TEXT, _TIME = pa.string(), pa.int64()
VERSION_TIMES = pa.schema(
    [
        ("start", _TIME),
        ("end", _TIME),
        ("known_from", _TIME),
        ("known_until", _TIME),
        ("change", _TEXT),
        ("old_start", _TIME),
        ("old_end", _TIME),
        ("is_retracted", pa.bool_()),
        ("last_report", _TIME),
    ]
)
"""The columns of dated results: their extent, and the query times between which they are known."""

COUNTS_AT = pa.schema([("query_time", _TIME), ("what", _TEXT), ("n", _TIME)])

_ROWS = 1 << 16
_CHANGES = ("added", "extended", "shortened")


@dataclass(frozen=True)
class AllRows:
    """The rows of all fluents and events, with texts for arguments and values; dated results also have their dates."""

    is_dated: bool = False

    @property
    def schema(self) -> Any:
        fields = list(result_schema())
        return pa.schema([*fields[:-2], *VERSION_TIMES] if self.is_dated else fields)

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for facts, symbols in each_facts(batches):
            times = _dated(facts) if self.is_dated else extent_columns(facts)
            yield from record_batches([*described_columns(facts, symbols), *times], self.schema)


@dataclass(frozen=True)
class TypedRows:
    """The rows of one fluent or event, with a typed column for each argument and the value.

    The columns are called `c0`, `c1` and so on, because those of the layout may have the names of dates; `start` and
    `end` follow, and the dates of dated results.
    """

    layout: TableColumns
    is_dated: bool = False

    @property
    def kind(self) -> Literal["fluent", "event"]:
        return "event" if self.layout.value is None else "fluent"

    @property
    def kinds(self) -> list[ColumnType]:
        """The types of the arguments, and of the value of a fluent."""
        value = self.layout.value
        return [*(kind for _, kind in self.layout.arguments), *([] if value is None else [value])]

    @property
    def schema(self) -> Any:
        constants = [(f"c{i}", arrow_type(kind)) for i, kind in enumerate(self.kinds)]
        return pa.schema([*constants, *(VERSION_TIMES if self.is_dated else list(VERSION_TIMES)[:2])])

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for facts, symbols in each_facts(batches):
            times = _dated(facts) if self.is_dated else extent_columns(facts)
            yield from record_batches([*self.constants(facts, symbols), *times], self.schema)

    def constants(self, facts: Facts, symbols: Symbols) -> Iterator[Any]:
        """The typed columns of the arguments, and of the value of a fluent."""
        for words, kind in zip(facts.words, self.kinds, strict=True):
            ids, first = dense_ids([words], facts.n)
            yield typed_column(words[first], symbols, kind).take(pa.array(ids))


def count_rows(batches: Iterable[Any]) -> Iterator[Any]:
    """A row for every query time and count."""
    for facts, _ in each_facts(batches):
        columns = [facts.times["query_time"], pa.array([facts.kind] * facts.n, _TEXT), facts.times["n"]]
        yield pa.RecordBatch.from_arrays([pa.array(column) for column in columns], schema=COUNTS_AT)


def each_facts(batches: Iterable[Any]) -> Iterator[tuple[Facts, Symbols]]:
    for load in loads_of(batches):
        yield from ((facts, load.symbols) for facts in load.facts)


def record_batches(columns: list[Any], schema: Any) -> list[Any]:
    found: list[Any] = pa.Table.from_arrays(columns, schema=schema).to_batches(_ROWS)
    return found


def described_columns(facts: Facts, symbols: Symbols) -> list[Any]:
    """Columns of kinds, names, arguments, values and whole FVPs or events; each distinct one is decoded once."""
    ids, first = dense_ids(facts.words, facts.n)
    words, key, rows = [column[first] for column in facts.words], (facts.name, facts.arity), pa.array(ids)
    is_fluent = facts.kind.endswith("fluent")
    known = symbols.entities
    entities = known.fvps(key, words, are_new=True) if is_fluent else known.events(key, words, len(first), are_new=True)
    described = [entities.functors(), entities.args(), entities.values(), entities.names()]
    return [
        pa.repeat(pa.scalar("fluent" if is_fluent else "event"), facts.n),
        *(column.take(rows) for column in described),
    ]


def extent_columns(facts: Facts) -> list[Any]:
    """The starts and ends of intervals, or the time-points of events twice."""
    starts = facts.times["start"]
    return [time_column(each, None) for each in (starts, facts.times.get("end", starts))]


def _dated(facts: Facts) -> list[Any]:
    """When results are known, and how they change, as columns; null means never, nothing or open."""
    times = facts.times
    changes = np.zeros(facts.n, np.int8)
    if "old_start" in times:
        is_longer = (times["start"] < times["old_start"]) | (times["end"] > times["old_end"])
        changes = np.where(times["old_start"] == NOTHING, 0, np.where(is_longer, 1, 2)).astype(np.int8)
    dates = {name: pa.array(column, mask=(column == OPEN) | (column == NOTHING)) for name, column in times.items()}
    dates |= {
        "change": pa.DictionaryArray.from_arrays(pa.array(changes), pa.array(_CHANGES)).dictionary_decode(),
        "is_retracted": pa.array(times["is_retracted"] != 0),
        "last_report": pa.array(times["last_report"], mask=times["last_report"] < times["known_from"]),
    }
    if facts.kind == "event":
        dates["end"] = dates["start"]
    return [dates.get(field.name, pa.nulls(facts.n, field.type)) for field in VERSION_TIMES]
