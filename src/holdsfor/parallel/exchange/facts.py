"""Facts in a process: records, results and members of domains as columns of words, grouped by kind and name.

The word of a symbol is valid only with the symbol table that assigned it. Other processes therefore receive symbols as
texts (`Texts`), written as in a rule. The hash of this text gives every constant an *owner*: a bucket that is the same
in all processes.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]

from holdsfor.columns.encoding import Symbols, is_symbol, symbol_numbers, symbol_words
from holdsfor.columns.records import Records
from holdsfor.columns.tables import Key
from holdsfor.kernels.concatenation import concatenate_columns, concatenate_times
from holdsfor.kernels.keys import Int64
from holdsfor.prolog.faults import Fault
from holdsfor.syntax.printer import show
from holdsfor.syntax.terms import Atom, Term

__all__ = [
    "FAULT",
    "KINDS",
    "PENDING",
    "PLAIN",
    "REVISION",
    "Facts",
    "Load",
    "SymbolHashes",
    "Texts",
    "by_name",
    "facts_of_records",
    "fault_facts",
    "owners",
    "set_aside_facts",
]

REVISION = "revision"
"""The kind of facts that list the records of revisions, for the check that both records of each are there."""

FAULT = "fault"
PENDING = "pending"
"""The kind of the numbers of delayed effects that are pending at the end, by fluent; blocks have the first due time."""
"""The kind of facts with the conditions that had no result, for the summary of a run."""

KINDS = "kinds"
"""The kind of facts that say which kinds of constants, numbers or texts, the records of a job have."""


@dataclass(frozen=True)
class Facts:
    """Rows of one kind, name and arity.

    `words` are the constants, with the value of a fluent last. `times` are columns of 64-bit integers by name: a record
    has an `arrival` and a `start`, a record of a fluent also an `end`. Results of other stages have no arrival. `texts`
    are Arrow arrays of messages.
    """

    kind: str
    name: str
    arity: int
    n: int
    words: Sequence[Int64] = ()
    times: Mapping[str, Int64] = field(default_factory=dict)
    texts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> Key:
        return self.name, self.arity

    @property
    def table(self) -> tuple[str, str, int]:
        return self.kind, self.name, self.arity

    def take(self, rows: Int64) -> Facts:
        """The rows with the given numbers."""
        picked = pa.array(rows) if self.texts else None
        return replace(
            self,
            n=len(rows),
            words=[column[rows] for column in self.words],
            times={name: _taken(column, rows) for name, column in self.times.items()},
            texts={name: column.take(picked) for name, column in self.texts.items()},
        )

    def part(self, first: int, last: int) -> Facts:
        """The rows from `first` up to but not including `last`, without a copy."""
        return replace(
            self,
            n=last - first,
            words=[column[first:last] for column in self.words],
            times={name: column[first:last] for name, column in self.times.items()},
            texts={name: column.slice(first, last - first) for name, column in self.texts.items()},
        )

    def records(self) -> Records:
        """The rows as records; records that a window has cut also have a `true_start`."""
        start = self.times["start"]
        true = self.times.get("true_start")
        given = list(self.words), self.times["arrival"], start if true is None else true, self.times.get("end")
        return Records(*given, begins=None if true is None else start)


@dataclass(frozen=True)
class Load:
    """Facts in one process, with their symbol table."""

    facts: Sequence[Facts]
    symbols: Symbols


def facts_of_records(key: Key, records: Records) -> Facts:
    """Records of one name as facts, with cut intervals from the time-point at which they are seen."""
    times = {"arrival": records.arrivals, "start": records.seen_from}
    if records.ends is not None:
        times["end"] = records.ends
    if records.begins is not None:
        times["true_start"] = records.starts
    return Facts("event" if records.ends is None else "fluent", *key, len(records), records.columns, times)


def _taken(column: Int64, rows: Int64) -> Int64:
    """Some rows of a column; a column of one number, made by `np.broadcast_to`, needs no copy."""
    return np.broadcast_to(column[:1], len(rows)) if column.strides == (0,) and len(column) else column[rows]


def _joined(parts: Sequence[Facts]) -> Facts:
    """The concatenation of facts of one kind and name."""
    first = parts[0]
    if len(parts) == 1:
        return first
    return replace(
        first,
        n=sum(part.n for part in parts),
        words=concatenate_columns(part.words for part in parts),
        times={name: concatenate_times([part.times[name] for part in parts]) for name in first.times},
        texts={name: pa.concat_arrays([part.texts[name] for part in parts]) for name in first.texts},
    )


def set_aside_facts(packed: Sequence[str], reasons: Sequence[str], kind: str = "set aside") -> Iterator[Facts]:
    """Records set aside, or retractions that are `unmatched`."""
    if packed:
        texts = {"text": pa.array(packed, pa.string()), "reason": pa.array(reasons, pa.string())}
        yield Facts(kind, "", 0, len(packed), texts=texts)


def fault_facts(faults: Sequence[Fault]) -> Iterator[Facts]:
    """Conditions without a result."""
    if faults:
        yield Facts(FAULT, "", 0, len(faults), texts={"text": pa.array([each.to_text() for each in faults])})


# -- symbols -----------------------------------------------------------------------------------------------------------

_FIRST_SYMBOL = int(symbol_words(np.zeros(1, np.int64))[0])

PLAIN = re.compile(r"[a-z][a-zA-Z0-9_]*\Z", re.ASCII)
"""Atoms that need no quotes."""


class SymbolHashes:
    """Hashes of the texts of the symbols of a table, which are the same in every process."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols
        self._hashes = np.zeros(0, np.uint64)

    def hashes(self, words: Int64) -> Any:
        """The hashes of words that are symbols."""
        self._grow()
        return self._hashes[symbol_numbers(words)]

    def owners(self, words: Int64, n_buckets: int) -> Int64:
        """The bucket of each word by the hash of its text; all words are symbols."""
        self._grow()
        found: Int64 = (self._hashes % np.uint64(n_buckets)).astype(np.int64).take(words - _FIRST_SYMBOL)
        return found

    def _grow(self) -> None:
        known, n = len(self._hashes), len(self.symbols)
        if known == n:
            return
        new = list(map(_text, self.symbols.terms(symbol_words(np.arange(known, n, dtype=np.int64)))))
        self._keep(new)
        sums = np.array([zlib.crc32(text.encode()) for text in new], dtype=np.int64)
        self._hashes = np.concatenate((self._hashes, _scrambled(sums)))

    def _keep(self, texts: list[str]) -> None:
        """Keep the texts of new symbols, if they are needed besides their hashes."""


class Texts(SymbolHashes):
    """The texts of the symbols of a table, and their hashes."""

    def __init__(self, symbols: Symbols) -> None:
        super().__init__(symbols)
        self._texts: list[str] = []
        self._array: Any = pa.array([], pa.string())

    def of(self, words: Int64) -> Any:
        """The texts of words that are symbols, as an Arrow array."""
        self._grow()
        return self._array.take(pa.array(symbol_numbers(words)))

    def _keep(self, texts: list[str]) -> None:
        self._texts += texts
        self._array = pa.array(self._texts, pa.string())


def _text(term: Term) -> str:
    return term.name if isinstance(term, Atom) and PLAIN.match(term.name) else show(term)


def owners(words: Int64, n_buckets: int, texts: SymbolHashes) -> Int64:
    """The bucket that owns each constant.

    >>> symbols = Symbols()
    >>> found = owners(symbols.words([Atom("a"), Atom("b"), Atom("a")]), 1000, Texts(symbols))
    >>> bool(found[0] == found[2] != found[1])
    True
    """
    if n_buckets == 1:
        return np.zeros(len(words), np.int64)
    are_symbols = is_symbol(words)
    if are_symbols.all():
        return texts.owners(words, n_buckets)
    mixed = _scrambled(words)
    symbols = np.flatnonzero(are_symbols)
    if len(symbols):
        mixed[symbols] = texts.hashes(words[symbols])
    found: Int64 = (mixed % np.uint64(n_buckets)).astype(np.int64)
    return found


def _scrambled(values: Int64) -> Any:
    """Hashes of integers (the finaliser of SplitMix64)."""
    mixed = values.view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def by_name(facts: Iterable[Facts]) -> list[Facts]:
    """Facts grouped by kind, name and columns, in this order."""
    groups: dict[tuple[str, str, int, tuple[str, ...]], list[Facts]] = {}
    for each in facts:
        groups.setdefault((each.kind, each.name, each.arity, tuple(each.times)), []).append(each)
    return [_joined(groups[group]) for group in sorted(groups)]
