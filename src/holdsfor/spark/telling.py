"""Results as people read them, in the workers: whole, in parts, and what was set aside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.words import Symbols
from holdsfor.kernels.keys import dense_ids
from holdsfor.kernels.packing import OPEN
from holdsfor.spark.facts import Facts
from holdsfor.spark.parcels import loads_of
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term

__all__ = ["EVENTS", "INTERVALS", "SET_ASIDE", "told_events", "told_intervals", "told_set_aside"]

_TEXT, _TIME = pa.string(), pa.int64()
_ARGS = pa.list_(_TEXT)
INTERVALS = pa.schema(
    [("fluent", _TEXT), ("args", _ARGS), ("value", _TEXT), ("fvp", _TEXT), ("start", _TIME), ("end", _TIME)]
)
EVENTS = pa.schema([("name", _TEXT), ("args", _ARGS), ("event", _TEXT), ("time", _TIME)])
SET_ASIDE = pa.schema([("text", _TEXT), ("reason", _TEXT)])

_ROWS = 1 << 16


def told_intervals(batches: Iterable[Any]) -> Iterator[Any]:
    """A row for every interval."""
    for facts, symbols in _each(batches):
        name, args, values, shown = _written(facts, symbols)
        ends = facts.times["end"]
        columns = [name, args, values, shown, pa.array(facts.times["start"]), pa.array(ends, mask=ends == OPEN)]
        yield from pa.Table.from_arrays(columns, schema=INTERVALS).to_batches(_ROWS)


def told_events(batches: Iterable[Any]) -> Iterator[Any]:
    """A row for every time-point of an event."""
    for facts, symbols in _each(batches):
        name, args, _, shown = _written(facts, symbols)
        columns = [name, args, shown, pa.array(facts.times["start"])]
        yield from pa.Table.from_arrays(columns, schema=EVENTS).to_batches(_ROWS)


def told_set_aside(batches: Iterable[Any]) -> Iterator[Any]:
    """A row for every record that does not fit."""
    for facts, _ in _each(batches):
        yield pa.RecordBatch.from_arrays([facts.texts[name] for name in SET_ASIDE.names], schema=SET_ASIDE)


def _each(batches: Iterable[Any]) -> Iterator[tuple[Facts, Symbols]]:
    for load in loads_of(batches):
        yield from ((facts, load.symbols) for facts in load.facts)


def _written(facts: Facts, symbols: Symbols) -> list[Any]:
    """Columns of names, arguments, values and whole FVPs or events; each different one is written once."""
    ids, first = dense_ids(facts.words, facts.n)
    terms = [symbols.terms(column[first]) for column in facts.words]
    instances: list[tuple[Term, ...]] = list(zip(*terms, strict=True)) if terms else [()] * len(first)
    has_value, arity = facts.kind == "fluent", facts.arity
    values = [_text(row[-1]) if has_value else None for row in instances]
    args = [[_text(term) for term in row[:arity]] for row in instances]
    shown = [_shown(facts, row) for row in instances]
    rows = pa.array(ids)
    names = pa.DictionaryArray.from_arrays(pa.array(np.zeros(facts.n, np.int8)), pa.array([facts.name]))
    written = [pa.array(args, _ARGS), pa.array(values, _TEXT), pa.array(shown, _TEXT)]
    return [names.dictionary_decode(), *(column.take(rows) for column in written)]


def _shown(facts: Facts, row: tuple[Term, ...]) -> str:
    named = Struct(facts.name, row[: facts.arity]) if facts.arity else Atom(facts.name)
    return show(Struct("=", (named, row[-1])) if facts.kind == "fluent" else named)


def _text(term: Term) -> str:
    return term.name if isinstance(term, Atom) else show(term)
