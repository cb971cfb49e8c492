"""The input facts of an event description, as columns."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdsfor.analysis.input_facts import input_fact_records
from holdsfor.analysis.names import Names
from holdsfor.columns.encoding import Symbols
from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key
from holdsfor.syntax.terms import Struct, Term, name_and_arity

__all__ = ["input_fact_columns"]

_Row = tuple[tuple[Term, ...], int, int]


def input_fact_columns(names: Names, tick: int, symbols: Symbols) -> Iterator[tuple[Key, Records]]:
    """The records of facts, name by name; they arrive at their starts, before records of the input."""
    events: dict[Key, list[_Row]] = {}
    fluents: dict[Key, list[_Row]] = {}
    for entity, value, start, end in input_fact_records(names, tick):
        arguments = entity.args if isinstance(entity, Struct) else ()
        terms = arguments if value is None else (*arguments, value)
        (events if value is None else fluents).setdefault(name_and_arity(entity), []).append((terms, start, end))
    for key, rows in events.items():
        yield key, _records(rows, symbols, is_event=True)
    for key, rows in fluents.items():
        yield key, _records(rows, symbols, is_event=False)


def _records(rows: list[_Row], symbols: Symbols, *, is_event: bool) -> Records:
    columns = [symbols.words(column) for column in zip(*(terms for terms, _, _ in rows), strict=True)]
    starts = np.array([start for _, start, _ in rows], dtype=np.int64)
    ends = None if is_event else np.array([end for _, _, end in rows], dtype=np.int64)
    return Records(columns, starts.copy(), starts, ends, places=np.full(len(rows), -1, dtype=np.int64))
