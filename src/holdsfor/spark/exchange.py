"""Rows that travel between stages: records, members of domains and results, in one flat form that needs no dictionary.

A row has a kind, a name and an arity, its times, and its constants in pairs of columns: `n1`, `s1`, `n2`, … A number is
the word it is everywhere (`holdsfor.columns.words`), and a symbol is its text as it would stand in a rule: words of
symbols mean something only together with the table that gave them. The last constant of a fluent is its value.

The *owner* of a constant is a bucket, the same in every process.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from holdsfor.columns.words import Symbols, is_symbol
from holdsfor.kernels.keys import Int64
from holdsfor.syntax.parser import parse_term
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Term

__all__ = ["Group", "Layout", "constants_of", "owners", "texts_of", "words_of_constants"]

Constants = tuple[Any, Any]
"""A column of constants as Arrow arrays: the words of numbers, and the texts of symbols; null where it is the other."""


@dataclass(frozen=True)
class Layout:
    """The columns of rows with up to `width` constants."""

    width: int

    @property
    def schema(self) -> Any:
        fixed = [
            ("kind", pa.string()),
            ("name", pa.string()),
            ("arity", pa.int32()),
            ("arrival", pa.int64()),
            ("start", pa.int64()),
            ("end", pa.int64()),
            ("takes_back", pa.bool_()),
            ("text", pa.string()),
            ("reason", pa.string()),
        ]
        pairs = [((f"n{i + 1}", pa.int64()), (f"s{i + 1}", pa.string())) for i in range(self.width)]
        return pa.schema([*fixed, *(field for pair in pairs for field in pair)])

    @property
    def placed_schema(self) -> Any:
        """The columns of records with their place in the order of reading, by which some are taken back."""
        return self.schema.append(pa.field("place", pa.int64()))

    @property
    def answer_schema(self) -> Any:
        """The columns of results: as they travel, and as people read them."""
        more = [("shown", pa.string()), ("args", pa.list_(pa.string())), ("value", pa.string())]
        return pa.schema([*self.schema, *(pa.field(name, kind) for name, kind in more)])

    def rows(self, n: int, kind: str, name: str, arity: int, constants: Sequence[Constants] = (), **more: Any) -> Any:
        """A batch of `n` rows of one kind and name; `more` are columns by name."""
        columns = {
            "kind": _repeated(kind, n),
            "name": _repeated(name, n),
            "arity": pa.array(np.full(n, arity, np.int32)),
        }
        for i, (numbers, symbols) in enumerate(constants):
            columns[f"n{i + 1}"], columns[f"s{i + 1}"] = numbers, symbols
        columns |= more
        arrays = [columns.get(field.name, None) for field in self.schema]
        filled = [
            pa.nulls(n, field.type) if array is None else array
            for array, field in zip(arrays, self.schema, strict=True)
        ]
        return pa.RecordBatch.from_arrays(filled, schema=self.schema)


def _repeated(text: str, n: int) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, np.int8)), pa.array([text])).dictionary_decode()


@dataclass(frozen=True)
class Group:
    """The rows of one kind, name and arity among those of a table."""

    kind: str
    name: str
    arity: int
    table: Any

    @staticmethod
    def all_of(table: Any) -> list[Group]:
        """The groups of a table, in order of kind, name and arity."""
        if table.num_rows == 0:
            return []
        key = pa.StructArray.from_arrays(
            [table[name].combine_chunks() for name in ("kind", "name", "arity")], ["kind", "name", "arity"]
        )
        encoded = _codes(key)
        groups = []
        for (kind, name, arity), rows in sorted(encoded.items(), key=lambda item: str(item[0])):
            groups.append(Group(kind, name, arity, table.take(pa.array(rows))))
        return groups

    @property
    def n_constants(self) -> int:
        return self.arity + (self.kind == "fluent")

    def constants(self) -> list[Constants]:
        return [self.constant(i) for i in range(self.n_constants)]

    def constant(self, i: int) -> Constants:
        return self.table[f"n{i + 1}"].combine_chunks(), self.table[f"s{i + 1}"].combine_chunks()

    def times(self, column: str) -> Int64:
        times: Int64 = self.table[column].combine_chunks().to_numpy(zero_copy_only=False).astype(np.int64)
        return times


def _codes(key: Any) -> dict[tuple[str, str, int], Int64]:
    """The rows that each kind, name and arity has."""
    kinds, names = (key.field(i).dictionary_encode() for i in (0, 1))
    arities = key.field(2).fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    texts = [[*each.dictionary.to_pylist(), None] for each in (kinds, names)]
    codes = [
        each.indices.fill_null(len(each.dictionary)).to_numpy(zero_copy_only=False).astype(np.int64)
        for each in (kinds, names)
    ]
    mixed = (codes[0] * len(texts[1]) + codes[1]) * (int(arities.max()) + 2) + arities + 1
    distinct, inverse = np.unique(mixed, return_inverse=True)
    order = np.argsort(inverse, kind="stable")
    parts = np.split(order, np.cumsum(np.bincount(inverse, minlength=len(distinct)))[:-1])
    return {(texts[0][codes[0][p[0]]], texts[1][codes[1][p[0]]], int(arities[p[0]])): p for p in parts}


# -- constants ---------------------------------------------------------------------------------------------------------


def constants_of(words: Int64, symbols: Symbols) -> Constants:
    """A column of words as it travels."""
    are_symbols = is_symbol(words)
    numbers = pa.array(words, mask=are_symbols)
    if not are_symbols.any():
        return numbers, pa.nulls(len(words), pa.string())
    distinct, codes = np.unique(words, return_inverse=True)
    are_texts = is_symbol(distinct).tolist()
    texts = [
        show(symbols.term(w)) if is_text else None for w, is_text in zip(distinct.tolist(), are_texts, strict=True)
    ]
    indices = pa.array(codes.reshape(-1).astype(np.int32))
    return numbers, pa.DictionaryArray.from_arrays(indices, pa.array(texts, pa.string())).dictionary_decode()


def words_of_constants(constants: Constants, symbols: Symbols) -> Int64:
    """The words of a column that has travelled."""
    numbers, texts = constants
    words: Int64 = numbers.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    if texts.null_count < len(texts):
        encoded = texts.dictionary_encode()
        meanings = symbols.words(map(_term, encoded.dictionary.to_pylist()))
        here = np.flatnonzero(texts.is_valid().to_numpy(zero_copy_only=False))
        words = words.copy()
        words[here] = meanings[encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)[here]]
    return words


_PLAIN = re.compile(r"[a-z][a-zA-Z0-9_]*\Z", re.ASCII)


@lru_cache(maxsize=1 << 16)
def _term(text: str) -> Term:
    return Atom(text) if _PLAIN.match(text) else parse_term(text)


def texts_of(constants: Constants) -> Any:
    """A text for each constant, different for different ones."""
    numbers, symbols = constants
    encoded = numbers.cast(pa.string())
    return pc.if_else(numbers.is_valid(), pc.binary_join_element_wise("#", encoded, ""), symbols)


def owners(constants: Constants, n_buckets: int) -> Int64:
    """The bucket that owns each constant.

    >>> symbols = Symbols()
    >>> words = symbols.words([Atom("a"), Atom("b"), Atom("a")])
    >>> found = owners(constants_of(words, symbols), 1000)
    >>> bool(found[0] == found[2] != found[1])
    True
    """
    numbers, texts = constants
    mixed = _scrambled(numbers.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64))
    if texts.null_count < len(texts):
        encoded = texts.dictionary_encode()
        sums = [zlib.crc32(text.encode()) for text in encoded.dictionary.to_pylist()]
        hashes = _scrambled(np.array(sums, dtype=np.int64))
        here = np.flatnonzero(texts.is_valid().to_numpy(zero_copy_only=False))
        mixed[here] = hashes[encoded.indices.fill_null(0).to_numpy(zero_copy_only=False)[here]]
    found: Int64 = (mixed % np.uint64(n_buckets)).astype(np.int64)
    return found


def _scrambled(values: Int64) -> Any:
    """Numbers that look random, the same for the same (the finaliser of SplitMix64)."""
    mixed = values.view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
