"""Serialization of facts: every column as narrow as its content allows, symbols as texts.

A message is a line that lists arrays by name, type and length, followed by the arrays. A column `x` has one of these
encodings:

x                       plain 64-bit integers
x, x.base               frame of reference: narrow integers, to be added to the base
x, x.words              dictionary: narrow indices into the list of words
x.words                 one word for all rows
x.as                    a copy of another column, by its number

Words of symbols are indices into `x.texts`. A message has a tenth to a third of the size of its columns in memory.
Narrowing costs some nanoseconds per row, less than the shuffle of the saved bytes. Messages may be many and short, so
the fixed cost of a message matters; an Arrow stream would cost several times more.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray

from holdsfor.columns.encoding import Symbols, is_symbol, symbol_numbers, symbol_words
from holdsfor.kernels.keys import Int64, dense_ids
from holdsfor.parallel.exchange.facts import PLAIN, Facts, Texts
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.terms import Atom, Term

__all__ = ["pack", "unpack"]

Arrays = dict[str, NDArray[Any]]
"""The arrays of a message by name."""

_SAMPLE = 1024
_FEW, _FEW_OF_FEW = 0.9, 0.6  # share of distinct words, in a sample or in all rows, above which no dictionary is made
_SHORT = 64  # rows: too few to look for repetitions
_NARROW = ((1 << 8, np.uint8), (1 << 16, np.uint16), (1 << 32, np.uint32))
_ALIGNED = 8
_LONGEST_HEAD = 1 << 14


def pack(facts: Facts, texts: Texts) -> bytes:
    """The columns of facts as bytes, without their kind, name, arity and number."""
    arrays: Arrays = {}
    for i, words in enumerate(facts.words):
        _pack_words(f"word{i}", words, texts, arrays)
    written: list[Int64] = []
    for name, times in facts.times.items():
        twin = None if facts.n < _SHORT else next((i for i, t in enumerate(written) if np.array_equal(t, times)), None)
        if twin is None:
            _pack_integers(f"time.{name}", times, arrays)
        else:
            arrays[f"time.{name}.as"] = np.array([twin], np.uint8)
        written.append(times)
    for name, strings in facts.texts.items():
        _pack_texts(f"text.{name}", strings, arrays)
    return _framed(arrays)


def unpack(what: tuple[str, str, int, int], message: Any, symbols: Symbols) -> Facts:
    """The facts of a message, given their kind, name, arity and number; the message is any buffer of bytes."""
    kind, name, arity, n = what
    arrays = _unframed(message)
    words: list[Int64] = []
    while f"word{len(words)}" in arrays or f"word{len(words)}.words" in arrays:
        words.append(_unpacked(f"word{len(words)}", n, arrays, symbols))
    times: dict[str, Int64] = {}
    for column in _columns("time", arrays):
        twin = arrays.get(f"time.{column}.as")
        if twin is None:
            times[column] = _unpacked_times(f"time.{column}", n, arrays, symbols)
        else:
            times[column] = list(times.values())[twin[0]]
    texts = {column: _unpacked_texts(f"text.{column}", arrays) for column in _columns("text", arrays)}
    return Facts(kind, name, arity, n, words, times, texts)


def _columns(prefix: str, arrays: Arrays) -> list[str]:
    """The columns whose arrays begin with a prefix, in order."""
    parts = (array.split(".") for array in arrays)
    return list(dict.fromkeys(part[1] for part in parts if part[0] == prefix))


# -- messages ----------------------------------------------------------------------------------------------------------


def _framed(arrays: Arrays) -> bytes:
    head = ",".join(f"{name} {array.dtype.str} {len(array)}" for name, array in arrays.items()).encode()
    assert len(head) + _ALIGNED < _LONGEST_HEAD
    parts = [head + b" " * (-(len(head) + 1) % _ALIGNED) + b"\n"]
    for array in arrays.values():
        content = array.tobytes()
        parts += [content, bytes(-len(content) % _ALIGNED)]
    return b"".join(parts)


def _unframed(message: Any) -> Arrays:
    content = np.frombuffer(message, np.uint8)
    begin = int(np.argmax(content[:_LONGEST_HEAD] == ord("\n"))) + 1
    arrays: Arrays = {}
    head = content[: begin - 1].tobytes().decode().rstrip()
    for name, kind, n in (each.split(" ") for each in head.split(",")) if head else ():
        arrays[name] = np.frombuffer(message, kind, int(n), begin)
        begin += arrays[name].nbytes + -arrays[name].nbytes % _ALIGNED
    return arrays


# -- columns -----------------------------------------------------------------------------------------------------------


def _pack_words(name: str, words: Int64, texts: Texts, arrays: Arrays) -> None:
    if not len(words) or not np.count_nonzero(is_symbol(words)):
        _pack_integers(name, words, arrays)
        return
    ids, first = dense_ids([words], len(words))
    distinct = words[first]
    symbols = np.flatnonzero(is_symbol(distinct))
    if len(first) > 1:
        arrays[name] = _narrow(ids, len(first))
    _pack_texts(f"{name}.texts", texts.of(distinct[symbols]), arrays)
    distinct[symbols] = symbol_words(np.arange(len(symbols), dtype=np.int64))
    arrays[f"{name}.words"] = distinct


def _pack_integers(name: str, values: Int64, arrays: Arrays) -> None:
    if len(values) < _SHORT:
        arrays[name] = values
        return
    low, high = (int(values[0]),) * 2 if values.strides == (0,) else (int(values.min()), int(values.max()))
    if low == high:
        arrays[f"{name}.words"] = values[:1]
    elif high - low < _NARROW[-1][0]:
        arrays[name] = _narrow(values - low, high - low + 1)
        arrays[f"{name}.base"] = np.array([low], np.int64)
    elif not _is_repetitive(values):
        arrays[name] = values
    else:
        ids, first = dense_ids([values], len(values))
        arrays[name] = _narrow(ids, len(first))
        arrays[f"{name}.words"] = values[first]


def _is_repetitive(values: Int64) -> bool:
    """Whether the values have few distinct ones, estimated from a sample."""
    n_distinct, n = len(np.unique(values[:_SAMPLE])), len(values)
    return n_distinct < (_FEW * _SAMPLE if n > _SAMPLE else _FEW_OF_FEW * n)


def _narrow(values: Int64, n: int) -> NDArray[Any]:
    """Integers from 0 to `n - 1`, in the narrowest type."""
    for bound, kind in _NARROW:
        if n <= bound:
            return values.astype(kind)
    return values


def _pack_texts(name: str, strings: Any, arrays: Arrays) -> None:
    """Texts in the layout of Arrow: offsets and concatenated bytes."""
    _, ends, content = strings.buffers()
    bounds = np.frombuffer(ends, np.int32)[strings.offset : strings.offset + len(strings) + 1]
    arrays[f"{name}.bounds"] = bounds - bounds[0]
    arrays[name] = np.frombuffer(content or b"", np.uint8)[bounds[0] : bounds[-1]]


def _unpacked(name: str, n: int, arrays: Arrays, symbols: Symbols) -> Int64:
    values, base, words = (arrays.get(f"{name}{form}") for form in ("", ".base", ".words"))
    if words is not None:
        if f"{name}.texts" in arrays:
            words = _with_symbols(words, _unpacked_texts(f"{name}.texts", arrays), symbols)
        found: Int64 = np.full(n, words[0], np.int64) if values is None else words[values]
        return found
    assert values is not None
    return np.require(values, requirements="A") if base is None else values + base[0]


def _unpacked_times(name: str, n: int, arrays: Arrays, symbols: Symbols) -> Int64:
    """A column of times; one number for all rows takes no memory."""
    if name in arrays or f"{name}.words" not in arrays:
        return _unpacked(name, n, arrays, symbols)
    return np.broadcast_to(np.require(arrays[f"{name}.words"], requirements="A"), n)


def _unpacked_texts(name: str, arrays: Arrays) -> Any:
    bounds = np.require(arrays[f"{name}.bounds"], requirements="A")
    content = pa.py_buffer(arrays[name].tobytes())
    return pa.StringArray.from_buffers(len(bounds) - 1, pa.py_buffer(bounds), content)


def _with_symbols(words: Int64, texts: Any, symbols: Symbols) -> Int64:
    """Words with the indices into `texts` replaced by symbols of a table."""
    meanings = words.copy()
    here = np.flatnonzero(is_symbol(words))
    meanings[here] = symbols.words(map(_term, texts.to_pylist()))[symbol_numbers(words[here])]
    return meanings


@lru_cache(maxsize=1 << 16)
def _term(text: str) -> Term:
    return Atom(text) if PLAIN.match(text) else parse_term(text)
