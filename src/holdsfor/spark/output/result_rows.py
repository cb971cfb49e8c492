"""Results decoded into rows, in the workers: names, arguments and values as text, separately and combined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.columns.encoding import Symbols, integer_values, is_integer
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.kernels.packing import OPEN
from holdsfor.parallel.exchange.facts import Facts
from holdsfor.parallel.stages.dated_buckets import NOTHING
from holdsfor.spark.exchange.shuffle_rows import loads_of
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Struct, Term

__all__ = [
    "COUNTS_AT",
    "EVENTS",
    "INTERVALS",
    "VERSIONS",
    "count_rows",
    "event_rows",
    "interval_rows",
    "version_rows",
]

_TEXT, _TIME = pa.string(), pa.int64()
_ARGS = pa.list_(_TEXT)
INTERVALS = pa.schema(
    [("fluent", _TEXT), ("args", _ARGS), ("value", _TEXT), ("fvp", _TEXT), ("start", _TIME), ("end", _TIME)]
)
EVENTS = pa.schema([("name", _TEXT), ("args", _ARGS), ("event", _TEXT), ("time", _TIME)])
VERSIONS = pa.schema(
    [
        ("name", _TEXT),
        ("args", _ARGS),
        ("value", _TEXT),
        ("shown", _TEXT),
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
COUNTS_AT = pa.schema([("query_time", _TIME), ("what", _TEXT), ("n", _TIME)])

_ROWS = 1 << 16
_EXAMPLE = (Atom("x"),)
_CHANGES = ("added", "extended", "shortened")


def interval_rows(batches: Iterable[Any]) -> Iterator[Any]:
    """A row for every interval."""
    for facts, symbols in _each(batches):
        name, args, values, shown = _written(facts, symbols)
        ends = facts.times["end"]
        columns = [name, args, values, shown, pa.array(facts.times["start"]), pa.array(ends, mask=ends == OPEN)]
        yield from pa.Table.from_arrays(columns, schema=INTERVALS).to_batches(_ROWS)


def event_rows(batches: Iterable[Any]) -> Iterator[Any]:
    """A row for every time-point of an event."""
    for facts, symbols in _each(batches):
        name, args, _, shown = _written(facts, symbols)
        columns = [name, args, shown, pa.array(facts.times["start"])]
        yield from pa.Table.from_arrays(columns, schema=EVENTS).to_batches(_ROWS)


def version_rows(batches: Iterable[Any]) -> Iterator[Any]:
    """A row for every interval or time-point known at some query time."""
    for facts, symbols in _each(batches):
        dates = _dates(facts)
        dated = [dates.get(field.name, pa.nulls(facts.n, field.type)) for field in list(VERSIONS)[4:]]
        yield from pa.Table.from_arrays([*_written(facts, symbols), *dated], schema=VERSIONS).to_batches(_ROWS)


def count_rows(batches: Iterable[Any]) -> Iterator[Any]:
    """A row for every query time and count."""
    for facts, _ in _each(batches):
        columns = [facts.times["query_time"], pa.array([facts.kind] * facts.n, _TEXT), facts.times["n"]]
        yield pa.RecordBatch.from_arrays([pa.array(column) for column in columns], schema=COUNTS_AT)


def _dates(facts: Facts) -> dict[str, Any]:
    """When results are known, and how they change, as columns; null means never, nothing or open."""
    times = facts.times
    changes = np.zeros(facts.n, np.int8)
    if "old_start" in times:
        is_longer = (times["start"] < times["old_start"]) | (times["end"] > times["old_end"])
        changes = np.where(times["old_start"] == NOTHING, 0, np.where(is_longer, 1, 2)).astype(np.int8)
    dates = {name: pa.array(column, mask=(column == OPEN) | (column == NOTHING)) for name, column in times.items()}
    return {
        **dates,
        "change": pa.DictionaryArray.from_arrays(pa.array(changes), pa.array(_CHANGES)).dictionary_decode(),
        "is_retracted": pa.array(times["is_retracted"] != 0),
        "last_report": pa.array(times["last_report"], mask=times["last_report"] < times["known_from"]),
    }


def _each(batches: Iterable[Any]) -> Iterator[tuple[Facts, Symbols]]:
    for load in loads_of(batches):
        yield from ((facts, load.symbols) for facts in load.facts)


def _written(facts: Facts, symbols: Symbols) -> list[Any]:
    """Columns of names, arguments, values and combined FVPs or events; each distinct one is decoded once."""
    ids, first = dense_ids(facts.words, facts.n)
    n, rows = len(first), pa.array(ids)
    columns = [_Constants(words[first], symbols) for words in facts.words]
    args = _lists([column.texts() for column in columns[: facts.arity]], n)
    values = columns[-1].texts() if facts.kind == "fluent" else pa.nulls(n, _TEXT)
    names = pa.DictionaryArray.from_arrays(pa.array(np.zeros(facts.n, np.int8)), pa.array([facts.name]))
    return [names.dictionary_decode(), *(column.take(rows) for column in (args, values, _whole(facts, columns, n)))]


def _whole(facts: Facts, columns: list[_Constants], n: int) -> Any:
    """FVPs or events as text, concatenated from their constants unless the name is an operator."""
    functor = show(Struct(facts.name, _EXAMPLE * facts.arity) if facts.arity else Atom(facts.name))
    name, _, inner = functor.partition("(x")
    if facts.arity and inner != ",x" * (facts.arity - 1) + ")":
        terms = zip(*(column.each() for column in columns), strict=True)
        return pa.array([_shown(facts, row) for row in terms], _TEXT)
    parts = [part for column in columns[: facts.arity] for part in (pa.scalar(","), column.arguments())]
    parts = [pa.scalar(f"{name}("), *parts[1:], pa.scalar(")")] if facts.arity else [pa.scalar(functor)]
    if facts.kind == "fluent":
        parts.append(columns[-1].written(partial(_as_value, facts)))
    return pc.binary_join_element_wise(*parts, "") if columns else pa.array([functor] * n, _TEXT)


def _shown(facts: Facts, row: tuple[Term, ...]) -> str:
    named = Struct(facts.name, row[: facts.arity])
    return show(Struct("=", (named, row[-1])) if facts.kind == "fluent" else named)


class _Constants:
    """A column of constants; each distinct constant is decoded once."""

    def __init__(self, words: Int64, symbols: Symbols) -> None:
        ids, first = dense_ids([words], len(words))
        self.words = words[first]
        self.symbols = symbols
        self.rows = pa.array(ids)

    def each(self) -> list[Term]:
        return self.symbols.terms(self.words[self.rows.to_numpy()])

    def written(self, write: Callable[[Term], str]) -> Any:
        return pa.array(map(write, self.symbols.terms(self.words)), _TEXT).take(self.rows)

    def arguments(self) -> Any:
        """The constants as arguments of a term. Columns of integers take a faster path."""
        if is_integer(self.words).all():
            return pa.array(integer_values(self.words)).cast(_TEXT).take(self.rows)
        return self.written(_as_argument)

    def texts(self) -> Any:
        """The constants without quotes."""
        return self.arguments() if is_integer(self.words).all() else self.written(_text)


def _as_argument(term: Term) -> str:
    """The text of a term as an argument of another."""
    return show(Struct("f", (term,)))[2:-1]


def _as_value(facts: Facts, term: Term) -> str:
    """The text of a term as the value of a fluent, with the equals sign."""
    fluent = Struct(facts.name, (Atom("x"),)) if facts.arity else Atom(facts.name)
    return show(Struct("=", (fluent, term)))[len(show(fluent)) :]


def _text(term: Term) -> str:
    return term.name if isinstance(term, Atom) else show(term)


def _lists(columns: Sequence[Any], n: int) -> Any:
    """A list for each row with its values in the columns."""
    offsets = pa.array(np.arange(n + 1, dtype=np.int32) * len(columns))
    if not columns:
        return pa.ListArray.from_arrays(offsets, pa.array([], _TEXT))
    order = np.arange(n * len(columns), dtype=np.int64).reshape(len(columns), n).T.reshape(-1)
    return pa.ListArray.from_arrays(offsets, pa.concat_arrays(list(columns)).take(pa.array(order)))
