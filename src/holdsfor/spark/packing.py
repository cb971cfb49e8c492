"""Facts as bytes: every column as narrow as its content allows, symbols as texts.

The bytes are one Arrow message: a batch with a single row, whose columns are lists of any length. A column `x` of the
facts is there in one of these forms:

x                       the integers as they are
x, x.base               integers that lie close together: narrow ones, to be added to the base
x, x.words              few different words: narrow places in the list of words
x.words                 all rows have this one
x.as                    the same as another one

Words of symbols count from 0 among `x.texts` here. A message is a tenth to a third of what its columns take in memory;
narrowing costs some nanoseconds a row, and every byte less is cheaper to shuffle than that.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.words import Symbols, is_symbol, symbol_numbers, symbol_words
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.spark.facts import PLAIN, Facts, Texts
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Term

__all__ = ["pack", "unpack"]

Lists = dict[str, Any]
"""Arrow arrays by name: the lists of a message."""

_SAMPLE = 4096
_FEW = 0.75  # of a sample: more different words than that are not worth a list
_NARROW = ((1 << 8, np.uint8), (1 << 16, np.uint16), (1 << 32, np.uint32))


def pack(facts: Facts, texts: Texts) -> bytes:
    """The columns of facts as bytes; their kind, name, arity and number are not among them."""
    lists: Lists = {}
    for i, words in enumerate(facts.words):
        lists |= _packed_words(f"word{i}", words, texts)
    told: dict[str, Int64] = {}
    for name, times in facts.times.items():
        twin = next((other for other, column in told.items() if np.array_equal(column, times)), None)
        lists |= _packed_integers(f"time.{name}", times) if twin is None else {f"time.{name}.as": pa.array([twin])}
        told[name] = times
    lists |= {f"text.{name}": array for name, array in facts.texts.items()}
    lists = lists or {"nothing": pa.array([], pa.null())}
    row = [pa.ListArray.from_arrays(pa.array([0, len(array)], pa.int32()), array) for array in lists.values()]
    batch = pa.RecordBatch.from_arrays(row, list(lists))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    message: bytes = sink.getvalue().to_pybytes()
    return message


def unpack(what: tuple[str, str, int, int], message: Any, symbols: Symbols) -> Facts:
    """The facts of a kind, name, arity and number whose columns a message has; it is anything with bytes."""
    kind, name, arity, n = what
    with pa.ipc.open_stream(message) as stream:
        batch = stream.read_next_batch()
    lists: Lists = {column: batch.column(i).values for i, column in enumerate(batch.schema.names)}
    words: list[Int64] = []
    while any(f"word{len(words)}{form}" in lists for form in ("", ".words")):
        words.append(_unpacked(f"word{len(words)}", n, lists, symbols))
    times: dict[str, Int64] = {}
    for column in lists:
        prefix, _, rest = column.partition(".")
        if prefix == "time" and (time := rest.partition(".")[0]) not in times:
            twin = lists.get(f"time.{time}.as")
            times[time] = _unpacked(f"time.{time}", n, lists, symbols) if twin is None else times[twin[0].as_py()]
    texts = {column[5:]: array for column, array in lists.items() if column.startswith("text.")}
    return Facts(kind, name, arity, n, words, times, texts)


# -- columns -----------------------------------------------------------------------------------------------------------


def _packed_words(name: str, words: Int64, texts: Texts) -> Lists:
    if len(words) and int(words.max()) != int(words.min()) and not np.count_nonzero(is_symbol(words)):
        return _packed_integers(name, words)
    ids, first = dense_ids([words], len(words))
    distinct = words[first]
    symbols = np.flatnonzero(is_symbol(distinct))
    lists: Lists = {name: pa.array(_narrow(ids, len(first)))} if len(first) != 1 else {}
    if len(symbols):
        lists[f"{name}.texts"] = texts.of(distinct[symbols])
        distinct[symbols] = symbol_words(np.arange(len(symbols), dtype=np.int64))
    return {**lists, f"{name}.words": pa.array(distinct)}


def _packed_integers(name: str, values: Int64) -> Lists:
    if len(values) == 0:
        return {name: pa.array(values)}
    low, high = int(values.min()), int(values.max())
    if low == high:
        return {f"{name}.words": pa.array([low], pa.int64())}
    if high - low < _NARROW[-1][0]:
        return {name: pa.array(_narrow(values - low, high - low + 1)), f"{name}.base": pa.array([low], pa.int64())}
    if len(np.unique(values[:_SAMPLE])) > _FEW * min(len(values), _SAMPLE):
        return {name: pa.array(values)}
    ids, first = dense_ids([values], len(values))
    return {name: pa.array(_narrow(ids, len(first))), f"{name}.words": pa.array(values[first])}


def _narrow(values: Int64, n: int) -> Any:
    """Integers from 0 and below `n`, in as few bytes as that needs."""
    for bound, kind in _NARROW:
        if n <= bound:
            return values.astype(kind)
    return values


def _unpacked(name: str, n: int, lists: Lists, symbols: Symbols) -> Int64:
    column, base, words = (lists.get(f"{name}{form}") for form in ("", ".base", ".words"))
    values = None if column is None else column.to_numpy()
    if words is not None:
        meanings = words.to_numpy()
        if f"{name}.texts" in lists:
            meanings = _with_symbols(meanings, lists[f"{name}.texts"], symbols)
        found: Int64 = np.full(n, meanings[0], np.int64) if values is None else meanings[values]
        return found
    assert values is not None
    whole: Int64 = values if base is None else values + np.int64(base[0].as_py())
    return whole


def _with_symbols(words: Int64, texts: Any, symbols: Symbols) -> Int64:
    """Words with the symbols of a table in place of those that count among texts."""
    meanings = words.copy()
    here = np.flatnonzero(is_symbol(words))
    meanings[here] = symbols.words(map(_term, texts.to_pylist()))[symbol_numbers(words[here])]
    return meanings


@lru_cache(maxsize=1 << 16)
def _term(text: str) -> Term:
    return Atom(text) if PLAIN.match(text) else parse_term(text)
