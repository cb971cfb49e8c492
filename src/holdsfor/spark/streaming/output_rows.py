"""The rows of the feeds of a stream, decoded in the workers: changes, settled results and problems."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.analysis.result_columns import TableColumns
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.result_table import result_schema
from holdsfor.parallel.exchange.facts import Facts
from holdsfor.parallel.stages.stream_buckets import SETTLED
from holdsfor.spark.output.result_rows import (
    AllRows,
    TypedRows,
    described_columns,
    each_facts,
    extent_columns,
    record_batches,
)

__all__ = ["PROBLEMS", "SEPARATOR", "ChangeRows", "SettledRows", "TypedChangeRows", "is_problem", "problem_rows"]

_TEXT, _TIME = pa.string(), pa.int64()

PROBLEMS = pa.schema(
    [
        ("query_time", _TIME),
        ("kind", _TEXT),
        ("name", _TEXT),
        ("arguments", pa.list_(_TEXT)),
        ("value", _TEXT),
        ("start", _TIME),
        ("end", _TIME),
        ("arrival", _TIME),
        ("text", _TEXT),
        ("reason", _TEXT),
        ("id", _TEXT),
    ]
)
"""Records without the usual effect: late, dropped, cut, set aside or unmatched. Rows with one `id` are one record."""

SEPARATOR = "\t"
"""Separates the id of a retraction from its text, which is JSON."""


@dataclass(frozen=True)
class ChangeRows:
    """The changes of all fluents and events, with texts for arguments and values."""

    @property
    def schema(self) -> Any:
        return pa.schema([("query_time", _TIME), ("op", _TEXT), *result_schema()])

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for facts, symbols in each_facts(batches):
            columns = [*_change_columns(facts), *described_columns(facts, symbols), *extent_columns(facts)]
            yield from record_batches(columns, self.schema)


@dataclass(frozen=True)
class SettledRows(AllRows):
    """The settled results of all fluents and events."""


@dataclass(frozen=True)
class TypedChangeRows:
    """The changes of one fluent or event, with a typed column for each argument and the value."""

    layout: TableColumns

    @property
    def rows(self) -> TypedRows:
        return TypedRows(self.layout)

    @property
    def schema(self) -> Any:
        return pa.schema([("query_time", _TIME), ("op", _TEXT), *self.rows.schema])

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for facts, symbols in each_facts(batches):
            columns = [*_change_columns(facts), *self.rows.constants(facts, symbols), *extent_columns(facts)]
            yield from record_batches(columns, self.schema)


def _change_columns(facts: Facts) -> list[Any]:
    """The query time and the operation of changes."""
    ops = pa.DictionaryArray.from_arrays(pa.array(facts.times["is_gone"]), pa.array(["+", "-"])).dictionary_decode()
    return [pa.array(facts.times["query_time"]), ops]


def is_problem(column: str) -> str:
    """The condition, in SQL, that a column of kinds has a problem."""
    counted = "', '".join(f"{what} {kind}" for what in ("late", "dropped", "cut") for kind in ("event", "fluent"))
    return f"{column} in ('set aside', 'unmatched', '{counted}') and {column} not like '{SETTLED} %'"


def problem_rows(batches: Iterable[Any]) -> Iterator[Any]:
    """A row for every record without the usual effect."""
    for facts, symbols in each_facts(batches):
        columns = _written(facts) if facts.texts else _recorded(facts, symbols)
        arrays = [columns.get(each.name, pa.nulls(facts.n, each.type)) for each in PROBLEMS]
        yield from record_batches(arrays, PROBLEMS)


def _written(facts: Facts) -> dict[str, Any]:
    """Records that are known by their text."""
    ids, _, packed = zip(*(each.rpartition(SEPARATOR) for each in facts.texts["text"].to_pylist()), strict=True)
    texts = [json.loads(each)["text"] for each in packed]
    columns = {"kind": pa.repeat(pa.scalar(facts.kind), facts.n), "text": pa.array(texts, _TEXT)}
    columns["id"] = pa.array([each or None for each in ids], _TEXT)
    columns |= {name: pa.array(column) for name, column in facts.times.items() if name == "query_time"}
    reasons = facts.texts.get("reason")
    unmatched = pa.repeat(pa.scalar("retracts a record that is not there"), facts.n)
    return {**columns, "reason": unmatched if reasons is None else reasons}


def _recorded(facts: Facts, symbols: Symbols) -> dict[str, Any]:
    """Records that were read."""
    _, names, arguments, values, _ = described_columns(facts, symbols)
    start, end = extent_columns(facts)
    kind = pa.repeat(pa.scalar(facts.kind.partition(" ")[0]), facts.n)
    columns = {"kind": kind, "name": names, "arguments": arguments, "value": values, "start": start, "end": end}
    return {**columns, "arrival": pa.array(facts.times["arrival"])}
